import { timingSafeEqual } from 'node:crypto'
import type { App } from '../../app.ts'
import type { Context, Session, Visitor } from '../actor.ts'
import { auditActor, ipPrefix, record } from '../audit/audit.ts'
import { createId, randomToken } from '../../platform/lib/id.ts'
import { createLruCache, type LruCache } from '../../platform/lib/lru-cache.ts'
import { userAgentFamily } from '../../platform/lib/user-agent.ts'
import type { Tx } from '../../platform/store/store.ts'
import { revokeApiTokens } from './api-tokens.ts'
import * as queries from './queries.ts'

/** A proof of identity (`amr`). A passkey alone has also verified its user by fingerprint, face or PIN. */
export type Proof = 'pwd' | 'otp' | 'recovery' | 'passkey'

/** The columns that decide whether the account must set a password or a second factor before anything else. */
export interface ForcedSetupColumns {
  role: string
  must_change_password: number
  second_factor: number
}

export interface NewSession {
  user: ForcedSetupColumns & { id: string; auth_epoch: number }
  amr: Proof[]
  long: boolean
  visitor: Visitor
  /** The token of the session that this one replaces. */
  replaces: string | undefined
}

const touchIntervalMs = 60_000
const rotateAfterMs = 24 * 60 * 60_000
const rotationGraceMs = 60_000
const sweepAfterMs = 24 * 60 * 60_000

/**
 * Always creates a new token. Call it with the user's row locked and its epoch compared, so that no session can start in
 * an epoch that has just ended.
 */
export async function startSession(app: App, tx: Tx, { user, amr, long, visitor, replaces }: NewSession) {
  const token = randomToken()
  const id = createId()
  const { session: limits } = app.config.auth
  const aal = aalOf(amr, long)
  if (replaces !== undefined) await queries.deleteByMacs(tx, sessionMacs(app, replaces))
  const times = await queries.insertSession(
    tx,
    {
      id,
      token_mac: app.secrets.mac('session', 'session', token),
      user_id: user.id,
      auth_epoch: user.auth_epoch,
      aal,
      amr: amr.join(' '),
      long: long ? 1 : 0,
      ip_prefix: ipPrefix(visitor),
      ua_family: userAgentFamily(visitor.userAgent),
    },
    {
      idle: (long ? limits.longIdle : limits.idle) * 1000,
      absolute: (long ? limits.longAbsolute : limits.absolute) * 1000,
    },
  )
  const keep = user.role === 'admin' ? limits.perAdmin : limits.perUser
  for (const evicted of await queries.deleteOldest(tx, user.id, keep, id)) {
    await record(tx, { event: 'auth.session.evicted', subject: user.id, session: evicted.id, visitor })
  }
  const session: Session = {
    id,
    aal,
    amr,
    long,
    authenticatedAt: times.authenticated_at,
    idleUntil: times.idle_until,
    absoluteUntil: times.absolute_until,
    mustChangePassword: user.must_change_password === 1,
    mustEnrolSecondFactor: lacksSecondFactor(app, user),
  }
  return { token, session }
}

/** A long session ("remember me") has the assurance level of a password, whatever it started with. */
function aalOf(amr: Proof[], long: boolean): number {
  return (amr.length > 1 || amr.includes('passkey')) && !long ? 2 : 1
}

/** True if the role requires a second factor and the account has none. */
export function lacksSecondFactor({ blueprints }: App, { role, second_factor }: ForcedSetupColumns): boolean {
  return second_factor === 0 && blueprints.role(role)?.requireSecondFactor === true
}

/**
 * Gives a session a new token because its rights have changed: a new epoch, or another proof. Its expiry times stay,
 * because this is not a sign-in. Undefined if the session has ended meanwhile.
 */
export async function renewSession(app: App, tx: Tx, id: string, proof?: Proof): Promise<string | undefined> {
  const session = await queries.selectProofs(tx, id)
  if (!session) return undefined
  const amr = [...new Set([...(session.amr.split(' ') as Proof[]), ...(proof ? [proof] : [])])]
  const token = randomToken()
  const renewed = await queries.updateSessionCredentials(tx, id, {
    token_mac: app.secrets.mac('session', 'session', token),
    amr: amr.join(' '),
    aal: aalOf(amr, session.long === 1),
  })
  return renewed ? token : undefined
}

/** Ends the session of a token, if it exists. Of parallel calls, one deletes it and records the event. */
export async function endSession(app: App, token: string, visitor: Visitor): Promise<void> {
  await app.store.write(async tx => {
    for (const { id, user_id } of await queries.deleteByMacs(tx, sessionMacs(app, token))) {
      await record(tx, { event: 'auth.logout', actor: user_id, subject: user_id, session: id, visitor })
    }
  })
}

