import { useQuery } from '@tanstack/react-query'
import { Activity, CircleCheck, History, PencilLine } from 'lucide-react'
import { EventList } from '../activity/event-list.tsx'
import { eventTitle } from '../activity/events.ts'
import { useActivity } from '../activity/use-activity.ts'
import { useTitleAndBreadcrumb } from '../app/title.ts'
import { useContentLanguage } from '../app/language.ts'
import { can, useSession } from '../app/session.ts'
import { linkTo } from '../sections/link.tsx'
import { formatRelativeTime, t } from '../texts/texts.ts'
import { ListItem } from '../ui/list-item.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { type SiteDraft, useOwnDrafts, useOwnSiteDrafts } from './own-drafts.ts'
import { PageItem } from './page-list.tsx'
import { type ListedPage, returnedQuery, scheduledReleasesQuery, schedulesQuery } from './queries.ts'
import { ReleaseItem } from './release-item.tsx'
import { Reviews } from './reviews.tsx'
import { Scheduled } from './scheduled.tsx'
import { TodayCard } from './today-card.tsx'

const maxRecent = 8
const maxEvents = 10

/** The start screen: what the user has begun, what is planned, and what has happened. */
export function TodayScreen() {
  useTitleAndBreadcrumb(t('nav.today'), [{ text: t('nav.today') }])
  return (
    <>
      <PageHeader title={t('nav.today')} />
      <div className="grid items-start gap-6 xl:grid-cols-2">
        <div className="grid min-w-0 gap-6">
          <Reviews />
          <OwnDrafts />
          <NeedsAttention />
          <RecentlyEdited />
        </div>
        <div className="grid min-w-0 gap-6">
          <Scheduled />
          <RecentActivity />
        </div>
      </div>
    </>
  )
}

function OwnDrafts() {
  const { all } = useContentLanguage()
  const { user, system } = useSession()
  const pages = useOwnDrafts()
  const site = useOwnSiteDrafts()
  const siteDrafts = can(user, 'site.update') && !site.error ? site.data : noDrafts
  const changed = (time: string, language: string | undefined) =>
    [
      `${t('editor.draftSaved')} · ${formatRelativeTime(time)}`,
      ...all.flatMap(({ code, name }) => (code === language ? [name] : [])),
    ].join(' · ')
  return (
    <TodayCard
      title={t('today.drafts')}
      icon={PencilLine}
      empty={t('today.drafts.empty')}
      query={{ data: pages.data && siteDrafts && [...siteDrafts, ...pages.data], error: pages.error }}
    >
      {found => (
        <ul aria-label={t('today.drafts')} className="divide-y">
          {found.map(item =>
            'uuid' in item ? (
              <li key={`${item.uuid} ${item.language}`}>
                <PageItem
                  page={item}
                  info={item.state.changes && changed(item.state.changes.modified, item.language)}
                  language={item.language}
                />
              </li>
            ) : (
              <li key={`site ${item.language}`}>
                <ListItem
                  title={system.title || t('nav.site')}
                  info={changed(item.modified, item.language)}
                  render={linkTo('/site', item.language)}
                />
              </li>
            ),
          )}
        </ul>
      )}
    </TodayCard>
  )
}

const noDrafts: readonly SiteDraft[] = []

/** Pages that were sent back, schedules and releases that failed, and own drafts with errors. */
function NeedsAttention() {
  const { code: language } = useContentLanguage()
  const drafts = useOwnDrafts()
  const schedules = useQuery(schedulesQuery(language))
  const returned = useQuery(returnedQuery(language))
  const { user } = useSession()
  const { data: releases = [] } = useQuery({ ...scheduledReleasesQuery, enabled: can(user, 'pages.update') })
  const held = releases.filter(({ state }) => state === 'held')
  const all = drafts.data &&
    schedules.data &&
    returned.data && [
      ...returned.data,
      ...schedules.data.filter(({ state }) => state.schedule?.problem != null),
      ...drafts.data.filter(({ state }) => state.incomplete === true),
    ]
  const pages = all && [...new Map(all.map(page => [page.uuid, page])).values()]
  return (
    <TodayCard
      title={t('today.attention')}
      icon={CircleCheck}
      empty={t('today.attention.empty')}
      query={{ data: pages && [...held, ...pages], error: drafts.error ?? schedules.error ?? returned.error }}
    >
      {found => (
        <ul aria-label={t('today.attention')} className="divide-y">
          {found.map(item =>
            'uuid' in item ? (
              <li key={item.uuid}>
                <PageItem page={item} info={reasonOf(item)} language={languageOf(item)} />
              </li>
            ) : (
              <li key={item.id}>
                <ReleaseItem release={item} info={t('releases.held.scheduled')} />
              </li>
            ),
          )}
        </ul>
      )}
    </TodayCard>
  )
}

const isReturned = (
  state: ListedPage['state'],
): state is ListedPage['state'] & { review: NonNullable<ListedPage['state']['review']> } =>
  state.review?.state === 'returned' && state.review.isOwn

/** The language of a draft; other pages are opened in the present one. */
const languageOf = ({ state, language }: ListedPage & { language?: string | undefined }) =>
  isReturned(state) ? (state.review.language ?? undefined) : language

const reasonOf = ({ state }: ListedPage): string =>
  isReturned(state)
    ? t('today.attention.returned', { note: state.review.answer })
    : t(state.schedule?.problem == null ? 'pages.state.incomplete.text' : 'today.attention.schedule')

/** Pages that the user has changed, each once. */
function RecentlyEdited() {
  const { items, error } = useActivity({ kind: 'pages', user: 'account' })
  const edits = items?.filter(({ event }) => event !== 'page.comment' && event !== 'page.review')
  const events = edits && [...new Map(edits.toReversed().map(event => [event.uuid, event])).values()]
  const recent = events
    ?.filter(({ link }) => link !== null)
    .toSorted((a, b) => b.time.localeCompare(a.time))
    .slice(0, maxRecent)
  return (
    <TodayCard title={t('today.recent')} icon={History} empty={t('today.recent.empty')} query={{ data: recent, error }}>
      {found => (
        <ul aria-label={t('today.recent')} className="divide-y">
          {found.map(event => (
            <li key={event.id}>
              <ListItem
                title={eventTitle(event)}
                info={formatRelativeTime(event.time)}
                render={linkTo(event.link ?? '')}
              />
            </li>
          ))}
        </ul>
      )}
    </TodayCard>
  )
}

function RecentActivity() {
  const { items, error } = useActivity({})
  return (
    <TodayCard
      title={t('nav.activity')}
      icon={Activity}
      empty={t('activity.none')}
      query={{ data: items?.slice(0, maxEvents), error }}
    >
      {events => <EventList events={events} />}
    </TodayCard>
  )
}
