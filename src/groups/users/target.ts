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

/** By id, by e-mail address, or `account` for the caller's own. Whom the caller may not see does not exist. */
export async function user(request: {
  app: App
  caller: Caller | undefined
  params: { id: string }
  /** What is said where there is no such account. */
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

/** Whom the caller sees in lists: the role decides, unless the blueprint of the listed ones says more. */
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
