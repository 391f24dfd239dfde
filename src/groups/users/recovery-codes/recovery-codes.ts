import { type CallerContext, callerOf, type Context } from '../../../access/actor.ts'
import { auditActor, record } from '../../../access/audit/audit.ts'
import { type AccountRow, authorizeAccount } from '../../../access/authorize/accounts.ts'
import { fail } from '../../../platform/errors.ts'
import { countUnusedRecoveryCodes } from '../../../access/factors/queries.ts'
import { createRecoveryCodes } from '../../../access/factors/recovery.ts'
import { lockUser } from '../lock.ts'
import { notify } from '../mail-notices.ts'

export async function recoveryCodesLeft(ctx: Context, user: AccountRow): Promise<number> {
  authorizeAccount(ctx, user, 'users.changePassword')
  return countUnusedRecoveryCodes(ctx.app.store.db, user.id)
}

/**
 * Creates ten codes for the caller and invalidates the former ones. Refused without a second factor: the codes would replace nothing
 * and could only be stolen.
 */
export async function renewRecoveryCodes(ctx: CallerContext): Promise<string[]> {
  const { app } = ctx
  const { user } = callerOf(ctx)
  return app.store.write(async tx => {
    const account = await lockUser(ctx, tx, user, 'users.changePassword')
    if (account.second_factor !== 1) throw fail('user.recovery.factor')
    const codes = await createRecoveryCodes(app, tx, user.id)
    await record(tx, {
      event: 'auth.factor.added',
      subject: user.id,
      ...auditActor(ctx),
      detail: { factor: 'recovery' },
    })
    await notify(app, tx, user, 'factorAdded', { factor: 'recovery' })
    return codes
  })
}
