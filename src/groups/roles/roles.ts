import type { App } from '../../app.ts'
import type { Text } from '../../blueprints/fields/field.ts'
import { fail } from '../../platform/errors.ts'
import { type Permissions, optionForRole } from '../../blueprints/permissions/permissions.ts'
import type { ActorContext } from '../../access/actor.ts'
import { isInScope, hasAllRightsOf } from '../../access/authorize/roles.ts'
import { can, permissionsOf } from '../../access/authorize/authorize.ts'

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
export function creatableRoles(ctx: ActorContext): Role[] {
  const { app } = ctx
  return listRoles(app).filter(
    ({ name }) => mayAssign(ctx, name, 'create') && can(ctx, 'users.create', optionOf(app, name, 'create')),
  )
}

/** The roles that the caller may give to an account with the role `from`, which is always included. */
export function changeableRoles(ctx: ActorContext, from: string, own: boolean): Role[] {
  const { app } = ctx
  const permission = own ? 'user.changeRole' : 'users.changeRole'
  const open = (own || hasAllRightsOf(ctx, from)) && can(ctx, permission, optionOf(app, from, 'changeRole'))
  return listRoles(app).filter(({ name }) => name === from || (open && mayAssign(ctx, name)))
}

/** Whether the caller may give an account with this role another one. */
export function isChangeable(ctx: ActorContext, from: string, own: boolean): boolean {
  return changeableRoles(ctx, from, own).some(({ name }) => name !== from)
}

/**
 * Callers cannot give a role with permissions that they do not have, to others or to themselves, unless the option
 * `create` of its blueprint allows it to their role. The scopes of an API token limit both cases.
 */
export function mayAssign(ctx: ActorContext, role: string, action?: 'create'): boolean {
  const { app, actor } = ctx
  if (actor.system) return true
  if (actor.isStranger) return false
  const option = action !== undefined && role !== 'admin' ? optionOf(app, role, action) : undefined
  const isNamed = optionForRole(actor.user.role, option) === true
  return isNamed ? isInScope(app, actor.token?.scopes, role) : hasAllRightsOf(ctx, role)
}

function optionOf(app: App, role: string, action: string) {
  return app.blueprints.role(role)?.options[action]
}
