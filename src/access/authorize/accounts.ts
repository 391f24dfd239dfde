import { optionForRole } from '../../blueprints/permissions/permissions.ts'
import { fail } from '../../platform/errors.ts'
import { accountOf, type ActorContext, callerOf } from '../actor.ts'
import {
  type AccountPermission,
  isAllowedOnAccount,
  can,
  canRead,
  denied,
  type DenialKey,
  needsForcedSetup,
} from './authorize.ts'
import { decideOnce } from './decide-once.ts'
import { mustBeFresh } from './fresh.ts'
import { hasAllRightsOf, canAssign } from './roles.ts'
import { templatesMatching } from './templates.ts'

/** What rights over an account depend on. */
export interface AccountRow {
  id: string
  role: string
}

const isOwn = (ctx: ActorContext, { id }: AccountRow) => accountOf(ctx) === id
const optionsOf = ({ app }: ActorContext, { role }: Pick<AccountRow, 'role'>) =>
  app.blueprints.user(role)?.options ?? {}

/** Whether the actor may see the account. During forced setup the own account is visible, whatever the role allows. */
export function canViewAccount(ctx: ActorContext, account: AccountRow): boolean {
  const { access } = optionsOf(ctx, account)
  if (canRead(ctx, 'access.users', access)) return true
  return isOwn(ctx, account) && (needsForcedSetup(ctx) || canRead(ctx, 'access.account', access))
}

/** Whether the actor may know who it is where the account is named, such as in events: its own account always. */
export const canIdentify = (ctx: ActorContext, account: AccountRow): boolean =>
  isOwn(ctx, account) || canViewAccount(ctx, account)

/** Whether the actor may do this to the account; visibility is checked elsewhere. */
export function isAccountActionAllowed(ctx: ActorContext, account: AccountRow, permission: AccountPermission): boolean {
  const target = { options: optionsOf(ctx, account), own: isOwn(ctx, account), accountRole: account.role }
  return isAllowedOnAccount(ctx, permission, target)
}

/**
 * Throws unless the actor may see the account and do this to it. Checked on the locked row: its role may have changed
 * since it was read. During forced setup only the own account may be changed, whatever the role allows.
 */
export function authorizeAccount(
  ctx: ActorContext,
  account: AccountRow,
  permission: AccountPermission,
  refusal?: DenialKey,
): void {
  if (needsForcedSetup(ctx)) {
    if (isOwn(ctx, account)) return
    throw fail('auth.forcedSetup')
  }
  if (!canViewAccount(ctx, account)) throw fail('user.notFound', { name: account.id })
  if (!isAccountActionAllowed(ctx, account, permission)) throw denied(permission, refusal)
}

/** Throws unless it is the actor's own account: only its owner sees new secrets; administrators do not. */
export function mustBeOwn(ctx: ActorContext, account: AccountRow): void {
  if (!isOwn(ctx, account)) throw fail('permission')
}

// ---- roles

/** Whether the actor may create accounts with the role. The blueprint of the role decides. */
export function canCreateAccount(ctx: ActorContext, role: string): boolean {
  const option = ctx.app.blueprints.role(role)?.options['create']
  return canAssign(ctx, role, 'create') && can(ctx, 'users.create', option)
}

/** Throws unless the actor may create an account with the role. An administrator needs a recent sign-in, too. */
export function mustBeAllowedToCreate(ctx: ActorContext, role: string): void {
  if (!canCreateAccount(ctx, role)) throw fail('user.create.permission')
  if (role === 'admin' && !ctx.actor.system) mustBeFresh(callerOf(ctx))
}

/** Whether the actor may give an account with the role `from` another one. */
export function canChangeRole(ctx: ActorContext, from: string, own: boolean): boolean {
  const option = ctx.app.blueprints.role(from)?.options['changeRole']
  return (own || hasAllRightsOf(ctx, from)) && can(ctx, own ? 'user.changeRole' : 'users.changeRole', option)
}

/** Changing a role needs the rights of the former role and of the new one. */
export function roleMustBeAssignable(ctx: ActorContext, account: AccountRow, to: string): void {
  if (!isOwn(ctx, account) && !hasAllRightsOf(ctx, account.role)) throw fail('user.changeRole.permission')
  if (to === account.role || !ctx.app.blueprints.role(to) || canAssign(ctx, to)) return
  if (to === 'admin') throw fail('user.changeRole.toAdmin')
  throw fail('user.changeRole.permission')
}

// ---- lists

export interface VisibleAccounts {
  /** Undefined for every role except those in `except`. */
  roles: readonly string[] | undefined
  except: readonly string[]
  /** The id of the own account, if it is visible whatever its role is. */
  own: string | undefined
}

/** For names that are hidden later, where they are shown. */
export const everyAccount: VisibleAccounts = { roles: undefined, except: [], own: undefined }

export const isRoleVisible = ({ roles, except }: VisibleAccounts, role: string): boolean =>
  roles ? roles.includes(role) : !except.includes(role)

/**
 * The accounts that the actor sees in lists: the role of the actor decides, unless the options `access` and `list` of
 * the blueprint of the listed accounts override it.
 */
export function visibleAccounts(ctx: ActorContext): VisibleAccounts {
  const { app, actor } = ctx
  if (actor.system) return everyAccount
  if (actor.isAnonymous) return { roles: [], except: [], own: undefined }
  const { id, role: ownRole } = actor.user
  const isVisible = (role: string) => {
    const { access, list } = optionsOf(ctx, { role })
    return canRead(ctx, 'access.users', access) && optionForRole(ownRole, list) !== false
  }
  const { filter, canViewOwn } = decideOnce(ctx, 'accounts to list', () => ({
    // `users/default.yml` describes the accounts of roles without a file.
    filter: templatesMatching(app.blueprints.roles(), isVisible),
    canViewOwn: canRead(ctx, 'access.account', optionsOf(ctx, { role: ownRole })['access']),
  }))
  return { roles: filter.templates, except: filter.except, own: canViewOwn ? id : undefined }
}

/**
 * Events reveal who worked when and where: only administrators read those of other accounts. A token needs the scope
 * `access.system`.
 */
export function canReadAllEvents(ctx: ActorContext): boolean {
  const { actor } = ctx
  if (actor.system) return true
  if (actor.isAnonymous) return false
  return actor.user.role === 'admin' && can(ctx, 'access.system')
}
