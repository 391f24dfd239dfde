import { Activity } from 'lucide-react'
import { PaginatedList } from '../system/paginated-list.tsx'
import { t } from '../texts/texts.ts'
import { Drawer } from '../ui/drawer.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { EventList } from './event-list.tsx'
import { useActivity } from './use-activity.ts'

/** What happened to a page and its files. */
export function ActivityDrawer({ uuid, onClose }: { uuid: string; onClose: () => void }) {
  const events = useActivity({ page: uuid })
  return (
    <Drawer open title={t('activity.page')} onClose={onClose}>
      <div className="-mx-4">
        <PaginatedList
          of={events}
          waiting={<Skeleton lines={6} className="h-9 w-full" />}
          empty={<EmptyState small icon={Activity} text={t('activity.page.none')} />}
        >
          {items => <EventList events={items} />}
        </PaginatedList>
      </div>
    </Drawer>
  )
}
