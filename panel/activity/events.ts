import { infiniteQueryOptions } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { t, textOf } from '../texts/texts.ts'

const select = ['detail', 'event', 'id', 'link', 'time', 'title', 'user', 'uuid'] as const

const read = (query: { event?: string; page?: string; user?: string; from?: string; before?: string }) =>
  client.site.events.list({ ...query, limit: 50, select })

/** Something that happened on the site. */
export type SiteEvent = Awaited<ReturnType<typeof read>>['data'][number]

/** The events of each choice. */
export const eventKinds = {
  pages: 'page.*,release.*,trash.*',
  files: 'file.*',
  site: 'site.*,language.*',
  users: 'user.*',
  signins: 'auth.*',
  previews: 'preview.*',
} as const

export type EventKind = keyof typeof eventKinds

/** How far back each choice goes, in days. */
export const activityPeriods = { day: 1, week: 7, month: 30 } as const

export type ActivityPeriod = keyof typeof activityPeriods

export interface ActivityFilter {
  kind?: EventKind | undefined
  /** `page://…` */
  page?: string | undefined
  user?: string | undefined
  period?: ActivityPeriod | undefined
}

/** Some pages have few entries or none, because most of what was read is invisible to the user. */
const maxEmpty = 20

export const activityQuery = ({ kind, page, user, period }: ActivityFilter) =>
  infiniteQueryOptions({
    queryKey: ['activity', page ?? '', kind, user, period],
    queryFn: async ({ pageParam }) => {
      const filter = {
        ...(kind && { event: eventKinds[kind] }),
        ...(page && { page }),
        ...(user && { user }),
        ...(period && { from: startOf(period) }),
      }
      let before = pageParam
      for (let tries = 0; ; tries++) {
        const { data, pagination } = await read({ ...filter, ...(before && { before }) })
        if (data.length > 0 || pagination.next === null || tries === maxEmpty) return { data, next: pagination.next }
        before = pagination.next
      }
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
  })

const dayMs = 24 * 60 * 60_000
const startOf = (period: ActivityPeriod) => new Date(Date.now() - activityPeriods[period] * dayMs).toISOString()

/** Stands for the title in a sentence, where a link replaces it. */
export const titleMark = '\uE000'

/** `Anna published Ink`, with a mark in place of the title. */
export function sentence({ event, detail, user, title }: SiteEvent): string {
  const key = keyOf(event, detail)
  const name = user?.username || t('activity.someone')
  const words = { name, title: titleMark }
  return textOf(`activity.event.${key}`, words) ?? textOf(`activity.event.${event}`, words) ?? `${event} ${title ?? ''}`
}

function keyOf(event: string, detail: SiteEvent['detail']): string {
  if (event === 'page.status') return `${event}.${statusChange(detail)}`
  return event === 'page.review' || event === 'page.comment' ? `${event}.${String(detail['what'])}` : event
}

/** The same words as in the history: the name of a status is the matter of the blueprint. */
function statusChange({ status, oldStatus }: SiteEvent['detail']): string {
  if (status === 'draft') return 'unpublished'
  return oldStatus === 'draft' ? 'published' : 'changed'
}

export function eventTitle({ uuid, title }: SiteEvent): string {
  return title ?? (uuid === 'site://' ? t('activity.site') : t('activity.someone'))
}
