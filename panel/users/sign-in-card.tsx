import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { client } from '../app/client.ts'
import { keys } from '../app/query.ts'
import { useSession } from '../app/session.ts'
import { hasMail, useSystem } from '../system/query.ts'
import { formatRelativeTime, t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { ListItem } from '../ui/list-item.tsx'
import { toast } from '../ui/toast.ts'
import { PasswordDialog } from './change.tsx'
import { type UserModel, whyForbidden } from './model.ts'
import { Setting } from './setting.tsx'

type Passkey = Awaited<ReturnType<typeof client.users.passkeys.list>>['data'][number]

type Factor = { kind: 'totp' } | { kind: 'passkey'; passkey: Passkey }

/** The factors of an account, and actions for users who can no longer sign in. */
export function SignInCard({ user }: { user: UserModel }) {
  const { user: caller } = useSession()
  const { data: system } = useSystem()
  const [isPasswordDialogOpen, setPasswordDialogOpen] = useState(false)
  const [isRemovalOpen, setRemovalOpen] = useState(false)
  /** Stays the same while the dialog closes. */
  const [factor, setFactor] = useState<Factor>({ kind: 'totp' })
  const queryClient = useQueryClient()
  // Removing a factor needs the same permission.
  const passwordForbiddenReason = whyForbidden(user, caller, 'changePassword')
  const canSendMail = system === undefined || hasMail(system)
  const noMailReason = canSendMail ? undefined : t('users.noMail')
  const queryKey = keys.user(user.id, 'passkeys')
  const { data: passkeys = [] } = useQuery({
    queryKey,
    queryFn: async () => (await client.users.passkeys.list({ id: user.id })).data,
    enabled: passwordForbiddenReason === undefined,
  })
  const reset = useMutation({
    mutationFn: () => client.users.resetPassword({ id: user.id }),
    onSuccess: () => toast({ tone: 'good', title: t('users.reset.sent', { email: user.email }) }),
  })
  const invite = useMutation({
    mutationFn: () => client.users.invite({ id: user.id }),
    onSuccess: () => toast({ tone: 'good', title: t('users.invite.sent', { email: user.email }) }),
  })
  const remove = useMutation({
    mutationFn: async (removed: Factor): Promise<void> => {
      if (removed.kind === 'totp') await client.users.totp.remove({ id: user.id })
      else await client.users.passkeys.remove({ id: user.id, passkey: removed.passkey.id })
    },
    onSuccess: () => {
      toast({ tone: 'good', title: t('users.saved') })
      return queryClient.invalidateQueries({ queryKey: keys.user(user.id) })
    },
    onSettled: () => setRemovalOpen(false),
  })
  function askToRemove(chosen: Factor) {
    setFactor(chosen)
    setRemovalOpen(true)
  }
  const isInvited = user.status === 'invited'

  return (
    <Card flush title={t('users.signin')}>
      <div className="divide-y">
        {isInvited ? (
          <Setting
            label={t('users.invitation')}
            action={t('users.invite.again')}
            busy={invite.isPending}
            onAction={() => invite.mutate()}
            disabledReason={whyForbidden(user, caller, 'create') ?? noMailReason}
          >
            {t('users.invitation.text')}
          </Setting>
        ) : (
          <Setting
            label={t('users.reset')}
            action={t('users.reset.send')}
            busy={reset.isPending}
            onAction={() => reset.mutate()}
            disabledReason={passwordForbiddenReason ?? noMailReason}
          >
            {t('users.reset.text')}
          </Setting>
        )}
        <Setting
          label={t('users.password')}
          action={t('users.password.set')}
          onAction={() => setPasswordDialogOpen(true)}
          disabledReason={passwordForbiddenReason}
        >
          {t('users.password.text')}
        </Setting>
        {!isInvited && (
          <Setting
            label={t('users.totp')}
            action={t('users.totp.remove')}
            onAction={() => askToRemove({ kind: 'totp' })}
            disabledReason={passwordForbiddenReason}
          >
            {t('users.totp.text')}
          </Setting>
        )}
        {passkeys.map(passkey => (
          <ListItem
            key={passkey.id}
            icon={KeyRound}
            title={passkey.name}
            info={
              passkey.lastUsed === null
                ? t('users.passkey.unused')
                : t('users.passkey.used', { time: formatRelativeTime(passkey.lastUsed) })
            }
            after={
              <Button size="small" variant="plain" onClick={() => askToRemove({ kind: 'passkey', passkey })}>
                {t('action.remove')}
              </Button>
            }
          />
        ))}
      </div>
      {isPasswordDialogOpen && <PasswordDialog user={user} onClose={() => setPasswordDialogOpen(false)} />}
      <ConfirmDialog
        open={isRemovalOpen}
        danger
        title={
          factor.kind === 'passkey'
            ? t('users.passkey.remove', { name: factor.passkey.name })
            : t('users.totp.remove.title')
        }
        confirm={t('action.remove')}
        busy={remove.isPending}
        onClose={() => setRemovalOpen(false)}
        onConfirm={() => remove.mutate(factor)}
      >
        <p>{t('users.factor.remove.text', { name: user.username })}</p>
      </ConfirmDialog>
    </Card>
  )
}
