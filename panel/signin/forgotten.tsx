import { useState } from 'react'
import { useAsyncAction } from '../app/action.ts'
import { client } from '../app/client.ts'
import { errorText, fieldErrors, hasKey } from '../app/errors.ts'
import type { System } from '../app/session.ts'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { Notice } from '../ui/notice.tsx'
import { EmailField, SignInForm } from './form.tsx'
import { SignInFrame } from './frame.tsx'
import { NewPassword } from './new-password.tsx'
import type { Challenge } from './passkey.ts'
import { SignInError, useWait } from './wait.tsx'

interface Props {
  system: System
  email: string
  /** The password is set. */
  onDone: (email: string) => void
  onBack: () => void
}

/** Password reset: first the e-mail address, then the code from the e-mail with the new password. */
export function Forgotten({ system, email: initialEmail, onDone, onBack }: Props) {
  const [email, setEmail] = useState(initialEmail)
  const [challenge, setChallenge] = useState<Challenge>()
  const ask = useAsyncAction(async () => {
    const answer = await client.auth.login({ method: 'reset', email })
    if ('challenge' in answer) setChallenge(answer.challenge)
  })
  const secondsLeft = useWait(ask.error)

  if (challenge) {
    const minutes = Math.round(challenge.expiresIn / 60)
    return (
      <SignInFrame system={system} title={t('signin.reset.title')} text={t('signin.reset.sent', { email, minutes })}>
        <ResetForm
          challenge={challenge.id}
          email={email}
          onDone={() => onDone(email)}
          onAgain={() => setChallenge(undefined)}
        />
      </SignInFrame>
    )
  }
  return (
    <SignInFrame system={system} title={t('signin.reset.title')} text={t('signin.reset.ask')}>
      <SignInForm
        action={ask}
        secondsLeft={secondsLeft}
        submitLabel={t('signin.reset.send')}
        after={
          <Button variant="plain" className="text-muted" onClick={onBack}>
            {t('signin.back')}
          </Button>
        }
      >
        <SignInError error={fieldErrors(ask.error)['email'] ? undefined : ask.error} />
        <EmailField value={email} onChange={setEmail} error={fieldErrors(ask.error)['email']} autoFocus />
      </SignInForm>
    </SignInFrame>
  )
}

interface FormProps {
  challenge: string
  /** From the link. Without it, the user types the code from the e-mail. */
  token?: string
  email?: string
  onDone: () => void
  onAgain: () => void
}

/** Sets the new password, with the token or code that proves access to the mailbox. */
export function ResetForm({ challenge, token, email, onDone, onAgain }: FormProps) {
  const [code, setCode] = useState('')
  const [password, setPassword] = useState('')
  const save = useAsyncAction(async () => {
    await client.auth.login({ method: 'reset', challenge, code: token ?? code, password })
    onDone()
  })
  const secondsLeft = useWait(save.error)
  const passwordError = hasKey(save.error, 'user.password.invalid', 'user.password.excessive', 'user.password.same')
  const dead = hasKey(save.error, 'access.code') && save.error.details['restart'] === true

  return (
    <SignInForm action={save} secondsLeft={secondsLeft} submitLabel={t('signin.newPassword.save')} disabled={dead}>
      {dead ? (
        <Notice
          live
          tone="warn"
          action={
            <Button size="small" onClick={onAgain}>
              {t('signin.reset.again')}
            </Button>
          }
        >
          {errorText(save.error)}
        </Notice>
      ) : (
        <SignInError error={passwordError ? undefined : save.error} />
      )}
      {email !== undefined && <input type="hidden" name="username" autoComplete="username" value={email} readOnly />}
      {token === undefined && (
        <Field label={t('signin.reset.code')}>
          <Input
            size="large"
            name="code"
            mono
            value={code}
            onChange={setCode}
            inputMode="numeric"
            autoComplete="one-time-code"
            autoFocus
            dir="ltr"
          />
        </Field>
      )}
      <NewPassword
        value={password}
        onChange={setPassword}
        names={email === undefined ? [] : [email]}
        error={passwordError ? errorText(save.error) : undefined}
      />
    </SignInForm>
  )
}
