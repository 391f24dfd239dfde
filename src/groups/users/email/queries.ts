import { now, type Store, type Tx } from '../../../platform/store/store.ts'

/** False if another account has it. */
export async function isFree(store: Store | Tx, id: string, emailKey: string): Promise<boolean> {
  const other = await ('db' in store ? store.db : store)
    .selectFrom('users')
    .select('id')
    .where('email_key', '=', emailKey)
    .where('id', '!=', id)
    .executeTakeFirst()
  return other === undefined
}

/** Throws if another account has the address (unique index). */
export async function updateEmail(
  tx: Tx,
  id: string,
  email: { email: string; email_key: string; sort_key: string },
): Promise<void> {
  await tx
    .updateTable('users')
    .set({ ...email, modified_at: now })
    .where('id', '=', id)
    .execute()
}
