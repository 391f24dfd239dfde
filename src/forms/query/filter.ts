import type { CollectionQuery, ItemAccessors } from '../../content/collection.ts'
import { ApiError } from '../../platform/errors.ts'
import type { RequestContext } from '../../http/context.ts'
import { paginate } from '../../http/paging.ts'
import type { PageRow } from '../../groups/pages/queries.ts'
import { type PageSearch, selectBatches, selectBatchesBy } from '../../groups/pages/search/queries.ts'
import { findAll, pagesBy } from '../../groups/pages/search/search.ts'
import { selectUuids } from '../../groups/pages/search/select-uuids.ts'
import type { ListQuery, ListSlice } from './lists.ts'
import { selectTreeBatches } from './queries.ts'

/** Filters that need the content of the pages, so that the database cannot apply them. */
export type Filters = Pick<CollectionQuery, 'filterBy' | 'not' | 'sortBy'>

export const hasFilters = (filters: Filters) => Object.keys(filters).length > 0

/** Maximum number of contents read for one list, so that large sites stay responsive. */
const maxInspected = 10_000

/**
 * One page of the matches. `inspected` is the number of inspected pages, if the limit was reached. With a search term, only
 * matches from the search index are inspected.
 */
export async function filteredSlice(
  ctx: RequestContext,
  accessors: ItemAccessors<PageRow>,
  search: PageSearch,
  filters: Filters,
  { searchTerm, ...paging }: ListQuery,
): Promise<ListSlice<PageRow>> {
  const inspection = { count: 0, isCut: false }
  const { sortBy: _sortBy, ...unsorted } = filters
  const pieces = searchTerm === '' ? batchesOf(ctx, search) : foundBatches(ctx, search, searchTerm)
  // Search results keep their order of relevance.
  const uuids = await selectUuids(
    countInspected(await pieces, inspection),
    accessors,
    searchTerm === '' ? filters : unsorted,
  ).catch((error: unknown): string[] => {
    if (error instanceof ApiError) return [] // unknown filter operator
    throw error
  })
  return {
    ...pagesBy(ctx, uuids, total => paginate(total, paging)),
    inspected: inspection.isCut ? inspection.count : undefined,
  }
}

async function batchesOf(ctx: RequestContext, search: PageSearch): Promise<AsyncIterable<PageRow[]>> {
  const { store } = ctx.app
  const language = await ctx.language()
  return search.parent === undefined
    ? selectTreeBatches(store, language, search)
    : selectBatches(store, language, search)
}

async function foundBatches(
  ctx: RequestContext,
  search: PageSearch,
  searchTerm: string,
): Promise<AsyncIterable<PageRow[]>> {
  const { parent, statuses, ...templates } = search
  const uuids = await findAll(ctx, searchTerm, { parent, statuses, templates })
  return selectBatchesBy(ctx.app.store, await ctx.language(), uuids)
}

async function* countInspected(
  pieces: AsyncIterable<PageRow[]>,
  looking: { count: number; isCut: boolean },
): AsyncGenerator<PageRow[]> {
  for await (const piece of pieces) {
    const inspected = piece.slice(0, maxInspected - looking.count)
    looking.count += inspected.length
    looking.isCut = inspected.length < piece.length
    yield inspected
    if (looking.isCut) return
  }
}
