import { useState } from 'react'
import { useAsyncAction } from '../app/action.ts'
import { client } from '../app/client.ts'
import { errorText, hasKey } from '../app/errors.ts'
import type { System } from '../app/session.ts'
import { t } from '../texts/texts.ts'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { Notice } from '../ui/notice.tsx'
import { SignInForm } from './form.tsx'
import { SignInFrame } from './frame.tsx'
import { NewPassword } from './new-password.tsx'
import { linkToken } from './token.ts'
import { SignInError, useWait } from './wait.tsx'

interface Props {
  system: System
  onDone: () => void
}

/** The invited user chooses a password. */
export function Invite({ system, onDone }: Props) {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const accept = useAsyncAction(async () => {
    await client.auth.login({ method: 'invite', token: linkToken!, password, ...(name && { name }) })
    onDone()
  })
  const secondsLeft = useWait(accept.error)
  const passwordError = hasKey(accept.error, 'user.password.invalid', 'user.password.excessive')

  if (linkToken === undefined) {
    return (
      <SignInFrame system={system} title={t('signin.invite.title')}>
        <Notice tone="warn">{t('signin.invite.noToken')}</Notice>
      </SignInFrame>
    )
  }
  return (
    <SignInFrame system={system} title={t('signin.invite.title')} text={t('signin.invite.text')}>
      <SignInForm action={accept} secondsLeft={secondsLeft} submitLabel={t('signin.invite.submit')}>
        <SignInError error={passwordError ? undefined : accept.error} />
        <Field label={t('signin.invite.name')}>
          <Input size="large" name="name" value={name} onChange={setName} autoComplete="name" autoFocus />
        </Field>
        <NewPassword
          label={t('signin.password')}
          value={password}
          onChange={setPassword}
          names={[name]}
          error={passwordError ? errorText(accept.error) : undefined}
        />
      </SignInForm>
    </SignInFrame>
  )
}
