import { Activity } from 'lucide-react'
import { PaginatedList } from '../system/paginated-list.tsx'
import { t } from '../texts/texts.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { EventList } from './event-list.tsx'
import { useActivity } from './use-activity.ts'

/** What happened to a page and its files. */
export function PageActivity({ uuid }: { uuid: string }) {
  const events = useActivity({ page: uuid })
  return (
    <div className="-mx-4">
      <PaginatedList
        query={events}
        loading={<Skeleton lines={6} className="h-9 w-full" />}
        empty={<EmptyState small icon={Activity} text={t('activity.page.none')} />}
      >
        {items => <EventList events={items} />}
      </PaginatedList>
    </div>
  )
}
