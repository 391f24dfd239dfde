import type { App } from '../app.ts'
import { type ApiError, fail } from '../platform/errors.ts'
import { clientIp, isInNetwork, parseNetworks } from '../platform/lib/ip.ts'
import { type Config, isLoopbackName } from '../platform/config.ts'
import { countCookies, readCookie } from '../access/session/cookies.ts'
import type { HttpExchange } from '../access/session/exchange.ts'
import { bearerToken, identify, identifyAgain, type Identity, sessionOfCookie } from '../access/session/identify.ts'
import { passesCsrfCheck, isUnsafe } from '../access/session/origin.ts'
import type { Caller, Reader } from '../access/actor.ts'
import { checkCaller, canUseApi, withoutCredentials } from '../access/authorize/callers.ts'
import { isCsrfToken } from '../access/session/sessions.ts'
import { message } from '../platform/texts.ts'
import type { AnyEndpoint } from '../http/endpoint.ts'
import { isPlainJson, bodyFormatOf } from './guard.ts'
import { costOfReadingAll, type AnonymousLimit, tooManyRequests } from './anonymous-limit.ts'
import { isForm } from '../http/upload.ts'

type AuthResult = Reader | ApiError | undefined

/**
 * `cookieWithoutToken`: the client is not a browser and sends a session cookie without its CSRF token. It is refused
 * unless the cookie has no effect.
 */
type OriginVerdict = 'accepted' | 'refused' | 'cookieWithoutToken'

/** Checks and identifies callers. Created once per server from the configured origins, hosts and proxies. */
export interface Authenticator {
  /** The client's IP address, behind trusted proxies. */
  clientIp(peer: string, forwardedFor: string | undefined): string
  /** Throws unless the `Host` is ours and the transport is HTTPS where required. */
  checkHost(exchange: HttpExchange, peer: string): void
  /**
   * The caller, synchronously if the store need not be read, or the error that refuses the request. Errors for
   * unauthenticated clients are returned because they are frequent and throwing is slow. The body has not been read
   * yet.
   */
  authenticate(endpoint: AnyEndpoint, exchange: HttpExchange): AuthResult | Promise<AuthResult>
  /** The caller of a request that is still being answered; undefined if their access has ended. */
  authenticateAgain(exchange: HttpExchange): Promise<Caller | undefined>
  /** Whether CORS lets this origin read responses. */
  isCorsOrigin(origin: string | undefined): boolean
}

