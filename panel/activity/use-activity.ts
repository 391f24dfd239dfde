import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { activityQuery, type Filter } from './events.ts'

/** The events loaded so far, for `PaginatedList`. */
export function useActivity(filter: Filter) {
  const { data, ...rest } = useInfiniteQuery({ ...activityQuery(filter), placeholderData: keepPreviousData })
  return { ...rest, items: data?.pages.flatMap(page => page.data) }
}
