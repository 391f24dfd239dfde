import { callerOf } from '../../access/actor.ts'
import type { ApiError } from '../../platform/errors.ts'
import { needsForcedSetup, type PermissionTarget, canSee } from '../../access/authorize/authorize.ts'
import type { RequestContext } from '../../http/context.ts'
import { optionForRole } from '../../blueprints/permissions/permissions.ts'
import type { Visible } from './listing/queries.ts'
import { findUser, noUser, type UserRow } from './users.ts'

/** The account a request is about. */
export interface UserTarget extends PermissionTarget {
  user: UserRow
  own: boolean
}

/**
 * Finds an account by id, by e-mail address, or `account` for the own one. Invisible accounts are reported as missing.
 */
export async function user(request: {
  ctx: Pick<RequestContext, 'app' | 'actor'>
  params: { id: string }
  /** The error for a missing account. */
  missing?: (name: string) => ApiError
}): Promise<UserTarget> {
  const { ctx, params, missing = noUser } = request
  const { app } = ctx
  const caller = callerOf(ctx)
  const id = params.id === 'account' ? caller.user.id : params.id
  const found = await findUser(app, id, missing)
  const options = app.blueprints.user(found.role)?.options ?? {}
  const own = found.id === caller.user.id
  const isSeen = canSee(ctx, 'access.users', options['access'])
  const mayEnter = own && (needsForcedSetup(ctx) || canSee(ctx, 'access.account', options['access']))
  if (!isSeen && !mayEnter) throw missing(id)
  return { user: found, own, options, accountRole: found.role }
}

/**
 * The accounts that the caller sees in lists: the role of the caller decides, unless the options `access` and `list` of
 * the blueprint of the listed accounts override it.
 */
export function visibleAccounts(ctx: Pick<RequestContext, 'app' | 'actor'>): Visible {
  const { app } = ctx
  if (ctx.actor.isStranger) return { roles: [], except: [], own: undefined }
  const { id, role: ownRole } = ctx.actor.user
  const optionsOf = (role: string) => app.blueprints.user(role)?.options ?? {}
  const isVisible = (role: string) => {
    const { access, list } = optionsOf(role)
    return canSee(ctx, 'access.users', access) && optionForRole(ownRole, list) !== false
  }
  const everybody = canSee(ctx, 'access.users')
  const roles = app.blueprints.roles()
  return {
    roles: everybody ? undefined : roles.filter(isVisible),
    except: everybody ? roles.filter(role => !isVisible(role)) : [],
    own: canSee(ctx, 'access.account', optionsOf(ownRole)['access']) ? id : undefined,
  }
}
