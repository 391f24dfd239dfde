import { previewedRelease } from '../../access/actor.ts'
import { isDeletedIn, statusIn } from '../../access/preview/release.ts'
import type { Status } from '../../blueprints/blueprints.ts'
import type { RequestContext } from '../../http/context.ts'
import { maxRelated, tooLargeRelated, tooManyRelated } from '../../http/view.ts'
import { chunks } from '../../platform/lib/chunks.ts'
import { batched } from '../../platform/store/batch.ts'
import {
  inPortions,
  type PageRow,
  selectByPaths,
  selectListByUuids,
  selectPage,
  sizeOf,
  type PageFilter,
} from './queries.ts'
import { type ChildCount, selectChildrenOf, selectCountsOf } from './children/queries.ts'
import { listableTemplates } from '../../access/authorize/pages.ts'
import { hasTemplate } from '../../access/authorize/templates.ts'
import { ancestorsOf, parentOf } from './tree/lock.ts'
import { addTags, tagOfAny } from '../../http/tags.ts'
import { tagOfChildren } from './tags.ts'
import { isRelatedPageVisible, notBelowDrafts } from './visible.ts'

/** What one response may still load of related pages, and the pages that it has read already. */
interface Progress {
  seen: Map<string, PageRow>
  left: number
  leftCharacters: number
}

const progressOf = new WeakMap<RequestContext, Progress>()

function progressIn(ctx: RequestContext): Progress {
  let progress = progressOf.get(ctx)
  if (!progress) progressOf.set(ctx, (progress = { seen: new Map(), left: maxRelated, leftCharacters: maxCharacters }))
  return progress
}

/** Children per page in a response; the list endpoint has the rest. */
const maxEach = 1000

const megabyte = 1024 * 1024
/** In characters, for the contents of all children in a response: they are loaded in full even if little is shown. */
const maxCharacters = 64 * megabyte
/** Pages per statement. */
const chunkSize = 100

const pagesByPath = batched(
  async (ctx: RequestContext, paths: string[]) => {
    const language = await ctx.language()
    if (paths.length > 1) return selectByPaths(ctx.app.store, language, paths)
    const found = await selectPage(ctx.app.store, language, paths[0]!)
    return found ? [found] : []
  },
  ({ path }) => path,
)

/** The children with these statuses that the caller may list, by the uuid of their parent. */
function childrenIn(statusesOf: (ctx: RequestContext) => readonly Status[]) {
  return batched(
    async (ctx: RequestContext, parents: string[]) => {
      const progress = progressIn(ctx)
      const limits = { each: maxEach, all: progress.left + 1 }
      const filter = { ...listableTemplates(ctx), statuses: statusesOf(ctx) }
      const uuids = await selectChildrenOf(ctx.app.store, parents, filter, limits)
      progress.left -= uuids.length
      if (progress.left < 0) throw tooManyRelated()
      const grouped = Map.groupBy(asReleased(ctx, await rowsBy(ctx, uuids)), ({ parent }) => parent)
      return parents.map(parent => ({ parent, rows: (grouped.get(parent) ?? []).toSorted(inOrder) }))
    },
    ({ parent }) => parent,
  )
}

/**
 * Anonymous clients see unlisted pages by their address only, never in lists. A preview shows drafts as if they were
 * published.
 */
const publishedFor = ({ actor, listsDrafts }: RequestContext): readonly Status[] => [
  ...(actor.isAnonymous && !previewedRelease(actor) ? (['listed'] as const) : (['listed', 'unlisted'] as const)),
  ...(listsDrafts || previewedRelease(actor) ? (['draft'] as const) : []),
]

/** In the preview of a release, the pages that it leaves listed. */
function asReleased({ actor }: RequestContext, rows: PageRow[]): PageRow[] {
  const release = previewedRelease(actor)
  return release ? rows.filter(row => statusIn(release, row) === 'listed' && !isDeletedIn(release, row)) : rows
}

const draftsFor = ({ actor }: RequestContext): readonly Status[] => (actor.isAnonymous ? [] : ['draft'])

const publishedBelow = childrenIn(publishedFor)
const draftsBelow = childrenIn(draftsFor)

/** In chunks, so that the size limit applies before all rows are in memory. */
async function rowsBy(ctx: RequestContext, uuids: readonly string[]): Promise<PageRow[]> {
  const { store } = ctx.app
  const [progress, language] = [progressIn(ctx), await ctx.language()]
  const found: PageRow[] = []
  for (const chunk of chunks(uuids, chunkSize)) {
    const rows = await selectListByUuids(store, language, chunk)
    progress.leftCharacters -= rows.reduce((sum, row) => sum + sizeOf(row), 0)
    if (progress.leftCharacters < 0) throw tooLargeRelated(maxCharacters / megabyte)
    for await (const portion of inPortions(store, language, rows)) found.push(...portion)
  }
  return found
}

