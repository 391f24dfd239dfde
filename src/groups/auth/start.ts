import type { App } from '../../app.ts'
import { record } from '../../access/audit/audit.ts'
import type { RequestOptions } from '../../access/factors/passkeys/passkeys.ts'
import { deviceMac } from '../../access/factors/credentials.ts'
import { type Account, isDeviceOf, rememberDevice } from '../../access/factors/queries.ts'
import { createToken } from '../../platform/lib/id.ts'
import { readCookie, sendDeviceCookie, sendSessionCookie } from '../../access/session/cookies.ts'
import type { HttpExchange } from '../../access/session/exchange.ts'
import { csrfToken, type Proof, type Session, startSession } from '../../access/session/sessions.ts'
import type { Tx } from '../../platform/store/store.ts'

/** What the first step proved, kept for the second. */
export interface FirstStep {
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

/** A session that is written but not yet committed. */
export interface Started {
  kind: 'started'
  account: Account
  session: Session
  token: string
  /** Set when this browser has no device cookie yet. */
  newDevice: string | undefined
}

export async function start(
  app: App,
  tx: Tx,
  exchange: HttpExchange,
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
  // One that was not made for this account may have been planted by somebody who knows it, too.
  const known = sent !== undefined && (await isDeviceOf(tx, deviceMac(app, sent), account.id)) ? sent : undefined
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
export function finish(app: App, exchange: HttpExchange, outcome: Started | StepMissing): SignedIn | StepMissing {
  if (outcome.kind === 'challenge') return outcome
  const { account, session, token, newDevice } = outcome
  sendSessionCookie(app.config, exchange, token, session.long)
  if (newDevice !== undefined) sendDeviceCookie(app.config, exchange, newDevice)
  return { kind: 'session', account, session, csrf: csrfToken(app, token) }
}
