import type { Status } from '../../blueprints/blueprints.ts'
import type { CollectionQuery } from '../../content/collection.ts'
import type { RequestContext } from '../../http/context.ts'
import type { Paging } from '../../http/paging.ts'
import { type Found, statusesOf } from '../pages/children/list.ts'
import { queryPages } from '../pages/search/query.ts'

/** Those a query asks for, of all pages of the site that the caller may list. */
export async function querySite(
  ctx: RequestContext,
  query: CollectionQuery,
  { page, limit, next, status }: Paging & { status?: string | undefined },
): Promise<Found> {
  const asksForStatus = [...(query.filterBy ?? []), ...(query.filter ?? [])].some(({ field }) => field === 'status')
  const statuses = searchedStatuses(ctx, status ?? (asksForStatus ? 'all' : undefined))
  return queryPages(ctx, { statuses }, query, { page, limit, next })
}

/**
 * People find their drafts, too. A token is used by programs, which show what they find to everybody: it finds drafts only where
 * it asks for them.
 */
export function searchedStatuses({ caller }: RequestContext, status: string | undefined): readonly Status[] {
  return statusesOf(status ?? (caller.token ? undefined : 'all'))
}
