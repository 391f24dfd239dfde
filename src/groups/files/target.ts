import type { App } from '../../app.ts'
import type { Form } from '../../blueprints/blueprints.ts'
import { fail } from '../../platform/errors.ts'
import type { PermissionTarget } from '../../http/endpoint.ts'
import type { RequestContext } from '../../http/context.ts'
import type { Option } from '../../blueprints/permissions/permissions.ts'
import type { Caller } from '../../access/session/identify.ts'
import { canSee } from '../../access/session/rights.ts'
import { blueprintOf } from './blueprint.ts'
import { inOrder } from './order.ts'
import { type FileRow, filesWithin, selectFile } from './queries.ts'

/** The parent of files: a page, the site, an account. */
export interface FileParent<Model = unknown> extends PermissionTarget {
  /** The model that the view of the parent takes. */
  model: Model
  /** `page://…`, `site://`, `user://…` */
  owner: string
  /** The path segment in the URLs of files: `pages/a/b`, `site`, `users/id`. */
  place: string
  /** The path in the panel: `/pages/a+b`, `/site`, `/users/id`, `/account`. */
  link: string
  /** The prefix of the ids of its files: `a/b/`, nothing, `id/`. */
  idPrefix: string
  /** Whether the caller may add, change and delete files here at all; permissions of the files apply as well. */
  mayChange: boolean
  /** Its sections and fields decide which templates its files may have. */
  form: Pick<Form, 'sections' | 'fields'>
}

/** A file and its parent. */
export interface FileModel<Model = unknown> {
  file: FileRow
  parent: FileParent<Model>
}

/** The file a request is about. */
export interface FileTarget<Model = unknown> extends PermissionTarget, FileModel<Model> {}

/** By name, case-insensitive. A file that the caller may not see is 404. */
export async function findFile<Model>(
  { app, caller }: Pick<RequestContext, 'app' | 'caller'>,
  parent: FileParent<Model>,
  filename: string,
): Promise<FileTarget<Model>> {
  const file = await selectFile(app.store, parent.owner, filename)
  if (!file || !isVisible(app, caller, file)) throw fail('file.notFound', { filename: filename.slice(0, 200) })
  return { file, parent, options: blueprintOf(app, file).options }
}

/** The same for changes: throws if the caller may not change files of this parent. */
export async function findToChange<Model>(
  ctx: Pick<RequestContext, 'app' | 'caller'>,
  parent: FileParent<Model>,
  filename: string,
): Promise<FileTarget<Model>> {
  const found = await findFile(ctx, parent, filename)
  mustBeChangeable(parent)
  return found
}

export function mustBeChangeable({ mayChange }: FileParent): void {
  if (!mayChange) throw fail('permission')
}

type Templated = Pick<FileRow, 'template'>

export function isVisible(app: App, caller: Caller, file: Templated): boolean {
  return isSeen(app, caller, blueprintOf(app, file).options)
}

function isSeen(app: App, caller: Caller, { access, read }: Readonly<Record<string, Option>>): boolean {
  return canSee(app, caller, 'files.access', access) && canSee(app, caller, 'files.read', read)
}

/** Whether it is shown in lists. */
export function isListable(app: App, caller: Caller, file: Templated): boolean {
  const { options } = blueprintOf(app, file)
  return isSeen(app, caller, options) && canSee(app, caller, 'files.list', options['list'])
}

const known = new WeakMap<RequestContext, Map<string, Promise<FileRow[]>>>()

/** All files of a parent that the caller may list, sorted. Cached per request, and batched for lists. */
export function listedRows(ctx: RequestContext, owner: string): Promise<FileRow[]> {
  const byOwner = known.get(ctx) ?? new Map<string, Promise<FileRow[]>>()
  known.set(ctx, byOwner)
  let rows = byOwner.get(owner)
  if (!rows) byOwner.set(owner, (rows = readRows(ctx, owner)))
  return rows
}

async function readRows({ app, caller }: RequestContext, owner: string): Promise<FileRow[]> {
  const rows = await filesWithin(app.store, owner)
  return inOrder(rows.filter(file => isListable(app, caller, file)))
}

/** The same with their parent, as views take them. */
export async function filesIn<Model>(ctx: RequestContext, parent: FileParent<Model>): Promise<FileModel<Model>[]> {
  return (await listedRows(ctx, parent.owner)).map(file => ({ file, parent }))
}
