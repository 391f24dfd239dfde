import { optionForRole, type Option, type Permission } from '../../blueprints/permissions/permissions.ts'
import { fail } from '../../platform/errors.ts'
import type { ActorContext } from '../actor.ts'
import { allowed, can, canSee, denied } from './authorize.ts'

/** An action that the permissions of files and the options of their blueprints know. */
export type FileAction = Permission extends infer Name ? (Name extends `files.${infer Action}` ? Action : never) : never

type Templated = { template: string | null }

const optionsOf = ({ app }: ActorContext, { template }: Templated) => app.blueprints.file(template ?? 'default').options

/** Whether the actor may see files of this template. */
export function seesFile(ctx: ActorContext, file: Templated): boolean {
  return isFileVisible(ctx, optionsOf(ctx, file))
}

function isFileVisible(ctx: ActorContext, { access, read }: Readonly<Record<string, Option>>): boolean {
  return canSee(ctx, 'files.access', access) && canSee(ctx, 'files.read', read)
}

/** Whether it is shown in lists. */
export function isListableFile(ctx: ActorContext, file: Templated): boolean {
  const options = optionsOf(ctx, file)
  return isFileVisible(ctx, options) && canSee(ctx, 'files.list', options['list'])
}

/** Whether the actor may do this to files of this template; visibility is checked elsewhere. */
export function isFileActionAllowed(ctx: ActorContext, action: FileAction, file: Templated): boolean {
  return allowed(ctx, `files.${action}`, { options: optionsOf(ctx, file) })
}

/** Sorting needs the permission to update, unless the blueprint denies it by itself. */
export function maySortFile(ctx: ActorContext, file: Templated): boolean {
  const { update, sort } = optionsOf(ctx, file)
  if (ctx.actor.system) return true
  if (ctx.actor.isStranger) return false
  return can(ctx, 'files.update', update) && optionForRole(ctx.actor.user.role, sort) !== false
}

/** Throws unless the actor may see the file and do this to it. Checked on the locked row: its template may change. */
export function authorizeFile(
  ctx: ActorContext,
  file: Templated & { uuid: string },
  actions: readonly FileAction[],
): void {
  if (!seesFile(ctx, file)) throw fail('file.notFound', { filename: `file://${file.uuid}` })
  for (const action of actions) if (!isFileActionAllowed(ctx, action, file)) throw denied(`files.${action}`)
}
