import type { App } from '../../app.ts'
import type { BlueprintText } from '../../blueprints/fields/field.ts'
import { fail } from '../../platform/errors.ts'
import type { Permissions } from '../../blueprints/permissions/permissions.ts'
import type { ActorContext } from '../../access/actor.ts'
import { canChangeRole, canCreateAccount } from '../../access/authorize/accounts.ts'
import { canAssign } from '../../access/authorize/roles.ts'
import { permissionsOf } from '../../access/authorize/authorize.ts'

export interface Role {
  name: string
  title: BlueprintText
  description: BlueprintText | null
  permissions: Permissions
}

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
  return listRoles(ctx.app).filter(({ name }) => canCreateAccount(ctx, name))
}

/** The roles that the caller may give to an account with the role `from`, which is always included. */
export function changeableRoles(ctx: ActorContext, from: string, own: boolean): Role[] {
  const isOpen = canChangeRole(ctx, from, own)
  return listRoles(ctx.app).filter(({ name }) => name === from || (isOpen && canAssign(ctx, name)))
}

/** Whether the caller may give an account with this role another one. */
export function isChangeable(ctx: ActorContext, from: string, own: boolean): boolean {
  return changeableRoles(ctx, from, own).some(({ name }) => name !== from)
}
