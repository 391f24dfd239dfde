import type { App } from '../../app.ts'
import { type ApiError, type ErrorKey, errors, fail } from '../../platform/errors.ts'
import { type Actor, actingRole, type ActorContext, type Caller, type Anonymous } from '../actor.ts'
import { lacksSecondFactor } from '../session/sessions.ts'
import { canManage } from './roles.ts'
import { type ImpliedReadPermission, scopesImply, anonymousPermissions } from './scopes.ts'
import {
  catalogue,
  type Category,
  decide,
  nobody,
  type Option,
  optionForRole,
  type Permission,
  type Permissions,
  permissionsWithin,
} from '../../blueprints/permissions/permissions.ts'

/** The permissions of a role; none if the role has no blueprint. */
export function permissionsOf(app: App, role: string): Permissions {
  return app.blueprints.role(role)?.permissions ?? app.permissions.none
}

/** The permissions of the caller: those of the role, limited to the scopes of the API token, if there is one. */
export function permissionsOfCaller(app: App, { user, token }: Caller): Permissions {
  return permissionsWithin(permissionsOf(app, user.role), token?.scopes)
}

/** Whether the actor has the permission, on a target whose blueprint sets `option` for this action. */
export function can({ app, actor }: ActorContext, permission: Permission, option?: Option): boolean {
  if (actor.system) return true
  if (actor.isAnonymous) return anonymousCan(app, actor, permission, option)
  const { user, token } = actor
  const permissions = app.blueprints.role(user.role)?.permissions
  return decide({ role: user.role, permissions, scopes: token?.scopes }, permission, option)
}

/**
 * What anonymous clients may read. An option that names `nobody` overrides it; an option for all roles can only deny.
 */
function anonymousCan(app: App, { owner, pass }: Anonymous, permission: Permission, option: Option): boolean {
  if (!anonymousPermissions.has(permission)) return false
  // Tokens and passes also open a site that is closed to others, and show what `nobody.yml` allows.
  const permissions = owner || pass ? (app.blueprints.nobody() ?? app.permissions.all) : permissionsOfAnonymous(app)
  const [category, action] = permission.split('.') as [Category, string]
  const isNamed = typeof option === 'object' && option !== null && Object.hasOwn(option, nobody)
  const isGranted = isNamed
    ? option[nobody] === true
    : optionForRole(nobody, option) !== false && (permissions?.[category] as Record<string, boolean>)?.[action] === true
  if (!isGranted || owner === undefined || permission === 'access.languages') return isGranted
  return can({ app, actor: ownerWithoutToken(owner) }, permission, option)
}

/** Undefined if anonymous clients may read nothing. `api.public: false` closes the site whatever `nobody.yml` says. */
export function permissionsOfAnonymous({ config, blueprints, permissions }: App): Permissions | undefined {
  const { public: isPublic } = config.api
  if (isPublic === false) return undefined
  return blueprints.nobody() ?? (isPublic ? permissions.all : undefined)
}

function ownerWithoutToken(caller: Caller): Caller {
  const { token: _, ...owner } = caller
  return owner
}

/** A token with any `files.*` scope may read the parent of a file if its owner may. */
export function contextForFileParent<Ctx extends { actor: Actor }>(ctx: Ctx): Ctx {
  if (ctx.actor.system || ctx.actor.isAnonymous) return ctx
  const { token, ...owner } = ctx.actor
  return token?.scopes.some(scope => scope.startsWith('files.')) === true ? { ...ctx, actor: owner } : ctx
}

/**
 * Like `can`, for read permissions: a token with any scope of the category in `readScopePrefixes` may read what its
 * owner may.
 */
export function canRead(ctx: ActorContext, permission: ImpliedReadPermission, option?: Option): boolean {
  const { app, actor } = ctx
  if (actor.system || actor.isAnonymous || !actor.token || !scopesImply(actor.token.scopes, permission))
    return can(ctx, permission, option)
  const { token: _, ...owner } = actor
  return can({ app, actor: owner }, permission, option)
}

/** Whether the actor may see the content and files of the site. */
export function canViewSite(ctx: ActorContext): boolean {
  return canRead(ctx, 'access.site', ctx.app.blueprints.site().options['access'])
}

/** Whether the actor may do this to the site. Options without a permission, such as `access`, decide by themselves. */
export function isSiteActionAllowed(ctx: ActorContext, action: string): boolean {
  const { options } = ctx.app.blueprints.site()
  return (catalogue.site as readonly string[]).includes(action)
    ? isAllowed(ctx, `site.${action}` as ContentPermission, { options })
    : optionForRole(actingRole(ctx), options[action]) !== false
}

/** The existence of the site is no secret, so missing access is 403, not 404. */
export function siteMustBeVisible(ctx: ActorContext): void {
  if (!canViewSite(ctx)) throw fail('site.access.permission')
}

/** What a permission is checked on. The options of its blueprint override the permissions of the role. */
export interface PermissionTarget {
  options: Readonly<Record<string, Option>>
}

