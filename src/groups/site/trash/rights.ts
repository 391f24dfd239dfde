import { isListable as isListableFile, isVisible as isVisibleFile } from '../../files/target.ts'
import { allowed } from '../../../http/authenticate.ts'
import type { RequestContext } from '../../../http/context.ts'
import { blueprintOf } from '../../pages/pages.ts'
import { mayCreate, mayCreateFile, mayDelete, mayDeleteFile } from '../../pages/rights.ts'
import { isListable, isVisible } from '../../pages/target.ts'
import { mayGive } from '../../roles/roles.ts'
import { reachingFiles } from '../../../access/session/rights.ts'
import type { Database } from '../../../platform/store/schema.ts'
import { visibleTo } from '../../users/target.ts'
import { isOpen } from '../target.ts'
import type { Names, Visible } from './queries.ts'

type Asking = Pick<RequestContext, 'app' | 'caller'>
type Template = Pick<Database['trash_templates'], 'kind' | 'template'>

const rolesOf = ({ app }: Asking, role: string) => ({ options: app.blueprints.role(role)?.options ?? {} })

const mayCreateUser = (asking: Asking, role: string) =>
  mayGive(asking.app, asking.caller, role, 'create') &&
  allowed(asking.app, asking.caller, 'users.create', rolesOf(asking, role))

const mayDeleteUser = (asking: Asking, role: string) =>
  allowed(asking.app, asking.caller, 'users.delete', { ...rolesOf(asking, role), accountRole: role })

/** Restoring needs the permissions to create everything in the entry. */
export function mayRestore(asking: Asking, templates: readonly Template[]): boolean {
  return templates.every(({ kind, template }) => {
    if (kind === 'page') return mayCreate(asking)({ template })
    if (kind === 'file') return mayCreateFile(asking)({ template })
    return kind !== 'user' || mayCreateUser(asking, template)
  })
}

export function mayPurge(asking: Asking, templates: readonly Template[]): boolean {
  return templates.every(({ kind, template }) => {
    if (kind === 'page') return mayDelete(asking)({ template })
    if (kind === 'file') return mayDeleteFile(asking)({ template })
    return kind !== 'user' || mayDeleteUser(asking, template)
  })
}

/**
 * An entry is visible to callers who could see everything in it at its former location, and who may restore or purge
 * it. With `listed`, the permission to list counts instead of the permission to see.
 */
export function visibleEntries(ctx: Asking, { listed }: { listed: boolean }): Visible {
  const { app, caller } = ctx
  const seesPage = (template: string) =>
    (listed ? isListable : isVisible)(app, caller, blueprintOf(app, { template }).options)
  const seesFile = (template: string) => (listed ? isListableFile : isVisibleFile)(app, caller, { template })
  const users = visibleTo(app, caller)
  const seesRole = (role: string) => (users.roles ? users.roles.includes(role) : !users.except.includes(role))
  const page = (template: string) =>
    seesPage(template) && (mayCreate(ctx)({ template }) || mayDelete(ctx)({ template }))
  const file = (template: string) =>
    seesFile(template) && (mayCreateFile(ctx)({ template }) || mayDeleteFile(ctx)({ template }))
  const user = (role: string) => seesRole(role) && (mayCreateUser(ctx, role) || mayDeleteUser(ctx, role))
  const around = reachingFiles(ctx)
  return {
    page: namesThat(app.blueprints.templates('pages'), 'default', page),
    file: namesThat(app.blueprints.templates('files'), 'default', file),
    user: namesThat(app.blueprints.roles(), '', user),
    inPage: namesThat(app.blueprints.templates('pages'), 'default', template =>
      isVisible(app, around.caller, blueprintOf(app, { template }).options),
    ),
    inUser: namesThat(app.blueprints.roles(), '', seesRole),
    inSite: isOpen(around),
  }
}

/** Names without a blueprint are treated like `other`. */
function namesThat(known: readonly string[], other: string, fits: (name: string) => boolean): Names {
  if (fits(other)) return { names: undefined, except: known.filter(name => !fits(name)) }
  return { names: known.filter(fits), except: [] }
}
