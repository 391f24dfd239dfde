import { inScope, type Permission } from '../../blueprints/permissions/permissions.ts'

/**
 * A token with any scope that starts with this prefix may use the read permission: acting requires seeing the target.
 */
const readScopePrefixes = {
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

export type ReadPermission = keyof typeof readScopePrefixes

/** What strangers may be allowed: never accounts. */
export const readPermissions: ReadonlySet<Permission> = new Set<Permission>([
  'access.languages',
  'access.site',
  'pages.access',
  'pages.read',
  'pages.list',
  'files.access',
  'files.read',
  'files.list',
])

export const mayRead = (scopes: readonly string[], permission: ReadPermission) =>
  scopes.some(scope => scope.startsWith(readScopePrefixes[permission]))

/** Whether a token with these scopes may use the permission if its owner has it. */
export function isWithinScopes(scopes: readonly string[], permission: string): boolean {
  const [category, action] = permission.split('.') as [string, string]
  return (
    inScope(scopes, category, action) ||
    (permission in readScopePrefixes && mayRead(scopes, permission as ReadPermission))
  )
}
