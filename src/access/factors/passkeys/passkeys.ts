import { z } from 'zod'
import type { App } from '../../../app.ts'
import { record, type Visitor } from '../../audit/audit.ts'
import type { Tx } from '../../../platform/store/store.ts'
import type { Assertion } from './credential.ts'
import { passkeyByCredential, type PasskeyRow, touchPasskey } from './queries.ts'
import { algorithms, relyingParty, verifyAssertion } from './webauthn.ts'

/** How long a browser may take, in milliseconds: as long as the challenge lives. */
export const passkeyLifetime = 300_000

const descriptor = z.object({ type: z.literal('public-key'), id: z.string(), transports: z.array(z.string()) })

/** For `navigator.credentials.get`, in its JSON form. */
export const requestOptionsSchema = z.object({
  challenge: z.string(),
  rpId: z.string(),
  timeout: z.int(),
  userVerification: z.enum(['required', 'preferred']),
  allowCredentials: z.array(descriptor),
})
export type RequestOptions = z.output<typeof requestOptionsSchema>

/** For `navigator.credentials.create`, in its JSON form. */
export const creationOptionsSchema = z.object({
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
})
export type CreationOptions = z.output<typeof creationOptionsSchema>

/**
 * Without a list of passkeys the browser offers all it has for this site, and nobody learns who has which; the owner is
 * made sure of by the authenticator. With one they follow a right password, and it is enough that somebody is there.
 */
export function requestOptions({ config }: App, challenge: string, allowed?: readonly PasskeyRow[]): RequestOptions {
  return {
    challenge,
    rpId: relyingParty(config).id,
    timeout: passkeyLifetime,
    userVerification: allowed ? 'preferred' : 'required',
    allowCredentials: (allowed ?? []).map(describe),
  }
}

interface Owner {
  id: string
  email: string
  name: string
}

export function creationOptions(
  { config }: App,
  challenge: string,
  owner: Owner,
  existing: readonly PasskeyRow[],
): CreationOptions {
  const { id } = relyingParty(config)
  return {
    challenge,
    rp: { id, name: id },
    user: { id: userHandle(owner.id), name: owner.email, displayName: owner.name || owner.email },
    pubKeyCredParams: algorithms.map(alg => ({ type: 'public-key', alg })),
    timeout: passkeyLifetime,
    attestation: 'none',
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    excludeCredentials: existing.map(describe),
  }
}

function describe({ credential: id, transports }: PasskeyRow) {
  return { type: 'public-key' as const, id, transports: transports.split(' ').filter(Boolean) }
}

/** How a passkey remembers whose it is. */
function userHandle(userId: string): string {
  return Buffer.from(userId).toString('base64url')
}

interface Use {
  /** What the browser was given to sign. */
  challenge: string
  assertion: Assertion
  /** Nothing else has been proved: it must say whose it is, and the authenticator must have made sure of its owner. */
  alone: boolean
  visitor: Visitor
}

/** True if this is a passkey of the account and it has signed. The caller holds the account's row. */
export async function usePasskey(
  app: App,
  tx: Tx,
  userId: string,
  { challenge, assertion, alone, visitor }: Use,
): Promise<boolean> {
  const passkey = await passkeyByCredential(tx, assertion.id)
  const handle = assertion.response.userHandle ?? (alone ? undefined : userHandle(userId))
  if (passkey?.user_id !== userId || handle !== userHandle(userId)) return false
  const signed = await verifyAssertion({
    party: relyingParty(app.config),
    challenge,
    passkey,
    assertion,
    userVerified: alone,
  })
  if (!signed) return false
  // A copy of a key betrays itself by a counter that does not rise. Synced keys are copies, and most of them never count.
  const copied = passkey.counter > 0 && signed.counter <= passkey.counter
  const accepted = !copied || passkey.syncable === 1
  if (copied) await record(tx, { event: 'auth.passkey.counter-signal', subject: userId, visitor, detail: { accepted } })
  if (accepted) await touchPasskey(tx, passkey.id, signed.counter, signed.synced)
  return accepted
}
