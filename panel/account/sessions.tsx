import { useMutation, useQuery } from '@tanstack/react-query'
import { Monitor } from 'lucide-react'
import { useState } from 'react'
import { client } from '../app/client.ts'
import { queryClient } from '../app/query.ts'
import { formatRelativeTime, t } from '../texts/texts.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { toast } from '../ui/toast.ts'
import { ownAccount, sessionsQuery } from './queries.ts'

const refresh = () => queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey })

/** Active sessions of the user's own account. */
export function OwnSessions() {
  const { data: all } = useQuery(sessionsQuery)
  const [dialog, setDialog] = useState(false)
  const end = useMutation({
    mutationFn: (session: string) => client.users.sessions.end({ ...ownAccount, session }),
    onSuccess: () => {
      toast({ tone: 'good', title: t('account.sessions.ended') })
      return refresh()
    },
  })
  const endAll = useMutation({
    mutationFn: () => client.users.sessions.endAll(ownAccount),
    onSuccess: ({ ended }) => {
      toast({ tone: 'good', title: t('account.sessions.endedAll', { count: ended }) })
      return refresh()
    },
    onSettled: () => setDialog(false),
  })
  return (
    <Card
      title={t('account.tab.sessions')}
      actions={
        (all?.length ?? 0) > 1 && (
          <Button size="small" onClick={() => setDialog(true)}>
            {t('account.sessions.endAll')}
          </Button>
        )
      }
    >
      <p className="text-muted">{t('account.sessions.text')}</p>
      {!all && <Skeleton className="mt-3 h-10" lines={2} />}
      <ul className="mt-2 -mb-2 divide-y">
        {all?.map(session => (
          <li key={session.id} className="flex items-center gap-3 py-2">
            <Monitor aria-hidden="true" className="text-muted" />
            <div className="min-w-0 flex-1">
              <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium break-words">
                {session.browser}
                {session.current && <Badge tone="accent">{t('account.sessions.current')}</Badge>}
                {session.long && <Badge>{t('account.sessions.long')}</Badge>}
              </p>
              <p className="text-sm break-words text-muted">
                {t('account.sessions.seen', {
                  time: formatRelativeTime(session.lastSeen ?? 0),
                  network: session.network ?? '',
                })}
              </p>
            </div>
            {!session.current && (
              <Button
                size="small"
                aria-label={t('account.sessions.endNamed', { browser: session.browser ?? '' })}
                busy={end.isPending && end.variables === session.id}
                onClick={() => end.mutate(session.id)}
              >
                {t('account.sessions.end')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      <ConfirmDialog
        open={dialog}
        title={t('account.sessions.endAll')}
        confirm={t('account.sessions.endAll')}
        busy={endAll.isPending}
        onConfirm={() => endAll.mutate()}
        onClose={() => setDialog(false)}
      >
        {t('account.sessions.endAll.text')}
      </ConfirmDialog>
    </Card>
  )
}
