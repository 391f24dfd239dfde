import type { Form } from '../../blueprints/blueprints.ts'
import { fail } from '../../platform/errors.ts'
import type { ActorContext } from '../../access/actor.ts'
import type { PermissionTarget } from '../../access/authorize/authorize.ts'
import { canListFile, canViewFile } from '../../access/authorize/files.ts'
import type { RequestContext } from '../../http/context.ts'
import { fileBlueprintOf } from './blueprint.ts'
import { inOrder } from './order.ts'
import { type FileRow, selectFilesWithin, selectFile } from './queries.ts'

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
  canChange: boolean
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
  ctx: ActorContext,
  parent: FileParent<Model>,
  filename: string,
): Promise<FileTarget<Model>> {
  const { app } = ctx
  const file = await selectFile(app.store, parent.owner, filename)
  if (!file || !canViewFile(ctx, file)) throw fail('file.notFound', { filename: filename.slice(0, 200) })
  return { file, parent, options: fileBlueprintOf(app, file).options }
}

/** The same for changes: throws if the caller may not change files of this parent. */
export async function findToChange<Model>(
  ctx: ActorContext,
  parent: FileParent<Model>,
  filename: string,
): Promise<FileTarget<Model>> {
  const found = await findFile(ctx, parent, filename)
  mustBeChangeable(parent)
  return found
}

export function mustBeChangeable({ canChange }: FileParent): void {
  if (!canChange) throw fail('permission')
}

const rowsByRequest = new WeakMap<RequestContext, Map<string, Promise<FileRow[]>>>()

/** All files of a parent that the caller may list, sorted. Cached per request, and batched for lists. */
export function listedRows(ctx: RequestContext, owner: string): Promise<FileRow[]> {
  const byOwner = rowsByRequest.get(ctx) ?? new Map<string, Promise<FileRow[]>>()
  rowsByRequest.set(ctx, byOwner)
  let rows = byOwner.get(owner)
  if (!rows) byOwner.set(owner, (rows = readRows(ctx, owner)))
  return rows
}

async function readRows(ctx: RequestContext, owner: string): Promise<FileRow[]> {
  const rows = await selectFilesWithin(ctx.app.store, owner)
  return inOrder(rows.filter(file => canListFile(ctx, file)))
}

/** The same with their parent, as views take them. */
export async function filesIn<Model>(ctx: RequestContext, parent: FileParent<Model>): Promise<FileModel<Model>[]> {
  return (await listedRows(ctx, parent.owner)).map(file => ({ file, parent }))
}
