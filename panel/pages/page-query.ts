import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { keys } from '../app/query.ts'
import { type PageModel, readPage, takeEarlyPage } from './page.ts'

/** The page with everything that its screen needs. */
export const pageQuery = (id: string, language: string | undefined) =>
  queryOptions({
    queryKey: keys.page(id, 'whole', language),
    queryFn: () => takeEarlyPage(id, language) ?? readPage(id, language),
    staleTime: 5_000,
    // Polls for a scheduled change while the page is open.
    refetchInterval: query => untilScheduled(query.state.data?.schedule),
  })

/** Delay until the next check for a scheduled change, in milliseconds. The server may be late, and clocks differ. */
function untilScheduled(schedule: PageModel['schedule'] | undefined): number | false {
  if (!schedule || schedule.problem !== null) return false
  const left = new Date(schedule.at).getTime() - Date.now()
  return Math.min(Math.max(left + 1000, 3000), 60 * 60_000)
}

/** After a change to a page or its position: invalidates every query that lists pages. */
export async function refreshPages(queryClient: QueryClient): Promise<void> {
  await Promise.all(
    [keys.pages, ['children'], ['sections'], ['site']].map(queryKey => queryClient.invalidateQueries({ queryKey })),
  )
}
