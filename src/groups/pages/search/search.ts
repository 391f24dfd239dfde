import type { Status } from '../../../blueprints/blueprints.ts'
import type { Slices } from '../../../http/list.ts'
import { paginate, type Paging } from '../../../http/paging.ts'
import type { RequestContext } from '../../../http/context.ts'
import { createLruCache, type LruCache } from '../../../platform/lib/lru-cache.ts'
import { type SearchQuery, parseQuery } from '../../../platform/search/words.ts'
import type { Store } from '../../../platform/store/store.ts'
import type { PageRow } from '../queries.ts'
import { pageAccessors } from '../page-accessors.ts'
import { previewedRelease } from '../../../access/actor.ts'
import { listableTemplates } from '../../../access/authorize/pages.ts'
import type { TemplateFilter } from '../../../access/authorize/templates.ts'
import { type PageSearch, type Hit, selectEdited, selectHits, selectInOrder, selectBatchesBy } from './queries.ts'
import { asReleased, changedIn } from './released.ts'
import { selectUuids } from './select-uuids.ts'

/** What to search: the whole site, or the children of one page (its uuid, `''` for the top level). */
export interface SearchScope {
  parent?: string | undefined
  statuses?: readonly Status[] | undefined
  /** By default the templates that the caller may list. */
  templates?: TemplateFilter | undefined
}

/** One page of the results, in order, in the language of the request. */
export type PageSearchResult = Slices<PageRow>

const allStatuses: readonly Status[] = ['listed', 'unlisted', 'draft']

export function searchFor(ctx: RequestContext, { parent, statuses = allStatuses, templates }: SearchScope): PageSearch {
  const { actor } = ctx
  const search = { parent, statuses, ...(templates ?? listableTemplates(ctx)) }
  if (!actor.isAnonymous) return search
  // A release may publish what is a draft now: `asReleased` decides.
  if (actor.pass?.release) return { ...search, statuses: allStatuses, isPublic: true, includesDrafts: true }
  return { ...search, isPublic: true, ...(ctx.listsDrafts && { includesDrafts: true }) }
}

/**
 * Results per search term that are ranked, so that a word in most pages costs the same on every site. It is also the
 * highest total that is reported.
 */
const maxFound = 250
/** Results that are read if the query also filters: matches may rank low. */
const maxFiltered = 10_000

/**
 * Pages that contain any of the terms in the language of the request, without duplicates. Matching titles come first.
 */
export async function findPages(
  ctx: RequestContext,
  { q, page, limit, next, ...where }: SearchScope & Paging & { q: string },
): Promise<PageSearchResult> {
  const { uuids } = await findFirst(ctx, q, where)
  return pagesBy(ctx, uuids, total => paginate(total, { page, limit, next }))
}

/** One page of the results, given all uuids. */
export function pagesBy(
  ctx: RequestContext,
  uuids: readonly string[],
  part: (total: number) => PageSearchResult['pagination'],
): PageSearchResult {
  return {
    pagination: part(uuids.length),
    read: async ({ offset, limit }) =>
      selectInOrder(ctx.app.store, await ctx.language(), uuids.slice(offset, offset + limit)),
  }
}

/** All results by relevance, up to `maxFiltered`. */
export async function findAll(ctx: RequestContext, q: string, where: SearchScope): Promise<string[]> {
  const searchQuery = parseQuery(q)
  const { uuids, isCut } = await findFirst(ctx, q, where)
  if (!searchQuery || !isCut || ctx.actor.isAnonymous) return uuids
  const rest = ranked(await shownHits(ctx, q, searchQuery, searchFor(ctx, where), maxFiltered))
  // `findPages` shows the first results in this order, so they keep it.
  return [...new Set([...uuids, ...rest])].slice(0, maxFiltered)
}

/** The best results, ranked. `isCut` if there may be more. */
interface FirstHits {
  uuids: string[]
  isCut: boolean
}

const hitsCache = new WeakMap<Store, { version: number | string; blueprints: number; found: LruCache<FirstHits> }>()

/** Cached until the database or a blueprint changes, if the store can detect that. */
async function findFirst(ctx: RequestContext, q: string, where: SearchScope): Promise<FirstHits> {
  const searchQuery = parseQuery(q)
  if (!searchQuery) return { uuids: [], isCut: false }
  const { store } = ctx.app
  const blueprints = ctx.app.blueprints.version
  const search = searchFor(ctx, where)
  if (ctx.actor.isAnonymous && ctx.actor.pass?.release)
    return { uuids: await findReleased(ctx, q, searchQuery, search, where), isCut: false }
  const version = ctx.readAt ?? store.version()?.number
  if (version === undefined) return select(ctx, q, searchQuery, search)
  let last = hitsCache.get(store)
  if (last?.version !== version || last.blueprints !== blueprints)
    hitsCache.set(store, (last = { version, blueprints, found: createLruCache(100) }))
  const { key: language, changesOf } = await ctx.language()
  const key = JSON.stringify([q, search, language, changesOf])
  let first = last.found.get(key)
  if (!first) last.found.set(key, (first = await select(ctx, q, searchQuery, search)))
  return first
}