/**
 * Ends every session, challenge and known device of a user at once by raising the epoch. The row of
 * the current session, `exceptSession`, stays: it can be renewed for the new epoch.
 */
export async function endEpoch(
  ctx: Context,
  tx: Tx,
  userId: string,
  reason: string,
  exceptSession?: string,
): Promise<void> {
  await queries.raiseEpoch(tx, userId)
  await queries.deleteOfUser(tx, userId, exceptSession)
  await record(tx, { event: 'auth.epoch.bumped', subject: userId, ...auditActor(ctx), detail: { because: reason } })
}

/** The same for all accounts; also revokes all API tokens. */
export async function endAllEpochs(ctx: Context): Promise<{ sessions: number; tokens: number }> {
  return ctx.app.store.write(async tx => {
    await queries.raiseEpoch(tx, undefined)
    const sessions = await queries.deleteAllSessions(tx)
    const tokens = await revokeApiTokens(ctx, tx, undefined)
    await record(tx, {
      event: 'auth.epoch.bumped',
      ...auditActor(ctx),
      detail: { because: 'revoke-all', sessions, tokens },
    })
    return { sessions, tokens }
  })
}

/** Deletes a batch of sessions that expired more than a day ago. */
export async function sweepSessions(tx: Tx, limit: number): Promise<number> {
  const expired = await queries.deleteExpired(tx, sweepAfterMs, limit)
  for (const { id, user_id } of expired) {
    await record(tx, { event: 'auth.session.expired', subject: user_id, session: id })
  }
  return expired.length
}

/** A session found by its token. */
export interface FoundSession {
  row: queries.SessionRow
  session: Session
  csrf: string
  /** The client sent the previous token, which is valid for a grace period after a rotation. */
  isPreviousToken: boolean
  now: number
  /** The store version at which it was read, if the store has versions. */
  version?: number | string | undefined
}

/** Why a known token is no longer valid. */
export type EndReason = 'expired' | 'ended'
type SessionResult = FoundSession | EndReason | undefined

/** A cached session. It depends on the blueprints, too: a role may require a second factor. */
type CachedSession = FoundSession & { version: number; blueprintsVersion: number }

/** The message authentication codes of a session token by every key of the key ring, the current key first. */
interface TokenMacs {
  session: readonly string[]
  csrf: readonly string[]
}

interface Caches {
  /** Sessions by token, valid until the store version changes, that is, until the next commit. */
  sessions: LruCache<CachedSession>
  macs: LruCache<TokenMacs>
}

const caches = new WeakMap<App, Caches>()

/** Synchronous if the cached session is current, otherwise reads the store. */
export function findSession(app: App, token: string): SessionResult | Promise<SessionResult> {
  const version = app.store.version()
  const cached = version && cachesOf(app).sessions.get(token)
  if (version && cached?.version === version.number && cached.blueprintsVersion === app.blueprints.version)
    return checkExpiry({ ...cached, now: version.now })
  return readAndCheck(app, token, version?.number)
}

async function readAndCheck(app: App, token: string, version: number | undefined): Promise<SessionResult> {
  const found = await readSession(app, token)
  if (!found || version === undefined) return found && checkExpiry(found)
  const cached = { ...found, version, blueprintsVersion: app.blueprints.version }
  cachesOf(app).sessions.set(token, cached)
  return checkExpiry(cached)
}

function cachesOf(app: App): Caches {
  let found = caches.get(app)
  if (!found) caches.set(app, (found = { sessions: createLruCache(1000), macs: createLruCache(1000) }))
  return found
}

async function readSession(app: App, token: string): Promise<FoundSession | undefined> {
  const { session, csrf } = macsOf(app, token)
  for (const mac of session) {
    const row = await queries.selectSession(app.store, mac)
    if (row) return toFoundSession(app, csrf[0]!, row, false)
    const [rotated] = await queries.selectRotatedSession(app.store, mac)
    const current = rotated && (await queries.selectSession(app.store, rotated.token_mac))
    if (current) return toFoundSession(app, csrf[0]!, current, true)
  }
  return undefined
}

