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

/** The role of accounts without a role: it has no permissions. */
export const nobody = 'nobody'

/** A role without a blueprint (any more) is shown by its capitalised name and has no permissions. */
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

/** Sorted by name. */
export function listRoles(app: App): Role[] {
  return app.blueprints.roles().map(name => findRole(app, name))
}

/** The roles that the caller may give to new accounts. */
export function creatableRoles(app: App, caller: Caller): Role[] {
  return listRoles(app).filter(
    ({ name }) =>
      mayGive(app, caller, name, 'create') && can(app, caller, 'users.create', optionOf(app, name, 'create')),
  )
}

/** The roles that the caller may give to an account with the role `from`, which is always included. */
export function changeableRoles(app: App, caller: Caller, from: string, own: boolean): Role[] {
  const permission = own ? 'user.changeRole' : 'users.changeRole'
  const open = (own || reaches(app, caller, from)) && can(app, caller, permission, optionOf(app, from, 'changeRole'))
  return listRoles(app).filter(({ name }) => name === from || (open && mayGive(app, caller, name)))
}

/** Whether the caller may give an account with this role another one. */
export function isChangeable(app: App, caller: Caller, from: string, own: boolean): boolean {
  return changeableRoles(app, caller, from, own).some(({ name }) => name !== from)
}

/**
 * Callers cannot give a role with permissions that they do not have, to others or to themselves, unless the option
 * `create` of its blueprint allows it to their role. The scopes of an API token limit both cases.
 */
export function mayGive(app: App, caller: Caller, role: string, action?: 'create'): boolean {
  const isSaid =
    action !== undefined && role !== 'admin' && saidTo(caller.user.role, optionOf(app, role, action)) === true
  return isSaid ? isInScope(app, caller.token?.scopes, role) : reaches(app, caller, role)
}

function optionOf(app: App, role: string, action: string) {
  return app.blueprints.role(role)?.options[action]
}
