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

/** What this role may; a role that nobody described (any more) may nothing. */
export function permissionsOf(app: App, role: string): Permissions {
  return app.blueprints.role(role)?.permissions ?? nothing
}

/** What this caller may now: the role's rights, cut down to the scopes of the API token if it came by one. */
export function permissionsOfCaller(app: App, { user, token }: Caller): Permissions {
  return permissionsWithin(permissionsOf(app, user.role), token?.scopes)
}

/** May the caller do this, to a thing whose blueprint says `option` about it? */
export function can(app: App, { user, token }: Caller, permission: Permission, option?: Option): boolean {
  const permissions = app.blueprints.role(user.role)?.permissions
  return decide({ role: user.role, permissions, scopes: token?.scopes }, permission, option)
}

/** Whose actions a token has to name to see what they are done to. */
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

/** A token whose scopes name what can be done with files has to reach what they belong to, as far as its owner sees it. */
export function reachingFiles<Asking extends { caller: Caller }>(asking: Asking): Asking {
  const { token, ...owner } = asking.caller
  return token?.scopes.some(scope => scope.startsWith('files.')) === true ? { ...asking, caller: owner } : asking
}

/** Like `can`, for seeing things: a token whose scopes name what can be done with them has to see them. */
export function canSee(app: App, caller: Caller, permission: keyof typeof seen, option?: Option): boolean {
  const { token, ...owner } = caller
  return can(app, token && isSeen(token.scopes, permission) ? owner : caller, permission, option)
}

const isSeen = (scopes: readonly string[], permission: keyof typeof seen) =>
  scopes.some(scope => scope.startsWith(seen[permission]))

/** Whether a token with these scopes may use the permission, if its owner has it. */
export function isWithinScopes(scopes: readonly string[], permission: string): boolean {
  const [category, action] = permission.split('.') as [string, string]
  return inScope(scopes, category, action) || (permission in seen && isSeen(scopes, permission as keyof typeof seen))
}
