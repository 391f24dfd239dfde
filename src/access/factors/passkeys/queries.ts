import type { Kysely } from 'kysely'
import type { Database } from '../../../platform/store/schema.ts'
import { now, prepared, type Tx } from '../../../platform/store/store.ts'

const columns = [
  'id',
  'credential',
  'user_id',
  'name',
  'public_key',
  'counter',
  'transports',
  'syncable',
  'synced',
  'created_at',
  'last_used_at',
] as const

/** The passkeys of one account, oldest first. */
const ofUser = (db: Kysely<Database>, userId: string) =>
  db.selectFrom('passkeys').select(columns).where('user_id', '=', userId).orderBy('created_at').orderBy('id')

export const selectPasskeys = prepared(ofUser)
export type PasskeyRow = Awaited<ReturnType<typeof selectPasskeys>>[number]

export async function selectPasskeysNow(tx: Tx, userId: string): Promise<PasskeyRow[]> {
  return ofUser(tx, userId).execute()
}

export async function selectPasskeyByCredential(tx: Tx, credential: string): Promise<PasskeyRow | undefined> {
  return tx.selectFrom('passkeys').select(columns).where('credential', '=', credential).executeTakeFirst()
}

/** Undefined if this credential is already registered, by any account. */
export async function insertPasskey(
  tx: Tx,
  passkey: Omit<PasskeyRow, 'created_at' | 'last_used_at'>,
): Promise<PasskeyRow | undefined> {
  return tx
    .insertInto('passkeys')
    .values({ ...passkey, created_at: now, last_used_at: null })
    .onConflict(conflict => conflict.column('credential').doNothing())
    .returning(columns)
    .executeTakeFirst()
}

export async function updatePasskeyUse(tx: Tx, id: string, counter: number, synced: boolean): Promise<void> {
  await tx
    .updateTable('passkeys')
    .set({ counter, synced: synced ? 1 : 0, last_used_at: now })
    .where('id', '=', id)
    .execute()
}

export async function updatePasskeyName(
  tx: Tx,
  userId: string,
  id: string,
  name: string,
): Promise<PasskeyRow | undefined> {
  return tx
    .updateTable('passkeys')
    .set({ name })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning(columns)
    .executeTakeFirst()
}

export async function deletePasskey(tx: Tx, userId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('passkeys')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return numDeletedRows === 1n
}
