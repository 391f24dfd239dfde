/** Every built-in permission, by category. Endpoints use the same names. */
export const catalogue = {
  access: ['account', 'languages', 'panel', 'site', 'system', 'users'],
  files: ['access', 'changeName', 'changeTemplate', 'create', 'delete', 'list', 'read', 'replace', 'update'],
  languages: ['create', 'delete'],
  pages: [
    'access',
    'changeSlug',
    'changeStatus',
    'changeTemplate',
    'changeTitle',
    'create',
    'delete',
    'duplicate',
    'list',
    'move',
    'preview',
    'read',
    'sort',
    'update',
  ],
  site: ['changeTitle', 'update'],
  users: ['changeEmail', 'changeLanguage', 'changeName', 'changePassword', 'changeRole', 'create', 'delete', 'update'],
  user: ['changeEmail', 'changeLanguage', 'changeName', 'changePassword', 'changeRole', 'delete', 'update'],
} as const

/**
 * Permissions that come with others unless a role, a blueprint or a token takes them away: wildcards do not set them,
 * and answers show them only where they are set. `pages.publish` comes with every permission that can make something
 * public.
 */
export const impliedActions: Readonly<Record<string, readonly string[]>> = { pages: ['publish'] }
const publish = 'pages.publish'

type Catalogue = typeof catalogue
export type Category = keyof Catalogue
export type Permission = { [Key in Category]: `${Key}.${Catalogue[Key][number]}` }[Category] | typeof publish
export type Permissions = { [Key in Category]: Record<Catalogue[Key][number], boolean> } & {
  pages: { publish?: boolean }
}

/** What can make something public: without one of these there is nothing to publish with. */
const publishing: ReadonlySet<string> = new Set<Permission>([
  'files.changeTemplate',
  'files.replace',
  'files.update',
  'pages.changeStatus',
  'pages.changeTemplate',
  'pages.changeTitle',
  'pages.create',
  'pages.update',
])
export const isPublishing = (permission: string) => publishing.has(permission)

/**
 * The role of anonymous clients, whose permissions are in `users/nobody.yml`. Accounts that were created without a role
 * have this name, too, but no permissions.
 */
export const nobody = 'nobody'

/** The scope of a token that sees what visitors see. It cannot be combined with others. */
export const publishedScope = 'published'

/** The setting of a blueprint for an action: a boolean for every role or by role (`*` for all others), or none. */
export type Option = boolean | Readonly<Record<string, boolean>> | null | undefined

/** The role and permissions of a caller, limited to the scopes of the API token if one is used. */
export interface PermissionHolder {
  role: string
  /**
   * Undefined for a role without a blueprint: it has no permissions, even if an option of another blueprint allows
   * them.
   */
  permissions: Permissions | undefined
  scopes?: readonly string[] | undefined
}

/** Whether the role may do this, given the option in the blueprint of the target. The option overrides the role. */
export function decide(
  { role, permissions, scopes }: PermissionHolder,
  permission: Permission,
  option?: Option,
): boolean {
  const [category, action] = permission.split('.') as [Category, string]
  if (!permissions || (scopes && !inScope(scopes, category, action))) return false
  const own = (permissions[category] as Record<string, boolean> | undefined)?.[action]
  return optionForRole(role, option) ?? own ?? permission === publish
}

/** Whether the role has the permission where no option of a blueprint decides. */
export function isGranted(permissions: Permissions, category: string, action: string): boolean {
  const actions = permissions[category as Category] as Record<string, boolean> | undefined
  const own = actions?.[action]
  if (own !== undefined || `${category}.${action}` !== publish) return own === true
  return Object.entries(permissions.pages).some(([name, allowed]) => allowed && publishing.has(`pages.${name}`))
}

/** The value of the option for this role; undefined where the permissions of the role decide. */
export function optionForRole(role: string, option: Option): boolean | undefined {
  if (typeof option !== 'object' || option === null) return option ?? undefined
  const name = Object.hasOwn(option, role) ? role : '*'
  return Object.hasOwn(option, name) ? option[name] : undefined
}

/** Whether the options of a blueprint deny none of these actions to any role. */
export function deniesNobody(options: Readonly<Record<string, Option>>, actions: readonly string[]): boolean {
  return actions.every(action => {
    const option = options[action]
    return typeof option === 'object' && option !== null ? !Object.values(option).includes(false) : option !== false
  })
}

/** All permissions, limited to the scopes of a token, as the API shows them. */
export function permissionsWithin(permissions: Permissions, scopes: readonly string[] | undefined): Permissions {
  if (!scopes) return permissions
  const within = Object.entries(permissions).map(([category, actions]) => [
    category,
    Object.fromEntries(
      Object.entries(actions).map(([action, allowed]) => [action, allowed && inScope(scopes, category, action)]),
    ),
  ])
  const found = Object.fromEntries(within) as Permissions
  // A token that could publish by its other scopes says that it may not.
  const isWithdrawn = isGranted(found, 'pages', 'publish') && !inScope(scopes, 'pages', 'publish')
  return isWithdrawn ? { ...found, pages: { ...found.pages, publish: false } } : found
}

/** Scopes are `*`, `pages.*` and `pages.read`. The caller's own account is the category `user`, not `users`. */
export function inScope(scopes: readonly string[], category: string, action: string): boolean {
  return scopes.some(scope => scope === '*' || scope === `${category}.*` || scope === `${category}.${action}`)
}
