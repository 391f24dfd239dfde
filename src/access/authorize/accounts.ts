import type { Permission } from '../../blueprints/permissions/permissions.ts'
import { fail } from '../../platform/errors.ts'
import { accountOf, type ActorContext } from '../actor.ts'
import { mustBeAllowed, needsForcedSetup } from './authorize.ts'

/** The permissions over accounts; those over the own account have the same names. */
export type AccountPermission = Extract<Permission, `users.${string}`>

/**
 * Throws unless the actor may do this to the account. Checked on the locked row: its role may have become stronger since
 * it was read. During forced setup the own account may be changed whatever the role allows, and no other one.
 */
export function authorizeAccount(
  ctx: ActorContext,
  { id, role }: { id: string; role: string },
  permission: AccountPermission,
): void {
  const own = accountOf(ctx) === id
  if (needsForcedSetup(ctx)) {
    if (own) return
    throw fail('auth.repair')
  }
  const options = ctx.app.blueprints.user(role)?.options ?? {}
  mustBeAllowed(ctx, permission, { options, own, accountRole: role })
}