function toFoundSession(app: App, csrf: string, row: queries.SessionRow, isPreviousToken: boolean): FoundSession {
  const session: Session = {
    id: row.session_id,
    aal: row.aal,
    amr: row.amr.split(' '),
    long: row.long === 1,
    authenticatedAt: row.authenticated_at,
    idleUntil: row.idle_until,
    absoluteUntil: row.absolute_until,
    mustChangePassword: row.must_change_password === 1,
    mustEnrolSecondFactor: lacksSecondFactor(app, row),
  }
  // Found by two reads, so the version of the second one may be newer than the first: leave it out, and the response is
  // not cached.
  const version = isPreviousToken ? undefined : (row.version ?? undefined)
  return { row, session, csrf, isPreviousToken, now: row.now, version }
}

function checkExpiry(found: FoundSession): FoundSession | EndReason {
  const { row, isPreviousToken, now } = found
  if (row.session_epoch !== row.auth_epoch || row.status !== 'active') return 'ended'
  if (isPreviousToken && (row.prev_until ?? 0) <= now) return 'ended'
  return row.idle_until <= now || row.absolute_until <= now ? 'expired' : found
}

/** `last_seen_at` is updated at most once a minute. */
export function isActivityDue({ row, now }: FoundSession): boolean {
  return now - row.last_seen_at >= touchIntervalMs
}

/**
 * Until when the session stays the same without a commit: `last_seen_at` is due for an update, or a time limit is
 * reached. In ms, by the clock of the store.
 */
export function cacheableUntil({ row, isPreviousToken }: FoundSession): number {
  const grace = isPreviousToken ? (row.prev_until ?? 0) : Infinity
  return Math.min(row.last_seen_at + touchIntervalMs, row.idle_until, row.absolute_until, grace)
}

/** Updates `last_seen_at` and returns the session with its new idle limit. */
export async function recordActivity(app: App, { row, session, now }: FoundSession): Promise<Session> {
  if (app.store.isWritingLong()) return session // do not wait for a long transaction: the next request updates it
  const idle = idleOf(app, session) * 1000
  try {
    await queries.updateLastSeen(app.store, row.token_mac, idle, touchIntervalMs)
  } catch (error) {
    if (!app.store.isOutage(error)) throw error
    app.log.warn({ err: error }, 'the last activity of a session could not be recorded')
    return session // it stays valid until its idle limit
  }
  return { ...session, idleUntil: Math.min(now + idle, session.absoluteUntil) }
}

function idleOf({ config }: App, { long }: Session): number {
  return long ? config.auth.session.longIdle : config.auth.session.idle
}

/**
 * Rotates the token of a long session once a day; returns the new token if the cookie must change. The new token is
 * derived from the previous one, so that a client whose response was lost gets the same token again during the grace
 * period.
 */
export async function rotateLongSession(
  app: App,
  token: string,
  { row, session, isPreviousToken, now }: FoundSession,
): Promise<string | undefined> {
  if (!session.long) return undefined
  if (isPreviousToken) return nextTokenOf(app, token, row)
  if (now - row.rotated_at < rotateAfterMs) return undefined
  const next = app.secrets.mac('session', 'rotation', `${token}|${session.id}`)
  const mac = app.secrets.mac('session', 'session', next)
  if (await queries.claimSessionRotation(app.store, row.token_mac, mac, rotationGraceMs)) return next
  // A parallel request has rotated it, perhaps in a process with another signing key.
  const found = await findSession(app, token)
  return typeof found === 'object' && found.isPreviousToken ? nextTokenOf(app, token, found.row) : undefined
}

/** The token that replaced this one, derived with any key of the key ring. */
function nextTokenOf(app: App, token: string, { session_id: id, token_mac: mac }: queries.SessionRow) {
  return app.secrets.macs('session', 'rotation', `${token}|${id}`).find(next => sessionMacs(app, next).includes(mac))
}

/** Computed once per token: they take longer than the rest of a session check. */
function macsOf(app: App, token: string): TokenMacs {
  const { macs } = cachesOf(app)
  let found = macs.get(token)
  if (!found) {
    const session = app.secrets.macs('session', 'session', token)
    found = { session, csrf: session.flatMap(mac => app.secrets.macs('session', 'csrf', mac)) }
    macs.set(token, found)
  }
  return found
}

function sessionMacs(app: App, token: string): readonly string[] {
  return macsOf(app, token).session
}

/** Bound to one session token: it changes with every rotation and cannot be derived from the session's row. */
export function csrfToken(app: App, token: string): string {
  return macsOf(app, token).csrf[0]!
}

/** Checks against every key of the key ring: CSRF tokens from before a key rotation stay valid. */
export function isCsrfToken(app: App, token: string, sent: string): boolean {
  const bytes = Buffer.from(sent) // may have more bytes than characters
  return macsOf(app, token).csrf.some(csrf => csrf.length === bytes.length && timingSafeEqual(Buffer.from(csrf), bytes))
}
