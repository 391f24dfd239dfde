import { type Category, nobody, type Permissions } from './permissions/permissions.ts'
import { message } from '../platform/texts.ts'
import {
  readCommonSettings,
  inaccessibleBlueprint,
  optionsForAdministrators,
  type BlueprintContext,
} from './common-settings.ts'
import type { Blueprint, RoleBlueprint } from './blueprints.ts'
import { findBlueprintFile } from './extend.ts'
import { parseBlueprintOptions } from './options.ts'
import { capital, words } from './settings.ts'
import { type YamlNode, positionOf, plain, type Plain, type ReportProblem, type BlueprintSettings } from './source.ts'

/** Describes the accounts of roles that have no file of their own. */
const fallback = 'users/default'

/** Undefined without the file. It grants no permissions. */
export function parseUserBlueprint(context: BlueprintContext): Blueprint | undefined {
  if (!context.files.has(fallback)) return undefined
  return readCommonSettings(context, 'users', fallback)?.blueprint ?? inaccessibleBlueprint('users', fallback)
}

/**
 * A role whose file cannot be read has no permissions. `admin` is the exception, so that a typo does not lock
 * administrators out; other roles do not see administrators then. Without a file, `admin` has every permission, and its
 * accounts are described by `users/default.yml`.
 */
export function parseRole(context: BlueprintContext, role: string): RoleBlueprint {
  const name = `users/${role}`
  const isAdmin = role === 'admin'
  const start = context.files.has(name) ? readCommonSettings(context, 'users', name) : undefined
  const shared =
    isAdmin && !context.files.has(name) && context.files.has(fallback)
      ? readCommonSettings(context, 'users', fallback)
      : undefined
  if (shared) {
    const { settings, blueprint } = shared
    return {
      ...blueprint,
      name,
      title: message('role.admin'),
      role,
      description: undefined,
      options: withVisibleProtected(blueprint.options, settings, context.report),
      permissions: context.permissions.all,
      requireSecondFactor: parseSecondFactor(settings.value.get('requireSecondFactor'), context.report),
    }
  }
  if (!start) {
    const title = isAdmin ? message('role.admin') : capital(role)
    const isUnreadable = context.files.has(name) || context.files.has(fallback)
    const plainRole = {
      ...inaccessibleBlueprint('users', name),
      title,
      role,
      description: undefined,
      requireSecondFactor: isUnreadable, // the file may have required it
    }
    return isAdmin
      ? {
          ...plainRole,
          options: isUnreadable
            ? optionsForAdministrators('users')
            : parseBlueprintOptions('users', undefined, context.roles, context.report).options,
          permissions: context.permissions.all,
        }
      : { ...plainRole, permissions: context.permissions.none }
  }
  const { settings, blueprint, description } = start
  // The missing parent may have denied permissions.
  const permissions =
    findBlueprintFile(context, name)?.partial && !isAdmin
      ? context.permissions.none
      : parsePermissions(context, settings)
  return {
    ...blueprint,
    role,
    description,
    options: isAdmin ? withVisibleProtected(blueprint.options, settings, context.report) : blueprint.options,
    permissions: isAdmin ? withProtected(permissions, settings, context.report) : permissions,
    requireSecondFactor: parseSecondFactor(settings.value.get('requireSecondFactor'), context.report),
  }
}

function parsePermissions({ permissions: known, report }: BlueprintContext, settings: BlueprintSettings): Permissions {
  const node = settings.value.get('permissions')
  const { permissions, wrong } = known.from(node && withBooleans(plain(node)))
  for (const { path, message: problem } of wrong) {
    report(
      positionOf(settings, ['permissions', ...path]),
      [...path.slice(-1).map(last => `"${last}":`), problem].join(' '),
    )
  }
  return permissions
}

function withBooleans(value: Plain): Plain {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return words.get(value) ?? value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withBooleans(inner)]))
}

/**
 * Permissions that `admin` cannot lose: sign in and manage accounts. Otherwise a site could lock every account out. So
 * further restrictions of administrators are a convenience, not a security boundary: they can give themselves another
 * role.
 */
const protectedPermissions = {
  access: ['account', 'panel', 'system', 'users'],
  users: ['changePassword', 'changeRole', 'create'],
  user: ['changePassword'],
} as const satisfies Partial<Record<Category, readonly string[]>>

function withProtected(permissions: Permissions, settings: BlueprintSettings, report: ReportProblem): Permissions {
  const rights = Object.fromEntries(
    Object.entries(permissions).map(([category, actions]) => [category, { ...actions }]),
  )
  for (const [category, actions] of Object.entries(protectedPermissions)) {
    for (const action of actions) {
      if (rights[category]![action as never]) continue
      const at = positionOf(settings, ['permissions', category, action])
      report(at, `administrators keep "${category}.${action}": an account must be able to sign in and manage accounts`)
      Object.assign(rights[category]!, { [action]: true })
    }
  }
  return rights as Permissions
}

function withVisibleProtected(
  options: Blueprint['options'],
  settings: BlueprintSettings,
  report: ReportProblem,
): Blueprint['options'] {
  const { access } = options
  const option = typeof access === 'object' && access !== null ? (access['admin'] ?? access['*']) : access
  if (option !== false) return options
  report(positionOf(settings, ['options', 'access']), 'administrators can always see themselves')
  return { ...options, access: { ...(typeof access === 'object' ? access : { '*': false }), admin: true } }
}

/** An invalid value counts as `true`, the safe choice. */
function parseSecondFactor(node: YamlNode | undefined, report: ReportProblem): boolean {
  const value = words.get(node?.value) ?? node?.value ?? false
  if (!node || typeof value === 'boolean') return value === true
  report(node.at, '"requireSecondFactor" must be true or false; until then it is true')
  return true
}

/**
 * What anonymous clients may read, by `users/nobody.yml`; undefined without the file. Without `permissions` they may
 * read what is published. A file that cannot be read allows nothing.
 */
export function parseNobody(context: BlueprintContext): Permissions | undefined {
  const name = `users/${nobody}`
  if (!context.files.has(name)) return undefined
  const start = readCommonSettings(context, 'users', name)
  if (!start || findBlueprintFile(context, name)?.partial) return context.permissions.none
  const { settings, report } = { ...start, report: context.report }
  for (const [setting, { at }] of settings.value)
    if (!settingsOfNobody.has(setting)) report(at, `"${setting}" has no effect here: anonymous clients have no account`)
  reportUnreadable(settings, report)
  return parsePermissions(context, settings)
}

const settingsOfNobody = new Set(['title', 'description', 'permissions', 'extends'])

/** Reports permissions that anonymous clients never get. */
function reportUnreadable(settings: BlueprintSettings, report: ReportProblem): void {
  const node = settings.value.get('permissions')
  const given = node && withBooleans(plain(node))
  if (typeof given !== 'object' || given === null) return
  for (const [category, actions] of Object.entries(given)) {
    if (typeof actions !== 'object' || actions === null) continue
    for (const [action, value] of Object.entries(actions)) {
      const isReading = readable[category]?.includes(action) ?? false
      if (value === true && action !== '*' && !isReading)
        report(
          positionOf(settings, ['permissions', category, action]),
          `anonymous clients never have "${category}.${action}": they can only read`,
        )
    }
  }
}

const readable: Readonly<Record<string, readonly string[]>> = {
  access: ['site', 'languages'],
  files: ['access', 'list', 'read'],
  pages: ['access', 'list', 'read'],
}
