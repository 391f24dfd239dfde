import { useQuery } from '@tanstack/react-query'
import { CalendarClock, X } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useContentLanguage } from '../app/language.ts'
import { formatDate, t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Calendar } from '../ui/calendar.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageList } from './page-list.tsx'
import { type ListedPage, schedulesQuery } from './queries.ts'
import { TodayCard } from './today-card.tsx'

/** The local day of a time, `YYYY-MM-DD`. */
function dayOf(time: string): string {
  const date = new Date(time)
  const [month, day] = [date.getMonth() + 1, date.getDate()].map(part => String(part).padStart(2, '0'))
  return `${date.getFullYear()}-${month}-${day}`
}

/** A scheduled page may have been published since the list was loaded. */
const timeOf = ({ state }: ListedPage) => state.schedule?.at ?? ''

/** Scheduled pages, in a calendar and as a list. A click on a day shows the pages of that day. */
export function Scheduled() {
  const { code: language } = useContentLanguage()
  const query = useQuery(schedulesQuery(language))
  const [day, setDay] = useState('')
  const marks = useMemo(() => {
    const byDay = Map.groupBy(query.data ?? [], page => dayOf(timeOf(page)))
    return Object.fromEntries(
      [...byDay].map(([date, { length }]) => [date, t('today.scheduled.count', { count: length })]),
    )
  }, [query.data])

  return (
    <TodayCard
      title={t('today.scheduled')}
      icon={CalendarClock}
      empty={t('today.scheduled.empty')}
      query={query}
      actions={
        day !== '' && (
          <Button size="small" variant="plain" icon={X} onClick={() => setDay('')}>
            {t('today.scheduled.all')}
          </Button>
        )
      }
    >
      {pages => {
        const shown = day === '' ? pages : pages.filter(page => dayOf(timeOf(page)) === day)
        return (
          <div className="sm:flex">
            <div className="flex justify-center p-3 max-sm:border-b sm:border-e">
              <Calendar value={day} marks={marks} onSelect={setDay} />
            </div>
            <div className="min-w-0 flex-1">
              {shown.length === 0 ? (
                <EmptyState small icon={CalendarClock} text={t('today.scheduled.none')} />
              ) : (
                <PageList label={t('today.scheduled')} pages={shown} infoOf={page => formatDate(timeOf(page))} />
              )}
            </div>
          </div>
        )
      }}
    </TodayCard>
  )
}
