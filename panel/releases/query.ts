import { queryOptions, type QueryClient } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { refreshPages } from '../pages/page-query.ts'
import { paginatedQuery } from '../system/paginated-list.tsx'

/** The key of every list of releases. */
const releasesKey = ['releases']

const read = (release: string, language: string | undefined) => client.site.releases.get({ release, language })

export type Release = Awaited<ReturnType<typeof read>>
export type ReleaseItem = Release['items'][number]

const pageSize = 30
/** More unpublished releases are not offered for a page. */
const maxOffered = 100

export const releasesQuery = (language: string | undefined) =>
  paginatedQuery([...releasesKey, language], pageSize, paging => client.site.releases.list({ ...paging, language }))

export const releaseQuery = (id: string, language: string | undefined) =>
  queryOptions({ queryKey: [...releasesKey, id, language], queryFn: () => read(id, language) })

/** Those that something can be added to. */
export const openReleasesQuery = queryOptions({
  queryKey: [...releasesKey, 'open'],
  queryFn: async () => {
    const { data } = await client.site.releases.list({ limit: maxOffered })
    return data.filter(({ state }) => state !== 'published')
  },
})

/** Also pages, which say in which release they are. */
export async function refreshReleases(queryClient: QueryClient): Promise<void> {
  await Promise.all([queryClient.invalidateQueries({ queryKey: releasesKey }), refreshPages(queryClient)])
}
