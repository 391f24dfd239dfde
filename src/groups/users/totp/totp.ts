import { type CallerContext, callerOf } from '../../../access/actor.ts'
import { fail } from '../../../platform/errors.ts'
import {
  consumeChallenge,
  countAttempt,
  deleteChallenges,
  findChallenge,
  startChallenge,
  wrongCode,
} from '../../../access/factors/challenges.ts'
import { removeTotp, sealTotp, setTotp, unsealTotp } from '../../../access/factors/totp.ts'
import { createTotpSecret, matchingTotpStep, totpUri } from '../../../platform/lib/totp.ts'
import { endEpoch, renewSession } from '../../../access/session/sessions.ts'
import { selectNow } from '../../../platform/store/store.ts'
import { lockUser } from '../lock.ts'
import { factorMustBeLeft } from '../rules.ts'
import { notify, type Recipient } from '../mail-notices.ts'
import { endOtherSessions } from '../rotate-session.ts'

const lifetimeMs = 600_000
const maxAttempts = 5

interface Pending {
  sealed: string
}

/**
 * Creates a secret for an authenticator app of the caller. It takes effect when a code proves that the app has it; until then a
 * former app stays valid.
 */
export async function beginTotp(ctx: CallerContext, replace = false) {
  const { app } = ctx
  const { user } = callerOf(ctx)
  const secret = await createTotpSecret()
  const challenge = await app.store.write(async tx => {
    const account = await lockUser(ctx, tx, user, 'users.changePassword')
    if (account.totp_secret !== null && !replace) throw fail('user.totp.exists')
    await deleteChallenges(tx, user.id, 'totp')
    const data: Pending = { sealed: sealTotp(app, user.id, secret) }
    return startChallenge(app, tx, { kind: 'totp', user: account, data, lifetimeMs, maxAttempts })
  })
  const uri = await totpUri(secret, { issuer: new URL(app.config.url).host, label: user.email })
  return { secret, uri, challenge, expiresIn: lifetimeMs / 1000, attemptsLeft: maxAttempts }
}

export interface Confirmation {
  challenge: string
  code: string
  endOthers?: boolean | undefined
}

/**
 * Turns the factor on for the caller. The code counts as used and cannot be replayed. The current session counts as authenticated with
 * it; returns its new token.
 */
export async function confirmTotp(ctx: CallerContext, confirmation: Confirmation): Promise<string | undefined> {
  const { app } = ctx
  const { user } = callerOf(ctx)
  const pending = await findChallenge<Pending>(app, 'totp', confirmation.challenge)
  const outcome = await app.store.write(async tx => {
    const account = await lockUser(ctx, tx, user, 'users.changePassword')
    if (pending?.userId !== user.id) throw wrongCode(true)
    const attemptsLeft = await countAttempt(tx, pending)
    if (account.auth_epoch !== pending.epoch || attemptsLeft === undefined) throw wrongCode(true)
    const secret = unsealTotp(app, user.id, pending.data.sealed)
    if (secret === undefined) throw wrongCode(true)
    const step = await matchingTotpStep(secret, confirmation.code, await selectNow(tx))
    if (step === undefined) return { attemptsLeft }
    await consumeChallenge(tx, pending)
    await setTotp(ctx, tx, user.id, secret, step)
    await notify(app, tx, user, 'factorAdded', { factor: 'totp' })
    const session = ctx.actor.session!.id
    if (confirmation.endOthers) await endEpoch(ctx, tx, user.id, 'factor', session)
    return { token: await renewSession(app, tx, session, 'otp') }
  })
  if ('attemptsLeft' in outcome) throw wrongCode(outcome.attemptsLeft === 0)
  return outcome.token
}

/**
 * Removes the app. Callers who manage accounts may do it for an owner who has lost the device; the owner is notified.
 */
export async function turnOffTotp(
  ctx: CallerContext,
  user: Recipient,
  { endOthers = false }: { endOthers?: boolean | undefined } = {},
): Promise<string | undefined> {
  const { app } = ctx
  return app.store.write(async tx => {
    const account = await lockUser(ctx, tx, user, 'users.changePassword')
    if (account.totp_secret === null) throw fail('user.totp.notFound')
    await removeTotp(ctx, tx, user.id)
    await factorMustBeLeft(ctx, tx, user)
    await notify(app, tx, account, 'factorRemoved', { factor: 'totp' })
    const own = ctx.actor.user.id === user.id // a removal by another account ends all sessions of the owner
    return own && !endOthers ? undefined : endOtherSessions(ctx, tx, user.id, 'factor')
  })
}
