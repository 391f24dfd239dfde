import type { App } from '../../app.ts'
import type { Caller, PreviewPass } from '../actor.ts'
import { fail } from '../../platform/errors.ts'
import { findPass, isPass } from '../preview/pass.ts'
import { findApiToken } from './api-tokens.ts'
import { basicAccount } from './basic.ts'
import { countCookies, readCookie, sendSessionCookie } from './cookies.ts'
import type { HttpExchange } from './exchange.ts'
import {
  csrfToken,
  type EndReason,
  findSession,
  type FoundSession,
  isActivityDue,
  recordActivity,
  rotateLongSession,
  cacheableUntil,
} from './sessions.ts'

export interface Identity {
  caller?: Caller
  /** Set only for a token that was once valid: a random token gets no information. */
  reason?: EndReason
  /** The client has no account, but a preview pass. */
  pass?: PreviewPass
}

const anonymous: Identity = {}

/** An `Authorization` header with a supported scheme takes precedence; otherwise the session cookie is used. */
export function identify(app: App, exchange: HttpExchange): Identity | Promise<Identity> {
  const bearer = bearerToken(exchange)
  if (bearer !== undefined) return identifyToken(app, exchange, bearer)
  const basic = app.config.api.basicAuth ? credentialOf(exchange, 'basic') : undefined
  return basic === undefined ? identifySession(app, exchange) : identifyBasic(app, exchange, basic)
}

/** Identifies the caller of an open stream. An open stream is not activity: the session expires as if it were closed. */
export async function identifyAgain(app: App, exchange: HttpExchange): Promise<Identity> {
  if (exchange.headers['authorization'] !== undefined) return identify(app, exchange)
  const found = await sessionOfCookie(app, exchange)
  return found ? { caller: { user: found.row, session: found.session, csrf: found.csrf, now: found.now } } : anonymous
}

async function identifyToken(app: App, exchange: HttpExchange, bearer: string): Promise<Identity> {
  if (isPass(bearer)) {
    const pass = await findPass(app, bearer)
    return pass ? { pass } : anonymous
  }
  const found = await findApiToken(app, bearer, exchange)
  return found ? { caller: found } : anonymous
}

async function identifyBasic(app: App, exchange: HttpExchange, basic: string): Promise<Identity> {
  if (!app.config.secure && !app.config.api.allowInsecure) throw fail('permission')
  return { caller: { user: await basicAccount(app, exchange, basic) } }
}

export function bearerToken(exchange: HttpExchange): string | undefined {
  return credentialOf(exchange, 'bearer')
}

function credentialOf(exchange: HttpExchange, scheme: string): string | undefined {
  const value = exchange.headers['authorization']
  if (value === undefined) return undefined
  const [, named, credential] = /^([!-~]+)(?:[ \t]+(.*))?$/.exec(value) ?? []
  return named?.toLowerCase() === scheme ? (credential ?? '').trim() : undefined
}

/** Synchronous if possible: this runs for every request. */
function identifySession(app: App, exchange: HttpExchange): Identity | Promise<Identity> {
  const token = readCookie(app.config, exchange, 'session')
  if (token === undefined) {
    reportCookies(app, exchange)
    return anonymous
  }
  const found = findSession(app, token)
  return found instanceof Promise ? found.then(late => callerOf(app, late)) : callerOf(app, found)
}

function callerOf(app: App, found: Awaited<ReturnType<typeof findSession>>): Identity | Promise<Identity> {
  if (found === undefined) return anonymous
  if (typeof found === 'string') return { reason: found }
  const { row: user, session, csrf, version, now } = found
  // Updating `last_seen_at` is a commit, so the version that was read is outdated and is left out.
  return isActivityDue(found)
    ? recordActivity(app, found).then(updated => ({ caller: { user, session: updated, csrf, now } }))
    : { caller: { user, session, csrf, version, now, cacheableUntil: cacheableUntil(found) } }
}

function reportCookies(app: App, exchange: HttpExchange): void {
  const count = countCookies(app.config, exchange, 'session')
  if (count === 0) return
  const event = count > 1 ? 'auth.cookie.duplicate' : 'auth.cookie.invalid'
  app.log.warn({ event, request: exchange.requestId }, 'a session cookie was ignored')
}

/** The session of the cookie, with its token. */
export async function sessionOfCookie(
  app: App,
  exchange: HttpExchange,
): Promise<(FoundSession & { token: string }) | undefined> {
  const token = readCookie(app.config, exchange, 'session')
  const found = token === undefined ? undefined : await findSession(app, token)
  return found === undefined || typeof found === 'string' ? undefined : { ...found, token: token! }
}

/** Rotates the token of a long session if it is due, and updates the caller's CSRF token to match. */
export async function rotateIfDue(app: App, exchange: HttpExchange, caller: Caller): Promise<Caller> {
  if (!caller.session?.long) return caller
  const found = await sessionOfCookie(app, exchange)
  const next = found && (await rotateLongSession(app, found.token, found))
  if (next === undefined) return caller
  sendSessionCookie(app.config, exchange, next, true)
  return { ...caller, csrf: csrfToken(app, next) }
}
