import { type Status, statuses as all } from '../../../blueprints/blueprints.ts'
import type { ContentLanguage, RequestContext } from '../../../http/context.ts'
import { maxBatch, type Slices } from '../../../http/list.ts'
import { paginate, type Paging } from '../../../http/paging.ts'
import { chunks } from '../../../platform/lib/chunks.ts'
import type { Store } from '../../../platform/store/store.ts'
import { canBeId, uuidIn } from '../pages.ts'
import {
  listed,
  type ListRow,
  type PageRow,
  selectListByPaths,
  selectListByUuids,
  type PageFilter,
} from '../queries.ts'
import {
  type ChildrenSlice,
  selectChildrenOf,
  selectCountedSlice,
  selectCounts,
  selectChildrenSlice,
} from './queries.ts'
import { findPages, pagesBy } from '../search/search.ts'
import { listableTemplates } from '../../../access/authorize/pages.ts'
import { hasTemplate, type TemplateFilter } from '../../../access/authorize/templates.ts'
import { previewedRelease, type ReleasePreview } from '../../../access/actor.ts'
import { statusIn } from '../../../access/preview/release.ts'
import { visibleOf } from '../visible.ts'

export type FoundPages = Slices<PageRow>

const published: readonly Status[] = ['listed', 'unlisted']
const allStatuses: readonly Status[] = [...published, 'draft']

/**
 * The statuses that the `status` parameter stands for, as far as the caller sees them in lists. In a preview, drafts
 * are shown as if they were published.
 */
export function statusesFor({ actor, listsDrafts }: RequestContext, word: string | undefined): readonly Status[] {
  const statuses = listsDrafts && word === undefined ? allStatuses : statusesOf(word)
  if (!actor.isAnonymous) return statuses
  return statuses.filter(status => status === 'listed' || (listsDrafts && status === 'draft'))
}

/** In the order in which children are listed. */
export function statusesOf(word: string | undefined): readonly Status[] {
  if (word === 'all') return allStatuses
  const status = all.find(one => one === word || `${one}s` === word)
  return status ? [status] : published
}

/** The children of a page (its uuid, `''` for the top level) that the caller may list. */
export async function listChildren(
  ctx: RequestContext,
  parent: string,
  { status, ...paging }: Paging & { status?: string | undefined },
): Promise<FoundPages> {
  const filter = { statuses: statusesFor(ctx, status), ...listableTemplates(ctx) }
  return listMatching(ctx, parent, filter, total => paginate(total, paging))
}

/** One slice of the matching children. The offset may depend on the total count. */
export async function listMatching(
  ctx: RequestContext,
  parent: string,
  { statuses, ...templates }: PageFilter,
  part: (total: number) => FoundPages['pagination'],
): Promise<FoundPages> {
  const { store } = ctx.app
  const release = previewedRelease(ctx.actor)
  if (release) return pagesBy(ctx, await listedInRelease(ctx, release, parent, { statuses, ...templates }), part)
  const counts = new Map<Status, number>(statuses.map(status => [status, 0]))
  let total = 0
  const first = store.name === 'postgres' ? await readFirst(ctx, parent, statuses, templates, part) : undefined
  for (const { template, status, count } of first?.counts ?? (await selectCounts(store, parent))) {
    if (!counts.has(status) || !hasTemplate(templates, template)) continue
    counts.set(status, counts.get(status)! + count)
    total += count
  }
  return {
    pagination: part(total),
    read: async ({ offset, limit }) => {
      const language = await ctx.language()
      const isFirst = first?.offset === offset && limit <= first.limit
      const rows = isFirst
        ? first.rows.slice(0, limit)
        : await readSlice(store, language, templates, { parent, counts, offset, limit })
      return listed(store, language, rows)
    },
  }
}

/** Children in a preview of a release, at most so many. */
const maxInRelease = 10_000

/** The uuids of the children that have one of the statuses once the release is published; its new ones come last. */
async function listedInRelease(
  { app: { store } }: RequestContext,
  release: ReleasePreview,
  parent: string,
  { statuses, ...templates }: PageFilter,
): Promise<string[]> {
  const limits = { each: maxInRelease, all: maxInRelease }
  const uuids = await selectChildrenOf(store, [parent], { statuses, ...templates }, limits)
  const gone = new Set(release.deleted.map(({ uuid }) => uuid))
  for (const { uuid, status } of release.statuses) if (!statuses.includes(status)) gone.add(uuid)
  const added = release.statuses.filter(
    page => page.parent === parent && statuses.includes(page.status) && hasTemplate(templates, page.template),
  )
  return [...new Set([...uuids, ...added.map(({ uuid }) => uuid)])].filter(uuid => !gone.has(uuid))
}

/**
 * One status after the other: for each, the index has the order and the count is known, so no sort or count is needed.
 */
async function readSlice(
  store: Store,
  language: ContentLanguage,
  templates: TemplateFilter,
  { parent, counts, offset, limit }: Omit<ChildrenSlice, 'status'> & { counts: ReadonlyMap<Status, number> },
): Promise<ListRow[]> {
  const rows: ListRow[] = []
  let start = offset
  for (const [status, count] of counts) {
    const left = limit - rows.length
    if (start < count && left > 0) {
      const slice = { parent, status, limit: left, offset: start }
      rows.push(...(await selectChildrenSlice(store, language, templates, slice)))
    }
    start = Math.max(0, start - count)
  }
  return rows
}

/**
 * All rows of a page that `showSlices` reads at once, together with the counts, unless the offset depends on the total.
 */
async function readFirst(
  ctx: RequestContext,
  parent: string,
  statuses: readonly Status[],
  templates: TemplateFilter,
  part: (total: number) => FoundPages['pagination'],
) {
  const { offset, limit } = part(Infinity)
  if (limit > maxBatch) return undefined
  const slice = { parent, statuses, limit, offset }
  const found = await selectCountedSlice(ctx.app.store, await ctx.language(), templates, slice)
  return found && { ...found, offset, limit }
}

/** Full-text search among the children of a page. */
export async function searchChildren(
  ctx: RequestContext,
  parent: string,
  { q, status, ...paging }: Paging & { q: string; status?: string | undefined },
): Promise<FoundPages> {
  const templates = listableTemplates(ctx)
  return findPages(ctx, { parent, statuses: statusesFor(ctx, status), templates, q, ...paging })
}

/** The uuids of published pages, given ids or uuids, in the same order; without those the caller may not see. */
export async function findAny(ctx: RequestContext, ids: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const batch of chunks(ids, findBatchSize)) found.push(...(await findBatch(ctx, batch)).map(({ uuid }) => uuid))
  return [...new Set(found)]
}

/** Pages per statement. */
const findBatchSize = 100

async function findBatch(ctx: RequestContext, ids: readonly string[]): Promise<{ uuid: string }[]> {
  const { app } = ctx
  const language = await ctx.language()
  const uuids = ids.flatMap(id => uuidIn(id) ?? [])
  const paths = ids.filter(id => uuidIn(id) === undefined && canBeId(id))
  const found = [
    ...(await selectListByPaths(app.store, language, paths)),
    ...(await selectListByUuids(app.store, language, uuids)),
  ]
  const rows = await visibleOf(
    ctx,
    found.filter(row => ctx.listsDrafts || statusIn(previewedRelease(ctx.actor), row) !== 'draft'),
  )
  const byId = new Map(rows.flatMap(row => [[row.path, row] as const, [`@${row.uuid}`, row] as const]))
  return ids.flatMap(id => byId.get(uuidIn(id) === undefined ? id : `@${uuidIn(id)}`) ?? [])
}
