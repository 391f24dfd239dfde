import type { App } from '../../app.ts'
import {
  decide,
  inScope,
  nothing,
  type Option,
  type Permission,
  type Permissions,
  permissionsWithin,
} from '../../blueprints/permissions/permissions.ts'
import type { Caller } from './identify.ts'

/** The permissions of a role; none if the role has no blueprint. */
export function permissionsOf(app: App, role: string): Permissions {
  return app.blueprints.role(role)?.permissions ?? nothing
}

/** The permissions of the caller: those of the role, limited to the scopes of the API token, if there is one. */
export function permissionsOfCaller(app: App, { user, token }: Caller): Permissions {
  return permissionsWithin(permissionsOf(app, user.role), token?.scopes)
}

/** Whether the caller has the permission, on a target whose blueprint sets `option` for this action. */
export function can(app: App, { user, token }: Caller, permission: Permission, option?: Option): boolean {
  const permissions = app.blueprints.role(user.role)?.permissions
  return decide({ role: user.role, permissions, scopes: token?.scopes }, permission, option)
}

/**
 * A token with any scope that starts with this prefix may use the read permission: acting requires seeing the target.
 */
const seen = {
  'access.users': 'users.',
  'access.account': 'user.',
  'access.site': 'site.',
  'pages.access': 'pages.',
  'pages.read': 'pages.',
  'pages.list': 'pages.',
  'files.access': 'files.',
  'files.read': 'files.',
  'files.list': 'files.',
} as const satisfies Partial<Record<Permission, string>>

/** A token with any `files.*` scope may read the parent of a file if its owner may. */
export function reachingFiles<Asking extends { caller: Caller }>(asking: Asking): Asking {
  const { token, ...owner } = asking.caller
  return token?.scopes.some(scope => scope.startsWith('files.')) === true ? { ...asking, caller: owner } : asking
}

/** Like `can`, for read permissions: a token with any scope of the category in `seen` may read what its owner may. */
export function canSee(app: App, caller: Caller, permission: keyof typeof seen, option?: Option): boolean {
  const { token, ...owner } = caller
  return can(app, token && isSeen(token.scopes, permission) ? owner : caller, permission, option)
}

const isSeen = (scopes: readonly string[], permission: keyof typeof seen) =>
  scopes.some(scope => scope.startsWith(seen[permission]))

/** Whether a token with these scopes may use the permission if its owner has it. */
export function isWithinScopes(scopes: readonly string[], permission: string): boolean {
  const [category, action] = permission.split('.') as [string, string]
  return inScope(scopes, category, action) || (permission in seen && isSeen(scopes, permission as keyof typeof seen))
}
