import { isFileActionAllowed, canViewFile } from '../../access/authorize/files.ts'
import type { RequestContext } from '../../http/context.ts'
import { fail } from '../../platform/errors.ts'
import { createFiles, type FileRow, type NewFile } from './files.ts'
import { fieldsOf } from './form-fields.ts'
import { prepareThumbs } from './prepare.ts'
import { selectByUuid, selectFile } from './queries.ts'
import { type FileParent, mustBeChangeable } from './target.ts'
import { check, storeBytes, type UploadedFile, withStoredBytes } from './upload.ts'

/**
 * The parent as the target of an upload. Before the body is read, only this is known: whether the caller may upload
 * files of any template. The template itself is in the form and is checked after that.
 */
export function parentForUpload<Model>(ctx: RequestContext, parent: FileParent<Model>): FileParent<Model> {
  mustBeChangeable(parent)
  const create = ctx.app.blueprints
    .templates('files')
    .some(template => isFileActionAllowed(ctx, 'create', { template }))
  return { ...parent, options: { create } }
}

/** Adds all files or none, in the order of the upload. */
export async function addFiles(
  ctx: RequestContext,
  { owner }: FileParent,
  uploaded: UploadedFile[],
  fields: Map<string, string>,
): Promise<FileRow[]> {
  const { app } = ctx
  const options = { ...fieldsOf(fields), language: ctx.locale }
  // Also checked in the transaction; here before the bytes are checked and stored.
  if (!isFileActionAllowed(ctx, 'create', options)) throw fail('file.create.permission')
  const files: NewFile[] = []
  for (const one of uploaded) {
    const { received, ...file } = await check(app, one, options)
    one.received = received
    files.push(file)
  }
  for (const [at, file] of files.entries()) {
    // Stores the bytes again if the file exists but its blob is missing or incomplete.
    const isStored = (await isExisting(ctx, owner, file)) && (await app.media.size(file.hash)) === file.size
    if (!isStored) await storeBytes(app, uploaded[at]!.received)
  }
  const received = uploaded.map(one => one.received)
  const uuids = await withStoredBytes(app, received, () => createFiles(ctx, owner, files))
  const rows = new Map((await selectByUuid(app.store, uuids)).map(row => [row.uuid, row]))
  return uuids.map((uuid, at) => {
    const row = rows.get(uuid)
    if (!row) throw fail('file.notFound', { filename: files[at]!.filename })
    prepareThumbs(app, row)
    return row
  })
}

/**
 * True if the same file exists (name, bytes and template). Throws if another file has the name, or one that the
 * caller may not see.
 */
async function isExisting(
  ctx: RequestContext,
  owner: string,
  { filename, hash, template }: Pick<FileRow, 'filename' | 'hash' | 'template'>,
): Promise<boolean> {
  const existing = await selectFile(ctx.app.store, owner, filename)
  if (!existing) return false
  if (existing.hash !== hash || existing.template !== template || !canViewFile(ctx, existing))
    throw fail('file.duplicate', { filename })
  return true
}
