import { KeyRound } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useAsyncAction } from '../app/action.ts'
import { client } from '../app/client.ts'
import type { SignInReason } from '../app/sign-in-request.ts'
import { resumeSession, session, type SignInResult } from '../app/session.ts'
import { signin } from '../texts/en/signin.ts'
import { addTexts, t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { PasswordInput } from '../ui/password-input.tsx'
import { type Challenge, supportsPasskeys, isRefusal, type LoginAnswer, signInWithPasskey } from './passkey.ts'
import { SecondFactor } from './second-factor.tsx'
import { formatCountdown, SignInError, useWait } from './wait.tsx'

addTexts(signin)

interface Props {
  need: SignInReason
  answer: (csrf: string | undefined) => void
}

/** Sign-in dialog over the current screen, which stays as it is: the session has ended or must be confirmed. */
export function SignInAgain({ need, answer }: Props) {
  const state = session.use()
  const [password, setPassword] = useState('')
  const [challenge, setChallenge] = useState<Challenge>()
  const email = state.status === 'in' ? state.user.email : ''
  const long = state.status === 'in' && state.session.long
  const confirming = need === 'confirm'

  function signedIn(result: SignInResult): void {
    if (resumeSession(result)) answer(result.csrf)
    else location.reload() // another user: the screen shows data of the previous one
  }
  function proceed(loginAnswer: LoginAnswer): void {
    if ('challenge' in loginAnswer) setChallenge(loginAnswer.challenge)
    else if ('csrf' in loginAnswer) signedIn(loginAnswer)
  }

  const signIn = useAsyncAction(async () => {
    try {
      proceed(
        confirming
          ? await client.auth.login({ method: 'reauth', password })
          : await client.auth.login({ email, password, ...(long && { long }) }),
      )
    } catch (error) {
      setPassword('')
      throw error
    }
  })
  const byPasskey = useAsyncAction(async () => {
    try {
      proceed(await signInWithPasskey({ again: confirming, long }))
    } catch (error) {
      throw isRefusal(error) ? new Error(t('signin.passkey.failed')) : error
    }
  })
  const error = signIn.error ?? byPasskey.error
  const secondsLeft = useWait(signIn.error)
  useOtherTab(!confirming, answer)

  const title = t(confirming ? 'signin.confirm.title' : 'signin.again.title')
  const text = t(confirming ? 'signin.confirm.text' : 'signin.again.text')
  if (challenge) {
    return (
      <Dialog open disablePointerDismissal size="small" title={title} onClose={() => answer(undefined)}>
        <SecondFactor challenge={challenge} onSignedIn={signedIn} onRestart={() => setChallenge(undefined)} />
      </Dialog>
    )
  }
  return (
    <Dialog
      open
      disablePointerDismissal
      size="small"
      title={title}
      description={text}
      onClose={() => answer(undefined)}
      onSubmit={() => {
        if (secondsLeft === 0) void signIn.run()
      }}
      footer={
        <>
          {!confirming && (
            <Button variant="plain" className="me-auto text-muted" onClick={() => location.reload()}>
              {t('signin.again.other')}
            </Button>
          )}
          <Button type="submit" variant="primary" busy={signIn.busy} disabled={secondsLeft > 0}>
            {secondsLeft > 0
              ? t('signin.wait.button', { time: formatCountdown(secondsLeft) })
              : t(confirming ? 'signin.confirm.submit' : 'signin.submit')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <SignInError error={error} />
        <p className="truncate text-muted">{email}</p>
        <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
        <Field label={t('signin.password')}>
          <PasswordInput name="password" size="large" value={password} onChange={setPassword} autoFocus />
        </Field>
        {supportsPasskeys() && (
          <Button icon={KeyRound} busy={byPasskey.busy} onClick={() => void byPasskey.run()}>
            {t(confirming ? 'signin.confirm.passkey' : 'signin.passkey')}
          </Button>
        )}
      </div>
    </Dialog>
  )
}

/** Closes the dialog if the user has signed in again in another tab. Reloads the page if another user has. */
function useOtherTab(enabled: boolean, answer: (csrf: string | undefined) => void): void {
  useEffect(() => {
    if (!enabled) return undefined
    async function checkSession(): Promise<void> {
      const found = await client.auth.get().catch(() => undefined)
      if (!found?.session || found.csrf === undefined) return
      if (resumeSession({ user: found.data, session: found.session, csrf: found.csrf })) answer(found.csrf)
      else location.reload()
    }
    const listen = () => void checkSession()
    addEventListener('focus', listen)
    return () => removeEventListener('focus', listen)
  }, [enabled, answer])
}
