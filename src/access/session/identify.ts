import type { App } from '../../app.ts'
import type { By, Visitor } from '../audit/audit.ts'
import { fail } from '../../platform/errors.ts'
import { findApiToken } from './api-tokens.ts'
import { basicAccount } from './basic.ts'
import { countCookies, readCookie, sendSessionCookie } from './cookies.ts'
import { type HttpExchange, header } from './exchange.ts'
import {
  csrfToken,
  type Ended,
  findSession,
  type Found,
  isActivityDue,
  noteActivity,
  rotateLongSession,
  type Session,
  cacheableUntil,
} from './sessions.ts'

export interface User {
  id: string
  email: string
  email_key: string
  name: string
  /** 1 where the name is empty and was given so. */
  blank_name?: number
  role: string
  language: string
  status?: string
  revision?: number
  must_change_password: number
}

/** Who is calling, and by what right: a session, an API token, or Basic credentials. */
export interface Caller {
  user: User & { second_factor: number }
  session?: Session
  /** What `X-CSRF` must say for this caller; absent without a session. */
  csrf?: string
  token?: { id: string; scopes: string[] }
  /** When the session was looked at, by the store's clock. */
  now?: number
  /** The version of the store in which all this was read, where the store has one. */
  version?: number | undefined
  /** Until when nothing about the caller changes by time alone. */
  cacheableUntil?: number
}

/** Who did it and from where, for the events of what they did. */
export function by({ user, session }: Caller, visitor: Visitor): By {
  return { actor: user.id, session: session?.id, visitor }
}

export interface Identity {
  caller?: Caller
  /** Only for a token that was once ours: a random one learns nothing. */
  reason?: Ended
}

const nobody: Identity = {}

/** An `Authorization` header that is ours is the only credential looked at; otherwise the cookie counts. */
export function identify(app: App, exchange: HttpExchange): Identity | Promise<Identity> {
  const bearer = bearerToken(exchange)
  if (bearer !== undefined) return identifyToken(app, exchange, bearer)
  const basic = app.config.api.basicAuth ? credentialOf(exchange, 'basic') : undefined
  return basic === undefined ? identifySession(app, exchange) : identifyBasic(app, exchange, basic)
}

async function identifyToken(app: App, exchange: HttpExchange, bearer: string): Promise<Identity> {
  const found = await findApiToken(app, bearer, exchange)
  return found ? { caller: found } : nobody
}

async function identifyBasic(app: App, exchange: HttpExchange, basic: string): Promise<Identity> {
  if (!app.config.secure && !app.config.api.allowInsecure) throw fail('permission')
  return { caller: { user: await basicAccount(app, exchange, basic) } }
}

export function bearerToken(exchange: HttpExchange): string | undefined {
  return credentialOf(exchange, 'bearer')
}

function credentialOf(exchange: HttpExchange, scheme: string): string | undefined {
  const value = header(exchange, 'authorization')
  if (value === undefined) return undefined
  const [, named, credential] = /^([!-~]+)(?:[ \t]+(.*))?$/.exec(value) ?? []
  return named?.toLowerCase() === scheme ? (credential ?? '').trim() : undefined
}

/** Without a promise where none is needed: this is asked for every request. */
function identifySession(app: App, exchange: HttpExchange): Identity | Promise<Identity> {
  const token = readCookie(app.config, exchange, 'session')
  if (token === undefined) {
    reportCookies(app, exchange)
    return nobody
  }
  const found = findSession(app, token)
  return found instanceof Promise ? found.then(late => callerOf(app, late)) : callerOf(app, found)
}

function callerOf(app: App, found: Awaited<ReturnType<typeof findSession>>): Identity | Promise<Identity> {
  if (found === undefined) return nobody
  if (typeof found === 'string') return { reason: found }
  const { row: user, session, csrf, version, now } = found
  // Noting it is a commit: what was read before has another version.
  return isActivityDue(found)
    ? noteActivity(app, found).then(noted => ({ caller: { user, session: noted, csrf, now } }))
    : { caller: { user, session, csrf, version, now, cacheableUntil: cacheableUntil(found) } }
}

function reportCookies(app: App, exchange: HttpExchange): void {
  const count = countCookies(app.config, exchange, 'session')
  if (count === 0) return
  const event = count > 1 ? 'auth.cookie.duplicate' : 'auth.cookie.invalid'
  app.log.warn({ event, request: exchange.requestId }, 'a session cookie was ignored')
}

/** The session of the cookie, for those who need more than the caller: the token it came by. */
export async function presentedSession(
  app: App,
  exchange: HttpExchange,
): Promise<(Found & { token: string }) | undefined> {
  const token = readCookie(app.config, exchange, 'session')
  const found = token === undefined ? undefined : await findSession(app, token)
  return found === undefined || typeof found === 'string' ? undefined : { ...found, token: token! }
}

/** Gives a long session its new token when the day has come, and the caller the CSRF token that goes with it. */
export async function keepAlive(app: App, exchange: HttpExchange, caller: Caller): Promise<Caller> {
  if (!caller.session?.long) return caller
  const found = await presentedSession(app, exchange)
  const next = found && (await rotateLongSession(app, found.token, found))
  if (next === undefined) return caller
  sendSessionCookie(app.config, exchange, next, true)
  return { ...caller, csrf: csrfToken(app, next) }
}
