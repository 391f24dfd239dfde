import type { App } from '../app.ts'
import { record } from '../audit/audit.ts'
import { type ApiError, fail } from '../errors.ts'
import { type Challenge, consumeChallenge, drawAttempt, findChallenge, startChallenge } from '../factors/challenges.ts'
import {
  checkPassword,
  deviceMac,
  reportThrottled,
  settlePassword,
  type Verified,
  visitorCharges,
} from '../factors/credentials.ts'
import { refreshHash } from '../factors/password.ts'
import { type Account, countRecoveryCodes, isDevice, lockAccount, rememberDevice } from '../factors/queries.ts'
import { useRecoveryCode } from '../factors/recovery.ts'
import { useTotp } from '../factors/totp.ts'
import { type Email, parseEmail } from '../lib/email.ts'
import { createToken } from '../lib/id.ts'
import { readCookie, sendDeviceCookie, sendSessionCookie } from '../session/cookies.ts'
import type { Exchange } from '../session/exchange.ts'
import { bearerToken, presentedSession } from '../session/identify.ts'
import { csrfToken, endSession, type Proof, type Session, startSession } from '../session/sessions.ts'
import type { Tx } from '../store/store.ts'
import { charge, chargeFor, settle } from '../throttle/throttle.ts'
import type { LoginBody } from './body.ts'

const challengeAttempts = 5
const challengeLifetime = 300_000

/** What the first step proved, kept for the second. */
interface FirstStep {
  long: boolean
  /** The session that the challenge confirms, if it is not a new one. */
  reauth?: string
}

/** The first step was right, another one is missing. No cookie has been set. */
export interface StepMissing {
  kind: 'challenge'
  id: string
  methods: string[]
  expiresIn: number
  attemptsLeft: number
}

/** Signed in: the session that the cookie now stands for. */
export interface SignedIn {
  kind: 'session'
  account: Account
  session: Session
  csrf: string
}

export async function login(app: App, exchange: Exchange, body: LoginBody): Promise<SignedIn | StepMissing> {
  if (bearerToken(exchange) !== undefined) throw fail('auth.notSession')
  switch (body.method) {
    case 'code':
    case 'recovery':
      return bySecondFactor(app, exchange, body)
    case 'reauth':
      return again(app, exchange, body)
    default: {
      const email = parseEmail(body.email)! // the schema has seen to it
      return byPassword(app, exchange, email, body, { long: body.long ?? false })
    }
  }
}

/** Always succeeds for the caller: whatever came as a cookie, it is worth nothing afterwards. */
export async function logout(app: App, exchange: Exchange): Promise<void> {
  if (bearerToken(exchange) !== undefined) throw fail('auth.notSession')
  const token = readCookie(app.config, exchange, 'session')
  if (token !== undefined) await endSession(app, token, exchange)
}

// ---- the first step

async function byPassword(
  app: App,
  exchange: Exchange,
  email: Email,
  { password, code }: { password: string; code?: string | undefined },
  first: FirstStep,
): Promise<SignedIn | StepMissing> {
  const device = readCookie(app.config, exchange, 'device')
  const verified = await checkPassword(app, exchange, { email, password, device })
  const who = { visitor: exchange, subject: verified.account.id }
  const outcome = await reportThrottled(app, who, tx => afterPassword(app, tx, exchange, verified, code, first))
  if (outcome === 'wrong code') throw wrongCode(false)
  refreshHash(app, verified.account, password)
  return finish(app, exchange, outcome)
}

/** Confirms a session that exists: the same checks as a login, then a new token and fresh limits. */
async function again(app: App, exchange: Exchange, body: { password: string; code?: string | undefined }) {
  const found = await presentedSession(app, exchange)
  if (!found) throw fail('auth')
  const { email, email_key: key } = found.row
  return byPassword(app, exchange, { address: email, key }, body, {
    long: found.session.long,
    reauth: found.session.id,
  })
}

async function afterPassword(
  app: App,
  tx: Tx,
  exchange: Exchange,
  verified: Verified,
  code: string | undefined,
  first: FirstStep,
): Promise<Started | StepMissing | 'wrong code'> {
  const account = await settlePassword(app, tx, verified)
  if (account.totp_secret === null) return start(app, tx, exchange, account, ['pwd'], first)
  if (code === undefined) return askSecondFactor(app, tx, exchange, account, first)

  await charge(app, tx, [chargeFor(app, 'otp', account.id)])
  if (!(await useTotp(app, tx, account, code))) {
    await record(tx, { event: 'auth.mfa.fail', subject: account.id, visitor: exchange, detail: { method: 'code' } })
    return 'wrong code'
  }
  await settle(app, tx, [chargeFor(app, 'otp', account.id)])
  return start(app, tx, exchange, account, ['pwd', 'otp'], first)
}

// ---- the second step

