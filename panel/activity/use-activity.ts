import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { activityQuery, type ActivityFilter } from './events.ts'

/** The events loaded so far, for `PaginatedList`. */
export function useActivity(filter: ActivityFilter) {
  const { data, ...rest } = useInfiniteQuery({ ...activityQuery(filter), placeholderData: keepPreviousData })
  return { ...rest, items: data?.pages.flatMap(page => page.data) }
}
