import type { Session } from '../../access/actor.ts'
import type { App } from '../../app.ts'
import { record } from '../../access/audit/audit.ts'
import type { RequestOptions } from '../../access/factors/passkeys/passkeys.ts'
import { deviceMac } from '../../access/factors/credentials.ts'
import { type Account, isDeviceOf, upsertDevice } from '../../access/factors/queries.ts'
import { randomToken } from '../../platform/lib/id.ts'
import { readCookie, sendDeviceCookie, sendSessionCookie } from '../../access/session/cookies.ts'
import type { HttpExchange } from '../../access/session/exchange.ts'
import { csrfToken, type Proof, startSession } from '../../access/session/sessions.ts'
import type { Tx } from '../../platform/store/store.ts'

/** The result of the first step, stored in the challenge for the second. */
export interface FirstStep {
  long: boolean
  /** The id of the session to reauthenticate; undefined for a new sign-in. */
  reauth?: string
  /** The WebAuthn challenge, if the account has a passkey. */
  toSign?: string
}

/** The first step succeeded and another is required. No cookie was sent. */
export interface PendingStep {
  kind: 'challenge'
  step: 'second-factor' | 'passkey' | 'reset'
  id: string
  methods: string[]
  expiresIn: number
  attemptsLeft: number
  publicKey?: RequestOptions | undefined
}

/** Signed in; the cookie is sent. */
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
  /** The new device cookie, if the browser sent none that belongs to this account. */
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
  // A device cookie of another account may have been planted by an attacker who knows its value: it is replaced.
  const knownDevice = sent !== undefined && (await isDeviceOf(tx, deviceMac(app, sent), account.id)) ? sent : undefined
  const device = knownDevice ?? randomToken()
  await upsertDevice(tx, deviceMac(app, device), account.id, account.auth_epoch)
  await record(tx, {
    event: first.reauth === undefined ? 'auth.login.ok' : 'auth.reauth.ok',
    actor: account.id,
    subject: account.id,
    session: session.id,
    visitor: exchange,
    detail: { amr: amr.join(' '), aal: session.aal, long: first.long, knownBrowser: knownDevice !== undefined },
  })
  return { kind: 'started', account, session, token, newDevice: knownDevice === undefined ? device : undefined }
}

/** Sends the cookies. Call it after the commit. */
export function finish(app: App, exchange: HttpExchange, outcome: Started | PendingStep): SignedIn | PendingStep {
  if (outcome.kind === 'challenge') return outcome
  const { account, session, token, newDevice } = outcome
  sendSessionCookie(app.config, exchange, token, session.long)
  if (newDevice !== undefined) sendDeviceCookie(app.config, exchange, newDevice)
  return { kind: 'session', account, session, csrf: csrfToken(app, token) }
}
