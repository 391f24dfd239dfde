import type { App } from '../app.ts'
import { record } from '../audit/audit.ts'
import { fail } from '../errors.ts'
import {
  type Challenge,
  consumeChallenge,
  drawAttempt,
  findChallenge,
  startChallenge,
  wrongCode,
} from '../factors/challenges.ts'
import {
  checkPassword,
  deviceMac,
  reportThrottled,
  settlePassword,
  type Verified,
  visitorCharges,
} from '../factors/credentials.ts'
import type { Assertion } from '../factors/passkeys/credential.ts'
import { requestOptions, type RequestOptions, usePasskey } from '../factors/passkeys/passkeys.ts'
import { selectPasskeys } from '../factors/passkeys/queries.ts'
import { loadWebAuthn } from '../factors/passkeys/webauthn.ts'
import { refreshHash } from '../factors/password.ts'
import { type Account, countRecoveryCodes, isDevice, lockAccount, rememberDevice } from '../factors/queries.ts'
import { useRecoveryCode } from '../factors/recovery.ts'
import { useTotp } from '../factors/totp.ts'
import { type Email, parseEmail } from '../lib/email.ts'
import { createToken } from '../lib/id.ts'
import { readCookie, sendDeviceCookie, sendSessionCookie } from '../session/cookies.ts'
import type { Exchange } from '../session/exchange.ts'
import { bearerToken, presentedSession } from '../session/identify.ts'
import { csrfToken, endSession, type Found, type Proof, type Session, startSession } from '../session/sessions.ts'
import type { Tx } from '../store/store.ts'
import { charge, chargeFor, settle } from '../throttle/throttle.ts'
import { notify, tellDisabled } from '../users/notices.ts'
import type { LoginBody } from './body.ts'
import { acceptInvitation } from './invite.ts'
import { beginPasskey, judgePasskey, type PasskeyBegun } from './passkey.ts'
import { beginReset, finishReset } from './reset.ts'

const challengeAttempts = 5
/** When a password is right after so many wrong ones, its owner should know. */
const manyFailures = 10
const challengeLifetime = 300_000

/** What the first step proved, kept for the second. */
interface FirstStep {
  long: boolean
  /** The session that the challenge confirms, if it is not a new one. */
  reauth?: string
  /** What a passkey is to sign, if the account has one. */
  toSign?: string
}

/** The first step was right, another one is missing. No cookie has been set. */
export interface StepMissing {
  kind: 'challenge'
  step: 'second-factor' | 'passkey' | 'reset'
  id: string
  methods: string[]
  expiresIn: number
  attemptsLeft: number
  publicKey?: RequestOptions | undefined
}

/** Signed in: the session that the cookie now stands for. */
export interface SignedIn {
  kind: 'session'
  account: Account
  session: Session
  csrf: string
}

/** Nobody is signed in, but somebody has a new password to sign in with. */
export interface Next {
  kind: 'next'
  next: 'login'
}

const signIn: Next = { kind: 'next', next: 'login' }

