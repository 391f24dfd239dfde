import type { App } from '../app.ts'
import { fail } from '../platform/errors.ts'
import type { UserStatus } from '../platform/store/tables/accounts.ts'
import type { PageStatus } from '../platform/store/tables/content.ts'

export interface User {
  id: string
  email: string
  email_key: string
  name: string
  /** 1 if the name was explicitly set to an empty text. */
  blank_name?: number
  role: string
  language: string
  status?: UserStatus
  revision?: number
  must_change_password: number
}

/** A session as the API shows it. The token is not part of it: only the cookie has it. */
export interface Session {
  id: string
  aal: number
  amr: string[]
  long: boolean
  authenticatedAt: number
  idleUntil: number
  absoluteUntil: number
  mustChangePassword: boolean
  mustEnrolSecondFactor: boolean
}

/** The client that sends a request, as far as the connection identifies it. */
export interface Visitor {
  ip: string
  userAgent: string | undefined
  requestId: string
}

/** The authenticated account, by session, API token or Basic credentials. */
export interface Caller {
  isAnonymous?: never
  system?: never
  user: User & { second_factor: number }
  session?: Session
  /** The value that `X-CSRF` must have for this caller; absent without a session. */
  csrf?: string
  token?: { id: string; scopes: string[] }
  /** The extension whose endpoint the account calls: its changes are made by code of the extension. */
  via?: string
  /** When the session was read, in ms by the clock of the store. */
  now?: number
  /** The store version at which the caller was read, if the store has versions. */
  version?: number | string | undefined
  /** Until when the caller stays the same without a commit, in ms by the clock of the store. */
  cacheableUntil?: number
}

/** Why an extension acts: because of an event, which another one may have caused. */
export interface Cause {
  /** The number of the event. */
  event: number
  /** The extensions and what of them has run, from the first to the one that acts now: `shop: on page.published`. */
  chain: readonly string[]
}

/** The program itself. It may do everything. */
export interface System {
  system: 'command line' | 'extension' | 'import' | 'installation' | 'schedule' | 'sign-in'
  /** The name of the extension that acts. */
  via?: string | undefined
  cause?: Cause | undefined
  /** There is no client whose request it is. */
  inBackground?: boolean
  /** The account on whose behalf it acts, for the history and the audit log. */
  onBehalfOf?: string | undefined
  isAnonymous?: never
}

/**
 * What the holder of a preview pass may read: one page and what it shows (`page://…`), or the whole site (`site://`),
 * as if everything were published; or the site as if a release were published (`release://…`).
 */
export interface PreviewPass {
  scope: string
  /** The code of the only language; without it, every language. */
  language?: string | undefined
  /** When it was created and when it ends, in ms by the clock of the store. */
  createdAt: number
  expiresAt: number
  /** Set with the pass of a release. */
  release?: ReleasePreview | undefined
}

/** What a release does to the site, for the holder of its preview pass. */
export interface ReleasePreview {
  /** The pages and files (`page://…`, `file://…`) whose drafts are shown, and the site (`site://`). */
  owners: readonly string[]
  /** The pages that it gives a status, whose new status is this one. */
  statuses: readonly ReleasedPage[]
  /** The pages that it deletes. */
  deleted: readonly { uuid: string; path: string }[]
  /** The uuids of the files that it deletes. */
  deletedFiles: readonly string[]
}

interface ReleasedPage {
  uuid: string
  parent: string
  path: string
  template: string
  status: PageStatus
}

/** The uuid of the page that the pass is for; undefined for the whole site, as it is or with a release. */
export const pageOfPass = ({ scope }: PreviewPass): string | undefined =>
  scope.startsWith('page://') ? scope.slice('page://'.length) : undefined

/** Whether the pass shows everything that is unpublished. */
export const isPassOfSite = ({ scope }: PreviewPass): boolean => scope === 'site://'

/** What the release of the actor's pass changes. */
export const previewedRelease = (actor: Actor): ReleasePreview | undefined =>
  actor.isAnonymous ? actor.pass?.release : undefined

/**
 * A client that sees what visitors of the site see: without credentials, or with a token of the scope `published`. It
 * has no account and can change nothing.
 */
export interface Anonymous {
  isAnonymous: true
  system?: never
  /** Set with a token: it never shows what its owner may not see. */
  owner?: Caller
  /** Set with a preview pass. */
  pass?: PreviewPass
  /** The store version from before anything was read, if the answer may be cached. */
  version?: number | string | undefined
}

/** Who can read content: an account, or an anonymous client. */
export type Reader = Caller | Anonymous

/** Who acts; `actor.isAnonymous` and `actor.system` tell them apart. */
export type Actor = Caller | System | Anonymous

/** What every operation takes first. */
export interface Context {
  app: App
  actor: Actor
  /** The language of messages to the actor. */
  locale: string
  /** The client of the request, if there is one. */
  visitor?: Visitor | undefined
}

/** For operations that only an authenticated caller can run, such as those on the own session. */
export interface CallerContext extends Context {
  actor: Caller
}

/** Who wants to act, and on which site: what a permission check needs. */
export type ActorContext = Pick<Context, 'app' | 'actor'>

/** A context in which the program itself acts. */
export function systemContext(
  app: App,
  system: System['system'],
  { visitor, onBehalfOf }: { visitor?: Visitor; onBehalfOf?: string | undefined } = {},
): Context {
  return { app, actor: { system, onBehalfOf }, locale: 'en', visitor }
}

/**
 * For a transaction that finds out who acts, and whose attempts share one context: until then it acts as an anonymous
 * client, who may change nothing.
 */
export const anonymousContext = (app: App): Context => ({ app, actor: { isAnonymous: true }, locale: 'en' })

/** The id of the acting account; an anonymous client has none. */
export function accountOf({ actor }: Pick<Context, 'actor'>): string | undefined {
  if (actor.isAnonymous) return undefined
  return actor.system ? actor.onBehalfOf : actor.user.id
}

/** The role by which the actor sees things: the program sees what administrators see. */
export const actingRole = (ctx: Pick<Context, 'actor'>): string =>
  ctx.actor.system ? 'admin' : callerOf(ctx).user.role

/** The uuid of the page that the actor's pass is for, if it is for one page. */
export const previewedPage = (actor: Actor): string | undefined =>
  actor.isAnonymous && actor.pass ? pageOfPass(actor.pass) : undefined

/** The acting account, for what no anonymous client and no program can reach. */
export function callerOf({ actor }: Pick<Context, 'actor'>): Caller {
  if (actor.system || actor.isAnonymous) throw fail('auth')
  return actor
}