const countsBelow = batched(
  async (store, parents: string[]) => {
    const grouped = Map.groupBy(await selectCountsOf(store, parents), ({ parent }) => parent)
    return parents.map(parent => ({ parent, rows: grouped.get(parent) ?? ([] as ChildCount[]) }))
  },
  ({ parent }) => parent,
)

const ranks: Readonly<Record<Status, number>> = { listed: 0, unlisted: 1, draft: 2 }

/** Listed pages by number, then unlisted ones, then drafts. */
function inOrder(one: PageRow, other: PageRow): number {
  const byState = ranks[one.status] - ranks[other.status]
  const byNumber = (one.num ?? 0) - (other.num ?? 0)
  return byState || byNumber || (one.slug < other.slug ? -1 : 1)
}

/** Remembers a page that this request has read, so that looking it up as a parent does not read it again. */
export function cachePage(ctx: RequestContext, page: PageRow): void {
  progressIn(ctx).seen.set(page.path, page)
}

/** A page that this request has read already. */
export function cachedPage(ctx: RequestContext, uuid: string): PageRow | undefined {
  for (const page of progressOf.get(ctx)?.seen.values() ?? []) if (page.uuid === uuid) return page
  return undefined
}

// ---- for the view

/** Queries of blueprints do not know the path. */
interface Parent {
  uuid: string
  path?: string
}

const tagsOfChildren = (path: string | undefined) => [path === undefined ? tagOfAny : tagOfChildren(path)]

/** Published children, in a preview also drafts. With the uuid `''`: the pages at the top level. */
export async function childrenOf(ctx: RequestContext, { uuid, path }: Parent): Promise<PageRow[]> {
  addTags(ctx, () => tagsOfChildren(path))
  return (await publishedBelow(ctx, uuid))?.rows ?? []
}

export async function draftsOf(ctx: RequestContext, { uuid }: Pick<PageRow, 'uuid'>): Promise<PageRow[]> {
  return (await draftsBelow(ctx, uuid))?.rows ?? []
}

export async function hasChildren(ctx: RequestContext, { uuid, path }: Parent): Promise<boolean> {
  addTags(ctx, () => tagsOfChildren(path))
  if (ctx.actor.isAnonymous && ctx.actor.pass?.release) return (await publishedBelow(ctx, uuid))!.rows.length > 0
  return (await countChildren(ctx, uuid, { ...listableTemplates(ctx), statuses: publishedFor(ctx) })) > 0
}

export const hasDrafts = async (ctx: RequestContext, { uuid }: Pick<PageRow, 'uuid'>) =>
  (await countChildren(ctx, uuid, { ...listableTemplates(ctx), statuses: draftsFor(ctx) })) > 0

export async function countChildren(ctx: RequestContext, uuid: string, filter: PageFilter): Promise<number> {
  return (await kindsBelow(ctx, uuid, filter)).reduce((sum, { count }) => sum + count, 0)
}

/** The templates and statuses that children have, each pair once. */
export async function kindsBelow(
  { app }: RequestContext,
  uuid: string,
  { statuses, ...templates }: PageFilter,
): Promise<ChildCount[]> {
  const found = (await countsBelow(app.store, uuid))?.rows ?? []
  return found.filter(({ status, template }) => statuses.includes(status) && hasTemplate(templates, template))
}

/** All published siblings, including the page itself if it is published. */
export async function siblingsOf(ctx: RequestContext, { parent, path }: PageRow): Promise<PageRow[]> {
  return notBelowDrafts(ctx, await childrenOf(ctx, { uuid: parent, path: parentOf(path) }))
}

export async function parentOfPage(ctx: RequestContext, { path }: PageRow): Promise<PageRow | null> {
  const above = parentOf(path)
  return above === '' ? null : visibleAt(ctx, above)
}

/** The ancestors that the caller may see, topmost first. */
export async function parentsOf(ctx: RequestContext, { path }: PageRow): Promise<PageRow[]> {
  const found = await Promise.all(ancestorsOf(path).map(above => visibleAt(ctx, above)))
  return found.filter(page => page !== null)
}

async function visibleAt(ctx: RequestContext, path: string): Promise<PageRow | null> {
  const found = progressOf.get(ctx)?.seen.get(path) ?? (await pagesByPath(ctx, path))
  if (!found || !isRelatedPageVisible(ctx, found)) return null
  if (!ctx.actor.isAnonymous) return found
  return (await notBelowDrafts(ctx, [found]))[0] ?? null
}
