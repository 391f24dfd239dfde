import { sql } from 'kysely'
import { callerColumns, secondFactor } from '../factors/queries.ts'
import { batched } from '../../platform/store/batch.ts'
import { versionColumn } from '../../platform/store/postgres-version.ts'
import type { SessionsTable } from '../../platform/store/tables/accounts.ts'
import { now, prepared, type Store, type Tx } from '../../platform/store/store.ts'

const sessionColumns = [
  'sessions.id as session_id',
  'sessions.token_mac',
  'sessions.prev_until',
  'sessions.auth_epoch as session_epoch',
  'sessions.aal',
  'sessions.amr',
  'sessions.long',
  'sessions.rotated_at',
  'sessions.authenticated_at',
  'sessions.last_seen_at',
  'sessions.idle_until',
  'sessions.absolute_until',
  ...callerColumns,
  'users.auth_epoch',
] as const

/** One indexed read: the session, its user and the current time. */
const oneByMac = prepared((db, mac: string) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(sessionColumns)
    .select([secondFactor, now.as('now')])
    .where('sessions.token_mac', '=', mac),
)

/**
 * The same for several sessions. PostgreSQL only: it supports array parameters, and a batch saves round trips there.
 */
const manyByMac = prepared((db, macs: string[]) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(sessionColumns)
    .select([secondFactor, now.as('now'), versionColumn(db).as('version')])
    .where(sql<boolean>`sessions.token_mac = any(${macs})`),
)

/** `version`: of the store, if reading it costs a round trip. */
export type SessionRow = Awaited<ReturnType<typeof oneByMac>>[number] & { version?: string | null }

const inBatches = batched(manyByMac, (row: SessionRow) => row.token_mac)

export async function selectSession(store: Store, mac: string): Promise<SessionRow | undefined> {
  return store.name === 'postgres' ? inBatches(store, mac) : (await oneByMac(store, mac))[0]
}

/** The session that had this token before its last rotation. */
export const selectRotatedSession = prepared((db, mac: string) =>
  db.selectFrom('sessions').select(['token_mac']).where('prev_mac', '=', mac),
)

export const selectToken = prepared((db, mac: string) =>
  db
    .selectFrom('api_tokens')
    .innerJoin('users', 'users.id', 'api_tokens.owner_id')
    .select([
      'api_tokens.id as token_id',
      'api_tokens.scopes',
      'api_tokens.expires_at',
      'api_tokens.last_used_at',
      ...callerColumns,
      secondFactor,
      now.as('now'),
      versionColumn(db).as('version'),
    ])
    .where('api_tokens.token_mac', '=', mac),
)

export async function insertSession(
  tx: Tx,
  session: Pick<
    SessionsTable,
    'id' | 'token_mac' | 'user_id' | 'auth_epoch' | 'aal' | 'amr' | 'long' | 'ip_prefix' | 'ua_family'
  >,
  limits: { idle: number; absolute: number },
) {
  return tx
    .insertInto('sessions')
    .values({
      ...session,
      prev_mac: null,
      prev_until: null,
      created_at: now,
      rotated_at: now,
      authenticated_at: now,
      last_seen_at: now,
      idle_until: sql`${now} + ${sql.lit(limits.idle)}`,
      absolute_until: sql`${now} + ${sql.lit(limits.absolute)}`,
    })
    .returning(['authenticated_at', 'idle_until', 'absolute_until'])
    .executeTakeFirstOrThrow()
}

/** Matches the current and the previous token. */
export async function deleteByMacs(tx: Tx, macs: readonly string[]) {
  return tx
    .deleteFrom('sessions')
    .where(eb => eb.or([eb('token_mac', 'in', macs), eb('prev_mac', 'in', macs)]))
    .returning(['id', 'user_id'])
    .execute()
}

/** Deletes all but the `keep` most recently used sessions; `newest` always stays. */
export async function deleteOldest(tx: Tx, userId: string, keep: number, newest: string) {
  return tx
    .deleteFrom('sessions')
    .where('id', 'in', eb =>
      eb
        .selectFrom('sessions')
        .select('id')
        .where('user_id', '=', userId)
        .where('id', '!=', newest)
        .orderBy('last_seen_at', 'desc')
        .limit(1000)
        .offset(keep - 1),
    )
    .returning('id')
    .execute()
}

/** Deletes all sessions of an account, except `exceptSession`. */
export async function deleteOfUser(tx: Tx, userId: string, exceptSession = '') {
  return tx
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id', '!=', exceptSession)
    .returning('id')
    .execute()
}

/** False if the account has no such session. */
export async function deleteById(tx: Tx, userId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('sessions')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** The valid sessions of an account, most recently used first. */
export const selectSessionsOf = prepared((db, userId: string) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', join =>
      join.onRef('users.id', '=', 'sessions.user_id').onRef('users.auth_epoch', '=', 'sessions.auth_epoch'),
    )
    .select([
      'sessions.id',
      'sessions.aal',
      'sessions.amr',
      'sessions.long',
      'sessions.ip_prefix',
      'sessions.ua_family',
      'sessions.created_at',
      'sessions.last_seen_at',
      'sessions.idle_until',
      'sessions.absolute_until',
    ])
    .where('sessions.user_id', '=', userId)
    .where('sessions.idle_until', '>', now)
    .where('sessions.absolute_until', '>', now)
    .orderBy('sessions.last_seen_at', 'desc')
    .orderBy('sessions.id'),
)

