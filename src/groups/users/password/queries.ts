import type { Tx } from '../../../platform/store/store.ts'

export async function markMustChangePassword(tx: Tx, id: string): Promise<void> {
  await tx.updateTable('users').set({ must_change_password: 1 }).where('id', '=', id).execute()
}
