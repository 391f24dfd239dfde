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

/** What files belong to: a page, the site, an account. */
export interface FileParent<Model = unknown> extends PermissionTarget {
  /** As its view knows it. */
  model: Model
  /** `page://…`, `site://`, `user://…` */
  owner: string
  /** In addresses of files: `pages/a/b`, `site`, `users/id`. */
  place: string
  /** In the panel: `/pages/a+b`, `/site`, `/users/id`, `/account`. */
  link: string
  /** What the ids of its files begin with: `a/b/`, nothing, `id/`. */
  idPrefix: string
  /** Whether the caller may bring, change and remove files here at all, as far as their own rules allow it. */
  mayChange: boolean
  /** Its sections and fields say what templates its files may have. */
  form: Pick<Form, 'sections' | 'fields'>
}

/** A file with what it belongs to. */
export interface FileModel<Model = unknown> {
  file: FileRow
  parent: FileParent<Model>
}

/** The file a request is about. */
export interface FileTarget<Model = unknown> extends PermissionTarget, FileModel<Model> {}

/** By its name, whatever the size of its letters. What the caller may not see does not exist. */
export async function findFile<Model>(
  { app, caller }: Pick<RequestContext, 'app' | 'caller'>,
  parent: FileParent<Model>,
  filename: string,
): Promise<FileTarget<Model>> {
  const file = await selectFile(app.store, parent.owner, filename)
  if (!file || !isVisible(app, caller, file)) throw fail('file.notFound', { filename: filename.slice(0, 200) })
  return { file, parent, options: blueprintOf(app, file).options }
}

/** The same for whoever wants to change it. */
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

/** All files of a thing that the caller may see in lists, sorted. Read once for every request, in lists for all together. */
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

/** The same with what they belong to, as the views take them. */
export async function filesIn<Model>(ctx: RequestContext, parent: FileParent<Model>): Promise<FileModel<Model>[]> {
  return (await listedRows(ctx, parent.owner)).map(file => ({ file, parent }))
}
