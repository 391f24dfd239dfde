import { type CallerContext, callerOf, type Context } from '../../../access/actor.ts'
import { auditActor, record } from '../../../access/audit/audit.ts'
import { type AccountRow, authorizeAccount } from '../../../access/authorize/accounts.ts'
import { fail } from '../../../platform/errors.ts'
import {
  consumeChallenge,
  countAttempt,
  deleteChallenges,
  findChallenge,
  startChallenge,
} from '../../../access/factors/challenges.ts'
import type { Attestation } from '../../../access/factors/passkeys/credential.ts'
import { creationOptions, passkeyTimeoutMs } from '../../../access/factors/passkeys/passkeys.ts'
import * as queries from '../../../access/factors/passkeys/queries.ts'
import { loadWebAuthn, relyingParty, verifyAttestation } from '../../../access/factors/passkeys/webauthn.ts'
import { deleteRecoveryCodesWithoutFactor } from '../../../access/factors/queries.ts'
import { createId, randomToken } from '../../../platform/lib/id.ts'
import { renewSession } from '../../../access/session/sessions.ts'
import { lockUser } from '../lock.ts'
import { factorMustBeLeft } from '../rules.ts'
import { notify } from '../mail-notices.ts'
import { endOtherSessions } from '../rotate-session.ts'
import type { UserRow } from '../users.ts'

/** Limit per account: the ids of all passkeys are sent to the browser when the account signs in. */
const maxPasskeys = 20
const maxAttempts = 5

/** The WebAuthn challenge, stored until the browser returns the signed credential. */
interface PendingRegistration {
  toSign: string
}

export async function listPasskeys(ctx: Context, user: AccountRow): Promise<queries.PasskeyRow[]> {
  authorizeAccount(ctx, user, 'users.changePassword')
  return queries.selectPasskeys(ctx.app.store, user.id)
}

/** Starts the registration of a passkey of the caller. */
export async function beginRegistration(ctx: CallerContext) {
  const { app } = ctx
  const { user } = callerOf(ctx)
  const pending: PendingRegistration = { toSign: randomToken() }
  return app.store.write(async tx => {
    const account = await lockUser(ctx, tx, user, 'users.changePassword')
    const existing = await queries.selectPasskeysNow(tx, account.id)
    mustHaveRoom(existing)
    const kind = 'passkey-registration'
    const lifetimeMs = passkeyTimeoutMs
    await deleteChallenges(tx, account.id, kind)
    const challenge = await startChallenge(app, tx, { kind, user: account, data: pending, lifetimeMs, maxAttempts })
    const publicKey = creationOptions(app, pending.toSign, account, existing)
    return { challenge, expiresIn: lifetimeMs / 1000, publicKey }
  })
}

function mustHaveRoom(existing: unknown[]): void {
  if (existing.length >= maxPasskeys) throw fail('user.passkey.limit', { max: String(maxPasskeys) })
}

export interface Registration {
  challenge: string
  credential: Attestation
  name: string
  /** Whether to end all other sessions of the account. */
  endOthers?: boolean | undefined
}

/** Stores the passkey of the caller. The current session counts as authenticated with it and gets a new token. */
export async function finishRegistration(
  ctx: CallerContext,
  { challenge: handle, credential, name, endOthers = false }: Registration,
): Promise<{ passkey: queries.PasskeyRow; token: string | undefined }> {
  const { app } = ctx
  const { user } = callerOf(ctx)
  const challenge = await findChallenge<PendingRegistration>(app, 'passkey-registration', handle)
  await loadWebAuthn()
  const outcome = await app.store.write(async tx => {
    const account = await lockUser(ctx, tx, user, 'users.changePassword')
    const isValid = challenge?.userId === account.id && challenge.epoch === account.auth_epoch
    if (!challenge || !isValid || (await countAttempt(tx, challenge)) === undefined) return undefined
    const party = relyingParty(app.config)
    const registered = await verifyAttestation({ party, challenge: challenge.data.toSign, attestation: credential })
    if (!registered) return undefined
    mustHaveRoom(await queries.selectPasskeysNow(tx, account.id))
    await consumeChallenge(tx, challenge)
    const passkey = await queries.insertPasskey(tx, {
      id: createId(),
      credential: registered.credential,
      user_id: account.id,
      name,
      public_key: registered.publicKey,
      counter: registered.counter,
      transports: (credential.response.transports ?? []).join(' '),
      syncable: registered.syncable ? 1 : 0,
      synced: registered.synced ? 1 : 0,
    })
    if (!passkey) return undefined
    await record(tx, {
      event: 'auth.factor.added',
      subject: account.id,
      ...auditActor(ctx),
      detail: { factor: 'passkey' },
    })
    await notify(app, tx, account, 'factorAdded', { factor: 'passkey' })
    if (endOthers) await endOtherSessions(ctx, tx, account.id, 'factor')
    return { passkey, token: await renewSession(app, tx, ctx.actor.session!.id, 'passkey') }
  })
  if (!outcome) throw fail('user.passkey.invalid')
  return outcome
}

/** Renames a passkey of the caller. */
export async function changeName(ctx: CallerContext, id: string, name: string): Promise<queries.PasskeyRow> {
  const { user } = callerOf(ctx)
  return ctx.app.store.write(async tx => {
    await lockUser(ctx, tx, user, 'users.changePassword')
    const passkey = await queries.updatePasskeyName(tx, user.id, id, name)
    if (!passkey) throw fail('user.passkey.notFound')
    await record(tx, {
      event: 'auth.factor.renamed',
      subject: user.id,
      ...auditActor(ctx),
      detail: { factor: 'passkey' },
    })
    return passkey
  })
}

/**
 * Returns the new token of the caller's session if it was rotated. A removal by another account always ends the
 * sessions of the owner.
 */
export async function removePasskey(
  ctx: CallerContext,
  user: UserRow,
  id: string,
  endOthers: boolean,
): Promise<string | undefined> {
  const { app } = ctx
  return app.store.write(async tx => {
    const account = await lockUser(ctx, tx, user, 'users.changePassword')
    if (!(await queries.deletePasskey(tx, user.id, id))) throw fail('user.passkey.notFound')
    await factorMustBeLeft(ctx, tx, user)
    await deleteRecoveryCodesWithoutFactor(tx, user.id)
    await record(tx, {
      event: 'auth.factor.removed',
      subject: user.id,
      ...auditActor(ctx),
      detail: { factor: 'passkey' },
    })
    await notify(app, tx, account, 'factorRemoved', { factor: 'passkey' })
    const own = ctx.actor.user.id === user.id
    return own && !endOthers ? undefined : endOtherSessions(ctx, tx, user.id, 'factor')
  })
}
