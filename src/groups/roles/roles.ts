import type { App } from '../../app.ts'
import type { Text } from '../../blueprints/fields/field.ts'
import { fail } from '../../platform/errors.ts'
import { type Permissions, saidTo } from '../../blueprints/permissions/permissions.ts'
import type { Caller } from '../../access/session/identify.ts'
import { isInScope, reaches } from '../../access/session/reach.ts'
import { can, permissionsOf } from '../../access/session/rights.ts'

export interface Role {
  name: string
  title: Text
  description: Text | null
  permissions: Permissions
}

/** The role of accounts that have none: it may nothing. */
export const nobody = 'nobody'

/** A role that nobody described (any more) is shown by its name, with a capital, and may nothing. */
export function findRole(app: App, name: string): Role {
  const blueprint = app.blueprints.role(name)
  return {
    name,
    title: blueprint?.title ?? name.replace(/^./u, first => first.toUpperCase()),
    description: blueprint?.description ?? null,
    permissions: permissionsOf(app, name),
  }
}

export function roleOf(app: App, name: string): Role {
  if (!app.blueprints.role(name)) throw fail('role.notFound', { name })
  return findRole(app, name)
}

/** In the order of their names. */
export function listRoles(app: App): Role[] {
  return app.blueprints.roles().map(name => findRole(app, name))
}

/** The roles of new accounts that this caller may make. */
export function creatableRoles(app: App, caller: Caller): Role[] {
  return listRoles(app).filter(
    ({ name }) =>
      mayGive(app, caller, name, 'create') && can(app, caller, 'users.create', optionOf(app, name, 'create')),
  )
}

/** The roles that this caller may give to an account of this role; the present one is always among them. */
export function changeableRoles(app: App, caller: Caller, from: string, own: boolean): Role[] {
  const permission = own ? 'user.changeRole' : 'users.changeRole'
  const open = (own || reaches(app, caller, from)) && can(app, caller, permission, optionOf(app, from, 'changeRole'))
  return listRoles(app).filter(({ name }) => name === from || (open && mayGive(app, caller, name)))
}

/** Whether an account of this role could have another one, as far as this caller is concerned. */
export function isChangeable(app: App, caller: Caller, from: string, own: boolean): boolean {
  return changeableRoles(app, caller, from, own).some(({ name }) => name !== from)
}

/**
 * Nobody gives away more than they have, to others or to themselves, unless the blueprint of the role says that theirs may
 * make such accounts. The scopes of a token are a limit in any case.
 */
export function mayGive(app: App, caller: Caller, role: string, action?: 'create'): boolean {
  const isSaid =
    action !== undefined && role !== 'admin' && saidTo(caller.user.role, optionOf(app, role, action)) === true
  return isSaid ? isInScope(app, caller.token?.scopes, role) : reaches(app, caller, role)
}

function optionOf(app: App, role: string, action: string) {
  return app.blueprints.role(role)?.options[action]
}