async function select(
  ctx: RequestContext,
  q: string,
  searchQuery: SearchQuery,
  search: PageSearch,
): Promise<FirstHits> {
  const found = await shownHits(ctx, q, searchQuery, search, maxFound)
  const hits = ctx.listsDrafts ? await withEdited(ctx, search, found) : found
  // The index has the texts of all fields. Matches and their order must not depend on those that anonymous clients do
  // not see.
  if (search.isPublic) return { uuids: await matchingContent(ctx, q, ranked(hits).slice(0, maxFound)), isCut: false }
  // Hits with 0 points are substring matches, which only small sites have.
  if (hits.some(({ points }) => points === 0)) return rankedByTexts(ctx, q, hits)
  return { uuids: ranked(hits).slice(0, maxFound), isCut: hits.length >= maxFound }
}

/** In the preview of a release: what it changes is matched by its texts. */
async function findReleased(
  ctx: RequestContext,
  q: string,
  searchQuery: SearchQuery,
  search: PageSearch,
  { statuses = allStatuses }: SearchScope,
): Promise<string[]> {
  const hits = ranked(await shownHits(ctx, q, searchQuery, search, maxFound)).slice(0, maxFound)
  const uuids = [...new Set([...hits, ...changedIn(previewedRelease(ctx.actor)!)])]
  const pages = selectBatchesBy(ctx.app.store, await ctx.language(), uuids)
  return selectUuids(asReleased(ctx, search, statuses, pages), pageAccessors(ctx), { search: q })
}

/**
 * Ranks by the contents, which also match inside of words; then adds results that only the index matches, such as
 * other forms of a word.
 */
async function rankedByTexts(ctx: RequestContext, q: string, hits: readonly Hit[]): Promise<FirstHits> {
  const byWords = ranked(hits.filter(({ points }) => points > 0))
  const found = await matchingContent(ctx, q, [...new Set([...byWords, ...hits.map(({ uuid }) => uuid)])])
  return { uuids: [...new Set([...found, ...byWords])], isCut: false }
}

/** The index has only published content, so all pages with unpublished changes are candidates in any case. */
async function withEdited(ctx: RequestContext, search: PageSearch, hits: readonly Hit[]): Promise<Hit[]> {
  const edited = await selectEdited(ctx.app.store, search, await ctx.language(), maxFound)
  const uuids = new Set(edited.map(({ uuid }) => uuid))
  return [...hits.filter(({ uuid }) => !uuids.has(uuid)), ...edited]
}

/**
 * Drops hits in the default language if the page shows a translation instead. A partial translation still shows the
 * rest in the default language, so these pages are checked by their content.
 */
async function shownHits(
  ctx: RequestContext,
  q: string,
  searchQuery: SearchQuery,
  search: PageSearch,
  limit: number,
): Promise<Hit[]> {
  const hits = await selectHits(ctx.app.store, searchQuery, search, await ctx.language(), limit)
  const uncertain = new Set(hits.flatMap(({ uuid, points, certain }) => (points > 0 && certain === 0 ? [uuid] : [])))
  if (uncertain.size === 0) return hits
  const shown = new Set(await matchingContent(ctx, q, [...uncertain].slice(0, maxFound)))
  return hits.filter(({ uuid, points, certain }) => points === 0 || certain === 1 || shown.has(uuid))
}

/** The pages whose content in the language of the request matches, best first. */
async function matchingContent(ctx: RequestContext, q: string, uuids: string[]): Promise<string[]> {
  const pages = selectBatchesBy(ctx.app.store, await ctx.language(), uuids)
  return selectUuids(pages, pageAccessors(ctx), { search: q })
}

/** The points of a page are those of its best matching language. */
export function ranked(hits: readonly Hit[]): string[] {
  const byRow = new Map<number, Hit>()
  for (const hit of hits) {
    const same = byRow.get(hit.id)
    if (same) same.points += hit.points
    else byRow.set(hit.id, hit)
  }
  const byPage = new Map<string, Hit>()
  for (const hit of byRow.values()) {
    const same = byPage.get(hit.uuid)
    if (!same || same.points < hit.points) byPage.set(hit.uuid, hit)
  }
  const inOrder = [...byPage.values()].toSorted((a, b) => b.points - a.points || (a.path < b.path ? -1 : 1))
  return inOrder.map(({ uuid }) => uuid)
}
