import { timingSafeEqual } from 'node:crypto'
import type { App } from '../../app.ts'
import { type By, ipPrefix, record, type Visitor } from '../audit/audit.ts'
import { createId, createToken } from '../../platform/lib/id.ts'
import { createMemo, type Memo } from '../../platform/lib/memo.ts'
import { userAgentFamily } from '../../platform/lib/user-agent.ts'
import type { Tx } from '../../platform/store/store.ts'
import { revokeApiTokens } from './api-tokens.ts'
import * as queries from './queries.ts'

/** A person's session as the API shows it. The token is not part of it: it exists in the cookie only. */
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

/** How somebody proved who they are. A passkey alone has also asked its owner for a finger, a face or a PIN. */
export type Proof = 'pwd' | 'otp' | 'recovery' | 'passkey'

/** What an account is told to do before anything else follows from these. */
export interface ForcedSetup {
  role: string
  must_change_password: number
  second_factor: number
}

export interface NewSession {
  user: ForcedSetup & { id: string; auth_epoch: number }
  amr: Proof[]
  long: boolean
  visitor: Visitor
  /** The token of the session that this one replaces. */
  replaces: string | undefined
}

const touchEvery = 60_000
const rotateAfter = 24 * 60 * 60_000
const rotationGrace = 60_000
const sweepAfter = 24 * 60 * 60_000

/**
 * A new token, always. The caller holds the user's row and has compared its epoch, so that a session can never be born
 * into an epoch that has just ended.
 */
export async function startSession(app: App, tx: Tx, { user, amr, long, visitor, replaces }: NewSession) {
  const token = createToken()
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
    mustEnrolSecondFactor: mustEnrolSecondFactor(app, user),
  }
  return { token, session }
}

/** A long session is convenience, not strength: it is worth a password, whatever it began with. */
function aalOf(amr: Proof[], long: boolean): number {
  return (amr.length > 1 || amr.includes('passkey')) && !long ? 2 : 1
}

/** The role demands a second factor, and there is none yet. */
export function mustEnrolSecondFactor({ blueprints }: App, { role, second_factor }: ForcedSetup): boolean {
  return second_factor === 0 && blueprints.role(role)?.requireSecondFactor === true
}

/**
 * Gives a session a new token, because what it may has changed: another epoch, or one more proof. Its clocks run on, for
 * nobody has signed in. Undefined if it has been ended meanwhile.
 */
export async function renewSession(app: App, tx: Tx, id: string, proof?: Proof): Promise<string | undefined> {
  const former = await queries.proofsOf(tx, id)
  if (!former) return undefined
  const amr = [...new Set([...(former.amr.split(' ') as Proof[]), ...(proof ? [proof] : [])])]
  const token = createToken()
  const renewed = await queries.renewSession(tx, id, {
    token_mac: app.secrets.mac('session', 'session', token),
    amr: amr.join(' '),
    aal: aalOf(amr, former.long === 1),
  })
  return renewed ? token : undefined
}

/** Ends the session of a token, if there is one. Of parallel calls one finds it. */
export async function endSession(app: App, token: string, visitor: Visitor): Promise<void> {
  await app.store.write(async tx => {
    for (const { id, user_id } of await queries.deleteByMacs(tx, sessionMacs(app, token))) {
      await record(tx, { event: 'auth.logout', actor: user_id, subject: user_id, session: id, visitor })
    }
  })
}

/**
 * Ends every session, challenge and known device of a user at once: they belong to an epoch that is over. `but` names the
 * session in which it happens, which can be renewed for the new one.
 */
export async function endEpoch(tx: Tx, userId: string, because: string, by: By = {}, but?: string): Promise<void> {
  await queries.raiseEpoch(tx, userId)
  await queries.deleteOfUser(tx, userId, but)
  await record(tx, { event: 'auth.epoch.bumped', subject: userId, ...by, detail: { because } })
}

/** The same for everybody, and all API tokens with it. */
export async function endAllEpochs(app: App): Promise<{ sessions: number; tokens: number }> {
  return app.store.write(async tx => {
    await queries.raiseEpoch(tx, undefined)
    const sessions = await queries.deleteAll(tx)
    const tokens = await revokeApiTokens(tx, undefined)
    await record(tx, { event: 'auth.epoch.bumped', detail: { because: 'revoke-all', sessions, tokens } })
    return { sessions, tokens }
  })
}

/** Removes what expired long ago, some at a time; a live session is never near its reach. */
export async function sweepSessions(tx: Tx, limit: number): Promise<number> {
  const expired = await queries.deleteExpired(tx, sweepAfter, limit)
  for (const { id, user_id } of expired) {
    await record(tx, { event: 'auth.session.expired', subject: user_id, session: id })
  }
  return expired.length
}

/** A session found by its token. */
export interface Found {
  row: queries.SessionRow
  session: Session
  csrf: string
  /** The presented token was the former one, within its grace. */
  former: boolean
  now: number
  /** The version of the store it was read in, where the store has one. */
  version?: number
}

/** Why a recognised token no longer counts. */
export type Ended = 'expired' | 'ended'
type Judged = Found | Ended | undefined

/** Roles are part of the answer, too: what they demand of an account. */
type Remembered = Found & { version: number; blueprints: number }

/** What the store answered for a token, good for as long as the store says that nothing has been committed since. */
const memories = new WeakMap<App, Memo<Remembered>>()

