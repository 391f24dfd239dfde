import { sql } from 'kysely'
import { isAmong } from '../../platform/store/among.ts'
import { versionColumn } from '../../platform/store/postgres-version.ts'
import type { Database } from '../../platform/store/schema.ts'
import { type Store, type Tx, now, prepared } from '../../platform/store/store.ts'

/** The columns of an account that every request reads, by session or by token. */
export const callerColumns = [
  'users.id',
  'users.email',
  'users.email_key',
  'users.name',
  'users.blank_name',
  'users.role',
  'users.language',
  'users.status',
  'users.must_change_password',
] as const

const accountColumns = [
  ...callerColumns,
  'users.auth_epoch',
  'users.revision',
  'users.password_hash',
  'users.password_fail_streak',
  'users.password_disabled_at',
  'users.totp_secret',
  'users.totp_fail_streak',
] as const

/** 1 if the account has a second factor of any kind. Read with every session; the subquery is an index look-up. */
export const secondFactor = sql<number>`case when users.totp_secret is not null
  or exists (select 1 from passkeys where passkeys.user_id = users.id) then 1 else 0 end`.as('second_factor')

/** The columns that sign-in needs. They include secrets: never show this row. */
export type Account = NonNullable<Awaited<ReturnType<typeof lockAccount>>>

/**
 * One statement, the same for known and unknown addresses: the account, whether it knows the device, and the highest
 * bcrypt cost in the store (every password check takes that long while imported hashes exist).
 */
export const selectCredentials = prepared((db, emailKey: string, deviceMac: string) =>
  db
    .selectFrom(
      db
        .selectNoFrom(eb => [
          eb
            .selectFrom('users')
            .select(inner => inner.fn.max('bcrypt_cost').as('cost'))
            .where('bcrypt_cost', 'is not', null)
            .as('max_bcrypt_cost'),
        ])
        .as('site'),
    )
    .leftJoin('users', join => join.on('users.email_key', '=', emailKey))
    .leftJoin('devices', join =>
      join
        .onRef('devices.user_id', '=', 'users.id')
        .onRef('devices.auth_epoch', '=', 'users.auth_epoch')
        .on('devices.device_mac', '=', deviceMac),
    )
    .select(accountColumns)
    .select([secondFactor, 'site.max_bcrypt_cost', 'devices.device_mac']),
)

export const selectAccountById = prepared((db, id: string) =>
  db
    .selectFrom('users')
    .select(accountColumns)
    .select([secondFactor, versionColumn(db).as('version')])
    .where('id', '=', id),
)

export const selectAccountByEmailKey = prepared((db, emailKey: string) =>
  db.selectFrom('users').select(accountColumns).select(secondFactor).where('email_key', '=', emailKey),
)

/** Reads the account and locks its row until the end of the transaction. */
export async function lockAccount(store: Store, tx: Tx, id: string) {
  return tx
    .selectFrom('users')
    .select(accountColumns)
    .select(secondFactor)
    .where('id', '=', id)
    .$if(store.name === 'postgres', query => query.forNoKeyUpdate())
    .executeTakeFirst()
}

// ---- password

/**
 * Counts a wrong password; a correct one of an account that cannot use it leaves the number as it is. The statement is
 * the same in all cases, also for an account that does not exist, so that a client cannot tell them apart by the time.
 * At `maxFailures` the password is disabled. Returns the number of consecutive failures.
 */
export async function updatePasswordFailures(tx: Tx, id: string, isWrong: boolean, maxFailures: number) {
  const streak = sql<number>`password_fail_streak + ${isWrong ? 1 : 0}`
  return tx
    .updateTable('users')
    .set({
      password_fail_streak: streak,
      password_disabled_at: sql`case when ${streak} >= ${sql.lit(maxFailures)} then coalesce(password_disabled_at, ${now}) else password_disabled_at end`,
    })
    .where('id', '=', id)
    .returning('password_fail_streak')
    .executeTakeFirst()
}

