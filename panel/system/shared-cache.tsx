import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { client } from '../app/client.ts'
import { keys } from '../app/query.ts'
import { formatRelativeTime, formatDate, t } from '../texts/texts.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Notice } from '../ui/notice.tsx'
import { toast } from '../ui/toast.ts'

const queryKey = [...keys.system, 'purge']

type Failure = Awaited<ReturnType<typeof client.system.purge.get>>['failures'][number]

/** How purging the cache in front of the site goes; nothing if there is none. */
export function SharedCache() {
  const queryClient = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const { data } = useQuery({
    queryKey,
    queryFn: () => client.system.purge.get(),
    refetchInterval: ({ state }) => (state.data?.waiting ? 2000 : 30_000),
  })
  const purge = useMutation({
    mutationFn: () => client.system.purge.all(),
    onSuccess: () => {
      setAsking(false)
      toast({ tone: 'good', title: t('cache.purged') })
      void queryClient.invalidateQueries({ queryKey })
    },
    onError: () => setAsking(false),
  })
  if (!data || data.kind == null) return null
  const { host, waiting, lastDone, retrying, failures } = data
  return (
    <Card
      title={t('cache.title')}
      actions={
        <Button icon={RefreshCw} onClick={() => setAsking(true)}>
          {t('cache.purge')}
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        {retrying && (
          <Notice tone="danger" title={t('cache.retrying')}>
            {t('cache.retrying.text', { problem: retrying.problem, when: formatDate(retrying.next) })}
          </Notice>
        )}
        <p className="flex flex-wrap items-center gap-2 wrap-anywhere">
          <bdi dir="ltr">{host}</bdi>
          <Badge tone={retrying ? 'danger' : waiting > 0 ? 'neutral' : 'good'}>
            {waiting > 0 ? t('cache.waiting', { count: waiting }) : t('cache.current')}
          </Badge>
          {lastDone && (
            <span className="text-sm text-muted">{t('cache.last', { when: formatRelativeTime(lastDone) })}</span>
          )}
        </p>
        {failures.length > 0 && <Failures failures={failures} />}
      </div>
      <ConfirmDialog
        open={isAsking}
        title={t('cache.purge.ask')}
        confirm={t('cache.purge')}
        busy={purge.isPending}
        onClose={() => setAsking(false)}
        onConfirm={() => purge.mutate()}
      >
        {t('cache.purge.text')}
      </ConfirmDialog>
    </Card>
  )
}

function Failures({ failures }: { failures: readonly Failure[] }) {
  return (
    <div>
      <h3 className="text-sm font-semibold text-muted">{t('cache.failures')}</h3>
      <ul>
        {failures.map(({ time, problem }, index) => (
          <li key={index} className="text-sm wrap-anywhere">
            {formatDate(time)} · {problem}
          </li>
        ))}
      </ul>
    </div>
  )
}
