import { useQuery } from '@tanstack/react-query'
import { CalendarClock, X } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useContentLanguage } from '../app/language.ts'
import { can, useSession } from '../app/session.ts'
import type { Release } from '../releases/query.ts'
import { formatDate, t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Calendar } from '../ui/calendar.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageItem } from './page-list.tsx'
import { type ListedPage, scheduledReleasesQuery, schedulesQuery } from './queries.ts'
import { ReleaseItem } from './release-item.tsx'
import { TodayCard } from './today-card.tsx'

/** The local day of a time, `YYYY-MM-DD`. */
function dayOf(time: string): string {
  const date = new Date(time)
  const [month, day] = [date.getMonth() + 1, date.getDate()].map(part => String(part).padStart(2, '0'))
  return `${date.getFullYear()}-${month}-${day}`
}

/** A page or a release with its time. */
interface Plan {
  time: string
  page?: ListedPage
  release?: Release
}

/** A scheduled page may have been published since the list was loaded. */
const plansOf = (pages: readonly ListedPage[], releases: readonly Release[]): Plan[] =>
  [
    ...releases.map(release => ({ time: release.at ?? '', release })),
    ...pages.map(page => ({ time: page.state.schedule?.at ?? '', page })),
  ].toSorted((a, b) => a.time.localeCompare(b.time))

/** What the mark of a day says. */
function markOf(plans: readonly Plan[]): string {
  const pages = plans.filter(({ page }) => page).length
  return [
    ...(pages > 0 ? [t('today.scheduled.count', { count: pages })] : []),
    ...plans.flatMap(({ release }) => (release ? `${t('releases.add.to')}: ${release.name}` : [])),
  ].join(', ')
}

/** Scheduled pages and releases, in a calendar and as a list. A click on a day shows those of that day. */
export function Scheduled() {
  const { code: language } = useContentLanguage()
  const { user } = useSession()
  const isGathering = can(user, 'pages.update')
  const pages = useQuery(schedulesQuery(language))
  const releases = useQuery({ ...scheduledReleasesQuery, enabled: isGathering })
  const [day, setDay] = useState('')
  const found = isGathering ? releases.data : noReleases
  const plans = useMemo(() => pages.data && found && plansOf(pages.data, found), [pages.data, found])
  const marks = useMemo(() => {
    const byDay = Map.groupBy(plans ?? [], ({ time }) => dayOf(time))
    return Object.fromEntries([...byDay].map(([date, ofDay]) => [date, markOf(ofDay)]))
  }, [plans])

  return (
    <TodayCard
      title={t('today.scheduled')}
      icon={CalendarClock}
      empty={t('today.scheduled.empty')}
      query={{ data: plans, error: pages.error ?? releases.error }}
      actions={
        day !== '' && (
          <Button size="small" variant="plain" icon={X} onClick={() => setDay('')}>
            {t('today.scheduled.all')}
          </Button>
        )
      }
    >
      {all => {
        const scheduled = day === '' ? all : all.filter(({ time }) => dayOf(time) === day)
        return (
          <div className="@container">
            <div className="@xl:flex">
              <div className="flex justify-center p-3 @max-xl:border-b @xl:border-e">
                <Calendar value={day} marks={marks} onSelect={setDay} />
              </div>
              <div className="min-w-0 flex-1">
                {scheduled.length === 0 ? (
                  <EmptyState small icon={CalendarClock} text={t('today.scheduled.none')} />
                ) : (
                  <ul aria-label={t('today.scheduled')} className="divide-y">
                    {scheduled.map(({ time, page, release }) => (
                      <li key={page?.uuid ?? release?.id}>
                        {page && <PageItem page={page} info={formatDate(time)} />}
                        {release && <ReleaseItem release={release} info={formatDate(time)} />}
                      </li>
                    ))}
                  </ul>
                )}
              </div>
            </div>
          </div>
        )
      }}
    </TodayCard>
  )
}

const noReleases: readonly Release[] = []