export async function login(app: App, exchange: Exchange, body: LoginBody): Promise<SignedIn | StepMissing | Next> {
  if (bearerToken(exchange) !== undefined) throw fail('auth.notSession')
  switch (body.method) {
    case 'code':
    case 'recovery':
      return bySecondFactor(app, exchange, body)
    case 'passkey':
      return body.credential
        ? byPasskey(app, exchange, body.challenge!, body.credential)
        : beginPasskey(app, exchange, body.long ?? false)
    case 'reauth':
      return again(app, exchange, body)
    case 'reset': {
      const { email, challenge, code, password } = body
      if (email !== undefined) return beginReset(app, exchange, parseEmail(email)!)
      await finishReset(app, exchange, { challenge: challenge!, code: code!, password: password! })
      return signIn
    }
    case 'invite':
      await acceptInvitation(app, exchange, body)
      return signIn
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
  const verified = await checkPassword(app, exchange, { email, password, device, onDisabled: tellDisabled(app) })
  const who = { visitor: exchange, subject: verified.account.id }
  const outcome = await reportThrottled(app, who, tx => afterPassword(app, tx, exchange, verified, code, first))
  if (outcome === 'wrong code') throw wrongCode(false)
  refreshHash(app, verified.account, password)
  return finish(app, exchange, outcome)
}

/** Confirms a session that exists: the same checks as a login, then a new token and fresh limits. */
async function again(app: App, exchange: Exchange, body: Extract<LoginBody, { method: 'reauth' }>) {
  const found = await presentedSession(app, exchange)
  if (!found) throw fail('auth')
  exchange.language = found.row.language
  if (body.credential) return byPasskey(app, exchange, body.challenge!, body.credential, found)
  const { email, email_key: key } = found.row
  const { password, code } = body
  return byPassword(app, exchange, { address: email, key }, { password: password!, code }, confirming(found))
}

const confirming = ({ session }: Found): FirstStep => ({ long: session.long, reauth: session.id })

/** The passkey alone; or the second step, if the challenge is one of those. */
async function byPasskey(
  app: App,
  exchange: Exchange,
  handle: string,
  credential: Assertion,
  confirmed?: Found,
): Promise<SignedIn | StepMissing> {
  const challenge = await findChallenge<PasskeyBegun>(app, 'passkey', handle)
  if (!challenge && confirmed) throw wrongCode(true)
  if (!challenge) return bySecondFactor(app, exchange, { method: 'passkey', challenge: handle, credential })
  await loadWebAuthn()
  const outcome = await reportThrottled(app, { visitor: exchange, subject: confirmed?.row.id }, async tx => {
    const account = await judgePasskey(app, tx, exchange, challenge, credential, confirmed?.row.id)
    if (typeof account === 'string') return account
    const first = confirmed ? confirming(confirmed) : { long: challenge.data.long }
    return start(app, tx, exchange, account, ['passkey'], first)
  })
  if (outcome === 'dead') throw wrongCode(true)
  if (outcome === 'wrong') throw fail('access.login')
  return finish(app, exchange, outcome)
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
  if (account.password_fail_streak >= manyFailures)
    await notify(app, tx, account, 'suspicious', { reason: 'afterFailures' })
  if (account.second_factor === 0) return start(app, tx, exchange, account, ['pwd'], first)
  if (account.totp_secret === null || code === undefined) return askSecondFactor(app, tx, exchange, account, first)

  await charge(app, tx, [chargeFor(app, 'otp', account.id)])
  if (!(await useTotp(app, tx, account, code, tellDisabled(app, 'totpDisabled')))) {
    await notify(app, tx, account, 'suspicious', { reason: 'secondFactor' })
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
  const passkeys = await selectPasskeys(tx, account.id)
  const toSign = passkeys.length > 0 ? createToken() : undefined
  const handle = await startChallenge(app, tx, {
    kind: 'second-factor',
    user: account,
    data: { ...first, toSign },
    lifetime: challengeLifetime,
    attempts: challengeAttempts,
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
    attemptsLeft: challengeAttempts,
    publicKey: toSign === undefined ? undefined : requestOptions(app, toSign, passkeys),
  }
}

const secondFactors = ['code', 'passkey', 'recovery'] as const

async function hasFactor(tx: Tx, account: Account, method: (typeof secondFactors)[number]): Promise<boolean> {
  if (method === 'code') return account.totp_secret !== null
  if (method === 'passkey') return (await selectPasskeys(tx, account.id)).length > 0
  return (await countRecoveryCodes(tx, account.id)) > 0
}

type SecondStep = { challenge: string } & (
  | { method: 'code' | 'recovery'; code: string }
  | { method: 'passkey'; credential: Assertion }
)

async function bySecondFactor(app: App, exchange: Exchange, step: SecondStep) {
  const challenge = await findChallenge<FirstStep>(app, 'second-factor', step.challenge)
  if (!challenge) throw wrongCode(true)
  if (challenge.data.reauth !== undefined) {
    const session = await presentedSession(app, exchange)
    exchange.language = session?.row.language
    if (session?.session.id !== challenge.data.reauth) throw wrongCode(true)
  }
  if (step.method === 'passkey') await loadWebAuthn()
  const who = { visitor: exchange, subject: challenge.userId ?? undefined }
  const outcome = await reportThrottled(app, who, tx => judgeSecondFactor(app, tx, exchange, challenge, step))
  if ('attemptsLeft' in outcome) throw wrongCode(outcome.attemptsLeft === 0)
  return finish(app, exchange, outcome)
}

/** One transaction: an attempt that dies of an error is not counted, one that is judged always is. */
async function judgeSecondFactor(
  app: App,
  tx: Tx,
  exchange: Exchange,
  challenge: Challenge<FirstStep>,
  step: SecondStep,
): Promise<Started | { attemptsLeft: number }> {
  const { method } = step
  const account = await lockAccount(app.store, tx, challenge.userId ?? '')
  if (account?.status !== 'active' || account.auth_epoch !== challenge.epoch) throw wrongCode(true)
  if (!(await hasFactor(tx, account, method))) throw wrongCode(true) // gone since the first step
  const attemptsLeft = await drawAttempt(tx, challenge)
  if (attemptsLeft === undefined) throw wrongCode(true)
  const charges = [...visitorCharges(app, exchange), chargeFor(app, 'otp', account.id)]
  await charge(app, tx, charges)

  if (!(await isRight(app, tx, exchange, account, challenge.data, step))) {
    await notify(app, tx, account, 'suspicious', { reason: 'secondFactor' })
    await record(tx, { event: 'auth.mfa.fail', subject: account.id, visitor: exchange, detail: { method } })
    return { attemptsLeft }
  }
  await consumeChallenge(tx, challenge)
  await settle(app, tx, charges)
  const event = method === 'recovery' ? 'auth.factor.used-recovery' : 'auth.mfa.ok'
  await record(tx, { event, actor: account.id, subject: account.id, visitor: exchange })
  return start(app, tx, exchange, account, ['pwd', method === 'code' ? 'otp' : method], challenge.data)
}

async function isRight(
  app: App,
  tx: Tx,
  exchange: Exchange,
  account: Account,
  { toSign }: FirstStep,
  step: SecondStep,
): Promise<boolean> {
  if (step.method === 'passkey') {
    if (toSign === undefined) return false
    const use = { challenge: toSign, assertion: step.credential, alone: false, visitor: exchange }
    return usePasskey(app, tx, account.id, use)
  }
  if (step.method === 'recovery') return useRecoveryCode(app, tx, account.id, step.code)
  return useTotp(app, tx, account, step.code, tellDisabled(app, 'totpDisabled'))
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
