import { useInfiniteQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { client } from '../app/client.ts'
import { keys } from '../app/query.ts'
import { formatDate, t, textOf } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { ownAccount } from './queries.ts'

const limit = 30

/** Audit events of the user's own account. */
export function Events() {
  const { data, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: keys.user('account', 'events', 'all'),
    queryFn: ({ pageParam }) => client.users.events.list({ ...ownAccount, page: pageParam, limit }),
    initialPageParam: 1,
    getNextPageParam: ({ pagination }, pages) =>
      pagination.total > pages.length * limit ? pages.length + 1 : undefined,
  })
  const events = data?.pages.flatMap(page => page.data) ?? []
  return (
    <Card title={t('account.tab.activity')}>
      <p className="text-muted">{t('account.activity.text')}</p>
      {isPending && <Skeleton className="mt-3 h-10" lines={3} />}
      {data && events.length === 0 && <EmptyState small icon={History} text={t('account.activity.none')} />}
      <ul className="mt-2 -mb-2 divide-y">
        {events.map(({ id, time, event, network, browser, count }) => (
          <li key={id} className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5 py-2">
            <div className="min-w-0 flex-1 basis-56">
              <p className="font-medium break-words">
                {textOf(`account.event.${event}`) ?? event}
                {count > 1 && (
                  <span className="ms-2 font-normal text-muted">{t('account.activity.times', { count })}</span>
                )}
              </p>
              <p className="text-sm break-words text-muted">{[browser, network].filter(Boolean).join(' · ')}</p>
            </div>
            <time dateTime={time} className="text-sm text-muted tabular-nums">
              {formatDate(time ?? 0)}
            </time>
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <div className="mt-4 flex justify-center">
          <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t('account.activity.more')}
          </Button>
        </div>
      )}
    </Card>
  )
}