/** On the actor's own account the permissions `user.*` apply, on others `users.*` and `canManage`. */
export interface AccountTarget extends PermissionTarget {
  own: boolean
  accountRole: string
}

/** The permissions over accounts; those over the own account have the same names. */
export type AccountPermission = Extract<Permission, `users.${string}`>

/** The permissions on pages, files and the site, whose blueprints can override them. */
export type ContentPermission = Extract<Permission, `${'files' | 'pages' | 'site'}.${string}`>

/** The permissions that only the role decides. */
export type RolePermission = Exclude<Permission, AccountPermission | ContentPermission>

/** What the permission of an endpoint is checked on. */
export type TargetOf<Level> = Level extends AccountPermission
  ? AccountTarget
  : Level extends ContentPermission
    ? PermissionTarget
    : unknown

const isAccountPermission = (permission: Permission): permission is AccountPermission => permission.startsWith('users.')
const isContentPermission = (permission: Permission): permission is ContentPermission =>
  /^(?:files|pages|site)\./.test(permission)

/** For what belongs to no single blueprint: only the role decides. */
export const noOptions: PermissionTarget = Object.freeze({ options: {} })

/** Whether the actor has the permission on the target. */
export function isAllowed(ctx: ActorContext, permission: RolePermission): boolean
export function isAllowed(ctx: ActorContext, permission: ContentPermission, target: PermissionTarget): boolean
export function isAllowed(
  ctx: ActorContext,
  permission: ContentPermission | RolePermission,
  target = noOptions,
): boolean {
  return can(ctx, permission, optionOf(permission, target))
}

/** Whether the actor has the permission on the account. */
export function isAllowedOnAccount(ctx: ActorContext, permission: AccountPermission, target: AccountTarget): boolean {
  const option = optionOf(permission, target)
  if (target.own) return can(ctx, permission.replace('users.', 'user.') as Permission, option)
  return canManage(ctx, permission, target.accountRole, option) && can(ctx, permission, option)
}

const optionOf = (permission: Permission, { options }: PermissionTarget) =>
  options[permission.slice(permission.indexOf('.') + 1)]

/** Throws unless the actor has the permission on the target. */
export function mustBeAllowed(ctx: ActorContext, permission: RolePermission): void
export function mustBeAllowed(
  ctx: ActorContext,
  permission: ContentPermission,
  target: PermissionTarget,
  refusal?: DenialKey,
): void
export function mustBeAllowed(
  ctx: ActorContext,
  permission: ContentPermission | RolePermission,
  target = noOptions,
  refusal?: DenialKey,
): void {
  if (!can(ctx, permission, optionOf(permission, target))) throw denied(permission, refusal)
}

/**
 * The error of this permission, such as `user.changeName.permission`, or `permission` if there is none. `refusal`
 * replaces it.
 */
export function denied(permission: Permission, refusal?: DenialKey): ApiError {
  if (refusal) return fail(refusal)
  const [category, action] = permission.split('.') as [string, string]
  const key = `${category.replace(/s$/, '')}.${action}.permission`
  return fail(isErrorKey(key) ? key : 'permission')
}

/** The key of an error for a missing permission. */
export type DenialKey = Extract<ErrorKey, `${string}.permission`>
const isErrorKey = (key: string): key is DenialKey => Object.hasOwn(errors, key)

/** The account must set a password or a second factor before it may do anything else. */
export function needsForcedSetup({ app, actor }: ActorContext): boolean {
  return (
    !actor.system && !actor.isAnonymous && (actor.user.must_change_password === 1 || lacksSecondFactor(app, actor.user))
  )
}

/**
 * What an endpoint requires. `public`: nothing. `reader`: an account, or an anonymous client on a site that anonymous
 * clients may read. `session`: an account, by session, API token or Basic credentials. A permission: an account that
 * has it on the target.
 */
export type Access = 'public' | 'reader' | 'session' | Permission

/** Throws unless the actor has the permission of the endpoint on the target. */
export function authorize(
  app: App,
  { access, duringForcedSetup }: { access: Access; duringForcedSetup?: true },
  actor: Actor | undefined,
  target: Partial<AccountTarget> = {},
): void {
  const { own } = target
  const isForced = own !== undefined && actor !== undefined && needsForcedSetup({ app, actor })
  if (isForced && !own) throw fail('auth.forcedSetup')
  if (access === 'public' || access === 'reader' || access === 'session') return
  // Forced setup must be possible whatever the role allows.
  if (isForced && duringForcedSetup) return
  if (!actor || !hasPermission({ app, actor }, access, target)) throw denied(access)
}

/** Denied if the target lacks what the permission depends on. */
function hasPermission(
  ctx: ActorContext,
  permission: Permission,
  { options, own, accountRole }: Partial<AccountTarget>,
): boolean {
  if (isAccountPermission(permission))
    return (
      options !== undefined &&
      own !== undefined &&
      accountRole !== undefined &&
      isAllowedOnAccount(ctx, permission, { options, own, accountRole })
    )
  if (isContentPermission(permission)) return options !== undefined && isAllowed(ctx, permission, { options })
  return isAllowed(ctx, permission)
}
