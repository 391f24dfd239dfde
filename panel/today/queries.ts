import { queryOptions } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { keys } from '../app/query.ts'
import { openReleasesQuery } from '../releases/query.ts'

const select = ['id', 'state', 'status', 'title', 'uuid'] as const
const limit = 50

const readDrafts = (language: string | undefined) => client.site.drafts({ user: 'account', limit, language, select })

export type ListedPage = Awaited<ReturnType<typeof readDrafts>>['data'][number]

/** Pages with unpublished changes of the user. The key is that of lists of pages, which are reloaded after changes. */
export const ownDraftsQuery = (language: string | undefined) =>
  queryOptions({
    queryKey: keys.children('', 'own drafts', language),
    queryFn: async () => (await readDrafts(language)).data,
  })

/** Pages that wait for a review in any language, the oldest first. */
export const reviewsQuery = (language: string | undefined) =>
  queryOptions({
    queryKey: keys.children('', 'reviews', language),
    queryFn: async () => (await client.site.reviews({ limit, language, select })).data,
  })

/** Pages for which the user has asked for a review, and that were sent back. */
export const returnedQuery = (language: string | undefined) =>
  queryOptions({
    queryKey: keys.children('', 'returned', language),
    queryFn: async () =>
      (await client.site.reviews({ state: 'returned', user: 'account', limit, language, select })).data,
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
