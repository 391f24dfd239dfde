import type { App } from '../../../app.ts'
import type { By } from '../../../access/audit/audit.ts'
import { fail } from '../../../platform/errors.ts'
import {
  consumeChallenge,
  drawAttempt,
  dropChallenges,
  findChallenge,
  startChallenge,
  wrongCode,
} from '../../../access/factors/challenges.ts'
import { clockOf, lockAccount } from '../../../access/factors/queries.ts'
import { removeTotp, sealTotp, setTotp, unsealTotp } from '../../../access/factors/totp.ts'
import { createTotpSecret, matchingTotpStep, totpUri } from '../../../platform/lib/totp.ts'
import type { Caller } from '../../../access/session/identify.ts'
import { endEpoch, renewSession } from '../../../access/session/sessions.ts'
import { factorMustBeLeft, lockManagedAccount } from '../manage.ts'
import { notify, type Recipient } from '../mail-notices.ts'
import { endOtherSessions } from '../rotate-session.ts'

const lifetime = 600_000 // ms
const attempts = 5

interface Pending {
  sealed: string
}

/**
 * Creates a secret for an authenticator app. It takes effect when a code proves that the app has it; until then a
 * former app stays valid.
 */
export async function beginTotp(app: App, user: { id: string; email: string }, replace = false) {
  const secret = await createTotpSecret()
  const challenge = await app.store.write(async tx => {
    const account = await lockAccount(app.store, tx, user.id)
    if (!account) throw fail('user.notFound', { name: user.id })
    if (account.totp_secret !== null && !replace) throw fail('user.totp.exists')
    await dropChallenges(tx, user.id, 'totp')
    const data: Pending = { sealed: sealTotp(app, user.id, secret) }
    return startChallenge(app, tx, { kind: 'totp', user: account, data, lifetime, attempts })
  })
  const uri = await totpUri(secret, { issuer: new URL(app.config.url).host, label: user.email })
  return { secret, uri, challenge, expiresIn: lifetime / 1000, attemptsLeft: attempts }
}

export interface Confirmation {
  challenge: string
  code: string
  endOthers?: boolean | undefined
}

/**
 * Turns the factor on. The code counts as used and cannot be replayed. The current session counts as authenticated with
 * it; returns its new token.
 */
export async function confirmTotp(
  app: App,
  user: Recipient,
  given: Confirmation,
  caller: Caller,
  by: By,
): Promise<string | undefined> {
  const pending = await findChallenge<Pending>(app, 'totp', given.challenge)
  if (pending?.userId !== user.id) throw wrongCode(true)
  const outcome = await app.store.write(async tx => {
    const account = await lockAccount(app.store, tx, user.id)
    const attemptsLeft = await drawAttempt(tx, pending)
    if (account?.auth_epoch !== pending.epoch || attemptsLeft === undefined) throw wrongCode(true)
    const secret = unsealTotp(app, user.id, pending.data.sealed)
    if (secret === undefined) throw wrongCode(true)
    const step = await matchingTotpStep(secret, given.code, await clockOf(tx))
    if (step === undefined) return { attemptsLeft }
    await consumeChallenge(tx, pending)
    await setTotp(app, tx, user.id, secret, { usedStep: step, by })
    await notify(app, tx, user, 'factorAdded', { factor: 'totp' })
    const session = caller.session!.id
    if (given.endOthers) await endEpoch(tx, user.id, 'factor', by, session)
    return { token: await renewSession(app, tx, session, 'otp') }
  })
  if ('attemptsLeft' in outcome) throw wrongCode(outcome.attemptsLeft === 0)
  return outcome.token
}

/**
 * Removes the app. Callers who manage accounts may do it for an owner who has lost the device; the owner is notified.
 */
export async function turnOffTotp(
  app: App,
  user: Recipient,
  caller: Caller,
  by: By,
  { others = false }: { others?: boolean | undefined } = {},
): Promise<string | undefined> {
  return app.store.write(async tx => {
    const account = await lockManagedAccount(app, tx, user, caller)
    if (account.totp_secret === null) throw fail('user.totp.notFound')
    await removeTotp(tx, user.id, by)
    await factorMustBeLeft(app, tx, user, caller)
    await notify(app, tx, account, 'factorRemoved', { factor: 'totp' })
    const own = caller.user.id === user.id // a removal by another account ends all sessions of the owner
    return own && !others ? undefined : endOtherSessions(app, tx, user.id, 'factor', caller, by)
  })
}
