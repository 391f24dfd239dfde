import type { Caller } from '../session/identify.ts'

/** Everything a role may be allowed. The words are those of the endpoints. */
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

const everything = allowing(() => true)
const nothing = allowing(() => false)

/** Administrators may everything; a role that nobody described may nothing. */
export function permissionsOf(role: string): Permissions {
  return role === 'admin' ? everything : nothing
}

/** What this caller may now: the role's rights, cut down to the scopes of the API token if it came by one. */
export function permissionsOfCaller({ user, token }: Caller): Permissions {
  const rights = permissionsOf(user.role)
  if (!token) return rights
  return allowing((category, action) => {
    const ofRole = rights[category] as Record<string, boolean>
    return ofRole[action] === true && inScope(token.scopes, category, action)
  })
}

export function can(caller: Caller, permission: Permission): boolean {
  const [category, action] = permission.split('.') as [Category, string]
  return (permissionsOfCaller(caller)[category] as Record<string, boolean>)[action] === true
}

function inScope(scopes: string[], category: string, action: string): boolean {
  return scopes.some(scope => scope === '*' || scope === `${category}.*` || scope === `${category}.${action}`)
}

function allowing(rule: (category: Category, action: string) => boolean): Permissions {
  const categories = Object.keys(catalogue) as Category[]
  return Object.freeze(
    Object.fromEntries(
      categories.map(category => [
        category,
        Object.freeze(Object.fromEntries(catalogue[category].map(action => [action, rule(category, action)]))),
      ]),
    ),
  ) as Permissions
}
