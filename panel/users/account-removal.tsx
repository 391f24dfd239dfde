import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { client } from '../app/client.ts'
import { keys } from '../app/query.ts'
import { signOut, useSession } from '../app/session.ts'
import { t } from '../texts/texts.ts'
import { Card } from '../ui/card.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { toast } from '../ui/toast.ts'
import { userChanged, type UserModel, whyForbidden } from './model.ts'
import { useDeletedToast, useTrashDays } from '../trash/undo.ts'
import { Setting } from './setting.tsx'

/** Disables or deletes an account. */
export function AccountRemoval({ user }: { user: UserModel }) {
  const { user: caller } = useSession()
  const [dialog, setDialog] = useState<'disable' | 'delete'>()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const own = user.id === caller.id
  const showDeletedToast = useDeletedToast()
  const days = useTrashDays()
  const isDisabled = user.status === 'disabled'
  const change = useMutation({
    mutationFn: (status: 'active' | 'disabled') => client.users.changeStatus({ id: user.id }, { status }),
    onSuccess: async (_, status) => {
      toast({
        tone: 'good',
        title: t(status === 'active' ? 'users.enabled' : 'users.disabled', { name: user.username }),
      })
      await userChanged(queryClient, user.id)
    },
    onSettled: () => setDialog(undefined),
  })
  const remove = useMutation({
    mutationFn: () => client.users.delete({ id: user.id }),
    onSuccess: async () => {
      if (own) return signOut()
      showDeletedToast(t('users.deleted', { name: user.username }), { uuid: `user://${user.id}`, title: user.username })
      await navigate({ to: '/users' })
      queryClient.removeQueries({ queryKey: keys.user(user.id) })
      return queryClient.invalidateQueries({ queryKey: keys.users })
    },
    onError: () => setDialog(undefined),
  })
  const why = whyForbidden(user, caller, 'delete')

  return (
    <Card flush title={t('users.ending')}>
      <div className="divide-y">
        {!own && (
          <Setting
            label={t(isDisabled ? 'users.enable' : 'users.disable')}
            action={t(isDisabled ? 'users.enable' : 'users.disable')}
            busy={change.isPending}
            onAction={() => (isDisabled ? change.mutate('active') : setDialog('disable'))}
            disabledReason={why}
          >
            {t(isDisabled ? 'users.enable.text' : 'users.disable.text')}
          </Setting>
        )}
        <Setting
          label={t('users.delete')}
          action={t('action.delete')}
          onAction={() => setDialog('delete')}
          disabledReason={why}
        >
          {t('users.delete.text')}
        </Setting>
      </div>
      <ConfirmDialog
        open={dialog === 'disable'}
        danger
        title={t('users.disable.title', { name: user.username })}
        confirm={t('users.disable')}
        busy={change.isPending}
        onClose={() => setDialog(undefined)}
        onConfirm={() => change.mutate('disabled')}
      >
        <p>{t('users.disable.confirm')}</p>
      </ConfirmDialog>
      <ConfirmDialog
        open={dialog === 'delete'}
        danger
        title={t('users.delete.title', { name: user.username })}
        confirm={t('action.delete')}
        busy={remove.isPending}
        onClose={() => setDialog(undefined)}
        onConfirm={() => remove.mutate()}
      >
        <p>{days ? t('trash.delete.user', { count: days }) : days === 0 && t('users.delete.confirm')}</p>
        {own && <p>{t('users.delete.own')}</p>}
      </ConfirmDialog>
    </Card>
  )
}
