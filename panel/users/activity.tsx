import { Activity as ActivityIcon } from 'lucide-react'
import { client } from '../app/client.ts'
import { keys } from '../app/query.ts'
import { paginatedQuery, PaginatedList, usePaginated } from '../system/paginated-list.tsx'
import { formatRelativeTime, formatDate, t, textOf } from '../texts/texts.ts'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'

const select = ['actor', 'browser', 'count', 'event', 'id', 'network', 'time'] as const
const pageSize = 15

/** Audit events of an account. */
export function Activity({ id }: { id: string }) {
  const events = usePaginated(
    paginatedQuery(keys.user(id, 'events'), pageSize, paging => client.users.events.list({ id, ...paging, select })),
  )
  return (
    <Card flush title={t('users.activity')}>
      <PaginatedList query={events} empty={<EmptyState small icon={ActivityIcon} text={t('users.activity.none')} />}>
        {items => (
          <ol className="divide-y">
            {items.map(event => (
              <li key={event.id} className="flex flex-wrap items-baseline gap-x-3 px-4 py-2">
                <p className="min-w-0 flex-1 basis-52 wrap-anywhere">
                  {textOf(`account.event.${event.event}`) ?? event.event}
                  {event.count > 1 && <span className="text-muted"> × {event.count}</span>}
                  <span className="block text-sm text-muted">
                    {[event.browser, event.network].filter(Boolean).join(' · ')}
                  </span>
                </p>
                <time dateTime={event.time} title={formatDate(event.time)} className="text-sm text-muted">
                  {formatRelativeTime(event.time)}
                </time>
              </li>
            ))}
          </ol>
        )}
      </PaginatedList>
    </Card>
  )
}
