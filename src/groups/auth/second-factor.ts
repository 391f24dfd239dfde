import type { App } from '../../app.ts'
import { record } from '../../access/audit/audit.ts'
import {
  type Challenge,
  consumeChallenge,
  countAttempt,
  findChallenge,
  startChallenge,
  wrongCode,
} from '../../access/factors/challenges.ts'
import { reportThrottled, visitorCharges } from '../../access/factors/credentials.ts'
import type { Assertion } from '../../access/factors/passkeys/credential.ts'
import { requestOptions, verifyAccountPasskey } from '../../access/factors/passkeys/passkeys.ts'
import { selectPasskeysNow } from '../../access/factors/passkeys/queries.ts'
import { loadWebAuthn } from '../../access/factors/passkeys/webauthn.ts'
import { type Account, countUnusedRecoveryCodes, lockAccount } from '../../access/factors/queries.ts'
import { useRecoveryCode } from '../../access/factors/recovery.ts'
import { useTotp } from '../../access/factors/totp.ts'
import { randomToken } from '../../platform/lib/id.ts'
import type { HttpExchange } from '../../access/session/exchange.ts'
import { sessionOfCookie } from '../../access/session/identify.ts'
import type { Tx } from '../../platform/store/store.ts'
import { charge, chargeFor, resetAfterSuccess } from '../../platform/throttle/throttle.ts'
import { notify, notifyDisabled } from '../users/mail-notices.ts'
import { finish, type FirstStep, type SignedIn, start, type Started, type PendingStep } from './start.ts'

const maxAttempts = 5
const challengeLifetime = 300_000 // ms

/** The password was correct; starts the challenge for the second factor. */
export async function requireSecondFactor(
  app: App,
  tx: Tx,
  exchange: HttpExchange,
  account: Account,
  first: FirstStep,
): Promise<PendingStep> {
  const passkeys = await selectPasskeysNow(tx, account.id)
  const toSign = passkeys.length > 0 ? randomToken() : undefined
  const handle = await startChallenge(app, tx, {
    kind: 'second-factor',
    user: account,
    data: { ...first, toSign },
    lifetimeMs: challengeLifetime,
    maxAttempts,
  })
  await record(tx, { event: 'auth.login.challenge', subject: account.id, visitor: exchange })
  const methods: string[] = []
  for (const method of secondFactors) if (await hasFactor(tx, account, method)) methods.push(method)
  return {
    kind: 'challenge',
    step: 'second-factor',
    id: handle,
    methods,
    expiresIn: challengeLifetime / 1000,
    attemptsLeft: maxAttempts,
    publicKey: toSign === undefined ? undefined : requestOptions(app, toSign, passkeys),
  }
}

const secondFactors = ['code', 'passkey', 'recovery'] as const

async function hasFactor(tx: Tx, account: Account, method: (typeof secondFactors)[number]): Promise<boolean> {
  if (method === 'code') return account.totp_secret !== null
  if (method === 'passkey') return (await selectPasskeysNow(tx, account.id)).length > 0
  return (await countUnusedRecoveryCodes(tx, account.id)) > 0
}

type SecondStep = { challenge: string } & (
  | { method: 'code' | 'recovery'; code: string }
  | { method: 'passkey'; credential: Assertion }
)

export async function bySecondFactor(
  app: App,
  exchange: HttpExchange,
  step: SecondStep,
): Promise<SignedIn | PendingStep> {
  const challenge = await findChallenge<FirstStep>(app, 'second-factor', step.challenge)
  if (!challenge) throw wrongCode(true)
  if (challenge.data.reauth !== undefined) {
    const session = await sessionOfCookie(app, exchange)
    exchange.language = session?.row.language
    if (session?.session.id !== challenge.data.reauth) throw wrongCode(true)
  }
  if (step.method === 'passkey') await loadWebAuthn()
  const who = { visitor: exchange, subject: challenge.userId ?? undefined }
  const outcome = await reportThrottled(app, who, tx => verifySecondFactor(app, tx, exchange, challenge, step))
  if ('attemptsLeft' in outcome) throw wrongCode(outcome.attemptsLeft === 0)
  return finish(app, exchange, outcome)
}

/**
 * One transaction: an attempt that ends with an error is rolled back and does not count; every checked attempt does.
 */
async function verifySecondFactor(
  app: App,
  tx: Tx,
  exchange: HttpExchange,
  challenge: Challenge<FirstStep>,
  step: SecondStep,
): Promise<Started | { attemptsLeft: number }> {
  const { method } = step
  const account = await lockAccount(app.store, tx, challenge.userId ?? '')
  if (account?.status !== 'active' || account.auth_epoch !== challenge.epoch) throw wrongCode(true)
  if (!(await hasFactor(tx, account, method))) throw wrongCode(true) // removed since the first step
  const attemptsLeft = await countAttempt(tx, challenge)
  if (attemptsLeft === undefined) throw wrongCode(true)
  const charges = [...visitorCharges(app, exchange), chargeFor(app, 'otp', account.id)]
  await charge(app, tx, charges)

  if (!(await isRight(app, tx, exchange, account, challenge.data, step))) {
    await notify(app, tx, account, 'suspicious', { reason: 'secondFactor' })
    await record(tx, { event: 'auth.mfa.fail', subject: account.id, visitor: exchange, detail: { method } })
    return { attemptsLeft }
  }
  await consumeChallenge(tx, challenge)
  await resetAfterSuccess(app, tx, charges)
  const event = method === 'recovery' ? 'auth.factor.used-recovery' : 'auth.mfa.ok'
  await record(tx, { event, actor: account.id, subject: account.id, visitor: exchange })
  return start(app, tx, exchange, account, ['pwd', method === 'code' ? 'otp' : method], challenge.data)
}

async function isRight(
  app: App,
  tx: Tx,
  exchange: HttpExchange,
  account: Account,
  { toSign }: FirstStep,
  step: SecondStep,
): Promise<boolean> {
  if (step.method === 'passkey') {
    if (toSign === undefined) return false
    const use = { challenge: toSign, assertion: step.credential, isOnlyFactor: false, visitor: exchange }
    return verifyAccountPasskey(app, tx, account.id, use)
  }
  if (step.method === 'recovery') return useRecoveryCode(app, tx, account.id, step.code)
  return useTotp(app, tx, account, step.code, notifyDisabled(app, 'totpDisabled'))
}
