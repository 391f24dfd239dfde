import { KeyRound } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useAsyncAction } from '../app/action.ts'
import { client } from '../app/client.ts'
import { loadApp } from '../app/load-app.ts'
import { completeSignIn, type System } from '../app/session.ts'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { PasswordInput } from '../ui/password-input.tsx'
import { EmailField, SignInForm } from './form.tsx'
import { SignInFrame } from './frame.tsx'
import {
  canAutofill,
  type Challenge,
  supportsPasskeys,
  isRefusal,
  type LoginAnswer,
  signInWithPasskey,
  stopAutofill,
} from './passkey.ts'
import { useBusyRetry } from './retry.ts'
import { SecondFactor } from './second-factor.tsx'
import { SignInError, useWait } from './wait.tsx'

interface Props {
  system: System
  email?: string
  /** Why the sign-in form is shown, such as an ended session. */
  notice?: ReactNode
  onForgotten: (email: string) => void
}

/** Sign-in with e-mail address and password, or with a passkey; then the second factor, if the account has one. */
export function Login({ system, email: initialEmail = '', notice, onForgotten }: Props) {
  const [email, setEmail] = useState(initialEmail)
  const [password, setPassword] = useState('')
  const [long, setLong] = useState(false)
  const [challenge, setChallenge] = useState<Challenge>()
  const [restarted, setRestarted] = useState(false)

  async function proceed(answer: LoginAnswer): Promise<void> {
    if ('challenge' in answer) setChallenge(answer.challenge)
    else if ('csrf' in answer) await completeSignIn(answer)
  }

  const { waiting, retry } = useBusyRetry()
  const signIn = useAsyncAction(async () => {
    setRestarted(false)
    loadApp().catch(() => {}) // retried when it is needed
    await proceed(await retry(() => client.auth.login({ email, password, ...(long && { long }) })))
  })
  const byPasskey = useAsyncAction(async () => {
    signIn.clear()
    try {
      await proceed(await signInWithPasskey({ long }))
    } catch (error) {
      throw isRefusal(error) ? new Error(t('signin.passkey.failed')) : error
    }
  })
  useAutofill(challenge === undefined, long, proceed)
  const secondsLeft = useWait(signIn.error)

  if (challenge) {
    return (
      <SecondFactorPage
        system={system}
        challenge={challenge}
        onSignedIn={completeSignIn}
        onRestart={expired => {
          setChallenge(undefined)
          setPassword('')
          setRestarted(expired)
        }}
      />
    )
  }

  return (
    <SignInFrame system={system} title={t('signin.title')}>
      <SignInForm action={signIn} secondsLeft={secondsLeft} submitLabel={t('signin.submit')}>
        {notice}
        {restarted && <Notice tone="warn">{t('signin.restart')}</Notice>}
        {waiting && (
          <Notice tone="warn" live>
            {t('signin.busy')}
          </Notice>
        )}
        <SignInError error={signIn.error} />
        <EmailField
          value={email}
          onChange={setEmail}
          autoComplete="username webauthn"
          autoFocus={initialEmail === ''}
        />
        <Field
          label={t('signin.password')}
          action={
            system.loginMethods?.includes('password-reset') && (
              <span className="-my-1 -me-2">
                <Button variant="plain" size="small" className="text-muted" onClick={() => onForgotten(email)}>
                  {t('signin.forgotten')}
                </Button>
              </span>
            )
          }
        >
          <PasswordInput
            size="large"
            name="password"
            value={password}
            onChange={setPassword}
            autoComplete="current-password"
            autoFocus={initialEmail !== ''}
          />
        </Field>
        <Checkbox value={long} onChange={setLong} label={t('signin.long')} />
      </SignInForm>
      {supportsPasskeys() && (
        <>
          <p className="my-3 flex items-center gap-3 text-sm text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
            {t('signin.or')}
          </p>
          <Button
            size="large"
            className="w-full"
            icon={KeyRound}
            busy={byPasskey.busy}
            onClick={() => void byPasskey.run()}
          >
            {t('signin.passkey')}
          </Button>
          {byPasskey.error !== undefined && (
            <p role="alert" className="mt-2 text-sm text-danger">
              {byPasskey.error instanceof Error ? byPasskey.error.message : ''}
            </p>
          )}
        </>
      )}
    </SignInFrame>
  )
}

interface SecondFactorPageProps {
  system: System
  challenge: Challenge
  onSignedIn: Parameters<typeof SecondFactor>[0]['onSignedIn']
  onRestart: Parameters<typeof SecondFactor>[0]['onRestart']
}

function SecondFactorPage({ system, ...rest }: SecondFactorPageProps) {
  return (
    <SignInFrame system={system} title={t('signin.second.title')}>
      <SecondFactor {...rest} />
    </SignInFrame>
  )
}

const challengeLife = 280_000

/** Conditional UI: the browser offers passkeys in the e-mail field while the form is shown. */
function useAutofill(enabled: boolean, long: boolean, proceed: (answer: LoginAnswer) => Promise<void>): void {
  useEffect(() => {
    let isStopped = false
    async function offer(): Promise<void> {
      try {
        if (!enabled || !(await canAutofill()) || isStopped) return
        const answer = await signInWithPasskey({ autofill: true, long })
        if (!isStopped) await proceed(answer)
      } catch {
        // The user did not start this, so errors are not shown.
      }
    }
    void offer()
    // The challenge expires after five minutes, so it is renewed before that.
    const renewal = setInterval(() => void offer(), challengeLife)
    return () => {
      isStopped = true
      clearInterval(renewal)
      if (enabled && supportsPasskeys()) void stopAutofill()
    }
    // `proceed` changes with every render, but autofill must not restart with every keystroke.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [enabled, long])
}
