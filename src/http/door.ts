import type { App } from '../app.ts'
import { gather } from '../audit/audit.ts'
import { type ApiError, fail } from '../errors.ts'
import { clientIp, isIn, parseNetworks } from '../lib/ip.ts'
import { type Config, isLoopbackName } from '../config.ts'
import type { Permission } from '../permissions/permissions.ts'
import { countCookies, readCookie } from '../session/cookies.ts'
import { type Exchange, header } from '../session/exchange.ts'
import { bearerToken, type Caller, identify, type Identity } from '../session/identify.ts'
import { comesFromHere, isUnsafe } from '../session/origin.ts'
import { can } from '../session/rights.ts'
import { type Ended, isCsrfToken } from '../session/sessions.ts'
import type { AnyEndpoint, Thing } from './endpoint.ts'
import { isPlainJson } from './guard.ts'

type Entry = Caller | ApiError | undefined

/** Who may enter. Made once per server from what the configuration says about the outside. */
export interface Door {
  /** The caller's address, seen through the proxies that are trusted. */
  visitorIp(peer: string, forwardedFor: string | undefined): string
  /** Throws unless the request is addressed to us, over the right transport. */
  checkAddress(exchange: Exchange, peer: string): void
  /**
   * Who is calling, at once where nothing has to be read for it; or why they may not enter: strangers are frequent, and
   * throwing is slow. Nothing of the body has been read yet.
   */
  enter(endpoint: AnyEndpoint, exchange: Exchange): Entry | Promise<Entry>
  /** Whether this origin may read our answers. */
  isListed(origin: string | undefined): boolean
}

export function createDoor(app: App): Door {
  const { config } = app
  const { networks: proxies } = parseNetworks(config.trustedProxies)
  const own = new Set([...ownOrigins(config), ...config.api.cors])
  const hosts = new Set([...ownOrigins(config)].map(origin => new URL(origin).host))
  const local = isLoopbackName(new URL(config.url).hostname)
  const listed = new Set(config.api.cors)

  function isOurHost(host: string): boolean {
    const name = host.toLowerCase()
    return hosts.has(name) || (local && isLoopbackName(name.replace(/:\d+$/, '')))
  }

  function checkOrigin(endpoint: AnyEndpoint, exchange: Exchange): void {
    const unsafe = isUnsafe(exchange.method)
    if (!unsafe && header(exchange, 'sec-fetch-site') === undefined && header(exchange, 'sec-fetch-dest') === undefined)
      return
    const allowed = comesFromHere({
      method: exchange.method,
      site: header(exchange, 'sec-fetch-site'),
      mode: header(exchange, 'sec-fetch-mode'),
      dest: header(exchange, 'sec-fetch-dest'),
      origin: header(exchange, 'origin'),
      own,
      bearer: bearerToken(exchange) !== undefined,
      cookie: unsafe && countCookies(config, exchange, 'session') > 0,
      token: unsafe && bringsCsrf(exchange),
      logout: endpoint.withoutToken === true,
    })
    if (!allowed) throw fail('auth.origin')
  }

  function bringsCsrf(exchange: Exchange): boolean {
    const given = header(exchange, 'x-csrf')
    const token = given === undefined ? undefined : readCookie(config, exchange, 'session')
    return token !== undefined && isCsrfToken(app, token, given!)
  }

  function admit(endpoint: AnyEndpoint, exchange: Exchange, { caller, reason }: Identity): Entry | Promise<Entry> {
    if (!caller) {
      if (endpoint.access === 'public') return undefined
      return reason ? stranger(reason) : unknownStranger
    }
    if (caller.session && isUnsafe(exchange.method) && !bringsCsrf(exchange)) return refuseWithoutCsrf(exchange, caller)
    if (caller.user.must_change_password === 1 && !endpoint.duringRepair) return fail('auth.repair')
    if (endpoint.fresh && !caller.session) return fail('permission') // a token cannot prove that its owner is there
    if (endpoint.fresh && !isFresh(caller)) return notFresh()
    return caller
  }

  async function refuseWithoutCsrf(exchange: Exchange, { user, session }: Caller): Promise<never> {
    const event = { event: 'auth.csrf.denied', subject: user.id, session: session?.id, visitor: exchange } as const
    await app.store.write(tx => gather(tx, event, user.id))
    throw fail('auth.csrf')
  }

  return {
    visitorIp: (peer, forwardedFor) => clientIp(peer, forwardedFor, proxies),

    checkAddress(exchange, peer) {
      const host = header(exchange, 'host')
      if (host === undefined) throw fail('request.malformed', { problem: 'it does not say which host it is for.' })
      if (!isOurHost(host)) throw fail('request.host')
      if (!config.secure) return
      // A trusted proxy that does not say how it was reached is taken to be the TLS end that `url` promises.
      const said = isIn(proxies, clientIp(peer, undefined, proxies))
        ? (header(exchange, 'x-forwarded-proto') ?? 'https')
        : 'http'
      if (said.split(',').at(-1)!.trim().toLowerCase() !== 'https') throw fail('auth.https')
    },

    enter(endpoint, exchange) {
      checkOrigin(endpoint, exchange)
      endpoint.first?.({ app, exchange })
      checkMediaType(endpoint, exchange)
      if (endpoint.identify === false) return undefined
      const identity = identify(app, exchange)
      return identity instanceof Promise
        ? identity.then(late => admit(endpoint, exchange, late))
        : admit(endpoint, exchange, identity)
    },

    isListed: origin => origin !== undefined && listed.has(origin),
  }
}

