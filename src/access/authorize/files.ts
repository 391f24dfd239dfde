import { optionForRole, type Option, type Permission } from '../../blueprints/permissions/permissions.ts'
import { fail } from '../../platform/errors.ts'
import { type Asking, isSystem } from '../actor.ts'
import { allowed, can, canSee, denied } from './authorize.ts'

/** An action that the permissions of files and the options of their blueprints know. */
export type FileAction = Permission extends infer Name ? (Name extends `files.${infer Action}` ? Action : never) : never

type Templated = { template: string | null }

const optionsOf = ({ app }: Asking, { template }: Templated) => app.blueprints.file(template ?? 'default').options

/** Whether the actor may see files of this template. */
export function seesFile(asking: Asking, file: Templated): boolean {
  return isVisible(asking, optionsOf(asking, file))
}

function isVisible(asking: Asking, { access, read }: Readonly<Record<string, Option>>): boolean {
  return canSee(asking, 'files.access', access) && canSee(asking, 'files.read', read)
}

/** Whether it is shown in lists. */
export function isListableFile(asking: Asking, file: Templated): boolean {
  const options = optionsOf(asking, file)
  return isVisible(asking, options) && canSee(asking, 'files.list', options['list'])
}

/** Whether the actor may do this to files of this template; what they may not see is not asked here. */
export function mayOnFile(asking: Asking, action: FileAction, file: Templated): boolean {
  return allowed(asking, `files.${action}`, { options: optionsOf(asking, file) })
}

/** Sorting needs the permission to update, unless the blueprint denies it by itself. */
export function maySortFile(asking: Asking, file: Templated): boolean {
  const { update, sort } = optionsOf(asking, file)
  if (isSystem(asking.actor)) return true
  return can(asking, 'files.update', update) && optionForRole(asking.actor.user.role, sort) !== false
}

/** Throws unless the actor may see the file and do this to it. Asked on the locked row: its template may change. */
export function fileMustBeAllowed(
  asking: Asking,
  file: Templated & { uuid: string },
  actions: readonly FileAction[],
): void {
  if (!seesFile(asking, file)) throw fail('file.notFound', { filename: `file://${file.uuid}` })
  for (const action of actions) if (!mayOnFile(asking, action, file)) throw denied(`files.${action}`)
}
