/** Every permission, by category. Endpoints use the same names. */
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

type Catalogue = typeof catalogue
export type Category = keyof Catalogue
export type Permission = { [Key in Category]: `${Key}.${Catalogue[Key][number]}` }[Category]
export type Permissions = { [Key in Category]: Record<Catalogue[Key][number], boolean> }

const categories = Object.keys(catalogue) as Category[]

/** The name of the role of strangers. No account can have it. */
export const nobody = 'nobody'

/** The scope of a token that sees what visitors see. It cannot be combined with others. */
export const publishedScope = 'published'

/** The permissions of a role whose blueprint sets none: all of them. */
export const allPermissions = allowing(() => true)
/** The permissions of a role without a blueprint: none. */
export const noPermissions = allowing(() => false)

/** An invalid setting: its path and what is wrong with it. */
export interface WrongSetting {
  path: string[]
  message: string
}

/**
 * Reads the permissions of a role from its blueprint: a whole category (`pages: false`) or action by action, with `*`
 * for all; later settings override earlier ones. Actions that are not mentioned are allowed.
 */
export function permissionsFrom(settings: unknown): { permissions: Permissions; wrong: WrongSetting[] } {
  if (settings === undefined || settings === null || settings === true)
    return { permissions: allPermissions, wrong: [] }
  if (settings === false) return { permissions: noPermissions, wrong: [] }
  const wrong: WrongSetting[] = []
  const refuse = (path: string[], message: string) => void wrong.push({ path, message })
  if (typeof settings !== 'object' || Array.isArray(settings)) {
    refuse([], 'permissions are true, false, or a list of categories such as "pages"')
    return { permissions: noPermissions, wrong }
  }
  const rights = new Map(categories.map(category => [category, fresh(category, true)]))
  for (const [category, value] of Object.entries(settings)) {
    if (category === '*') {
      if (typeof value !== 'boolean') refuse([category], 'must be true or false')
      for (const name of categories) rights.set(name, fresh(name, value === true))
    } else if (isCategory(category)) {
      rights.set(category, actionsFrom(category, rights.get(category)!, value, refuse))
    } else refuse([category], `there is no category "${category}"; there are ${categories.join(', ')}`)
  }
  return { permissions: allowing((category, action) => rights.get(category)!.get(action)!), wrong }
}

function actionsFrom(
  category: Category,
  before: Map<string, boolean>,
  value: unknown,
  refuse: (path: string[], message: string) => void,
): Map<string, boolean> {
  if (typeof value === 'boolean') return fresh(category, value)
  const rights = new Map(before)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    refuse([category], 'must be true, false, or a list of actions')
    return fresh(category, false) // a mistyped restriction must not become a permission
  }
  for (const [action, allowed] of Object.entries(value)) {
    const names = action === '*' ? [...rights.keys()] : rights.has(action) ? [action] : []
    if (names.length === 0)
      refuse([category, action], `there is no action "${action}"; there are ${[...rights.keys()].join(', ')}`)
    else if (typeof allowed !== 'boolean') refuse([category, action], 'must be true or false')
    for (const name of names) rights.set(name, allowed === true)
  }
  return rights
}

const fresh = (category: Category, allowed: boolean) =>
  new Map<string, boolean>(catalogue[category].map(action => [action, allowed]))

const isCategory = (name: string): name is Category => Object.hasOwn(catalogue, name)

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
  return optionForRole(role, option) ?? (permissions[category] as Record<string, boolean>)[action] === true
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
  return allowing(
    (category, action) =>
      (permissions[category] as Record<string, boolean>)[action] === true && inScope(scopes, category, action),
  )
}

/** Scopes are `*`, `pages.*` and `pages.read`. The caller's own account is the category `user`, not `users`. */
export function inScope(scopes: readonly string[], category: string, action: string): boolean {
  return scopes.some(scope => scope === '*' || scope === `${category}.*` || scope === `${category}.${action}`)
}

/** Every valid scope, to validate the scopes of a new token. */
export const scopes: readonly string[] = [
  '*',
  ...categories.flatMap(category => [`${category}.*`, ...catalogue[category].map(action => `${category}.${action}`)]),
]

function allowing(rule: (category: Category, action: string) => boolean): Permissions {
  return Object.freeze(
    Object.fromEntries(
      categories.map(category => [
        category,
        Object.freeze(Object.fromEntries(catalogue[category].map(action => [action, rule(category, action)]))),
      ]),
    ),
  ) as Permissions
}
