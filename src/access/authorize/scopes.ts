import { inScope, type Permission } from '../../blueprints/permissions/permissions.ts'

/**
 * Read permissions that any scope of a category implies, because a token cannot act on what it cannot see:
 * `pages.update` implies `pages.read`. The owner of the token must have the permission, too.
 */
const readScopePrefixes = {
  'access.users': 'users.',
  'access.account': 'user.', // the account of the token's owner
  'access.site': 'site.',
  'pages.access': 'pages.',
  'pages.read': 'pages.',
  'pages.list': 'pages.',
  'files.access': 'files.',
  'files.read': 'files.',
  'files.list': 'files.',
} as const satisfies Partial<Record<Permission, string>>

export type ImpliedReadPermission = keyof typeof readScopePrefixes

/** The permissions that a client without credentials can have. None is about accounts. */
export const anonymousPermissions: ReadonlySet<Permission> = new Set<Permission>([
  'access.languages',
  'access.site',
  'pages.access',
  'pages.read',
  'pages.list',
  'files.access',
  'files.read',
  'files.list',
])

/** The scopes of a token that only reads: pages, files and the site, drafts included, and nothing of accounts. */
export const readScopes: readonly Permission[] = (Object.keys(readScopePrefixes) as ImpliedReadPermission[]).filter(
  permission => anonymousPermissions.has(permission),
)

/** Whether a scope implies the read permission. Does not check what the owner of the token may do. */
export const scopesImply = (scopes: readonly string[], permission: ImpliedReadPermission) =>
  scopes.some(scope => scope.startsWith(readScopePrefixes[permission]))

/** Whether a token with these scopes may use the permission if its owner has it. */
export function isWithinScopes(scopes: readonly string[], permission: string): boolean {
  const [category, action] = permission.split('.') as [string, string]
  return (
    inScope(scopes, category, action) ||
    (permission in readScopePrefixes && scopesImply(scopes, permission as ImpliedReadPermission))
  )
}
