import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../app/client.ts'
import { errorText, fieldErrors, hasKey } from '../app/errors.ts'
import { useSession } from '../app/session.ts'
import { SubmitDialog } from '../app/submit-dialog.tsx'
import { NewPassword } from '../signin/new-password.tsx'
import { SignInError, useWait } from '../signin/wait.tsx'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { Field } from '../ui/field.tsx'
import { PasswordInput } from '../ui/password-input.tsx'
import { toast } from '../ui/toast.ts'
import { ownAccount, refreshAccount } from './queries.ts'

const newPasswordErrors = ['user.password.invalid', 'user.password.excessive', 'user.password.same']

export function PasswordCard() {
  const [open, setOpen] = useState(false)
  return (
    <Card
      title={t('account.password')}
      actions={
        <Button size="small" onClick={() => setOpen(true)}>
          {t('account.password.change')}
        </Button>
      }
    >
      <p className="text-muted">{t('account.password.text')}</p>
      {open && <PasswordDialog onClose={() => setOpen(false)} />}
    </Card>
  )
}

function PasswordDialog({ onClose }: { onClose: () => void }) {
  const { user } = useSession()
  const [currentPassword, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const [endTokens, setEndTokens] = useState(false)
  const { mutate, error, isPending } = useMutation({
    meta: { handlesError: true },
    mutationFn: () =>
      client.users.changePassword(ownAccount, { password, endTokens, ...(currentPassword && { currentPassword }) }),
    onSuccess: async () => {
      onClose()
      toast({ tone: 'good', title: t('account.password.changed') })
      await refreshAccount()
    },
  })
  const secondsLeft = useWait(error)
  const newPasswordError = hasKey(error, ...newPasswordErrors) ? errorText(error) : fieldErrors(error)['password']
  const currentPasswordError = hasKey(error, 'access.login') ? errorText(error) : fieldErrors(error)['currentPassword']
  return (
    <SubmitDialog
      disablePointerDismissal
      size="small"
      title={t('account.password.change')}
      onClose={onClose}
      onSubmit={() => {
        if (secondsLeft === 0) mutate()
      }}
      confirm={t('account.password.change')}
      busy={isPending}
      disabled={secondsLeft > 0}
    >
      {!newPasswordError && !currentPasswordError && error && <SignInError error={error} />}
      <input type="hidden" name="username" autoComplete="username" value={user.email} readOnly />
      <Field label={t('account.password.current')} error={currentPasswordError}>
        <PasswordInput value={currentPassword} onChange={setCurrent} />
      </Field>
      <NewPassword
        size="normal"
        value={password}
        onChange={setPassword}
        names={[user.email, user.name ?? '']}
        error={newPasswordError}
      />
      <Checkbox value={endTokens} onChange={setEndTokens} label={t('account.password.endTokens')} />
      <p className="text-sm text-muted">{t('account.password.help')}</p>
    </SubmitDialog>
  )
}
