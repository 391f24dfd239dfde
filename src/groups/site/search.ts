import type { Status } from '../../blueprints/blueprints.ts'
import type { CollectionQuery } from '../../content/collection.ts'
import type { RequestContext } from '../../http/context.ts'
import type { Paging } from '../../http/paging.ts'
import { type FoundPages, statusesFor } from '../pages/children/list.ts'
import { queryPages } from '../pages/search/query.ts'

/** The pages of the whole site that match a query and that the caller may list. */
export async function querySite(
  ctx: RequestContext,
  query: CollectionQuery,
  { page, limit, next, status }: Paging & { status?: string | undefined },
): Promise<FoundPages> {
  const asksForStatus = [...(query.filterBy ?? []), ...(query.filter ?? [])].some(({ field }) => field === 'status')
  const statuses = searchedStatuses(ctx, status ?? (asksForStatus ? 'all' : undefined))
  return queryPages(ctx, { statuses }, query, { page, limit, next })
}

/**
 * Users find drafts by default. Programs with an API token often publish what they find, so they get drafts only if
 * they ask for them.
 */
export function searchedStatuses(ctx: RequestContext, status: string | undefined): readonly Status[] {
  const isUser = !ctx.actor.isAnonymous && !ctx.actor.system && !ctx.actor.token
  return statusesFor(ctx, status ?? (isUser ? 'all' : undefined))
}
