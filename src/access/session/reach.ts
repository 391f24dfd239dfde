import type { App } from '../../app.ts'
import type { Blueprint, Blueprints } from '../../blueprints/blueprints.ts'
import {
  catalogue,
  type Category,
  decide,
  type Option,
  type Permission,
  saidTo,
} from '../../blueprints/permissions/permissions.ts'
import type { Caller } from './identify.ts'
import { isWithinScopes } from './rights.ts'

/** A permission: wherever no blueprint decides about it, or where one does. */
interface Right {
  permission: Permission
  /** Which option of which blueprint decides. */
  decidedBy?: string
  option?: Option
}

/** Every right there is on this site. */
function* everyRight(blueprints: Blueprints): Generator<Right> {
  for (const [category, actions] of Object.entries(catalogue)) {
    for (const action of actions) yield { permission: `${category}.${action}` as Permission }
  }
  for (const [category, { name, options }] of blueprintsOf(blueprints)) {
    for (const [action, option] of Object.entries(options)) {
      if (option !== null && option !== undefined)
        yield { permission: permissionFor(category, action), decidedBy: `${name}/${action}`, option }
    }
  }
}

function* blueprintsOf(all: Blueprints): Generator<[Category, Blueprint]> {
  yield ['site', all.site()]
  for (const template of all.templates('pages')) yield ['pages', all.page(template)]
  for (const template of all.templates('files')) yield ['files', all.file(template)]
  for (const role of all.roles()) yield ['users', all.role(role)!]
}

/** What an option decides about. Whether an account is seen, and seen in lists, is the permission `access.users`. */
function permissionFor(category: Category, action: string): Permission {
  if ((catalogue[category] as readonly string[]).includes(action)) return `${category}.${action}` as Permission
  return category === 'users' ? 'access.users' : category === 'site' ? 'access.site' : `${category as 'pages'}.access`
}

/** Only administrators read the events of all accounts. No permission stands for that, so nobody else has this right. */
const administration = 'administration'

interface Cache {
  version: number
  roles: Map<string, ReadonlyMap<string, string>>
}
const caches = new WeakMap<Blueprints, Cache>()

/** All rights of a role, with the permission that each belongs to. Administrators have every right there is. */
function rightsOf({ blueprints }: App, role: string): ReadonlyMap<string, string> {
  let cache = caches.get(blueprints)
  if (cache?.version !== blueprints.version)
    caches.set(blueprints, (cache = { version: blueprints.version, roles: new Map() }))
  let rights = cache.roles.get(role)
  if (!rights) {
    const isAdmin = role === 'admin'
    const asker = { role, permissions: blueprints.role(role)?.permissions }
    const held = [...everyRight(blueprints)]
      .filter(({ permission, option }) => isAdmin || decide(asker, permission, option))
      .map(({ permission, decidedBy }): [string, string] => [decidedBy ?? permission, permission])
    rights = new Map(isAdmin ? [...held, [administration, administration]] : held)
    cache.roles.set(role, rights)
  }
  return rights
}

/** Which rights are compared: all, or only those over accounts. */
type Kind = 'all' | 'accounts'

const isOverAccounts = (permission: string) => permission.startsWith('users.') || permission === administration

/**
 * Whether the caller has every right of a role: by the own role, and within the scopes of the API token. Only then may the
 * caller give the role, or decide how accounts of it sign in: whoever signs in as somebody else has their rights.
 */
export function reaches(app: App, { user, token }: Asking, role: string, kind: Kind = 'all'): boolean {
  const own = rightsOf(app, user.role)
  const includesAll = rightsOf(app, role)
    .entries()
    .filter(([, permission]) => kind === 'all' || isOverAccounts(permission))
    .every(([right]) => own.has(right) || own.has(overOthers(right)))
  return includesAll && isInScope(app, token?.scopes, role)
}

type Asking = Pick<Caller, 'user' | 'token'>

/** What somebody may do to their own account is no more than what others may do to it. */
function overOthers(right: string): string {
  return right === 'access.account' ? 'access.users' : right.replace(/^user\./, 'users.')
}

/** Whether the scopes of a token name every right of a role; without a token there is no such limit. */
export function isInScope(app: App, scopes: readonly string[] | undefined, role: string): boolean {
  if (!scopes) return true
  const isNamed = (permission: string) => permission === 'access.panel' || isWithinScopes(scopes, permission)
  return rightsOf(app, role)
    .values()
    .every(permission => isNamed(permission) || isNamed(overOthers(permission)))
}

/** Nobody becomes somebody else by these. */
const harmless: ReadonlySet<string> = new Set<Permission>(['users.changeLanguage', 'users.changeName', 'users.update'])

/**
 * Whether the caller may use a permission on another account of this role; whether they have it is asked beside this. For
 * what cannot lead to the rights of the account, it is enough to have its rights over accounts, or to be named by the
 * option of its blueprint, and the scopes of a token need not name them.
 */
export function mayManage(app: App, caller: Caller, permission: Permission, role: string, option?: Option): boolean {
  if (!harmless.has(permission)) return reaches(app, caller, role)
  const { user } = caller
  return saidTo(user.role, option) === true || reaches(app, { user }, role, 'accounts')
}
