import { timingSafeEqual } from 'node:crypto'
import type { App } from '../app.ts'
import { ipPrefix, record, type Visitor } from '../audit/audit.ts'
import { createId, createToken } from '../lib/id.ts'
import { userAgentFamily } from '../lib/user-agent.ts'
import type { Tx } from '../store/store.ts'
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
}

/** How somebody proved who they are: `pwd`, `otp`, `recovery`. */
export type Proof = 'pwd' | 'otp' | 'recovery'

export interface NewSession {
  user: { id: string; role: string; auth_epoch: number; must_change_password: number }
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
  // A long session is convenience, not strength: it never counts as two-factor for sensitive changes.
  const aal = amr.length > 1 && !long ? 2 : 1
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
  }
  return { token, session }
}

/** Ends the session of a token, if there is one. Of parallel calls one finds it. */
export async function endSession(app: App, token: string, visitor: Visitor): Promise<void> {
  await app.store.write(async tx => {
    for (const { id, user_id } of await queries.deleteByMacs(tx, sessionMacs(app, token))) {
      await record(tx, { event: 'auth.logout', actor: user_id, subject: user_id, session: id, visitor })
    }
  })
}

/** Ends every session, challenge and known device of a user at once: they belong to an epoch that is over. */
export async function endEpoch(tx: Tx, userId: string, because: string): Promise<void> {
  await queries.raiseEpoch(tx, userId)
  await queries.deleteOfUser(tx, userId)
  await record(tx, { event: 'auth.epoch.bumped', subject: userId, detail: { because } })
}

/** The same for everybody. */
export async function endAllEpochs(app: App): Promise<number> {
  return app.store.write(async tx => {
    await queries.raiseEpoch(tx, undefined)
    const ended = await queries.deleteAll(tx)
    await record(tx, { event: 'auth.epoch.bumped', detail: { because: 'revoke-all', sessions: ended } })
    return ended
  })
}

/** Removes what expired long ago, some at a time; a live session is never near its reach. */
export async function sweepSessions(tx: Tx): Promise<void> {
  for (const { id, user_id } of await queries.deleteExpired(tx, sweepAfter, 500)) {
    await record(tx, { event: 'auth.session.expired', subject: user_id, session: id })
  }
}

/** A session found by its token, and the name it is found by. */
export interface Found {
  row: queries.SessionRow
  session: Session
  /** The presented token was the former one, within its grace. */
  former: boolean
}

/** Why a recognised token no longer counts. */
export type Ended = 'expired' | 'ended'

export async function findSession(app: App, token: string): Promise<Found | Ended | undefined> {
  for (const mac of sessionMacs(app, token)) {
    const [row] = await queries.sessionByMac(app.store, mac)
    if (row) return judge(row, false)
    const [successor] = await queries.successorOf(app.store, mac)
    const [next] = successor ? await queries.sessionByMac(app.store, successor.token_mac) : []
    if (next) return (next.prev_until ?? 0) > next.now ? judge(next, true) : 'ended'
  }
  return undefined
}

function judge(row: queries.SessionRow, former: boolean): Found | Ended {
  if (row.session_epoch !== row.auth_epoch || row.status !== 'active') return 'ended'
  if (row.idle_until <= row.now || row.absolute_until <= row.now) return 'expired'
  return {
    row,
    former,
    session: {
      id: row.session_id,
      aal: row.aal,
      amr: row.amr.split(' '),
      long: row.long === 1,
      authenticatedAt: row.authenticated_at,
      idleUntil: row.idle_until,
      absoluteUntil: row.absolute_until,
      mustChangePassword: row.must_change_password === 1,
    },
  }
}

/** Notes activity, at most once a minute. */
export async function noteActivity(app: App, { row, session }: Found): Promise<void> {
  if (row.now - row.last_seen_at < touchEvery) return
  const idle = idleOf(app, session) * 1000
  await queries.touchSession(app.store, row.token_mac, idle, touchEvery)
  session.idleUntil = Math.min(row.now + idle, session.absoluteUntil)
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
  { row, session, former }: Found,
): Promise<string | undefined> {
  if (!session.long) return undefined
  const next = app.secrets.mac('session', 'rotation', `${token}|${session.id}`)
  if (former) return next
  if (row.now - row.rotated_at < rotateAfter) return undefined
  await queries.rotateSession(app.store, row.token_mac, app.secrets.mac('session', 'session', next), rotationGrace)
  return next
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
  return right.some(csrf => csrf.length === given.length && timingSafeEqual(Buffer.from(csrf), Buffer.from(given)))
}