export async function deleteAllSessions(tx: Tx): Promise<number> {
  const { numDeletedRows } = await tx.deleteFrom('sessions').executeTakeFirst()
  return Number(numDeletedRows)
}

/** Updates at most once per `minIntervalMs`. Does not revive a session that has ended meanwhile. */
export async function updateLastSeen(store: Store, mac: string, idle: number, minIntervalMs: number): Promise<void> {
  await store.db
    .updateTable('sessions')
    .set({
      last_seen_at: now,
      idle_until: sql`case when ${now} + ${sql.lit(idle)} < absolute_until then ${now} + ${sql.lit(idle)} else absolute_until end`,
    })
    .where('token_mac', '=', mac)
    .where('last_seen_at', '<=', sql<number>`${now} - ${sql.lit(minIntervalMs)}`)
    .execute()
}

/** Of parallel requests only the first rotates; the others find the new token by the previous one. */
export async function claimSessionRotation(store: Store, mac: string, next: string, grace: number): Promise<boolean> {
  const { numUpdatedRows } = await store.db
    .updateTable('sessions')
    .set({ token_mac: next, prev_mac: mac, prev_until: sql`${now} + ${sql.lit(grace)}`, rotated_at: now })
    .where('token_mac', '=', mac)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export async function selectProofs(tx: Tx, id: string) {
  return tx.selectFrom('sessions').select(['amr', 'long']).where('id', '=', id).executeTakeFirst()
}

/**
 * Sets a new token and the current epoch of the account. Expiry times stay, and the previous token is invalid at once.
 */
export async function updateSessionCredentials(
  tx: Tx,
  id: string,
  { token_mac, amr, aal }: Pick<SessionsTable, 'token_mac' | 'amr' | 'aal'>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('sessions')
    .set(eb => ({
      token_mac,
      amr,
      aal,
      prev_mac: null,
      prev_until: null,
      rotated_at: now,
      auth_epoch: eb
        .selectFrom('users')
        .select('users.auth_epoch')
        .whereRef('users.id', '=', 'sessions.user_id')
        .$asScalar()
        .$notNull(),
    }))
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Deletes sessions that expired more than `since` ms ago; until then the API can say why they ended. */
export async function deleteExpired(tx: Tx, since: number, limit: number) {
  return tx
    .deleteFrom('sessions')
    .where('id', 'in', eb =>
      eb
        .selectFrom('sessions')
        .select('id')
        .where('idle_until', '<', sql<number>`${now} - ${sql.lit(since)}`)
        .limit(limit),
    )
    .returning(['id', 'user_id'])
    .execute()
}

export async function raiseEpoch(tx: Tx, userId: string | undefined): Promise<void> {
  await tx
    .updateTable('users')
    .set({ auth_epoch: sql`auth_epoch + 1` })
    .$if(userId !== undefined, query => query.where('id', '=', userId!))
    .execute()
}

// ---- API tokens

export async function insertApiToken(
  tx: Tx,
  token: { id: string; token_mac: string; prefix: string; name: string; owner_id: string; scopes: string },
  lifetimeMs: number | undefined,
) {
  return tx
    .insertInto('api_tokens')
    .values({
      ...token,
      created_at: now,
      expires_at: lifetimeMs === undefined ? null : sql`${now} + ${sql.lit(lifetimeMs)}`,
      last_used_at: null,
    })
    .returning(['created_at', 'expires_at'])
    .executeTakeFirstOrThrow()
}

/** Undefined if the token does not exist or has another owner. */
export async function deleteApiToken(tx: Tx, id: string, userId: string | undefined) {
  return tx
    .deleteFrom('api_tokens')
    .where('id', '=', id)
    .$if(userId !== undefined, query => query.where('owner_id', '=', userId!))
    .returning('owner_id')
    .executeTakeFirst()
}

/** Deletes the tokens of one account, or of all. */
export async function deleteApiTokens(tx: Tx, userId: string | undefined) {
  return tx
    .deleteFrom('api_tokens')
    .$if(userId !== undefined, query => query.where('owner_id', '=', userId!))
    .returning(['id', 'owner_id'])
    .execute()
}

export const selectTokensOf = prepared((db, userId: string) =>
  db
    .selectFrom('api_tokens')
    .select(['id', 'name', 'prefix', 'scopes', 'created_at', 'expires_at', 'last_used_at'])
    .where('owner_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id'),
)

/** True on the first use of the token. Later uses are recorded at most once per `minIntervalMs`. */
export async function updateTokenUse(tx: Tx, id: string, minIntervalMs: number): Promise<boolean> {
  const first = await tx
    .updateTable('api_tokens')
    .set({ last_used_at: now })
    .where('id', '=', id)
    .where('last_used_at', 'is', null)
    .executeTakeFirst()
  if (first.numUpdatedRows === 1n) return true
  await tx
    .updateTable('api_tokens')
    .set({ last_used_at: now })
    .where('id', '=', id)
    .where('last_used_at', '<=', sql<number>`${now} - ${sql.lit(minIntervalMs)}`)
    .execute()
  return false
}