async function askSecondFactor(
  app: App,
  tx: Tx,
  exchange: Exchange,
  account: Account,
  first: FirstStep,
): Promise<StepMissing> {
  const handle = await startChallenge(app, tx, {
    kind: 'second-factor',
    user: account,
    data: first,
    lifetime: challengeLifetime,
    attempts: challengeAttempts,
  })
  await record(tx, { event: 'auth.login.challenge', subject: account.id, visitor: exchange })
  const recovery = (await countRecoveryCodes(tx, account.id)) > 0
  return {
    kind: 'challenge',
    id: handle,
    methods: recovery ? ['code', 'recovery'] : ['code'],
    expiresIn: challengeLifetime / 1000,
    attemptsLeft: challengeAttempts,
  }
}

interface SecondStep {
  method: 'code' | 'recovery'
  challenge: string
  code: string
}

async function bySecondFactor(app: App, exchange: Exchange, { method, challenge: handle, code }: SecondStep) {
  const challenge = await findChallenge<FirstStep>(app, 'second-factor', handle)
  if (!challenge) throw wrongCode(true)
  if (challenge.data.reauth !== undefined) {
    const session = await presentedSession(app, exchange)
    if (session?.session.id !== challenge.data.reauth) throw wrongCode(true)
  }
  const who = { visitor: exchange, subject: challenge.userId ?? undefined }
  const outcome = await reportThrottled(app, who, tx => judgeSecondFactor(app, tx, exchange, challenge, method, code))
  if ('attemptsLeft' in outcome) throw wrongCode(outcome.attemptsLeft === 0)
  return finish(app, exchange, outcome)
}

/** One transaction: an attempt that dies of an error is not counted, one that is judged always is. */
async function judgeSecondFactor(
  app: App,
  tx: Tx,
  exchange: Exchange,
  challenge: Challenge<FirstStep>,
  method: 'code' | 'recovery',
  code: string,
): Promise<Started | { attemptsLeft: number }> {
  const account = await lockAccount(app.store, tx, challenge.userId ?? '')
  if (account?.status !== 'active' || account.auth_epoch !== challenge.epoch || account.totp_secret === null)
    throw wrongCode(true)
  const attemptsLeft = await drawAttempt(tx, challenge)
  if (attemptsLeft === undefined) throw wrongCode(true)
  const charges = [...visitorCharges(app, exchange), chargeFor(app, 'otp', account.id)]
  await charge(app, tx, charges)

  const right =
    method === 'code' ? await useTotp(app, tx, account, code) : await useRecoveryCode(app, tx, account.id, code)
  if (!right) {
    await record(tx, { event: 'auth.mfa.fail', subject: account.id, visitor: exchange, detail: { method } })
    return { attemptsLeft }
  }
  await consumeChallenge(tx, challenge)
  await settle(app, tx, charges)
  const event = method === 'code' ? 'auth.mfa.ok' : 'auth.factor.used-recovery'
  await record(tx, { event, actor: account.id, subject: account.id, visitor: exchange })
  return start(app, tx, exchange, account, ['pwd', method === 'code' ? 'otp' : 'recovery'], challenge.data)
}

function wrongCode(restart: boolean): ApiError {
  return fail('access.code').with({ details: { restart, challengeDestroyed: restart }, problem: { restart } })
}

// ---- the session

interface Started {
  kind: 'started'
  account: Account
  session: Session
  token: string
  /** Set when this browser has no device cookie yet. */
  newDevice: string | undefined
}

async function start(
  app: App,
  tx: Tx,
  exchange: Exchange,
  account: Account,
  amr: Proof[],
  first: FirstStep,
): Promise<Started> {
  const replaces = readCookie(app.config, exchange, 'session')
  const { token, session } = await startSession(app, tx, {
    user: account,
    amr,
    long: first.long,
    visitor: exchange,
    replaces,
  })
  const sent = readCookie(app.config, exchange, 'device')
  // A device we never named may have been planted by somebody who knows it, too.
  const known = sent !== undefined && (await isDevice(tx, deviceMac(app, sent))) ? sent : undefined
  const device = known ?? createToken()
  await rememberDevice(tx, deviceMac(app, device), account.id, account.auth_epoch)
  await record(tx, {
    event: first.reauth === undefined ? 'auth.login.ok' : 'auth.reauth.ok',
    actor: account.id,
    subject: account.id,
    session: session.id,
    visitor: exchange,
    detail: { amr: amr.join(' '), aal: session.aal, long: first.long, knownBrowser: known !== undefined },
  })
  return { kind: 'started', account, session, token, newDevice: known === undefined ? device : undefined }
}

/** Cookies are sent only for what has been committed. */
function finish(app: App, exchange: Exchange, outcome: Started | StepMissing): SignedIn | StepMissing {
  if (outcome.kind === 'challenge') return outcome
  const { account, session, token, newDevice } = outcome
  sendSessionCookie(app.config, exchange, token, session.long)
  if (newDevice !== undefined) sendDeviceCookie(app.config, exchange, newDevice)
  return { kind: 'session', account, session, csrf: csrfToken(app, token) }
}
