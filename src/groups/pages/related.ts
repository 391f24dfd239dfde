import type { Status } from '../../blueprints/blueprints.ts'
import type { RequestContext } from '../../http/context.ts'
import { maxRelated, tooLargeRelated, tooManyRelated } from '../../http/view.ts'
import { chunks } from '../../platform/lib/chunks.ts'
import { batched } from '../../platform/store/batch.ts'
import type { Store } from '../../platform/store/store.ts'
import {
  type Count,
  hasTemplate,
  inPortions,
  type PageRow,
  selectByPaths,
  selectListByUuids,
  selectChildrenOf,
  selectCountsOf,
  selectPage,
  sizeOf,
  type PageFilter,
} from './queries.ts'
import { type Templates, listableTemplates, seesPage } from '../../access/authorize/pages.ts'
import { ancestorsOf, parentOf } from './tree/lock.ts'

/** The parents and children of pages, as far as the caller may see them. Batched: one query for all pages of a list. */
interface Related {
  byPath(path: string): Promise<PageRow | undefined>
  /** Pages that this request has read already, by path. */
  seen: Map<string, PageRow>
  published(uuid: string): Promise<PageRow[]>
  drafts(uuid: string): Promise<PageRow[]>
  /** The count of children with these statuses and templates; by default of the templates that the caller may list. */
  count(uuid: string, statuses: readonly Status[], templates?: Templates): Promise<number>
}

const relatedByRequest = new WeakMap<RequestContext, Related>()

function relatedTo(ctx: RequestContext): Related {
  let related = relatedByRequest.get(ctx)
  if (!related) relatedByRequest.set(ctx, (related = createRelated(ctx)))
  return related
}

/** Children per page in a response; the list endpoint has the rest. */
const maxEach = 1000

const megabyte = 1024 * 1024
/** In characters, for the contents of all children in a response: they are loaded in full even if little is shown. */
const maxLetters = 64 * megabyte
/** Pages per statement. */
const chunkSize = 100

function createRelated(ctx: RequestContext): Related {
  const { app } = ctx
  const templates = listableTemplates(ctx)
  const seen = new Map<string, PageRow>()
  let left = maxRelated
  let leftLetters = maxLetters

  function childrenIn(...statuses: Status[]) {
    const load = batched(
      async (store, parents: string[]) => {
        const most = { each: maxEach, all: left + 1 }
        const uuids = await selectChildrenOf(store, parents, { ...templates, statuses }, most)
        left -= uuids.length
        if (left < 0) throw tooManyRelated()
        const rows = await rowsBy(store, uuids)
        const grouped = Map.groupBy(rows, ({ parent }) => parent)
        return parents.map(parent => ({ parent, rows: (grouped.get(parent) ?? []).toSorted(inOrder) }))
      },
      ({ parent }) => parent,
    )
    return async (uuid: string) => (await load(app.store, uuid))?.rows ?? []
  }

  /** In chunks, so that the size limit applies before all rows are in memory. */
  async function rowsBy(store: Store, uuids: readonly string[]): Promise<PageRow[]> {
    const language = await ctx.language()
    const found: PageRow[] = []
    for (const chunk of chunks(uuids, chunkSize)) {
      const rows = await selectListByUuids(store, language, chunk)
      leftLetters -= rows.reduce((sum, row) => sum + sizeOf(row), 0)
      if (leftLetters < 0) throw tooLargeRelated(maxLetters / megabyte)
      for await (const some of inPortions(store, language, rows)) found.push(...some)
    }
    return found
  }

  const rows = batched(
    async (store, paths: string[]) => {
      const language = await ctx.language()
      if (paths.length > 1) return selectByPaths(store, language, paths)
      const found = await selectPage(store, language, paths[0]!)
      return found ? [found] : []
    },
    ({ path }) => path,
  )
  const counts = batched(
    async (store, parents: string[]) => {
      const grouped = Map.groupBy(await selectCountsOf(store, parents), ({ parent }) => parent)
      return parents.map(parent => ({ parent, rows: grouped.get(parent) ?? ([] as Count[]) }))
    },
    ({ parent }) => parent,
  )
  return {
    seen,
    byPath: async path => seen.get(path) ?? rows(app.store, path),
    published: childrenIn('listed', 'unlisted'),
    drafts: childrenIn('draft'),
    async count(uuid, statuses, wanted = templates) {
      const found = (await counts(app.store, uuid))?.rows ?? []
      return found
        .filter(({ status, template }) => statuses.includes(status) && hasTemplate(wanted, template))
        .reduce((sum, { count }) => sum + count, 0)
    },
  }
}

const ranks: Readonly<Record<Status, number>> = { listed: 0, unlisted: 1, draft: 2 }

/** Listed pages by number, then unlisted ones, then drafts. */
function inOrder(one: PageRow, other: PageRow): number {
  const byState = ranks[one.status] - ranks[other.status]
  const byNumber = (one.num ?? 0) - (other.num ?? 0)
  return byState || byNumber || (one.slug < other.slug ? -1 : 1)
}

/** Remembers a page that this request has read, so that looking it up as a parent does not read it again. */
export function cachePage(ctx: RequestContext, page: PageRow): void {
  relatedTo(ctx).seen.set(page.path, page)
}

// ---- for the view

const published = ['listed', 'unlisted'] as const

/** Published children. With the uuid `''`: the pages at the top level. */
export const childrenOf = (ctx: RequestContext, { uuid }: Pick<PageRow, 'uuid'>) => relatedTo(ctx).published(uuid)
export const draftsOf = (ctx: RequestContext, { uuid }: Pick<PageRow, 'uuid'>) => relatedTo(ctx).drafts(uuid)

export const hasChildren = async (ctx: RequestContext, { uuid }: Pick<PageRow, 'uuid'>) =>
  (await relatedTo(ctx).count(uuid, published)) > 0

export const hasDrafts = async (ctx: RequestContext, { uuid }: Pick<PageRow, 'uuid'>) =>
  (await relatedTo(ctx).count(uuid, ['draft'])) > 0

export const countChildren = (ctx: RequestContext, uuid: string, { statuses, ...templates }: PageFilter) =>
  relatedTo(ctx).count(uuid, statuses, templates)

/** All published siblings, including the page itself if it is published. */
export const siblingsOf = (ctx: RequestContext, { parent }: PageRow) => relatedTo(ctx).published(parent)

export async function parentOfPage(ctx: RequestContext, { path }: PageRow): Promise<PageRow | null> {
  const above = parentOf(path)
  return above === '' ? null : await visibleAt(ctx, above)
}

/** The ancestors that the caller may see, topmost first. */
export async function parentsOf(ctx: RequestContext, { path }: PageRow): Promise<PageRow[]> {
  const found = await Promise.all(ancestorsOf(path).map(above => visibleAt(ctx, above)))
  return found.filter(page => page !== null)
}

async function visibleAt(ctx: RequestContext, path: string): Promise<PageRow | null> {
  const found = await relatedTo(ctx).byPath(path)
  return found && seesPage(ctx, found) ? found : null
}
