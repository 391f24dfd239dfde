import { inScope, isGranted, type Permissions, publishedScope } from '../../blueprints/permissions/permissions.ts'
import type { App } from '../../app.ts'
import { fail } from '../../platform/errors.ts'
import { accountOf, type ActorContext, callerOf } from '../actor.ts'
import type { AccountRow } from './accounts.ts'
import { permissionsOf, permissionsOfCaller } from './authorize.ts'
import { hasAllRightsOf } from './roles.ts'
import { readScopes } from './scopes.ts'

/**
 * The scopes of a new token of this account. Throws if the owner, or the caller who creates the token for another
 * account, does not have the permissions.
 */
export function grantableScopes(ctx: ActorContext, owner: AccountRow, requested: readonly string[]): string[] {
  const { app } = ctx
  const other = otherCreator(ctx, owner)
  const rights = permissionsOf(app, owner.role)
  const scopes = [...new Set(requested)]
  if (scopes.length === 1 && scopes[0] === publishedScope) return scopes
  scopesMustBeValid(app, rights, scopes)
  if (other) scopesMustBeValid(app, permissionsOfCaller(app, other), scopes)
  return !other || hasAllRightsOf(ctx, 'admin') ? scopes : grantedPermissions(app, rights, scopes)
}

/** The scopes for a new token of this account that only reads, as far as the caller can create one. */
export function grantableReadScopes(ctx: ActorContext, owner: AccountRow): string[] {
  const { app } = ctx
  const other = otherCreator(ctx, owner)
  const rights = [permissionsOf(app, owner.role), ...(other ? [permissionsOfCaller(app, other)] : [])]
  return readScopes.filter(scope => rights.every(permissions => isWithin(permissions, scope)))
}

/** The caller, if the token is for another account. */
const otherCreator = (ctx: ActorContext, owner: AccountRow) =>
  ctx.actor.system || accountOf(ctx) === owner.id ? undefined : callerOf(ctx)

function scopesMustBeValid(app: App, permissions: Permissions, scopes: string[]): void {
  for (const scope of scopes) {
    const isValid = app.permissions.scopes.includes(scope) && isWithin(permissions, scope)
    if (!isValid) throw fail('user.token.scope', { scope })
  }
}

/** A wildcard covers the permissions that the owner has; a named permission must be one of them. */
function isWithin(permissions: Permissions, scope: string): boolean {
  if (scope === '*') return true
  const [category, action] = scope.split('.') as [keyof Permissions, string]
  const rights = permissions[category] as Record<string, boolean>
  return action === '*' ? Object.values(rights).includes(true) : isGranted(permissions, category, action)
}

/**
 * Replaces wildcards by the current permissions: a token that another account created must not gain permissions when
 * its owner gets a stronger role.
 */
function grantedPermissions(app: App, permissions: Permissions, scopes: string[]): string[] {
  return app.permissions.scopes.filter(scope => {
    const [category, action] = scope.split('.') as [string, string | undefined]
    return action !== undefined && action !== '*' && inScope(scopes, category, action) && isWithin(permissions, scope)
  })
}
