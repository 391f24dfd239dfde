import { useState } from 'react'
import { useAction } from '../app/action.ts'
import { client } from '../app/client.ts'
import { errorText, hasKey } from '../app/errors.ts'
import type { System } from '../app/session.ts'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { Notice } from '../ui/notice.tsx'
import { SignInFrame } from './frame.tsx'
import { NewPassword } from './new-password.tsx'
import { linkToken } from './token.ts'
import { asClock, Problem, useWait } from './wait.tsx'

interface Props {
  system: System
  onDone: () => void
}

/** Somebody made an account for this person, who gives it a password of their own. */
export function Invite({ system, onDone }: Props) {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const accept = useAction(async () => {
    await client.auth.login({ method: 'invite', token: linkToken!, password, ...(name && { name }) })
    onDone()
  })
  const left = useWait(accept.error)
  const about = hasKey(accept.error, 'user.password.invalid', 'user.password.excessive')

  if (linkToken === undefined) {
    return (
      <SignInFrame system={system} title={t('signin.invite.title')}>
        <Notice tone="warn">{t('signin.invite.noToken')}</Notice>
      </SignInFrame>
    )
  }
  return (
    <SignInFrame system={system} title={t('signin.invite.title')} text={t('signin.invite.text')}>
      <form
        className="flex flex-col gap-4"
        noValidate
        onSubmit={event => {
          event.preventDefault()
          if (left === 0) void accept.run()
        }}
      >
        <Problem error={about ? undefined : accept.error} left={left} />
        <Field label={t('signin.invite.name')}>
          <Input size="large" name="name" value={name} onChange={setName} autoComplete="name" autoFocus />
        </Field>
        <NewPassword
          label={t('signin.password')}
          value={password}
          onChange={setPassword}
          names={[name]}
          error={about ? errorText(accept.error) : undefined}
        />
        <Button type="submit" variant="primary" size="large" className="w-full" busy={accept.busy} disabled={left > 0}>
          {left > 0 ? t('signin.wait.button', { time: asClock(left) }) : t('signin.invite.submit')}
        </Button>
      </form>
    </SignInFrame>
  )
}
