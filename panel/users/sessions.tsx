import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Monitor } from 'lucide-react'
import { useState } from 'react'
import { client } from '../app/client.ts'
import { errorText } from '../app/errors.ts'
import { keys } from '../app/query.ts'
import { formatRelativeTime, t } from '../texts/texts.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ListItem } from '../ui/list-item.tsx'
import { Notice } from '../ui/notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { toast } from '../ui/toast.ts'
import type { UserModel } from './model.ts'

/** Active sessions of an account. */
export function UserSessions({ user }: { user: UserModel }) {
  const [ending, setEnding] = useState(false)
  const queryClient = useQueryClient()
  const queryKey = keys.user(user.id, 'sessions')
  const { data, error } = useQuery({
    queryKey,
    queryFn: async () => (await client.users.sessions.list({ id: user.id })).data,
  })
  const reload = () => queryClient.invalidateQueries({ queryKey })
  const end = useMutation({
    mutationFn: (session: string) => client.users.sessions.end({ id: user.id, session }),
    onSuccess: reload,
  })
  const endAll = useMutation({
    mutationFn: () => client.users.sessions.endAll({ id: user.id }),
    onSuccess: async ({ ended }) => {
      setEnding(false)
      toast({ tone: 'good', title: t('users.sessions.ended', { count: ended }) })
      await reload()
    },
  })
  return (
    <Card
      flush
      title={t('users.sessions')}
      actions={
        data &&
        data.length > 0 && (
          <Button size="small" onClick={() => setEnding(true)}>
            {t('users.sessions.endAll')}
          </Button>
        )
      }
    >
      {error ? (
        <div className="p-4">
          <Notice tone="danger">{errorText(error)}</Notice>
        </div>
      ) : !data ? (
        <div className="p-4">
          <Skeleton lines={2} />
        </div>
      ) : data.length === 0 ? (
        <EmptyState small icon={Monitor} text={t('users.sessions.none')} />
      ) : (
        <ul className="divide-y">
          {data.map(session => (
            <li key={session.id}>
              <ListItem
                icon={Monitor}
                title={session.browser || t('users.sessions.unknown')}
                info={`${session.network} · ${formatRelativeTime(session.lastSeen)}`}
                after={
                  session.current ? (
                    <Badge tone="accent">{t('users.sessions.current')}</Badge>
                  ) : (
                    <Button
                      size="small"
                      variant="plain"
                      busy={end.isPending && end.variables === session.id}
                      onClick={() => end.mutate(session.id)}
                    >
                      {t('users.sessions.end')}
                    </Button>
                  )
                }
              />
            </li>
          ))}
        </ul>
      )}
      <ConfirmDialog
        open={ending}
        danger
        title={t('users.sessions.endAll.title')}
        confirm={t('users.sessions.endAll')}
        busy={endAll.isPending}
        onClose={() => setEnding(false)}
        onConfirm={() => endAll.mutate()}
      >
        <p>{t('users.sessions.endAll.text', { name: user.username })}</p>
      </ConfirmDialog>
    </Card>
  )
}
