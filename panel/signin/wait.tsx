import { useEffect, useState } from 'react'
import { QuoinError } from '../../client/client.ts'
import { errorText } from '../app/errors.ts'
import { t } from '../texts/texts.ts'
import { Notice } from '../ui/notice.tsx'

const waitOf = (error: unknown) =>
  error instanceof QuoinError && error.status === 429 && error.key === 'error.auth.throttled'
    ? error.retryAfter
    : undefined

/** Seconds until the next attempt is allowed; 0 if at once. */
export function useWait(error: unknown): number {
  const wait = waitOf(error) ?? 0
  const [counted, setCounted] = useState(error)
  const [secondsLeft, setSecondsLeft] = useState(wait)
  if (error !== counted) {
    // Not in an effect: the screen would say for a moment that the wait is over.
    setCounted(error)
    setSecondsLeft(wait)
  }
  useEffect(() => {
    if (wait === 0) return undefined
    const until = Date.now() + wait * 1000
    const updateSecondsLeft = () => setSecondsLeft(Math.max(0, Math.ceil((until - Date.now()) / 1000)))
    const timer = setInterval(updateSecondsLeft, 250)
    return () => clearInterval(timer)
  }, [error, wait])
  return secondsLeft
}

/** `0:27`, `12:00`. */
export const formatCountdown = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`

/** The error message. A wait is counted down; only its end is announced to screen readers. */
export function SignInError({ error }: { error: unknown }) {
  const secondsLeft = useWait(error)
  if (error === undefined) return null
  if (waitOf(error) === undefined) {
    return (
      <Notice tone="danger" live>
        {errorText(error)}
      </Notice>
    )
  }
  return secondsLeft > 0 ? (
    <Notice tone="warn">
      <span role="timer">{t('signin.wait', { time: formatCountdown(secondsLeft) })}</span>
    </Notice>
  ) : (
    <Notice tone="good" live>
      {t('signin.wait.over')}
    </Notice>
  )
}
