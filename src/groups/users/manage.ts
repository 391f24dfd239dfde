import { accountOf, type Context } from '../../access/actor.ts'
import { fail } from '../../platform/errors.ts'
import { lockAccount } from '../../access/factors/queries.ts'
import { mustEnrolSecondFactor } from '../../access/session/sessions.ts'
import type { Tx } from '../../platform/store/store.ts'
import type { RequestContext } from '../../http/context.ts'
import { user, type UserTarget } from './target.ts'

/**
 * Where the role requires a second factor, owners cannot remove their own last one, only replace it. Other callers may
 * remove it for an owner who has lost it; the account must then set up a new one before anything else.
 */
export async function factorMustBeLeft(ctx: Context, tx: Tx, { id }: { id: string }): Promise<void> {
  const { app } = ctx
  const account = await lockAccount(app.store, tx, id)
  if (id === accountOf(ctx) && account && mustEnrolSecondFactor(app, account)) throw fail('user.factor.last')
}

/** Only the owner sees new secrets; administrators do not. */
export async function ownUser(request: { ctx: RequestContext; params: { id: string } }): Promise<UserTarget> {
  const target = await user(request)
  if (!target.own) throw fail('permission')
  return target
}
