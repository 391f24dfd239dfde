import type { CollectionQuery } from '../content/collection.ts'
import type { Look } from '../http/look.ts'
import type { Found, Paging } from '../pages/children/list.ts'
import { queryPages } from '../pages/search/query.ts'

/** Those a query asks for, of all pages of the site that the caller may list, drafts included. */
export async function querySite(look: Look, query: CollectionQuery, paging: Paging): Promise<Found> {
  return queryPages(look, {}, query, paging)
}
