import type { Client } from '../../client/client.ts'
import { client } from '../app/client.ts'

export type LoginAnswer = Awaited<ReturnType<Client['auth']['login']>>
export type Challenge = Extract<LoginAnswer, { challenge: unknown }>['challenge']

export const supportsPasskeys = (): boolean => typeof PublicKeyCredential === 'function'

/** Lazy, because most users sign in with a password. */
const webauthn = () => import('@simplewebauthn/browser')

/** Not an error: the user cancelled, or started another request. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof Error && ['NotAllowedError', 'AbortError'].includes(error.name)

interface PasskeyOptions {
  /** Offers passkeys in the autofill list of the e-mail field. */
  autofill?: boolean
  /** Confirms an existing session. */
  again?: boolean
  long?: boolean
}

/** Signs in with a passkey only. */
export async function signInWithPasskey({
  autofill = false,
  again = false,
  long = false,
}: PasskeyOptions = {}): Promise<LoginAnswer> {
  const started = await client.auth.login({ method: 'passkey', ...(long && { long }) })
  if (!('challenge' in started)) return started
  return answerWithPasskey(started.challenge, { autofill, again })
}

/** Answers a challenge with a passkey. */
export async function answerWithPasskey(
  { id: challenge, publicKey }: Challenge,
  { autofill = false, again = false } = {},
): Promise<LoginAnswer> {
  if (!publicKey) throw new TypeError('the challenge allows no passkey')
  const { startAuthentication } = await webauthn()
  const credential = await startAuthentication({ optionsJSON: publicKey, useBrowserAutofill: autofill })
  // Literals, because TypeScript finds a renamed property only if the method is known.
  return again
    ? client.auth.login({ method: 'reauth', challenge, credential })
    : client.auth.login({ method: 'passkey', challenge, credential })
}

/** Whether the browser can offer passkeys in the autofill list (conditional UI). */
export async function canAutofill(): Promise<boolean> {
  return supportsPasskeys() && (await (await webauthn()).browserSupportsWebAuthnAutofill())
}

/** Cancels the pending request in the background. */
export async function stopAutofill(): Promise<void> {
  const { WebAuthnAbortService } = await webauthn()
  WebAuthnAbortService.cancelCeremony()
}
