import type { App } from '../../app.ts'
import { record } from '../../access/audit/audit.ts'
import { fail } from '../../platform/errors.ts'
import { findChallenge, wrongCode } from '../../access/factors/challenges.ts'
import {
  checkPassword,
  refundOnCryptoFailure,
  reportThrottled,
  completePassword,
  type VerifiedPassword,
} from '../../access/factors/credentials.ts'
import type { Assertion } from '../../access/factors/passkeys/credential.ts'
import { loadWebAuthn } from '../../access/factors/passkeys/webauthn.ts'
import { refreshHash } from '../../access/factors/password.ts'
import { useTotp } from '../../access/factors/totp.ts'
import { type Email, parseEmail } from '../../platform/lib/email.ts'
import { readCookie } from '../../access/session/cookies.ts'
import type { HttpExchange } from '../../access/session/exchange.ts'
import { bearerToken, sessionOfCookie } from '../../access/session/identify.ts'
import { endSession, type FoundSession } from '../../access/session/sessions.ts'
import type { Tx } from '../../platform/store/store.ts'
import { charge, chargeFor, resetAfterSuccess } from '../../platform/throttle/throttle.ts'
import { notify, notifyDisabled } from '../users/mail-notices.ts'
import type { LoginBody } from './body.ts'
import { acceptInvitation } from './invite.ts'
import { beginPasskey, verifyPasskey, type PendingPasskey } from './passkey.ts'
import { beginReset, finishReset } from './reset.ts'
import { requireSecondFactor, bySecondFactor } from './second-factor.ts'
import { finish, type FirstStep, type SignedIn, start, type Started, type PendingStep } from './start.ts'

/** Number of failed attempts before a success from which on the owner is notified. */
const manyFailures = 10

/** The password was set, but no session was started: the client signs in next. */
export interface NextStep {
  kind: 'next'
  next: 'login'
}

const nextIsLogin: NextStep = { kind: 'next', next: 'login' }

export async function login(
  app: App,
  exchange: HttpExchange,
  body: LoginBody,
): Promise<SignedIn | PendingStep | NextStep> {
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
      return reauthenticate(app, exchange, body)
    case 'reset': {
      const { email, challenge, code, password } = body
      if (email !== undefined) return beginReset(app, exchange, parseEmail(email)!)
      await finishReset(app, exchange, { challenge: challenge!, code: code!, password: password! })
      return nextIsLogin
    }
    case 'invite':
      await acceptInvitation(app, exchange, body)
      return nextIsLogin
    default: {
      const email = parseEmail(body.email)! // validated by the schema
      return byPassword(app, exchange, email, body, { long: body.long ?? false })
    }
  }
}

/** Succeeds for every cookie, valid or not: the session is invalid afterwards. */
export async function logout(app: App, exchange: HttpExchange): Promise<void> {
  if (bearerToken(exchange) !== undefined) throw fail('auth.notSession')
  const token = readCookie(app.config, exchange, 'session')
  if (token !== undefined) await endSession(app, token, exchange)
}

// ---- the first step

async function byPassword(
  app: App,
  exchange: HttpExchange,
  email: Email,
  { password, code }: { password: string; code?: string | undefined },
  first: FirstStep,
): Promise<SignedIn | PendingStep> {
  const device = readCookie(app.config, exchange, 'device')
  const verified = await checkPassword(app, exchange, { email, password, device, onDisabled: notifyDisabled(app) })
  const who = { visitor: exchange, subject: verified.account.id }
  const next = () => reportThrottled(app, who, tx => afterPassword(app, tx, exchange, verified, code, first))
  const outcome = await refundOnCryptoFailure(app, verified.charges, next)
  if (outcome === 'wrong code') throw wrongCode(false)
  refreshHash(app, verified.account, password)
  return finish(app, exchange, outcome)
}

/**
 * Reauthentication: the same checks as a login; a session with a new token and new lifetimes replaces the current one.
 */
async function reauthenticate(app: App, exchange: HttpExchange, body: Extract<LoginBody, { method: 'reauth' }>) {
  const found = await sessionOfCookie(app, exchange)
  if (!found) throw fail('auth')
  exchange.language = found.row.language
  if (body.credential) return byPasskey(app, exchange, body.challenge!, body.credential, found)
  const { email, email_key: key } = found.row
  const { password, code } = body
  return byPassword(app, exchange, { address: email, key }, { password: password!, code }, confirming(found))
}

const confirming = ({ session }: FoundSession): FirstStep => ({ long: session.long, reauth: session.id })

/** Sign-in with a passkey alone, or as second factor if the challenge is of that kind. */
async function byPasskey(
  app: App,
  exchange: HttpExchange,
  handle: string,
  credential: Assertion,
  confirmed?: FoundSession,
): Promise<SignedIn | PendingStep> {
  const challenge = await findChallenge<PendingPasskey>(app, 'passkey', handle)
  if (!challenge && confirmed) throw wrongCode(true)
  if (!challenge) return bySecondFactor(app, exchange, { method: 'passkey', challenge: handle, credential })
  await loadWebAuthn()
  const outcome = await reportThrottled(app, { visitor: exchange, subject: confirmed?.row.id }, async tx => {
    const account = await verifyPasskey(app, tx, exchange, challenge, credential, confirmed?.row.id)
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
  exchange: HttpExchange,
  verified: VerifiedPassword,
  code: string | undefined,
  first: FirstStep,
): Promise<Started | PendingStep | 'wrong code'> {
  const account = await completePassword(app, tx, verified)
  if (account.password_fail_streak >= manyFailures)
    await notify(app, tx, account, 'suspicious', { reason: 'afterFailures' })
  if (account.second_factor === 0) return start(app, tx, exchange, account, ['pwd'], first)
  if (account.totp_secret === null || code === undefined) return requireSecondFactor(app, tx, exchange, account, first)

  await charge(app, tx, [chargeFor(app, 'otp', account.id)])
  if (!(await useTotp(app, tx, account, code, notifyDisabled(app, 'totpDisabled')))) {
    await notify(app, tx, account, 'suspicious', { reason: 'secondFactor' })
    await record(tx, { event: 'auth.mfa.fail', subject: account.id, visitor: exchange, detail: { method: 'code' } })
    return 'wrong code'
  }
  await resetAfterSuccess(app, tx, [chargeFor(app, 'otp', account.id)])
  return start(app, tx, exchange, account, ['pwd', 'otp'], first)
}
