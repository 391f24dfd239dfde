import { client } from '../app/client.ts'
import { paginatedQuery } from '../system/paginated-list.tsx'

const pageSize = 50

/** The key of every list of redirects. */
export const redirectsKey = ['redirects']

const readRedirects = (paging: { page: number; limit: number }, q: string) =>
  client.site.redirects.list({ ...paging, ...(q !== '' && { q }) })

export type Redirect = Awaited<ReturnType<typeof readRedirects>>['data'][number]

export const redirectsQuery = (q: string) =>
  paginatedQuery([...redirectsKey, q], pageSize, paging => readRedirects(paging, q))
