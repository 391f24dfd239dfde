import { isPublishing, optionForRole, type Permission } from '../../blueprints/permissions/permissions.ts'
import type { Status } from '../../blueprints/blueprints.ts'
import { fail } from '../../platform/errors.ts'
import type { ActorContext, ReleasePreview } from '../actor.ts'
import { type AccountRow, isAccountActionAllowed, canViewAccount } from './accounts.ts'
import {
  isAllowed,
  can,
  canRead,
  contextForFileParent,
  denied,
  type DenialKey,
  siteMustBeVisible,
} from './authorize.ts'
import { decideOnce } from './decide-once.ts'
import { authorizePage, mustPublish } from './pages.ts'
import { type TemplateFilter, templatesMatching } from './templates.ts'

/** An action that the permissions of files and the options of their blueprints know. */
export type FileAction = Permission extends infer Name ? (Name extends `files.${infer Action}` ? Action : never) : never

type Templated = { template: string | null }

const blueprintOf = ({ app }: ActorContext, { template }: Templated) => app.blueprints.file(template ?? 'default')

/** The row of a file; without a uuid, any file of the template. */
type Visible = Templated & { uuid?: string }

export function canViewFile(ctx: ActorContext, file: Visible): boolean {
  const { actor } = ctx
  if (actor.isAnonymous && actor.pass?.release && isDeletedIn(actor.pass.release, file)) return false
  return canViewTemplate(ctx, file)
}

const isDeletedIn = ({ deletedFiles }: ReleasePreview, { uuid }: Visible) =>
  uuid !== undefined && deletedFiles.includes(uuid)

function canViewTemplate(ctx: ActorContext, file: Templated): boolean {
  const { name, options } = blueprintOf(ctx, file)
  const { access, read } = options
  return decideOnce(ctx, `see ${name}`, () => canRead(ctx, 'files.access', access) && canRead(ctx, 'files.read', read))
}

/** Whether it is shown in lists. */
export function canListFile(ctx: ActorContext, file: Visible): boolean {
  const { actor } = ctx
  if (actor.isAnonymous && actor.pass?.release && isDeletedIn(actor.pass.release, file)) return false
  return canViewTemplate(ctx, file) && canRead(ctx, 'files.list', blueprintOf(ctx, file).options['list'])
}

/** The templates whose files the actor may list. */
export const listableFileTemplates = (ctx: ActorContext): TemplateFilter =>
  decideOnce(ctx, 'templates of files to list', () =>
    templatesMatching(ctx.app.blueprints.templates('files'), template => canListFile(ctx, { template })),
  )

/** The templates whose files the actor may see. */
export const visibleFileTemplates = (ctx: ActorContext): TemplateFilter =>
  decideOnce(ctx, 'templates of files to see', () =>
    templatesMatching(ctx.app.blueprints.templates('files'), template => canViewFile(ctx, { template })),
  )

/** Whether the actor may do this to files of this template; visibility is checked elsewhere. */
export function isFileActionAllowed(ctx: ActorContext, action: FileAction, file: Templated): boolean {
  const { name, options } = blueprintOf(ctx, file)
  return decideOnce(ctx, `${action} ${name}`, () => isAllowed(ctx, `files.${action}`, { options }))
}

/** Sorting needs the permission to update, unless the blueprint denies it by itself. */
export function canSortFile(ctx: ActorContext, file: Templated): boolean {
  const { update, sort } = blueprintOf(ctx, file).options
  if (ctx.actor.system) return true
  if (ctx.actor.isAnonymous) return false
  return can(ctx, 'files.update', update) && optionForRole(ctx.actor.user.role, sort) !== false
}

/** What rights over the files of a parent depend on. */
export type FileParentRow =
  | { kind: 'page'; uuid: string; template: string; status: Status }
  | ({ kind: 'user' } & AccountRow)
  | { kind: 'site' }

/** Throws unless the actor may see the parent of files. Checked on the locked row: its template or role may change. */
export function fileParentMustBeVisible(ctx: ActorContext, parent: FileParentRow): void {
  const parentCtx = contextForFileParent(ctx)
  if (parent.kind === 'page') authorizePage(parentCtx, parent, [])
  else if (parent.kind === 'site') siteMustBeVisible(parentCtx)
  else if (!canViewAccount(parentCtx, parent)) throw fail('user.undefined', { name: parent.id })
}

/** The same for changes of its files: the files of an account need the permission to update it. */
export function authorizeFileParent(ctx: ActorContext, parent: FileParentRow): void {
  fileParentMustBeVisible(ctx, parent)
  if (parent.kind === 'user' && !isAccountActionAllowed(ctx, parent, 'users.update')) throw fail('permission')
}

/**
 * Throws if changing a file would change what visitors read on its page, and the actor may not publish that. A token
 * that changes files only need not have the scope `pages.publish`.
 */
export function mustPublishFiles(ctx: ActorContext, parent: FileParentRow, refusal?: DenialKey): void {
  if (parent.kind !== 'page' || parent.status === 'draft') return
  const { actor } = ctx
  const scopes = actor.system || actor.isAnonymous ? [] : (actor.token?.scopes ?? [])
  const changesPages = scopes.some(scope => scope.startsWith('pages.') && isPublishing(scope))
  mustPublish(changesPages ? ctx : contextForFileParent(ctx), parent, refusal)
}

/** Throws unless the actor may see the file and do this to it. Checked on the locked row: its template may change. */
export function authorizeFile(
  ctx: ActorContext,
  file: Templated & { uuid: string },
  actions: readonly FileAction[],
  refusal?: DenialKey,
): void {
  if (!canViewFile(ctx, file)) throw fail('file.notFound', { filename: `file://${file.uuid}` })
  for (const action of actions) if (!isFileActionAllowed(ctx, action, file)) throw denied(`files.${action}`, refusal)
}
