import { queryOptions } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { keys } from '../app/query.ts'
import { openReleasesQuery } from '../releases/query.ts'

export const select = ['id', 'state', 'status', 'title', 'uuid'] as const
export const limit = 50

export type ListedPage = Awaited<ReturnType<typeof readReviews>>['data'][number]

const readReviews = (language: string | undefined, of: { state?: 'returned'; user?: 'account' } = {}) =>
  client.site.reviews({ ...of, limit, language, select })

/** Pages that wait for a review in any language, the oldest first. */
export const reviewsQuery = (language: string | undefined) =>
  queryOptions({
    queryKey: keys.children('', 'reviews', language),
    queryFn: async () => (await readReviews(language)).data,
  })

/** Pages for which the user has asked for a review, and that were sent back. */
export const returnedQuery = (language: string | undefined) =>
  queryOptions({
    queryKey: keys.children('', 'returned', language),
    queryFn: async () => (await readReviews(language, { state: 'returned', user: 'account' })).data,
  })

/** Scheduled pages, the next one first. */
export const schedulesQuery = (language: string | undefined) =>
  queryOptions({
    queryKey: keys.children('', 'schedules', language),
    queryFn: async () => (await client.site.schedules({ limit: 100, language, select })).data,
  })

/** Releases that are scheduled or were held at their time, the next one first. */
export const scheduledReleasesQuery = queryOptions({
  ...openReleasesQuery,
  select: releases => releases.filter(({ at }) => at !== null),
})
