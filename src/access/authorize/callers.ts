import type { App } from '../../app.ts'
import { publishedScope } from '../../blueprints/permissions/permissions.ts'
import { type ApiError, fail } from '../../platform/errors.ts'
import { type Caller, pageOfPass, type PreviewPass, type Reader, type Anonymous, type User } from '../actor.ts'
import { recordCounted } from '../audit/audit.ts'
import { countCookies } from '../session/cookies.ts'
import type { HttpExchange } from '../session/exchange.ts'
import type { Identity } from '../session/identify.ts'
import { type Access, needsForcedSetup, permissionsOf, permissionsOfAnonymous } from './authorize.ts'
import { recordDenial, unauthenticated, unauthenticatedError } from './denials.ts'
import { isFresh, hasProvenSecondFactor, notFresh } from './fresh.ts'

/** What an endpoint declares about its callers. */
interface EndpointAccess {
  method: string
  path: string
  access: Access
  duringForcedSetup?: true
  fresh?: true | 'strong'
}

/** A client without credentials on a site that anonymous clients may read. */
export const withoutCredentials: Anonymous = Object.freeze({ isAnonymous: true })

/**
 * As whom the client may call the endpoint, before its target is known: undefined without an account at public
 * endpoints. Frequent errors are returned because throwing is slow.
 */
export function checkCaller(
  app: App,
  endpoint: EndpointAccess,
  exchange: HttpExchange,
  { caller, reason, pass }: Identity,
  csrfPassed: boolean,
): Reader | ApiError | undefined | Promise<never> {
  if (!caller) {
    if (endpoint.access === 'public') return undefined
    if (pass) return checkPass(app, endpoint, pass)
    if (endpoint.access === 'reader' && !bringsCredentials(app, exchange) && permissionsOfAnonymous(app))
      return withoutCredentials
    return reason ? unauthenticatedError(reason) : unauthenticated
  }
  // Checked on the role only: the scopes of a token need not include `access.panel`. `canUseApi` asks the same.
  if (endpoint.access !== 'public' && !permissionsOf(app, caller.user.role).access.panel)
    return recordDenial(app, endpoint, exchange, caller, fail('access.panel'))
  if (caller.session && !csrfPassed) return refuseWithoutCsrf(app, exchange, caller)
  if (!endpoint.duringForcedSetup && needsForcedSetup({ app, actor: caller })) return fail('auth.forcedSetup')
  // Neither a token nor Basic credentials prove that the account's owner is present.
  if (endpoint.fresh && !caller.session) return recordDenial(app, endpoint, exchange, caller, fail('auth.needsSession'))
  if (endpoint.fresh && !isFresh(caller)) return notFresh()
  if (endpoint.fresh === 'strong' && !hasProvenSecondFactor(caller)) return notFresh({ secondFactor: true })
  if (caller.token?.scopes.includes(publishedScope)) {
    if (endpoint.access === 'public') return undefined
    if (endpoint.access === 'reader') return { isAnonymous: true, owner: caller, version: caller.version }
    return recordDenial(app, endpoint, exchange, caller, fail('permission'))
  }
  return caller
}

/** Whether the account may use anything: its role has `access.panel`, and it need not complete a forced setup first. */
export function canUseApi(app: App, caller: Caller): boolean {
  return permissionsOf(app, caller.user.role).access.panel && !needsForcedSetup({ app, actor: caller })
}

/**
 * The account as an actor without a client, such as the one that has scheduled a change. Undefined if it may no longer
 * act.
 */
export const callerFor = (user: User | undefined): Caller | undefined =>
  user?.status === 'active' ? { user: { ...user, second_factor: 0 } } : undefined

/** With the pass of one page, endpoints that it does not open answer as they do without it. */
function checkPass(app: App, { access, path }: EndpointAccess, pass: PreviewPass): Reader | ApiError {
  if (access !== 'reader') return unauthenticated
  if (pageOfPass(pass) === undefined || isOpenToPagePass(path)) return { isAnonymous: true, pass }
  return permissionsOfAnonymous(app) ? withoutCredentials : unauthenticated
}

/**
 * The endpoints that the page needs to be shown. Files are mounted at pages, the site and accounts, so the path
 * decides.
 */
const isOpenToPagePass = (path: string) =>
  path === '/site' || /^\/(?:pages\/:id|languages|site\/resolve)(?:\/|$)/.test(path)

/** Whether the endpoint shows unpublished changes with this pass. That of a page does not show those of the site. */
export const showsChanges = (pass: PreviewPass, path: string): boolean =>
  pageOfPass(pass) === undefined || /^\/pages\/:id|^\/site\/resolve$/.test(path)

/**
 * A request with credentials must not get the answer for anonymous clients: the panel would take it for that of its
 * session.
 */
function bringsCredentials({ config }: App, exchange: HttpExchange): boolean {
  const { authorization, cookie, 'x-csrf': csrf } = exchange.headers
  return (
    authorization !== undefined ||
    csrf !== undefined ||
    (cookie !== undefined && countCookies(config, exchange, 'session') > 0)
  )
}

async function refuseWithoutCsrf(app: App, exchange: HttpExchange, { user, session }: Caller): Promise<never> {
  const event = { event: 'auth.csrf.denied', subject: user.id, session: session?.id, visitor: exchange } as const
  await app.store.write(tx => recordCounted(tx, event, user.id))
  throw fail('auth.csrf')
}
