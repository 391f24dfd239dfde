import type { App } from '../app.ts'
import type { Text } from '../blueprints/fields/field.ts'
import { fail } from '../errors.ts'
import type { Permissions } from '../permissions/permissions.ts'
import type { Caller } from '../session/identify.ts'
import { can, permissionsOf } from '../session/rights.ts'

export interface Role {
  name: string
  title: Text
  description: Text | null
  permissions: Permissions
}

/** The role of accounts that have none: it may nothing. */
export const nobody = 'nobody'

/** A role that nobody described (any more) is shown by its name and may nothing. */
export function findRole(app: App, name: string): Role {
  const blueprint = app.blueprints.role(name)
  return {
    name,
    title: blueprint?.title ?? name,
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

/** The roles of new accounts that this caller may make. Only administrators make administrators. */
export function creatableRoles(app: App, caller: Caller): Role[] {
  return listRoles(app).filter(
    ({ name }) => isWithinReach(caller, name) && can(app, caller, 'users.create', optionOf(app, name, 'create')),
  )
}

/** The roles that this caller may give to an account of this role. */
export function changeableRoles(app: App, caller: Caller, from: string, own: boolean): Role[] {
  const permission = own ? 'user.changeRole' : 'users.changeRole'
  if (!isWithinReach(caller, from) || !can(app, caller, permission, optionOf(app, from, 'changeRole'))) return []
  return listRoles(app).filter(({ name }) => isWithinReach(caller, name))
}

/** Whether an account of this role could have another one, as far as this caller is concerned. */
export function isChangeable(app: App, caller: Caller, from: string, own: boolean): boolean {
  return changeableRoles(app, caller, from, own).length > 1
}

/**
 * Only administrators make and end administrators, and look after how they sign in: else it were a way to become one.
 */
export function isWithinReach({ user }: Caller, role: string): boolean {
  return role !== 'admin' || user.role === 'admin'
}

function optionOf(app: App, role: string, action: string) {
  return app.blueprints.role(role)?.options[action]
}
