import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { keys } from '../app/query.ts'
import { type PageModel, readPage, takeEarlyPage } from './page.ts'

/** Everything its screen needs. */
export const pageQuery = (id: string, language: string | undefined) =>
  queryOptions({
    queryKey: keys.page(id, 'whole', language),
    queryFn: () => takeEarlyPage(id, language) ?? readPage(id, language),
    staleTime: 5_000,
    // An open page notices that it has become what was planned.
    refetchInterval: query => untilScheduled(query.state.data?.schedule),
  })

/** In milliseconds: when to look whether a planned change is done. The server may be a little late, and clocks differ. */
function untilScheduled(schedule: PageModel['schedule'] | undefined): number | false {
  if (!schedule || schedule.problem !== null) return false
  const left = new Date(schedule.at).getTime() - Date.now()
  return Math.min(Math.max(left + 1000, 3000), 60 * 60_000)
}

/** What a page consists of has changed, or where it is: everything that lists pages is asked again. */
export async function refreshPages(queryClient: QueryClient): Promise<void> {
  await Promise.all(
    [keys.pages, ['children'], ['sections'], ['site']].map(queryKey => queryClient.invalidateQueries({ queryKey })),
  )
}