export async function clearPasswordFailures(tx: Tx, id: string): Promise<void> {
  await tx.updateTable('users').set({ password_fail_streak: 0 }).where('id', '=', id).execute()
}

/** Does nothing if the password has been changed in the meantime. */
export async function updatePasswordHash(tx: Tx, id: string, old: string, hash: string): Promise<void> {
  await tx
    .updateTable('users')
    .set({ password_hash: hash, bcrypt_cost: null })
    .where('id', '=', id)
    .where('password_hash', '=', old)
    .execute()
}

// ---- time-based codes

/** Steps used with the previous secret are irrelevant: only the given step is marked as used. */
export async function updateTotpSecret(
  tx: Tx,
  id: string,
  encryptedSecret: string | null,
  usedStep = 0,
): Promise<void> {
  await tx
    .updateTable('users')
    .set({ totp_secret: encryptedSecret, totp_last_step: usedStep, totp_fail_streak: 0, modified_at: now })
    .where('id', '=', id)
    .execute()
}

/** Each code is accepted once: true only if neither this step nor a later one has been used. */
export async function claimTotpStep(tx: Tx, id: string, step: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('users')
    .set({ totp_last_step: step, totp_fail_streak: 0 })
    .where('id', '=', id)
    .where('totp_last_step', '<', step)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Returns the new number of consecutive failures. */
export async function incrementTotpFailures(tx: Tx, id: string): Promise<number> {
  const { totp_fail_streak: streak } = await tx
    .updateTable('users')
    .set({ totp_fail_streak: sql`totp_fail_streak + 1` })
    .where('id', '=', id)
    .returning('totp_fail_streak')
    .executeTakeFirstOrThrow()
  return streak
}

// ---- recovery codes

export async function replaceRecoveryCodes(tx: Tx, userId: string, macs: string[]): Promise<void> {
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  if (macs.length === 0) return
  await tx
    .insertInto('recovery_codes')
    .values(macs.map(code_mac => ({ user_id: userId, code_mac, used_at: null })))
    .execute()
}

export async function claimRecoveryCode(tx: Tx, userId: string, macs: string[]): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('recovery_codes')
    .set({ used_at: now })
    .where('user_id', '=', userId)
    .where('code_mac', 'in', macs)
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export async function countUnusedRecoveryCodes(db: Store['db'], userId: string): Promise<number> {
  const { count } = await db
    .selectFrom('recovery_codes')
    .select(eb => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

/** Deletes the recovery codes of an account without a second factor: they only replace one. */
export async function deleteRecoveryCodesWithoutFactor(tx: Tx, userId: string): Promise<void> {
  await tx
    .deleteFrom('recovery_codes')
    .where('user_id', '=', userId)
    .where(eb =>
      eb.and([
        eb.not(
          eb.exists(eb.selectFrom('users').select('id').where('id', '=', userId).where('totp_secret', 'is not', null)),
        ),
        eb.not(eb.exists(eb.selectFrom('passkeys').select('id').where('user_id', '=', userId))),
      ]),
    )
    .execute()
}

// ---- devices

export async function isDeviceOf(tx: Tx, mac: string, userId: string): Promise<boolean> {
  const found = await tx
    .selectFrom('devices')
    .select('device_mac')
    .where('device_mac', '=', mac)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return found !== undefined
}

type Device = Pick<Database['devices'], 'device_mac' | 'user_id'>

/** Keyset pagination by the primary key: no index covers whether a device has expired. */
export async function selectDevices(store: Store, maxAgeMs: number, after: Device, limit: number) {
  const query = store.db
    .selectFrom('devices')
    .innerJoin('users', 'users.id', 'devices.user_id')
    .select(eb => [
      'devices.device_mac',
      'devices.user_id',
      eb
        .case()
        .when(
          eb.or([
            eb('last_seen_at', '<', sql<number>`${now} - ${sql.lit(maxAgeMs)}`),
            eb('users.auth_epoch', '>', eb.ref('devices.auth_epoch')),
          ]),
        )
        .then(1)
        .else(0)
        .end()
        .as('expired'),
    ])
    .where('device_mac', '>=', after.device_mac)
    .where(eb => eb.or([eb('device_mac', '>', after.device_mac), eb('devices.user_id', '>', after.user_id)]))
    .orderBy('device_mac')
    .orderBy('devices.user_id')
    .limit(limit)
  return (await store.read(query.compile())) as (Device & { expired: 0 | 1 })[]
}

/** Checks again that the devices have expired: they may have been used in the meantime. */
export async function deleteExpiredDevices(tx: Tx, maxAgeMs: number, devices: readonly Device[]): Promise<void> {
  const macs = [...new Set(devices.map(device => device.device_mac))]
  await tx
    .deleteFrom('devices')
    .where(isAmong(tx, 'device_mac', macs))
    .where(eb =>
      eb.or([
        eb('last_seen_at', '<', sql<number>`${now} - ${sql.lit(maxAgeMs)}`),
        eb.exists(
          eb
            .selectFrom('users')
            .select('users.id')
            .whereRef('users.id', '=', 'devices.user_id')
            .whereRef('users.auth_epoch', '>', 'devices.auth_epoch'),
        ),
      ]),
    )
    .execute()
}

export async function upsertDevice(tx: Tx, mac: string, userId: string, epoch: number): Promise<void> {
  await tx
    .insertInto('devices')
    .values({ device_mac: mac, user_id: userId, auth_epoch: epoch, first_seen_at: now, last_seen_at: now })
    .onConflict(conflict =>
      conflict.columns(['device_mac', 'user_id']).doUpdateSet({ auth_epoch: epoch, last_seen_at: now }),
    )
    .execute()
}

// ---- challenges

export interface NewChallengeRow {
  id_mac: string
  kind: string
  /** Null for a decoy, which looks like any other challenge and never succeeds. */
  user_id: string | null
  auth_epoch: number
  data: string
}

export async function insertChallenge(
  tx: Tx,
  challenge: NewChallengeRow,
  maxAttempts: number,
  lifetimeMs: number,
): Promise<void> {
  await tx
    .insertInto('challenges')
    .values({
      ...challenge,
      attempts: 0,
      max_attempts: maxAttempts,
      expires_at: sql`${now} + ${sql.lit(lifetimeMs)}`,
      consumed_at: null,
    })
    .execute()
}

export const selectChallenge = prepared((db, mac: string, kind: string) =>
  db
    .selectFrom('challenges')
    .select(['id_mac', 'user_id', 'auth_epoch', 'data'])
    .where('id_mac', '=', mac)
    .where('kind', '=', kind),
)

/** Counts one attempt of a valid challenge; undefined if it is used, expired or out of attempts. */
export async function incrementAttempts(tx: Tx, mac: string) {
  return tx
    .updateTable('challenges')
    .set({ attempts: sql`attempts + 1` })
    .where('id_mac', '=', mac)
    .where('consumed_at', 'is', null)
    .where('expires_at', '>', now)
    .whereRef('attempts', '<', 'max_attempts')
    .returning(['attempts', 'max_attempts'])
    .executeTakeFirst()
}

export async function markChallengeUsed(tx: Tx, mac: string): Promise<void> {
  await tx.updateTable('challenges').set({ consumed_at: now }).where('id_mac', '=', mac).execute()
}

export async function deleteChallengesOf(tx: Tx, userId: string, kind: string): Promise<void> {
  await tx.deleteFrom('challenges').where('user_id', '=', userId).where('kind', '=', kind).execute()
}

/** Deletes challenges that expired more than `graceMs` ms ago. */
export async function deleteExpiredChallenges(tx: Tx, graceMs: number, limit: number): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('challenges')
    .where('id_mac', 'in', eb =>
      eb
        .selectFrom('challenges')
        .select('id_mac')
        .where('expires_at', '<', sql<number>`${now} - ${sql.lit(graceMs)}`)
        .orderBy('expires_at')
        .limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
