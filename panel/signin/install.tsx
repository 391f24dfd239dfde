import { Terminal } from 'lucide-react'
import { useState } from 'react'
import { useAction } from '../app/action.ts'
import { client } from '../app/client.ts'
import { errorText, fieldErrors, hasKey } from '../app/errors.ts'
import { admit, type System } from '../app/session.ts'
import { t, useLanguage } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { Notice } from '../ui/notice.tsx'
import { SignInFrame } from './frame.tsx'
import { NewPassword } from './new-password.tsx'
import { leaveLink } from './pages.ts'
import { linkToken } from './token.ts'
import { asClock, Problem, useWait } from './wait.tsx'

const aboutEmail = ['user.email.invalid', 'user.duplicate']
const aboutPassword = ['user.password.invalid', 'user.password.excessive']

/** The first account of a new site, by the link from the terminal or by who sits at the machine. */
export function Install({ system }: { system: System }) {
  const { code: language } = useLanguage()
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const create = useAction(async () => {
    const token = linkToken === undefined ? {} : { token: linkToken }
    const admission = await client.system.install({ email, password, language, ...(name && { name }), ...token })
    leaveLink()
    await admit(admission)
  })
  const left = useWait(create.error)

  if (linkToken === undefined && !system.isInstallable) {
    return (
      <SignInFrame system={system} title={t('signin.install.title')}>
        <Notice icon={Terminal}>{t('signin.install.closed')}</Notice>
      </SignInFrame>
    )
  }

  const wrong = fieldErrors(create.error)
  const emailError = hasKey(create.error, ...aboutEmail) ? errorText(create.error) : wrong['email']
  const passwordError = hasKey(create.error, ...aboutPassword) ? errorText(create.error) : wrong['password']
  return (
    <SignInFrame system={system} title={t('signin.install.title')} text={t('signin.install.text')}>
      <form
        className="flex flex-col gap-4"
        noValidate
        onSubmit={event => {
          event.preventDefault()
          if (left === 0) void create.run()
        }}
      >
        <Problem error={emailError || passwordError ? undefined : create.error} left={left} />
        <Field label={t('signin.install.name')}>
          <Input size="large" name="name" value={name} onChange={setName} autoComplete="name" autoFocus />
        </Field>
        <Field label={t('signin.email')} error={emailError} required>
          <Input
            size="large"
            type="email"
            name="email"
            value={email}
            onChange={setEmail}
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
          />
        </Field>
        <NewPassword
          label={t('signin.password')}
          value={password}
          onChange={setPassword}
          names={[name, email]}
          error={passwordError}
        />
        <Button type="submit" variant="primary" size="large" className="w-full" busy={create.busy} disabled={left > 0}>
          {left > 0 ? t('signin.wait.button', { time: asClock(left) }) : t('signin.install.submit')}
        </Button>
      </form>
    </SignInFrame>
  )
}
