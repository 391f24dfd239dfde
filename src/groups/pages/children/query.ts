import type { CollectionQuery } from '../../../content/collection.ts'
import type { RequestContext } from '../../../http/context.ts'
import type { Paging } from '../../../http/paging.ts'
import { queryPages } from '../search/query.ts'
import { listableTemplates } from '../../../access/authorize/pages.ts'
import { type FoundPages, statusesFor } from './list.ts'

/** The children of a page (its uuid, `''` for the top level) that match a query. */
export async function queryChildren(
  ctx: RequestContext,
  parent: string,
  query: CollectionQuery,
  { status, ...paging }: Paging & { status?: string | undefined },
): Promise<FoundPages> {
  const templates = listableTemplates(ctx)
  return queryPages(ctx, { parent, statuses: statusesFor(ctx, status), templates }, query, paging)
}