/** At once if the store says that nothing has changed, else when it has been read. */
export function findSession(app: App, token: string): Judged | Promise<Judged> {
  const version = app.store.version()
  const known = version && memoryOf(app).get(token)
  if (version && known?.version === version.number && known.blueprints === app.blueprints.version)
    return judge({ ...known, now: version.now })
  return readAndJudge(app, token, version?.number)
}

async function readAndJudge(app: App, token: string, version: number | undefined): Promise<Judged> {
  const found = await readSession(app, token)
  if (!found || version === undefined) return found && judge(found)
  const remembered = { ...found, version, blueprints: app.blueprints.version }
  memoryOf(app).set(token, remembered)
  return judge(remembered)
}

function memoryOf(app: App): Memo<Remembered> {
  let memory = memories.get(app)
  if (!memory) {
    memory = createMemo<Remembered>(1000)
    memories.set(app, memory)
  }
  return memory
}

async function readSession(app: App, token: string): Promise<Found | undefined> {
  for (const mac of sessionMacs(app, token)) {
    const row = await queries.sessionByMac(app.store, mac)
    if (row) return foundAs(app, token, row, false)
    const [successor] = await queries.successorOf(app.store, mac)
    const next = successor && (await queries.sessionByMac(app.store, successor.token_mac))
    if (next) return foundAs(app, token, next, true)
  }
  return undefined
}

function foundAs(app: App, token: string, row: queries.SessionRow, former: boolean): Found {
  const session: Session = {
    id: row.session_id,
    aal: row.aal,
    amr: row.amr.split(' '),
    long: row.long === 1,
    authenticatedAt: row.authenticated_at,
    idleUntil: row.idle_until,
    absoluteUntil: row.absolute_until,
    mustChangePassword: row.must_change_password === 1,
    mustEnrolSecondFactor: mustEnrolSecondFactor(app, row),
  }
  return { row, session, csrf: csrfToken(app, token), former, now: row.now }
}

function judge(found: Found): Found | Ended {
  const { row, former, now } = found
  if (row.session_epoch !== row.auth_epoch || row.status !== 'active') return 'ended'
  if (former && (row.prev_until ?? 0) <= now) return 'ended'
  return row.idle_until <= now || row.absolute_until <= now ? 'expired' : found
}

/** Activity is noted once a minute at most. */
export function isActivityDue({ row, now }: Found): boolean {
  return now - row.last_seen_at >= touchEvery
}

/** When time alone will change something: activity is due, or a limit is reached. */
export function cacheableUntil({ row, former }: Found): number {
  const grace = former ? (row.prev_until ?? 0) : Infinity
  return Math.min(row.last_seen_at + touchEvery, row.idle_until, row.absolute_until, grace)
}

/** Answers with the session as it is then. */
export async function noteActivity(app: App, { row, session, now }: Found): Promise<Session> {
  if (app.store.isWritingLong()) return session // nobody waits for it: the next request notes it
  const idle = idleOf(app, session) * 1000
  try {
    await queries.touchSession(app.store, row.token_mac, idle, touchEvery)
  } catch (error) {
    if (!app.store.isOutage(error)) throw error
    app.log.warn({ err: error }, 'activity could not be noted') // the session lives on, and its time runs out
    return session
  }
  return { ...session, idleUntil: Math.min(now + idle, session.absoluteUntil) }
}

function idleOf({ config }: App, { long }: Session): number {
  return long ? config.auth.session.longIdle : config.auth.session.idle
}

/**
 * A long session gets a new token once a day; answers with it when the cookie must change. The successor is computed
 * from the former token, so an answer that got lost is given again, the same, while the former token is in its grace.
 */
export async function rotateLongSession(
  app: App,
  token: string,
  { row, session, former, now }: Found,
): Promise<string | undefined> {
  if (!session.long) return undefined
  if (former) return successorOf(app, token, row)
  if (now - row.rotated_at < rotateAfter) return undefined
  const next = app.secrets.mac('session', 'rotation', `${token}|${session.id}`)
  const mac = app.secrets.mac('session', 'session', next)
  if (await queries.rotateSession(app.store, row.token_mac, mac, rotationGrace)) return next
  // Another request was first, perhaps of a process that already uses another key.
  const found = await findSession(app, token)
  return typeof found === 'object' && found.former ? successorOf(app, token, found.row) : undefined
}

/** The token that replaced this one, under whichever key of the ring that was. */
function successorOf(app: App, token: string, { session_id: id, token_mac: mac }: queries.SessionRow) {
  return app.secrets.macs('session', 'rotation', `${token}|${id}`).find(next => sessionMacs(app, next).includes(mac))
}

function sessionMacs(app: App, token: string): string[] {
  return app.secrets.macs('session', 'session', token)
}

/** Belongs to one token: it changes with every rotation and cannot be guessed from the session's row. */
export function csrfToken(app: App, token: string): string {
  return app.secrets.mac('session', 'csrf', app.secrets.mac('session', 'session', token))
}

/** Under any key of the ring: a token that was given out before the keys were rotated still counts. */
export function isCsrfToken(app: App, token: string, given: string): boolean {
  const right = sessionMacs(app, token).flatMap(mac => app.secrets.macs('session', 'csrf', mac))
  const bytes = Buffer.from(given) // may have more bytes than characters
  return right.some(csrf => csrf.length === bytes.length && timingSafeEqual(Buffer.from(csrf), bytes))
}
