import type { Store } from '../../platform/store/store.ts'

/** Whether there is another active administrator. */
export async function hasOtherAdmin(store: Store, id: string): Promise<boolean> {
  const other = await store.db
    .selectFrom('users')
    .select('id')
    .where('role', '=', 'admin')
    .where('status', '=', 'active')
    .where('id', '!=', id)
    .limit(1)
    .executeTakeFirst()
  return other !== undefined
}
