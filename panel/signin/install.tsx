import { Terminal } from 'lucide-react'
import { useState } from 'react'
import { useAsyncAction } from '../app/action.ts'
import { client } from '../app/client.ts'
import { errorText, fieldErrors, hasKey } from '../app/errors.ts'
import { completeSignIn, type System } from '../app/session.ts'
import { t, useLanguage } from '../texts/texts.ts'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { Notice } from '../ui/notice.tsx'
import { EmailField, SignInForm } from './form.tsx'
import { SignInFrame } from './frame.tsx'
import { NewPassword } from './new-password.tsx'
import { leaveLink } from './pages.ts'
import { linkToken } from './token.ts'
import { SignInError, useWait } from './wait.tsx'

const emailErrorKeys = ['user.email.invalid', 'user.duplicate']
const passwordErrorKeys = ['user.password.invalid', 'user.password.excessive']

/** Creates the first account of a new site, with the link from the terminal or from the same machine. */
export function Install({ system }: { system: System }) {
  const { code: language } = useLanguage()
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const create = useAsyncAction(async () => {
    const token = linkToken === undefined ? {} : { token: linkToken }
    const result = await client.system.install({ email, password, language, ...(name && { name }), ...token })
    leaveLink()
    await completeSignIn(result)
  })
  const secondsLeft = useWait(create.error)

  if (linkToken === undefined && !system.isInstallable) {
    return (
      <SignInFrame system={system} title={t('signin.install.title')}>
        <Notice icon={Terminal}>{t('signin.install.closed')}</Notice>
      </SignInFrame>
    )
  }

  const errors = fieldErrors(create.error)
  const emailError = hasKey(create.error, ...emailErrorKeys) ? errorText(create.error) : errors['email']
  const passwordError = hasKey(create.error, ...passwordErrorKeys) ? errorText(create.error) : errors['password']
  return (
    <SignInFrame system={system} title={t('signin.install.title')} text={t('signin.install.text')}>
      <SignInForm action={create} secondsLeft={secondsLeft} submitLabel={t('signin.install.submit')}>
        <SignInError error={emailError || passwordError ? undefined : create.error} />
        <Field label={t('signin.install.name')}>
          <Input size="large" name="name" value={name} onChange={setName} autoComplete="name" autoFocus />
        </Field>
        <EmailField value={email} onChange={setEmail} error={emailError} required />
        <NewPassword
          label={t('signin.password')}
          value={password}
          onChange={setPassword}
          names={[name, email]}
          error={passwordError}
        />
      </SignInForm>
    </SignInFrame>
  )
}
