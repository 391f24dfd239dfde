import type { Client } from '../../client/client.ts'
import { client } from '../app/client.ts'

type Login = Parameters<Client['auth']['login']>[0]
export type LoginAnswer = Awaited<ReturnType<Client['auth']['login']>>
export type Challenge = Extract<LoginAnswer, { challenge: unknown }>['challenge']
export type Admission = Extract<LoginAnswer, { csrf: string }>

export const hasPasskeys = (): boolean => typeof PublicKeyCredential === 'function'

/** Loaded when it is needed: most people sign in with a password. */
const webauthn = () => import('@simplewebauthn/browser')

/** Nothing went wrong: the person closed the window of the browser, or did something else. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof Error && ['NotAllowedError', 'AbortError'].includes(error.name)

interface Use {
  /** In the list that the browser shows at the field for the address. */
  autofill?: boolean
  /** Confirms a session that there is. */
  again?: boolean
  long?: boolean
}

/** With nothing but a passkey. */
export async function signInWithPasskey({
  autofill = false,
  again = false,
  long = false,
}: Use = {}): Promise<LoginAnswer> {
  const begun = await client.auth.login({ method: 'passkey', ...(long && { long }) })
  if (!('challenge' in begun)) return begun
  return answerWithPasskey(begun.challenge, { autofill, again })
}

/** As the answer to a challenge. */
export async function answerWithPasskey(
  { id, publicKey }: Challenge,
  { autofill = false, again = false } = {},
): Promise<LoginAnswer> {
  const { startAuthentication } = await webauthn()
  const credential = await startAuthentication({ optionsJSON: publicKey as never, useBrowserAutofill: autofill })
  const method = again ? 'reauth' : 'passkey'
  return client.auth.login({ method, challenge: id, credential } as Login)
}

/** A field that asks for an address may offer passkeys, where the browser can do that. */
export async function canAutofill(): Promise<boolean> {
  return hasPasskeys() && (await (await webauthn()).browserSupportsWebAuthnAutofill())
}

/** What a browser waits for in the background has an end. */
export async function stopAutofill(): Promise<void> {
  const { WebAuthnAbortService } = await webauthn()
  WebAuthnAbortService.cancelCeremony()
}
