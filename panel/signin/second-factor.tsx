import { KeyRound, LifeBuoy, Smartphone } from 'lucide-react'
import { useState } from 'react'
import { useAsyncAction } from '../app/action.ts'
import { client } from '../app/client.ts'
import { hasKey } from '../app/errors.ts'
import type { SignInResult } from '../app/session.ts'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { answerWithPasskey, type Challenge, supportsPasskeys, isRefusal, type LoginAnswer } from './passkey.ts'
import { formatCountdown, SignInError, useWait } from './wait.tsx'

interface Props {
  challenge: Challenge
  onSignedIn: (result: SignInResult) => Promise<void> | void
  /** The challenge is over; `expired` is false if the user cancelled it. */
  onRestart: (expired: boolean) => void
}

type Method = 'code' | 'passkey' | 'recovery'
const icons = { code: Smartphone, passkey: KeyRound, recovery: LifeBuoy }

/** Asks for one of the second factors of the account. */
export function SecondFactor({ challenge, onSignedIn, onRestart }: Props) {
  const methods = (['code', 'passkey', 'recovery'] as const).filter(
    method => challenge.methods.includes(method) && (method !== 'passkey' || supportsPasskeys()),
  )
  const [method, setMethod] = useState<Method>(methods[0] ?? 'recovery')
  const [code, setCode] = useState('')

  const answer = useAsyncAction(async (typedCode: string) => {
    try {
      const sent: LoginAnswer =
        method === 'passkey'
          ? await answerWithPasskey(challenge)
          : await client.auth.login({ method, challenge: challenge.id, code: typedCode })
      if ('csrf' in sent) await onSignedIn(sent)
    } catch (error) {
      if (hasKey(error, 'access.code') && error.details['restart'] === true) return onRestart(true)
      setCode('')
      throw isRefusal(error) ? new Error(t('signin.passkey.failed')) : error
    }
  })
  const secondsLeft = useWait(answer.error)

  function typed(text: string): void {
    setCode(text)
    // Submits a code of six digits without a press of the button.
    if (method === 'code' && /^\s*\d{3}\s?\d{3}\s*$/.test(text) && secondsLeft === 0) void answer.run(text)
  }

  return (
    <form
      className="flex flex-col gap-4"
      noValidate
      onSubmit={event => {
        event.preventDefault()
        if (secondsLeft === 0) void answer.run(code)
      }}
    >
      <SignInError error={answer.error} />
      {method === 'passkey' ? (
        <p className="text-muted">{t('signin.second.passkey')}</p>
      ) : (
        <Field key={method} label={t(`signin.second.${method}`)} help={t(`signin.second.${method}.help`)}>
          <Input
            size="large"
            name="code"
            mono
            value={code}
            onChange={typed}
            autoFocus
            inputMode={method === 'code' ? 'numeric' : 'text'}
            autoComplete={method === 'code' ? 'one-time-code' : 'off'}
            autoCapitalize="none"
            spellCheck={false}
            dir="ltr"
          />
        </Field>
      )}
      <Button
        type="submit"
        variant="primary"
        size="large"
        className="w-full"
        icon={method === 'passkey' ? KeyRound : undefined}
        busy={answer.busy}
        disabled={secondsLeft > 0}
      >
        {secondsLeft > 0
          ? t('signin.wait.button', { time: formatCountdown(secondsLeft) })
          : t(method === 'passkey' ? 'signin.second.use.passkey' : 'signin.second.submit')}
      </Button>
      <div className="-mx-2 flex flex-col items-stretch gap-0.5">
        {methods
          .filter(other => other !== method)
          .map(other => (
            <Button
              key={other}
              variant="plain"
              icon={icons[other]}
              className="justify-start text-muted"
              onClick={() => {
                answer.clear()
                setCode('')
                setMethod(other)
              }}
            >
              {t(`signin.second.use.${other}`)}
            </Button>
          ))}
        <Button variant="plain" className="justify-start text-muted" onClick={() => onRestart(false)}>
          {t('signin.back')}
        </Button>
      </div>
    </form>
  )
}
