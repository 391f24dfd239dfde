import { now, prepared, type Tx } from '../../../platform/store/store.ts'

export const selectSettings = prepared((db, user: string) =>
  db.selectFrom('user_settings').select('data').where('user_id', '=', user),
)

/** The account must be locked. */
export async function selectSettingsNow(tx: Tx, user: string): Promise<string | undefined> {
  const row = await tx.selectFrom('user_settings').select('data').where('user_id', '=', user).executeTakeFirst()
  return row?.data
}

/** The account must be locked. */
export async function upsertSettings(tx: Tx, user: string, data: string): Promise<void> {
  await tx
    .insertInto('user_settings')
    .values({ user_id: user, data, modified_at: now })
    .onConflict(conflict => conflict.column('user_id').doUpdateSet({ data, modified_at: now }))
    .execute()
}
