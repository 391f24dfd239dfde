import { accountOf, callerOf } from '../../access/actor.ts'
import { mustBeOwn, canViewAccount } from '../../access/authorize/accounts.ts'
import type { ApiError } from '../../platform/errors.ts'
import type { AccountTarget } from '../../access/authorize/authorize.ts'
import type { RequestContext } from '../../http/context.ts'
import { findUser, noUser, type UserRow } from './users.ts'

/** The account a request is about. */
export interface UserTarget extends AccountTarget {
  user: UserRow
}

/**
 * Finds an account by id, by e-mail address, or `account` for the own one. Invisible accounts are reported as missing.
 */
export async function userTarget(request: {
  ctx: Pick<RequestContext, 'app' | 'actor'>
  params: { id: string }
  /** The error for a missing account. */
  missing?: (name: string) => ApiError
}): Promise<UserTarget> {
  const { ctx, params, missing = noUser } = request
  const { app } = ctx
  const id = params.id === 'account' ? callerOf(ctx).user.id : params.id
  const found = await findUser(app, id, missing)
  if (!canViewAccount(ctx, found)) throw missing(id)
  const options = app.blueprints.user(found.role)?.options ?? {}
  return { user: found, own: found.id === accountOf(ctx), options, accountRole: found.role }
}

/** Finds the own account, for operations on `ctx.actor.user`. */
export async function ownUser(request: { ctx: RequestContext; params: { id: string } }): Promise<UserTarget> {
  const target = await userTarget(request)
  mustBeOwn(request.ctx, target.user)
  return target
}
