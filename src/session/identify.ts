import type { App } from '../app.ts'
import { fail } from '../errors.ts'
import { findApiToken } from './api-tokens.ts'
import { basicAccount } from './basic.ts'
import { countCookies, readCookie, sendSessionCookie } from './cookies.ts'
import { type Exchange, header } from './exchange.ts'
import {
  csrfToken,
  type Ended,
  findSession,
  type Found,
  noteActivity,
  rotateLongSession,
  type Session,
} from './sessions.ts'

export interface User {
  id: string
  email: string
  email_key: string
  name: string
  role: string
  language: string
}

/** Who is calling, and by what right: a session, an API token, or Basic credentials. */
export interface Caller {
  user: User
  session?: Session
  /** What `X-CSRF` must say for this caller; absent without a session. */
  csrf?: string
  token?: { id: string; scopes: string[] }
}

export interface Identity {
  caller?: Caller
  /** Only for a token that was once ours: a random one learns nothing. */
  reason?: Ended
}

const nobody: Identity = {}

/** An `Authorization` header that is ours is the only credential looked at; otherwise the cookie counts. */
export async function identify(app: App, exchange: Exchange): Promise<Identity> {
  const bearer = bearerToken(exchange)
  if (bearer !== undefined) {
    const found = await findApiToken(app, bearer, exchange)
    return found ? { caller: found } : nobody
  }
  const basic = app.config.api.basicAuth ? credentialOf(exchange, 'basic') : undefined
  if (basic !== undefined) {
    if (!app.config.secure && !app.config.api.allowInsecure) throw fail('permission')
    return { caller: { user: await basicAccount(app, exchange, basic) } }
  }
  return identifySession(app, exchange)
}

export function bearerToken(exchange: Exchange): string | undefined {
  return credentialOf(exchange, 'bearer')
}

function credentialOf(exchange: Exchange, scheme: string): string | undefined {
  const value = header(exchange, 'authorization')
  return value?.slice(0, scheme.length + 1).toLowerCase() === `${scheme} `
    ? value.slice(scheme.length + 1).trim()
    : undefined
}

async function identifySession(app: App, exchange: Exchange): Promise<Identity> {
  const token = readCookie(app.config, exchange, 'session')
  if (token === undefined) {
    const count = countCookies(app.config, exchange, 'session')
    if (count > 0) {
      const event = count > 1 ? 'auth.cookie.duplicate' : 'auth.cookie.invalid'
      app.log.warn({ event, request: exchange.requestId }, 'a session cookie was ignored')
    }
    return nobody
  }
  const found = await findSession(app, token)
  if (found === undefined) return nobody
  if (typeof found === 'string') return { reason: found }
  await noteActivity(app, found)
  return { caller: { user: found.row, session: found.session, csrf: csrfToken(app, token) } }
}

/** The session of the cookie, for those who need more than the caller: the token it came by. */
export async function presentedSession(app: App, exchange: Exchange): Promise<(Found & { token: string }) | undefined> {
  const token = readCookie(app.config, exchange, 'session')
  const found = token === undefined ? undefined : await findSession(app, token)
  return found === undefined || typeof found === 'string' ? undefined : { ...found, token: token! }
}

/** Gives a long session its new token when the day has come, and the caller the CSRF token that goes with it. */
export async function keepAlive(app: App, exchange: Exchange, caller: Caller): Promise<Caller> {
  if (!caller.session?.long) return caller
  const found = await presentedSession(app, exchange)
  const next = found && (await rotateLongSession(app, found.token, found))
  if (next === undefined) return caller
  sendSessionCookie(app.config, exchange, next, true)
  return { ...caller, csrf: csrfToken(app, next) }
}
