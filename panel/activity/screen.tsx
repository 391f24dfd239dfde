import { useQuery } from '@tanstack/react-query'
import { Activity, Radio } from 'lucide-react'
import { useState } from 'react'
import { client } from '../app/client.ts'
import { useTitleAndBreadcrumb } from '../app/title.ts'
import { keys } from '../app/query.ts'
import { can, useSession } from '../app/session.ts'
import { PaginatedList } from '../system/paginated-list.tsx'
import { t } from '../texts/texts.ts'
import { Badge } from '../ui/badge.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { Select } from '../ui/select.tsx'
import { EventList } from './event-list.tsx'
import { type EventKind, eventKinds, type ActivityPeriod, activityPeriods } from './events.ts'
import { liveState } from './live-state.ts'
import { PeopleHere } from './people-here.tsx'
import { useActivity } from './use-activity.ts'

/** What happened on the whole site, as far as it is visible to the user. */
export function ActivityScreen() {
  useTitleAndBreadcrumb(t('nav.activity'), [{ text: t('nav.activity') }])
  const [kind, setKind] = useState<EventKind | null>(null)
  const [person, setPerson] = useState<string | null>(null)
  const [period, setPeriod] = useState<ActivityPeriod | null>(null)
  const events = useActivity({ kind: kind ?? undefined, user: person ?? undefined, period: period ?? undefined })
  const isLive = liveState.use() === 'live'
  const people = usePeople()
  return (
    <>
      <PageHeader
        title={t('nav.activity')}
        badges={
          <Badge icon={Radio} tone={isLive ? 'good' : 'neutral'}>
            {t(isLive ? 'activity.live' : 'activity.live.off')}
          </Badge>
        }
      />
      <PeopleHere />
      <div className="mb-4 flex flex-wrap gap-3">
        <Filter
          name="kind"
          value={kind}
          onChange={setKind}
          options={(Object.keys(eventKinds) as EventKind[]).map(value => ({
            value,
            text: t(`activity.kind.${value}`),
          }))}
        />
        {people && people.length > 1 && <Filter name="person" value={person} onChange={setPerson} options={people} />}
        <Filter
          name="time"
          value={period}
          onChange={setPeriod}
          options={(Object.keys(activityPeriods) as ActivityPeriod[]).map(value => ({
            value,
            text: t(`activity.time.${value}`),
          }))}
        />
      </div>
      <Card flush>
        <PaginatedList
          query={events}
          empty={
            <EmptyState
              icon={Activity}
              text={t(kind || person || period ? 'activity.none.filtered' : 'activity.none')}
            />
          }
        >
          {items => <EventList events={items} />}
        </PaginatedList>
      </Card>
    </>
  )
}

interface FilterProps<Value extends string> {
  name: 'kind' | 'person' | 'time'
  value: Value | null
  onChange: (value: Value | null) => void
  options: readonly { value: Value; text: string }[]
}

/** Without a choice, everything is shown. */
function Filter<Value extends string>({ name, ...select }: FilterProps<Value>) {
  return (
    <Select
      aria-label={t(`activity.${name}`)}
      empty
      placeholder={t(`activity.${name}.all`)}
      className="w-52 max-sm:w-full"
      {...select}
    />
  )
}

/** The accounts to choose from, if the user may see them. */
function usePeople() {
  const { user } = useSession()
  const { data } = useQuery({
    queryKey: [...keys.users, 'people'],
    queryFn: () => client.users.list({ limit: 200, select: ['id', 'email', 'name'] }),
    enabled: can(user, 'access.users'),
  })
  return data?.data.map(({ id, name, email }) => ({ value: id, text: name || email }))
}
