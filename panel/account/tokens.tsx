import { useMutation, useQuery } from '@tanstack/react-query'
import { KeyRound, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { client } from '../app/client.ts'
import { queryClient } from '../app/query.ts'
import { formatAgo, formatDate, t } from '../texts/texts.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { TokenDialog } from './token-dialog.tsx'
import { own, tokensQuery } from './queries.ts'

type Token = NonNullable<Awaited<ReturnType<NonNullable<typeof tokensQuery.queryFn>>>>[number]

const again = () => queryClient.invalidateQueries({ queryKey: tokensQuery.queryKey })

/** By which programs act for the account. */
export function Tokens() {
  const { data: all } = useQuery(tokensQuery)
  const [adding, setAdding] = useState(false)
  const [removed, setRemoved] = useState<Token>()
  const remove = useMutation({
    mutationFn: (token: Token) => client.users.tokens.revoke({ ...own, token: token.id! }),
    onSuccess: again,
    onSettled: () => setRemoved(undefined),
  })
  const add = (
    <Button size="small" icon={Plus} onClick={() => setAdding(true)}>
      {t('account.tokens.add')}
    </Button>
  )
  return (
    <Card title={t('account.tab.tokens')} actions={add}>
      <p className="text-muted">{t('account.tokens.text')}</p>
      {!all && <Skeleton className="mt-3 h-10" />}
      {all?.length === 0 && <EmptyState small icon={KeyRound} text={t('account.tokens.none')} />}
      <ul className="mt-2 -mb-2 divide-y">
        {all?.map(token => (
          <li key={token.id} className="flex items-center gap-3 py-2">
            <div className="min-w-0 flex-1">
              <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium break-words">
                {token.name}
                <span className="font-mono text-sm font-normal text-muted">{token.prefix}…</span>
                {token.scopes?.map(scope => (
                  <Badge key={scope}>{scope === '*' ? t('account.tokens.scope.all') : scope}</Badge>
                ))}
              </p>
              <p className="text-sm text-muted">{about(token)}</p>
            </div>
            <IconButton
              label={`${t('action.remove')}: ${token.name}`}
              icon={Trash2}
              onClick={() => setRemoved(token)}
            />
          </li>
        ))}
      </ul>
      {adding && <TokenDialog onCreated={() => void again()} onClose={() => setAdding(false)} />}
      <ConfirmDialog
        danger
        open={removed !== undefined}
        title={t('account.tokens.remove', { name: removed?.name ?? '' })}
        confirm={t('action.remove')}
        busy={remove.isPending}
        onConfirm={() => remove.mutate(removed!)}
        onClose={() => setRemoved(undefined)}
      >
        {t('account.tokens.remove.text')}
      </ConfirmDialog>
    </Card>
  )
}

function about({ lastUsed, expires }: Token): string {
  const used = lastUsed ? t('account.tokens.used', { time: formatAgo(lastUsed) }) : t('account.tokens.unused')
  if (!expires) return used
  const isOver = Date.parse(expires) <= Date.now()
  const until = isOver
    ? t('account.tokens.expired')
    : t('account.tokens.expires', { time: formatDate(expires, { dateStyle: 'medium' }) })
  return `${used} · ${until}`
}
