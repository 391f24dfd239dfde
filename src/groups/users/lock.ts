import type { Context } from '../../access/actor.ts'
import { authorizeAccount } from '../../access/authorize/accounts.ts'
import type { AccountPermission, DenialKey } from '../../access/authorize/authorize.ts'
import { type Account, lockAccount } from '../../access/factors/queries.ts'
import { fail } from '../../platform/errors.ts'
import type { Tx } from '../../platform/store/store.ts'

/**
 * Locks the account until the end of the transaction, if the actor may do this to it. It may have been deleted since it
 * was read.
 */
export async function lockUser(
  ctx: Context,
  tx: Tx,
  { id }: { id: string },
  permission: AccountPermission,
  /** The error if the permission is missing, in place of the usual one. */
  refusal?: DenialKey,
): Promise<Account> {
  const account = await lockAccount(ctx.app.store, tx, id)
  if (!account) throw fail('user.notFound', { name: id })
  authorizeAccount(ctx, account, permission, refusal)
  return account
}