export function createAuthenticator(app: App, anonymousLimit: AnonymousLimit): Authenticator {
  const { config } = app
  const { networks: proxies } = parseNetworks(config.trustedProxies)
  const corsOrigins = new Set(config.api.cors)
  const trustedOrigins = new Set([...ownOrigins(config), ...corsOrigins])
  const hosts = new Set([...ownOrigins(config)].map(origin => new URL(origin).host))
  const local = isLoopbackName(new URL(config.url).hostname)

  function isOurHost(host: string): boolean {
    const name = host.toLowerCase()
    return hosts.has(name) || (local && isLoopbackName(name.replace(/:\d+$/, '')))
  }

  function checkOrigin(endpoint: AnyEndpoint, exchange: HttpExchange, csrfPassed: boolean): OriginVerdict {
    const unsafe = isUnsafe(exchange.method)
    const [site, dest] = [exchange.headers['sec-fetch-site'], exchange.headers['sec-fetch-dest']]
    if (!unsafe && site === undefined && dest === undefined) return 'accepted'
    const origin = exchange.headers['origin'] ?? (unsafe ? refererOrigin(exchange) : undefined)
    const passes = passesCsrfCheck({
      method: exchange.method,
      site,
      mode: exchange.headers['sec-fetch-mode'],
      dest,
      origin,
      trustedOrigins,
      bearer: bearerToken(exchange) !== undefined,
      cookie: unsafe && countCookies(config, exchange, 'session') > 0,
      csrfToken: csrfPassed,
      withoutCsrfToken: endpoint.withoutCsrfToken === true,
    })
    if (passes) return 'accepted'
    return unsafe && site === undefined && origin === undefined ? 'cookieWithoutToken' : 'refused'
  }

  function authenticateAccepted(
    endpoint: AnyEndpoint,
    exchange: HttpExchange,
    csrfPassed: boolean,
  ): AuthResult | Promise<AuthResult> {
    endpoint.first?.({ app, exchange })
    checkMediaType(endpoint, exchange)
    if (endpoint.identify === false) return undefined
    const identity = identify(app, exchange)
    return identity instanceof Promise
      ? identity.then(late => checkReader(endpoint, exchange, late, csrfPassed))
      : checkReader(endpoint, exchange, identity, csrfPassed)
  }

  /**
   * A script that sends a session cookie must send its CSRF token. Endpoints that identify no caller also accept an
   * ended session without it: HTTP clients with a cookie jar keep sending the cookie.
   */
  async function authenticateWithCookie(endpoint: AnyEndpoint, exchange: HttpExchange): Promise<AuthResult> {
    if (endpoint.identify !== false || (await sessionOfCookie(app, exchange))) throw fail('auth.csrf')
    return authenticateAccepted(endpoint, exchange, false)
  }

  function hasValidCsrfToken(exchange: HttpExchange): boolean {
    const csrf = exchange.headers['x-csrf']
    const token = csrf === undefined ? undefined : readCookie(config, exchange, 'session')
    return token !== undefined && isCsrfToken(app, token, csrf!)
  }

  function checkReader(
    endpoint: AnyEndpoint,
    exchange: HttpExchange,
    identity: Identity,
    csrfPassed: boolean,
  ): AuthResult | Promise<AuthResult> {
    if (identity.caller) exchange.language = identity.caller.user.language
    const reader = checkCaller(app, endpoint, exchange, identity, csrfPassed)
    return reader === withoutCredentials ? authenticateAnonymous(endpoint, exchange) : reader
  }

  function authenticateAnonymous({ readsAll }: AnyEndpoint, exchange: HttpExchange): AuthResult | Promise<AuthResult> {
    const seconds = anonymousLimit.take(exchange.ip, undefined, readsAll ? costOfReadingAll : 1)
    if (seconds > 0) return tooManyRequests(seconds)
    // Read even if the response is not cached: it rejects on a PostgreSQL standby.
    const version = app.store.readVersion()
    if (version instanceof Promise) return version.then(({ number }) => ({ isAnonymous: true, version: number }))
    return { isAnonymous: true, version: version?.number }
  }

  return {
    clientIp: (peer, forwardedFor) => clientIp(peer, forwardedFor, proxies),

    checkHost(exchange, peer) {
      const host = exchange.headers['host']
      if (host === undefined) throw fail('request.malformed', { problem: message('malformed.host') })
      if (!isOurHost(host)) throw fail('request.host')
      if (!config.secure) return
      // A trusted proxy without `X-Forwarded-Proto` is assumed to terminate TLS, as `url` is HTTPS.
      const proto = isInNetwork(proxies, clientIp(peer, undefined, proxies))
        ? (exchange.headers['x-forwarded-proto'] ?? 'https')
        : 'http'
      if (proto.split(',').at(-1)!.trim().toLowerCase() !== 'https') throw fail('auth.https')
    },

    authenticate(endpoint, exchange) {
      const csrfPassed = !isUnsafe(exchange.method) || hasValidCsrfToken(exchange) // safe methods need none
      const verdict = checkOrigin(endpoint, exchange, csrfPassed)
      if (verdict === 'refused') throw fail('auth.origin')
      return verdict === 'cookieWithoutToken'
        ? authenticateWithCookie(endpoint, exchange)
        : authenticateAccepted(endpoint, exchange, csrfPassed)
    },

    async authenticateAgain(exchange) {
      const { caller } = await identifyAgain(app, exchange)
      return caller && canUseApi(app, caller) ? caller : undefined
    },

    isCorsOrigin: origin => origin !== undefined && corsOrigins.has(origin),
  }
}

const formType = 'multipart/form-data'
const jsonType = 'application/json'
const acceptedTypes = `${jsonType}, application/x-www-form-urlencoded, text/plain`

function checkMediaType(endpoint: AnyEndpoint, exchange: HttpExchange): void {
  if (!hasBody(exchange)) return
  const [type, encoding] = [exchange.headers['content-type'], exchange.headers['content-encoding']]
  if (endpoint.upload) {
    if (isForm(type, encoding)) return
    throw fail('upload.mediaType').with({ headers: { accept: formType, 'accept-post': formType } })
  }
  const onlyJson = needsPlainJson(endpoint)
  if (onlyJson ? isPlainJson(type, encoding) : bodyFormatOf(type, encoding)) return
  const accepted = onlyJson ? jsonType : acceptedTypes
  throw fail('request.mediaType').with({ headers: { accept: accepted, 'accept-post': accepted } })
}

/**
 * True for public endpoints and the Authentication group: they accept no media type that browsers send across sites
 * without a preflight.
 */
const needsPlainJson = ({ path, access }: Pick<AnyEndpoint, 'path' | 'access'>) =>
  access === 'public' || `${path}/`.startsWith('/auth/')

const hasBody = ({ headers }: HttpExchange) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/**
 * The origin of the page that sent a form; `null` if its URL is not one of HTTP. Browsers add Basic credentials to forms
 * of other sites, and older browsers send no `Origin` with a form, but a `Referer`.
 */
function refererOrigin(exchange: HttpExchange): string | undefined {
  const page = exchange.headers['referer']
  if (page === undefined || !hasBody(exchange) || isPlainJson(exchange.headers['content-type'], undefined))
    return undefined
  return /^https?:\/\/[^/?#@\\\s]+(?=[/?#]|$)/i.exec(page)?.[0] ?? 'null'
}

/** Exact scheme, host and port. A site on loopback can be reached by three names. */
function ownOrigins(config: Config): ReadonlySet<string> {
  const { origin, protocol, hostname, port } = new URL(config.url)
  const names = isLoopbackName(hostname) ? ['localhost', '127.0.0.1', '[::1]'] : []
  const loopback = names.map(name => new URL(`${protocol}//${name}${port && `:${port}`}`).origin)
  return new Set([origin, ...loopback, ...config.panel.origins])
}
