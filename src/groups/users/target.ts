import type { App } from '../../app.ts'
import type { ApiError } from '../../platform/errors.ts'
import { needsForcedSetup } from '../../http/authenticate.ts'
import type { PermissionTarget } from '../../http/endpoint.ts'
import { saidTo } from '../../blueprints/permissions/permissions.ts'
import type { Caller } from '../../access/session/identify.ts'
import { canSee } from '../../access/session/rights.ts'
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
  app: App
  caller: Caller | undefined
  params: { id: string }
  /** The error for a missing account. */
  missing?: (name: string) => ApiError
}): Promise<UserTarget> {
  const { app, params, missing = noUser } = request
  const caller = request.caller!
  const id = params.id === 'account' ? caller.user.id : params.id
  const found = await findUser(app, id, missing)
  const options = app.blueprints.user(found.role)?.options ?? {}
  const own = found.id === caller.user.id
  const isSeen = canSee(app, caller, 'access.users', options['access'])
  const mayEnter = own && (needsForcedSetup(app, caller) || canSee(app, caller, 'access.account', options['access']))
  if (!isSeen && !mayEnter) throw missing(id)
  return { user: found, own, options, accountRole: found.role }
}

/**
 * The accounts that the caller sees in lists: the role of the caller decides, unless the options `access` and `list` of
 * the blueprint of the listed accounts override it.
 */
export function visibleTo(app: App, caller: Caller): Visible {
  const { id, role: ownRole } = caller.user
  const optionsOf = (role: string) => app.blueprints.user(role)?.options ?? {}
  const seen = (role: string) => {
    const { access, list } = optionsOf(role)
    return canSee(app, caller, 'access.users', access) && saidTo(ownRole, list) !== false
  }
  const everybody = canSee(app, caller, 'access.users')
  const roles = app.blueprints.roles()
  return {
    roles: everybody ? undefined : roles.filter(seen),
    except: everybody ? roles.filter(role => !seen(role)) : [],
    own: canSee(app, caller, 'access.account', optionsOf(ownRole)['access']) ? id : undefined,
  }
}
