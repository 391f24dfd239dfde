import { useInfiniteQuery } from '@tanstack/react-query'
import { Activity as ActivityIcon } from 'lucide-react'
import { client } from '../app/client.ts'
import { errorText } from '../app/errors.ts'
import { keys } from '../app/query.ts'
import { formatAgo, formatDate, t, textOf } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Notice } from '../ui/notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'

interface Event {
  id: number
  time: string
  event: string
  actor: string | null
  network: string | null
  browser: string | null
  count: number
}

const atOnce = 15

/** What happened to an account. */
export function Activity({ id }: { id: string }) {
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: keys.user(id, 'events'),
    queryFn: async ({ pageParam }) => {
      const { data: events, pagination } = await client.users.events.list({ id, page: pageParam, limit: atOnce })
      return { events: events as Event[], total: pagination.total }
    },
    initialPageParam: 1,
    getNextPageParam: ({ total }, pages) => (pages.length * atOnce < total ? pages.length + 1 : undefined),
  })
  const events = data?.pages.flatMap(page => page.events)
  return (
    <Card flush title={t('users.activity')}>
      {error ? (
        <div className="p-4">
          <Notice tone="danger">{errorText(error)}</Notice>
        </div>
      ) : !events ? (
        <div className="p-4">
          <Skeleton lines={4} />
        </div>
      ) : events.length === 0 ? (
        <EmptyState small icon={ActivityIcon} text={t('users.activity.none')} />
      ) : (
        <ol className="divide-y">
          {events.map(event => (
            <li key={event.id} className="flex flex-wrap items-baseline gap-x-3 px-4 py-2">
              <p className="min-w-0 flex-1 basis-52 wrap-anywhere">
                {textOf(`account.event.${event.event}`) ?? event.event}
                {event.count > 1 && <span className="text-muted"> × {event.count}</span>}
                <span className="block text-sm text-muted">
                  {[event.browser, event.network].filter(Boolean).join(' · ')}
                </span>
              </p>
              <time dateTime={event.time} title={formatDate(event.time)} className="text-sm text-muted">
                {formatAgo(event.time)}
              </time>
            </li>
          ))}
        </ol>
      )}
      {hasNextPage && (
        <div className="border-t p-2 text-center">
          <Button variant="plain" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t('users.more')}
          </Button>
        </div>
      )}
    </Card>
  )
}