/** Asked on the target once it is found. */
export function ask(app: App, { access }: AnyEndpoint, caller: Caller | undefined, target: unknown): void {
  if (access === 'public' || access === 'session') return
  if (!caller || !allowed(app, caller, access, target)) throw fail('permission')
}

/** May the caller do this to the target? */
export function allowed(app: App, caller: Caller, permission: Permission, target?: unknown): boolean {
  const { options, own } = Object(target) as Partial<Thing>
  const [, action] = permission.split('.') as [string, string]
  const asked = own && permission.startsWith('users.') ? (`user.${action}` as Permission) : permission
  return can(app, caller, asked, options?.[action])
}

/** For this long after somebody has proved who they are, sensitive changes need no second proof. In milliseconds. */
const freshFor = 15 * 60_000

function isFresh({ session, now }: Caller): boolean {
  return session !== undefined && now !== undefined && now - session.authenticatedAt <= freshFor
}

function notFresh(): ApiError {
  const challenge = `Bearer realm="quoin", error="insufficient_user_authentication", max_age=${freshFor / 1000}`
  const problem = { type: 'urn:quoin:error.auth.fresh', maxAge: freshFor / 1000 }
  return fail('auth.fresh').with({ headers: { 'www-authenticate': challenge }, problem })
}

/** The same for everybody; a reason only for a session that was once the caller's own. */
function stranger(reason?: Ended): ApiError {
  const details = { methods: ['password'], ...(reason && { reason }) }
  return fail('auth').with({ details, problem: details })
}

/** Made once: this is the most frequent answer of all. */
const unknownStranger = stranger()

function checkMediaType(endpoint: AnyEndpoint, exchange: Exchange): void {
  const { headers } = exchange
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  if (!hasBody || !endpoint.body) return
  if (isPlainJson(header(exchange, 'content-type'), header(exchange, 'content-encoding'))) return
  throw fail('request.mediaType').with({ headers: { accept: 'application/json', 'accept-post': 'application/json' } })
}

/** Exact scheme, host and port. A site on loopback is reached by three names. */
function ownOrigins(config: Config): ReadonlySet<string> {
  const { origin, protocol, hostname, port } = new URL(config.url)
  const names = isLoopbackName(hostname) ? ['localhost', '127.0.0.1', '[::1]'] : []
  const loopback = names.map(name => new URL(`${protocol}//${name}${port && `:${port}`}`).origin)
  return new Set([origin, ...loopback, ...config.panel.origins])
}
