import type { Visitor } from '../../actor.ts'
import { z } from 'zod'
import type { App } from '../../../app.ts'
import { record } from '../../audit/audit.ts'
import type { Tx } from '../../../platform/store/store.ts'
import type { Assertion } from './credential.ts'
import { selectPasskeyByCredential, type PasskeyRow, updatePasskeyUse } from './queries.ts'
import { algorithms, relyingParty, verifyAssertion } from './webauthn.ts'
import { namedSchema } from '../../../platform/lib/schema-names.ts'

/** Timeout for the browser and lifetime of the challenge, in ms. */
export const passkeyTimeoutMs = 300_000

const descriptor = z.object({ type: z.literal('public-key'), id: z.string(), transports: z.array(z.string()) })

/** For `navigator.credentials.get`, in its JSON form. */
export const requestOptionsSchema = namedSchema(
  'PasskeyRequest',
  z.object({
    challenge: z.string(),
    rpId: z.string(),
    timeout: z.int(),
    userVerification: z.enum(['required', 'preferred']),
    allowCredentials: z.array(descriptor),
  }),
)
export type RequestOptions = z.output<typeof requestOptionsSchema>

/** For `navigator.credentials.create`, in its JSON form. */
export const creationOptionsSchema = namedSchema(
  'PasskeyCreation',
  z.object({
    challenge: z.string(),
    rp: z.object({ id: z.string(), name: z.string() }),
    user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
    pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.int() })),
    timeout: z.int(),
    attestation: z.literal('none'),
    authenticatorSelection: z.object({
      residentKey: z.literal('required'),
      requireResidentKey: z.literal(true),
      userVerification: z.literal('required'),
    }),
    excludeCredentials: z.array(descriptor),
  }),
)
export type CreationOptions = z.output<typeof creationOptionsSchema>

/**
 * With `'any'` the passkey is the only factor: the browser offers all passkeys it has for this site, the response
 * reveals no account, and the authenticator must verify its user. With a list it follows a correct password, so user
 * presence is enough.
 */
export function requestOptions(
  { config }: App,
  challenge: string,
  credentials: readonly PasskeyRow[] | 'any',
): RequestOptions {
  return {
    challenge,
    rpId: relyingParty(config).id,
    timeout: passkeyTimeoutMs,
    userVerification: credentials === 'any' ? 'required' : 'preferred',
    allowCredentials: credentials === 'any' ? [] : credentials.map(toDescriptor),
  }
}

interface PasskeyUser {
  id: string
  email: string
  name: string
}

export function creationOptions(
  { config }: App,
  challenge: string,
  user: PasskeyUser,
  existing: readonly PasskeyRow[],
): CreationOptions {
  const { id } = relyingParty(config)
  return {
    challenge,
    rp: { id, name: id },
    user: { id: userHandle(user.id), name: user.email, displayName: user.name || user.email },
    pubKeyCredParams: algorithms.map(alg => ({ type: 'public-key', alg })),
    timeout: passkeyTimeoutMs,
    attestation: 'none',
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    excludeCredentials: existing.map(toDescriptor),
  }
}

function toDescriptor({ credential: id, transports }: PasskeyRow) {
  return { type: 'public-key' as const, id, transports: transports.split(' ').filter(Boolean) }
}

/** The WebAuthn user handle, which the authenticator stores with the passkey. */
function userHandle(userId: string): string {
  return Buffer.from(userId).toString('base64url')
}

interface AssertionCheck {
  /** The challenge that was sent to the browser. */
  challenge: string
  assertion: Assertion
  /**
   * The passkey is the only factor: it must return its user handle, and the authenticator must have verified the user.
   */
  isOnlyFactor: boolean
  visitor: Visitor
}

/**
 * True if the passkey belongs to the account and its signature is valid. Call it with the user's row locked and its epoch
 * compared.
 */
export async function verifyAccountPasskey(
  app: App,
  tx: Tx,
  userId: string,
  { challenge, assertion, isOnlyFactor, visitor }: AssertionCheck,
): Promise<boolean> {
  const passkey = await selectPasskeyByCredential(tx, assertion.id)
  const handle = assertion.response.userHandle ?? (isOnlyFactor ? undefined : userHandle(userId))
  if (passkey?.user_id !== userId || handle !== userHandle(userId)) return false
  const signed = await verifyAssertion({
    party: relyingParty(app.config),
    challenge,
    passkey,
    assertion,
    userVerified: isOnlyFactor,
  })
  if (!signed) return false
  // A counter that does not increase indicates a cloned key. Synced passkeys are copies by design, and most report no
  // counter.
  const hasStaleCounter = passkey.counter > 0 && signed.counter <= passkey.counter
  const accepted = !hasStaleCounter || passkey.syncable === 1
  if (hasStaleCounter)
    await record(tx, { event: 'auth.passkey.counter-signal', subject: userId, visitor, detail: { accepted } })
  if (accepted) await updatePasskeyUse(tx, passkey.id, signed.counter, signed.synced)
  return accepted
}
