import { client } from '../app/client.ts'
import { paginatedQuery } from '../system/paginated-list.tsx'

const pageSize = 50

/** The key of every list of redirects. */
export const redirectsKey = ['redirects']

const readRedirects = (paging: { page: number; limit: number }, q: string) =>
  client.site.redirects.list({ ...paging, ...(q !== '' && { q }) })

// Without a selection, the API shows all properties.
export type Redirect = Required<Awaited<ReturnType<typeof readRedirects>>['data'][number]>

export const redirectsQuery = (q: string) =>
  paginatedQuery([...redirectsKey, q], pageSize, async paging => {
    const { data, pagination } = await readRedirects(paging, q)
    return { data: data as Redirect[], pagination }
  })
