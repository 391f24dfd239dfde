import { useMutation, useQuery } from '@tanstack/react-query'
import { KeyRound, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { client } from '../app/client.ts'
import { keys, queryClient } from '../app/query.ts'
import { useSession } from '../app/session.ts'
import { permissionText } from '../extensions/parts.ts'
import { formatRelativeTime, formatDate, t } from '../texts/texts.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { ownAccount } from './queries.ts'
import { TokenDialog, type TokenOwner } from './token-dialog.tsx'

type Token = Awaited<ReturnType<typeof client.users.tokens.list>>['data'][number]

/** API tokens of the user's own account. */
export function OwnTokens() {
  const { user } = useSession()
  const texts = { title: t('account.tab.tokens'), text: t('account.tokens.text'), none: t('account.tokens.none') }
  return <TokensCard owner={{ ...ownAccount, permissions: user.permissions }} {...texts} />
}

interface Props {
  owner: TokenOwner
  title: string
  text: string
  none: string
}

/** Lists, creates and deletes the API tokens of an account. */
export function TokensCard({ owner, title, text, none }: Props) {
  const { id } = owner
  const queryKey = keys.user(id, 'tokens')
  const { data: { data: all, readScopes = [] } = {} } = useQuery({
    queryKey,
    queryFn: () => client.users.tokens.list({ id }),
  })
  const refresh = () => queryClient.invalidateQueries({ queryKey })
  const [adding, setAdding] = useState(false)
  /** Stays the same while the dialog closes. */
  const [removing, setRemoving] = useState<Token>()
  const [isRemovalOpen, setRemovalOpen] = useState(false)
  const remove = useMutation({
    mutationFn: (token: Token) => client.users.tokens.revoke({ id, token: token.id }),
    onSuccess: refresh,
    onSettled: () => setRemovalOpen(false),
  })
  function askToRemove(token: Token) {
    setRemoving(token)
    setRemovalOpen(true)
  }
  const add = (
    <Button size="small" icon={Plus} onClick={() => setAdding(true)}>
      {t('account.tokens.add')}
    </Button>
  )
  return (
    <Card title={title} actions={add}>
      <p className="text-muted">{text}</p>
      {!all && <Skeleton className="mt-3 h-10" />}
      {all?.length === 0 && <EmptyState small icon={KeyRound} text={none} />}
      <ul className="mt-2 -mb-2 divide-y">
        {all?.map(token => (
          <li key={token.id} className="flex items-center gap-3 py-2">
            <div className="min-w-0 flex-1">
              <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium break-words">
                {token.name}
                <span className="font-mono text-sm font-normal text-muted">{token.prefix}…</span>
                {token.scopes?.map(scope => (
                  <Badge key={scope}>
                    {scope === '*' ? t('account.tokens.scope.all') : (permissionText(scope) ?? scope)}
                  </Badge>
                ))}
              </p>
              <p className="text-sm text-muted">{describe(token)}</p>
            </div>
            <IconButton
              label={`${t('action.remove')}: ${token.name}`}
              icon={Trash2}
              onClick={() => askToRemove(token)}
            />
          </li>
        ))}
      </ul>
      {adding && (
        <TokenDialog
          owner={owner}
          readScopes={readScopes}
          onCreated={() => void refresh()}
          onClose={() => setAdding(false)}
        />
      )}
      <ConfirmDialog
        danger
        open={isRemovalOpen}
        title={t('account.tokens.remove', { name: removing?.name ?? '' })}
        confirm={t('action.remove')}
        busy={remove.isPending}
        onConfirm={() => removing && remove.mutate(removing)}
        onClose={() => setRemovalOpen(false)}
      >
        {t('account.tokens.remove.text')}
      </ConfirmDialog>
    </Card>
  )
}

function describe({ lastUsed, expires }: Token): string {
  const used = lastUsed ? t('account.tokens.used', { time: formatRelativeTime(lastUsed) }) : t('account.tokens.unused')
  if (!expires) return used
  const isOver = Date.parse(expires) <= Date.now()
  const until = isOver
    ? t('account.tokens.expired')
    : t('account.tokens.expires', { time: formatDate(expires, { dateStyle: 'medium' }) })
  return `${used} · ${until}`
}
