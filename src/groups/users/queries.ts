import { type Insertable, sql } from 'kysely'
import type { UsersTable, UserStatus } from '../../platform/store/tables/accounts.ts'
import { now, prepared, type Store, type Tx } from '../../platform/store/store.ts'

/** The columns that are read for accounts: no password hash and no secret of a factor. */
export const columns = [
  'id',
  'email',
  'email_key',
  'name',
  'blank_name',
  'role',
  'language',
  'status',
  'auth_epoch',
  'must_change_password',
  'created_at',
  'revision',
] as const

/** False if the address or the id is taken. */
export async function insertUser(
  tx: Tx,
  user: Omit<Insertable<UsersTable>, 'created_at' | 'modified_at' | 'password_set_at'>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('users')
    .values({ ...user, password_set_at: user.password_hash === null ? null : now, created_at: now, modified_at: now })
    .onConflict(conflict => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function selectUsers(store: Store) {
  return store.db.selectFrom('users').select(columns).orderBy('email_key').execute()
}

export async function selectUser(store: Store, idOrKey: string) {
  return store.db
    .selectFrom('users')
    .select(columns)
    .where(eb => eb.or([eb('id', '=', idOrKey), eb('email_key', '=', idOrKey)]))
    .executeTakeFirst()
}

/** Sets the hash and clears the failure count, the disabled flag and the forced password change. */
export async function updatePassword(tx: Tx, id: string, hash: string): Promise<void> {
  await tx
    .updateTable('users')
    .set({
      password_hash: hash,
      bcrypt_cost: null,
      password_set_at: now,
      password_fail_streak: 0,
      password_disabled_at: null,
      must_change_password: 0,
      modified_at: now,
    })
    .where('id', '=', id)
    .execute()
}

export type UserChange = Partial<Pick<UsersTable, 'name' | 'sort_key' | 'language' | 'role'> & { blank_name: number }>

/** Returns the new revision. */
export async function updateUser(tx: Tx, id: string, change: UserChange): Promise<number> {
  const { revision } = await tx
    .updateTable('users')
    .set(eb => ({ ...change, revision: eb('revision', '+', 1), modified_at: now }))
    .where('id', '=', id)
    .returning('revision')
    .executeTakeFirstOrThrow()
  return revision
}

/** The account row must be locked. Returns the new revision. */
export async function raiseUserRevision(tx: Tx, id: string): Promise<number> {
  const { revision } = await tx
    .updateTable('users')
    .set(eb => ({ revision: eb('revision', '+', 1), modified_at: now }))
    .where('id', '=', id)
    .returning('revision')
    .executeTakeFirstOrThrow()
  return revision
}

export async function isUsedId(tx: Tx, id: string): Promise<boolean> {
  return (await tx.selectFrom('users').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
}

export async function isUsedEmail(tx: Tx, key: string): Promise<boolean> {
  return (await tx.selectFrom('users').select('id').where('email_key', '=', key).executeTakeFirst()) !== undefined
}

export async function markEnabled(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable('users')
    .set({ status: sql`case when password_hash is null then 'invited' else 'active' end`, modified_at: now })
    .where('id', '=', id)
    .execute()
}

export async function updateStatus(tx: Tx, id: string, status: UserStatus): Promise<void> {
  await tx.updateTable('users').set({ status, modified_at: now }).where('id', '=', id).execute()
}

/** The content of the site, one row per language. */
export const selectSiteContents = prepared(db =>
  db.selectFrom('contents').select('data').where('owner', '=', 'site://'),
)

export type Admin = Awaited<ReturnType<typeof lockAdmins>>[number]

/**
 * Locks the rows of all administrators, so that two cannot give up the role at the same time. Call it before locking
 * any other row: a fixed order prevents deadlocks.
 */
export async function lockAdmins(store: Store, tx: Tx) {
  return tx
    .selectFrom('users')
    .select(['id', 'status'])
    .where('role', '=', 'admin')
    .orderBy('id')
    .$if(store.name === 'postgres', query => query.forNoKeyUpdate())
    .execute()
}

export async function hasOthers(tx: Tx, id: string): Promise<boolean> {
  return (await tx.selectFrom('users').select('id').where('id', '!=', id).limit(1).executeTakeFirst()) !== undefined
}
