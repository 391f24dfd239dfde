import type { Insertable } from 'kysely'
import type { UsersTable, UserStatus } from '../store/schema.ts'
import { now, type Store, type Tx } from '../store/store.ts'

const columns = [
  'id',
  'email',
  'email_key',
  'name',
  'role',
  'language',
  'status',
  'auth_epoch',
  'must_change_password',
  'created_at',
] as const

/** False if the address is taken. */
export async function insertUser(
  tx: Tx,
  user: Omit<Insertable<UsersTable>, 'created_at' | 'modified_at' | 'password_set_at'>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('users')
    .values({ ...user, password_set_at: user.password_hash === null ? null : now, created_at: now, modified_at: now })
    .onConflict(conflict => conflict.column('email_key').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function selectUsers(store: Store) {
  return store.db.selectFrom('users').select(columns).orderBy('email_key').execute()
}

export async function someUserExists(store: Store): Promise<boolean> {
  return (await store.db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined
}

export async function selectUser(store: Store, idOrKey: string) {
  return store.db
    .selectFrom('users')
    .select(columns)
    .where(eb => eb.or([eb('id', '=', idOrKey), eb('email_key', '=', idOrKey)]))
    .executeTakeFirst()
}

/** Sets the hash and everything that a new password makes right again. */
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

export async function updateStatus(tx: Tx, id: string, status: UserStatus): Promise<void> {
  await tx.updateTable('users').set({ status, modified_at: now }).where('id', '=', id).execute()
}

export async function deleteUserRow(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('users').where('id', '=', id).execute()
}

/** Other administrators who can sign in. The rows are held, so that two cannot step down at once. */
export async function countOtherAdmins(store: Store, tx: Tx, id: string): Promise<number> {
  const admins = await tx
    .selectFrom('users')
    .select(['id', 'status'])
    .where('role', '=', 'admin')
    .orderBy('id')
    .$if(store.name === 'postgres', query => query.forNoKeyUpdate())
    .execute()
  return admins.filter(admin => admin.id !== id && admin.status === 'active').length
}
