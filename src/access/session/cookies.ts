import type { Config } from '../../platform/config.ts'
import { isToken } from '../../platform/lib/id.ts'
import type { HttpExchange } from './exchange.ts'

type CookieKind = 'session' | 'device'

/** Lifetime of the device cookie in days: the maximum that browsers accept. */
export const deviceDays = 400
const insecureNames = { session: 'quoin_insecure', device: 'quoin_insecure_dev' }

const names = new WeakMap<Pick<Config, 'base' | 'secure'>, Record<CookieKind, string>>()

/**
 * Over HTTPS the prefix binds the cookie to this host and to HTTP headers (`__Host-Http-`: scripts cannot set it).
 * `__Host-` requires the path `/`, so a site below another path only uses `__Http-`.
 */
export function cookieName(config: Pick<Config, 'base' | 'secure'>, kind: CookieKind): string {
  let byKind = names.get(config)
  if (!byKind) {
    const prefix = config.base ? '__Http-' : '__Host-Http-'
    byKind = config.secure ? { session: `${prefix}quoin`, device: `${prefix}quoindev` } : insecureNames
    names.set(config, byKind)
  }
  return byKind[kind]
}

/**
 * The token in the cookie; undefined if there is none, or several of this name: then it is ambiguous which one is ours.
 */
export function readCookie(config: Config, exchange: HttpExchange, kind: CookieKind): string | undefined {
  const found = valuesOf(exchange.headers['cookie'], cookieName(config, kind))
  return found.length === 1 && isToken(found[0]!) ? found[0] : undefined
}

/**
 * The session token in a `Cookie` header: undefined without a session cookie, null if there may be one that `readCookie`
 * does not accept.
 */
export function sessionTokenIn(config: Config, cookies: string): string | null | undefined {
  const name = cookieName(config, 'session')
  if (!cookies.includes(name)) return undefined
  const found = valuesOf(cookies, name)
  return found.length === 1 && isToken(found[0]!) ? found[0] : null
}

/** The number of cookies of this name, valid or not: for the CSRF check and the log. */
export function countCookies(config: Config, exchange: HttpExchange, kind: CookieKind): number {
  return valuesOf(exchange.headers['cookie'], cookieName(config, kind)).length
}

function valuesOf(header: string | undefined, name: string): string[] {
  if (!header?.includes(name)) return []
  const values: string[] = []
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=')
    if (at > 0 && pair.slice(0, at).trim() === name) values.push(pair.slice(at + 1).trim())
  }
  return values
}

export function sendSessionCookie(config: Config, exchange: HttpExchange, token: string, long: boolean): void {
  const maxAge = long ? `; Max-Age=${config.auth.session.longAbsolute}` : ''
  exchange.answer.cookies.push(`${cookieName(config, 'session')}=${token}; ${attributes(config)}${maxAge}`)
}

export function sendDeviceCookie(config: Config, exchange: HttpExchange, device: string): void {
  const maxAge = deviceDays * 24 * 60 * 60
  exchange.answer.cookies.push(`${cookieName(config, 'device')}=${device}; ${attributes(config)}; Max-Age=${maxAge}`)
}

/** Expires the session cookie, under every name it may have had at this address. The device cookie stays. */
export function expireSessionCookie(config: Config, exchange: HttpExchange): void {
  const cookieNames = new Set([cookieName(config, 'session'), insecureNames.session])
  for (const name of cookieNames) exchange.answer.cookies.push(`${name}=; ${attributes(config)}; Max-Age=0`)
}

function attributes({ secure, base }: Config): string {
  return `Path=${base || '/'}; ${secure ? 'Secure; ' : ''}HttpOnly; SameSite=Strict`
}
