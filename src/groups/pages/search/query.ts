import { statuses } from '../../../blueprints/blueprints.ts'
import { type CollectionQuery, namesMustBeKnown, paged } from '../../../content/collection.ts'
import type { RequestContext } from '../../../http/context.ts'
import { paginate, type Paging } from '../../../http/paging.ts'
import { isPageFilterField, pageAccessors } from '../page-accessors.ts'
import { selectBatches, selectBatchesBy } from './queries.ts'
import { asReleased } from './released.ts'
import { searchFor, findAll, findPages, type PageSearchResult, pagesBy, type SearchScope } from './search.ts'
import { selectUuids } from './select-uuids.ts'

/**
 * The pages that match a query. A plain search uses the index, as `q` does; a search with options, such as the fields
 * to search, reads the contents.
 */
export async function queryPages(
  ctx: RequestContext,
  where: SearchScope,
  query: CollectionQuery,
  paging: Paging,
): Promise<PageSearchResult> {
  namesMustBeKnown(query, name => isPageFilterField(ctx, name))
  const requestedPage = { ...paging, ...paged(query.paginate) }
  const { search, ...rest } = query
  const q = searchTextOf(search)
  if (q !== undefined && isOnlySearch(rest)) return findPages(ctx, { q, ...where, ...requestedPage })
  const uuids = await (q === undefined ? selected(ctx, where, query) : searched(ctx, where, q, rest))
  return pagesBy(ctx, uuids, total => paginate(total, requestedPage))
}

function searchTextOf(search: CollectionQuery['search']): string | undefined {
  if (search === undefined || typeof search === 'string') return search
  // Options of the search are supported only by the search in the contents.
  return Object.keys(search.options ?? {}).length > 0 ? undefined : search.query
}

function isOnlySearch({ not, filterBy = [], filter = [], limit, offset }: CollectionQuery): boolean {
  return (
    [not ?? []].flat().length + filterBy.length + filter.length === 0 && limit === undefined && offset === undefined
  )
}

/** The search results that match the rest of the query, by relevance. */
async function searched(ctx: RequestContext, where: SearchScope, q: string, query: CollectionQuery): Promise<string[]> {
  const { sortBy: _sortBy, sort: _sort, ...unsorted } = query
  return selected(ctx, where, unsorted, await findAll(ctx, q, where))
}

/** Applies the query to all pages in `where`, or to `uuids`. Only uuids stay in memory, not the rows. */
async function selected(
  ctx: RequestContext,
  where: SearchScope,
  query: CollectionQuery,
  uuids?: string[],
): Promise<string[]> {
  const language = await ctx.language()
  const { store } = ctx.app
  const search = searchFor(ctx, where)
  const batches = uuids ? selectBatchesBy(store, language, uuids) : selectBatches(store, language, search)
  return selectUuids(asReleased(ctx, search, where.statuses ?? statuses, batches), pageAccessors(ctx), query)
}
