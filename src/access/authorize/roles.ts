import type { App } from '../../app.ts'
import type { Blueprint, Blueprints } from '../../blueprints/blueprints.ts'
import {
  catalogue,
  type Category,
  decide,
  impliedActions,
  isPublishing,
  type Option,
  type Permission,
  optionForRole,
} from '../../blueprints/permissions/permissions.ts'
import type { ActorContext, Caller } from '../actor.ts'
import { isWithinScopes } from './scopes.ts'

/** A permission in general, or on targets of one blueprint that sets an option for it. */
interface Right {
  permission: Permission
  /** Blueprint and option that decide, as `name/action`. */
  decidedBy?: string
  option?: Option
}

/** Every right that can exist on this site. */
function* everyRight({ blueprints, permissions }: App): Generator<Right> {
  for (const [category, actions] of Object.entries(permissions.categories)) {
    for (const action of [...actions, ...(impliedActions[category] ?? [])])
      yield { permission: `${category}.${action}` as Permission }
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

/**
 * The permission that an option overrides. Options outside the catalogue decide about visibility: `access.users` for
 * accounts, `access.site` for the site, `pages.access` and `files.access` for the rest.
 */
function permissionFor(category: Category, action: string): Permission {
  const isKnown = [...catalogue[category], ...(impliedActions[category] ?? [])].includes(action)
  if (isKnown) return `${category}.${action}` as Permission
  return category === 'users' ? 'access.users' : category === 'site' ? 'access.site' : `${category as 'pages'}.access`
}

/**
 * Reading the audit events of all accounts is reserved for administrators. It has no permission, so this pseudo-right
 * represents it.
 */
const administration = 'administration'

interface Cache {
  version: number
  roles: Map<string, ReadonlyMap<string, string>>
}
const caches = new WeakMap<Blueprints, Cache>()

/**
 * All rights of a role, each with its permission. Administrators have every right. Cached until the blueprints change.
 */
function rightsOf(app: App, role: string): ReadonlyMap<string, string> {
  const { blueprints } = app
  let cache = caches.get(blueprints)
  if (cache?.version !== blueprints.version)
    caches.set(blueprints, (cache = { version: blueprints.version, roles: new Map() }))
  let rights = cache.roles.get(role)
  if (!rights) {
    const isAdmin = role === 'admin'
    const holder = { role, permissions: blueprints.role(role)?.permissions }
    const decided = [...everyRight(app)].filter(
      ({ permission, option }) => isAdmin || decide(holder, permission, option),
    )
    const isPublisher = decided.some(({ permission }) => isPublishing(permission))
    const held = decided
      .filter(({ permission }) => isPublisher || permission !== 'pages.publish')
      .map(({ permission, decidedBy }): [string, string] => [decidedBy ?? permission, permission])
    rights = new Map(isAdmin ? [...held, [administration, administration]] : held)
    cache.roles.set(role, rights)
  }
  return rights
}

/** Compares all rights, or only those over accounts. */
type ComparedRights = 'all' | 'accounts'

const isOverAccounts = (permission: string) => permission.startsWith('users.') || permission === administration

/**
 * Whether the actor has every right of `role`, by their own role and within the scopes of the API token. Only then may
 * the actor assign the role or change how its accounts sign in: otherwise signing in as such an account would escalate
 * privileges.
 */
export function hasAllRightsOf({ app, actor }: ActorContext, role: string): boolean {
  return actor.system !== undefined || (!actor.isAnonymous && includesRights(app, actor, role, 'all'))
}

function includesRights(
  app: App,
  { user, token }: Pick<Caller, 'user' | 'token'>,
  role: string,
  kind: ComparedRights,
): boolean {
  const own = rightsOf(app, user.role)
  const includesAll = rightsOf(app, role)
    .entries()
    .filter(([, permission]) => kind === 'all' || isOverAccounts(permission))
    .every(([right]) => own.has(right) || own.has(overOthers(right)))
  return includesAll && isInScope(app, token?.scopes, role)
}

/** A right over one's own account (`user.*`) is covered by the same right over other accounts (`users.*`). */
function overOthers(right: string): string {
  return right === 'access.account' ? 'access.users' : right.replace(/^user\./, 'users.')
}

/** Whether the scopes of a token include every right of a role; always true without a token. */
function isInScope(app: App, scopes: readonly string[] | undefined, role: string): boolean {
  if (!scopes) return true
  const isNamed = (permission: string) => permission === 'access.panel' || isWithinScopes(scopes, permission)
  return rightsOf(app, role)
    .values()
    .every(permission => isNamed(permission) || isNamed(overOthers(permission)))
}

/** Permissions that cannot be used to sign in as the other account. */
const safePermissions: ReadonlySet<string> = new Set<Permission>([
  'users.changeLanguage',
  'users.changeName',
  'users.update',
])

/**
 * Whether the actor may use the permission on another account of this role; the permission itself is checked
 * separately. Permissions in `safePermissions` cannot lead to the rights of the account, so it is enough to have its
 * rights over accounts or to be allowed by the option of its blueprint; the scopes of a token are not compared with the
 * role then.
 */
export function canManage(ctx: ActorContext, permission: Permission, role: string, option?: Option): boolean {
  const { app, actor } = ctx
  if (actor.system) return true
  if (actor.isAnonymous) return false
  if (!safePermissions.has(permission)) return hasAllRightsOf(ctx, role)
  const { user } = actor
  return optionForRole(user.role, option) === true || includesRights(app, { user }, role, 'accounts')
}

/**
 * Whether the actor may give the role, to others or to themselves. It must have no permissions that the actor does not
 * have, unless the option `create` of its blueprint allows it to the actor's role. The scopes of an API token limit
 * both cases.
 */
export function canAssign(ctx: ActorContext, role: string, action?: 'create'): boolean {
  const { app, actor } = ctx
  if (actor.system) return true
  if (actor.isAnonymous) return false
  const option = action !== undefined && role !== 'admin' ? app.blueprints.role(role)?.options[action] : undefined
  const isNamed = optionForRole(actor.user.role, option) === true
  return isNamed ? isInScope(app, actor.token?.scopes, role) : hasAllRightsOf(ctx, role)
}
