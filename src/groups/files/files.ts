import type { App } from '../../app.ts'
import type { Context } from '../../access/actor.ts'
import { type ChangeDetail, changeDetailOf, recordEvent } from '../../content/change-events.ts'
import type { DenialKey } from '../../access/authorize/authorize.ts'
import {
  type FileAction,
  type FileParentRow,
  authorizeFile,
  authorizeFileParent,
  fileParentMustBeVisible,
  isFileActionAllowed,
  canSortFile,
  mustPublishFiles,
  canViewFile,
} from '../../access/authorize/files.ts'
import { deleteContents } from '../../content/queries.ts'
import { type Expected, mustBeCurrent } from '../../content/revision.ts'
import type { LockedModel } from '../../content/versioned.ts'
import { type ContentChange, contentToChange, firstContent, saveContent, storeContent } from '../../content/save.ts'
import { updateIdReferences } from '../../content/ids/update-references.ts'
import { type ApiError, fail } from '../../platform/errors.ts'
import type { ContentLanguage } from '../../http/context.ts'
import { contentLanguage } from '../../content/languages/languages.ts'
import { createId } from '../../platform/lib/id.ts'
import { releaseBlobs, useBlob } from '../../platform/media/blobs.ts'
import { removeFromIndex, indexOwners } from '../../platform/search/search.ts'
import { selectNow, type Tx } from '../../platform/store/store.ts'
import { closeEntry, openEntry, purgeIfTrashIsOff, trashFiles } from '../../content/trash/trash.ts'
import { fileModelOf, ownerOfFile, reserved } from './model.ts'
import { renamed } from './names.ts'
import { byName, namesOf } from './order.ts'
import * as queries from './queries.ts'
import { mustMatchTemplate, nameMustBeFree } from './rules.ts'
import { fileMustFollow, ruledFile, uploadsMustFollow } from './file-rules.ts'
import type { FileModel } from './target.ts'
import { deleteVersions } from './versions/queries.ts'
import { isViewable } from './types.ts'

export type { FileRow } from './queries.ts'
type FileRow = queries.FileRow

export { fileModelOf, ownerOfFile }

/** The properties that `content` shows, as in sites that are text files. */
export function columnsAsContent({ sort, template, uuid }: FileRow): Record<string, string> {
  return { ...(sort !== null && { sort: String(sort) }), ...(template !== null && { template }), uuid }
}

// ---- one file

/** Bytes that are checked and stored as a blob, and their properties. */
export type Bytes = Pick<FileRow, 'hash' | 'size' | 'mime' | 'width' | 'height'>

export interface NewFile extends Bytes, Pick<FileRow, 'filename' | 'extension' | 'type' | 'template' | 'sort'> {}

/**
 * Creates all files or none. An existing file with the same name, bytes and template is reused. Returns the uuids in
 * the order of `files`.
 */
export async function createFiles(ctx: Context, parent: string, files: readonly NewFile[]): Promise<string[]> {
  const { app } = ctx
  const language = await contentLanguage(app, undefined)
  return app.store.write(async tx =>
    insertFiles(ctx, tx, { parent: await lockFileParent(ctx, tx, parent), files, language }),
  )
}

export async function insertFiles(
  ctx: Context,
  tx: Tx,
  {
    parent: { owner: parent },
    files,
    language,
  }: { parent: LockedParent; files: readonly NewFile[]; language: ContentLanguage },
): Promise<string[]> {
  const { app } = ctx
  for (const { template } of files)
    if (!isFileActionAllowed(ctx, 'create', { template })) throw fail('file.create.permission')
  uploadsMustFollow(ctx, parent, files)
  const time = await selectNow(tx)
  const uuids = new Map<NewFile, string>()
  const newFiles: NewFile[] = []
  // Sorted by name: concurrent uploads of the same files lock in the same order and cannot deadlock.
  for (const file of files.toSorted((a, b) => (a.filename < b.filename ? -1 : 1))) {
    const uuid = createId()
    if (await queries.insertFile(tx, { ...file, uuid, parent })) {
      newFiles.push(file)
      uuids.set(file, uuid)
    } else uuids.set(file, await sameFile(tx, parent, file))
  }
  // Also for existing files: the upload may have restored their missing bytes.
  for (const hash of new Set(files.map(file => file.hash).toSorted())) await useBlob(tx, hash)
  for (const file of newFiles) {
    const model = fileModelOf(app, { uuid: uuids.get(file)!, template: file.template })
    const first = await firstContent(ctx, model, {}, { now: time, shownReferences: 'all' })
    await storeContent(ctx, tx, model, { language, revision: 1, action: 'create' }, first)
    const { template, filename: path } = file
    await recordEvent(ctx, tx, 'file.created', model.owner, { ...fileDetail({ parent, template }), path, revision: 1 })
  }
  await indexOwners(
    app.store,
    tx,
    newFiles.map(file => ({ owner: ownerOfFile(uuids.get(file)!) })),
  )
  return files.map(file => uuids.get(file)!)
}

async function sameFile(tx: Tx, parent: string, file: NewFile): Promise<string> {
  const there = await queries.selectFileByName(tx, parent, file.filename)
  if (there?.hash !== file.hash || there.template !== file.template)
    throw fail('file.duplicate', { filename: file.filename })
  return there.uuid
}

interface FileContentChange extends ContentChange {
  sort?: number | null | undefined
  /** Save even if another account holds the edit lock. */
  ignoreLock?: boolean
  /** Publish the draft although the published content has changed since: the caller has checked it. */
  ignoreConflicts?: boolean
}

/** Changes only the fields that are sent. Stores nothing if any value is invalid. Returns the revision of the file. */
export async function updateContent(ctx: Context, found: FileRow, change: FileContentChange): Promise<number> {
  return ctx.app.store.write(tx => updateContentIn(ctx, tx, found, change))
}

/** The same as a part of a transaction. */
export async function updateContentIn(
  ctx: Context,
  tx: Tx,
  found: Pick<FileRow, 'uuid' | 'parent'>,
  { sort, ...change }: FileContentChange,
): Promise<number> {
  const { app } = ctx
  const { refusal } = change
  const file = await lockFile(ctx, tx, found, 'update', { expected: change.expected, refusal, isPublic: true })
  const isSorted = sort !== undefined && sort !== file.sort
  if (isSorted && !canSortFile(ctx, file)) throw fail('file.update.permission')
  const sent = fileContentIn(file, change.sent)
  const ruled = app.extensions.rules && { ...ruledFile(file), operations: ['files.update', 'files.publish'] }
  const revision = file.revision + 1
  const save = { ...change, sent, validate: true, revision, action: 'update', checkTitle: 'noTitle' as const, ruled }
  const model = fileModelOf(app, file)
  const saved = await saveContent(ctx, tx, model, save)
  if (!saved) return isSorted ? recordFileChange(ctx, tx, file, { what: 'sort' }, { sort }) : file.revision
  await indexOwners(app.store, tx, [{ owner: model.owner }])
  const changesUrl = (saved.content['focus'] ?? '') !== (saved.before['focus'] ?? '')
  return recordFileChange(ctx, tx, file, changeDetailOf(saved), { changesUrl, ...(isSorted && { sort }) })
}

/** Drops unchanged properties: clients send back the whole content that they read. */
export function fileContentIn(file: FileRow, sent: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const same = columnsAsContent(file)
  const isSame = ([name, value]: [string, unknown]) => {
    const key = name.toLowerCase()
    return reserved.has(key) && (typeof value === 'string' || typeof value === 'number') && `${value}` === same[key]
  }
  return Object.fromEntries(Object.entries(sent).filter(entry => !isSame(entry)))
}

/** Renames a file. The extension stays. */
export async function changeName(
  ctx: Context,
  { file, parent: { owner: parent, idPrefix } }: FileModel,
  name: string,
  expected: Expected,
): Promise<number> {
  const { app } = ctx
  return app.store.write(async tx => {
    const lockedParent = await lockFileParent(ctx, tx, parent, { exclusive: true })
    const found = await lockFileWithin(ctx, tx, lockedParent, file.uuid, ['changeName'])
    mustBeCurrent(found.revision, expected)
    const filename = renamed(found, name)
    if (filename === found.filename) return found.revision
    nameMustBeFree(found, filename, await queries.selectFileByName(tx, parent, filename))
    fileMustFollow(ctx, found, 'files.changeName', { filename })
    const names = { filename, ...namesOf(filename) }
    const revision = await recordFileChange(
      ctx,
      tx,
      { ...found, ...names },
      { oldPath: found.filename },
      names,
      'file.renamed',
    )
    await indexOwners(app.store, tx, [{ owner: ownerOfFile(found.uuid) }])
    const [from, to] = [found.filename, filename]
    const within = { owner: parent, from, to }
    const id = { types: ['files'] as const, from: idPrefix + from, to: idPrefix + to }
    await updateIdReferences(app, tx, { ...id, within, ...(await ownersOfSameId(tx, id.from)) })
    return revision
  })
}

/**
 * The id of a file of the site is only its name, and content may name files of its own page in the same way. Returns the
 * owners that have a file of this name: there the name means their own file.
 */
export async function ownersOfSameId(tx: Tx, id: string): Promise<{ except?: ReadonlySet<string> }> {
  return id.includes('/') ? {} : { except: await queries.selectParentsOfNamed(tx, id) }
}

/** Changes the template. Stored content stays; new fields get their defaults. */
export async function changeTemplate(
  ctx: Context,
  { file: found, parent }: FileModel,
  template: string,
  expected: Expected,
): Promise<number> {
  const { app } = ctx
  const language = await contentLanguage(app, undefined)
  return app.store.write(async tx => {
    const before = await lockFile(ctx, tx, found, 'changeTemplate', { expected, isPublic: true })
    if (before.template === template) return before.revision
    mustMatchTemplate(app, before, parent.form, template)
    const file = { ...before, template }
    const model = fileModelOf(app, file)
    fileMustFollow(ctx, file, 'files.changeTemplate', { template })
    const content = {
      ...(await firstContent(ctx, model, {}, { now: await selectNow(tx), shownReferences: 'all' })),
      ...(await contentToChange(tx, model, language)),
    }
    const revision = await recordFileChange(
      ctx,
      tx,
      file,
      { what: 'template', ...(before.template !== null && { oldTemplate: before.template }) },
      { template },
    )
    await storeContent(ctx, tx, model, { language, revision, action: 'template' }, content)
    await indexOwners(app.store, tx, [{ owner: model.owner }])
    return revision
  })
}

/** Numbers these files from `index` + 1 on, in this order. Other files keep their sort numbers. */
export async function sortFiles(
  ctx: Context,
  parent: string,
  { uuids, index }: { uuids: readonly string[]; index: number },
): Promise<void> {
  const { store } = ctx.app
  await store.write(async tx => {
    await lockFileParent(ctx, tx, parent)
    const locked = (await queries.lockFilesOf(store, tx, parent, uuids)).filter(file => canViewFile(ctx, file))
    if (!locked.every(file => canSortFile(ctx, file))) throw fail('file.update.permission')
    const files = new Map(locked.map(file => [file.uuid, file]))
    let sort = index
    for (const uuid of new Set(uuids)) {
      const file = files.get(uuid)
      if (!file) continue
      sort++
      if (file.sort !== sort) await recordFileChange(ctx, tx, file, { what: 'sort' }, { sort })
    }
  })
}

export async function deleteFile(ctx: Context, found: FileRow, expected: Expected): Promise<void> {
  await ctx.app.store.write(async tx => {
    const file = await lockFile(ctx, tx, found, 'delete', { expected })
    await trashFile(ctx, tx, file)
  })
  purgeIfTrashIsOff(ctx.app)
}

/** Moves a file to the trash. The file and its parent must be locked. */
export async function trashFile(ctx: Context, tx: Tx, file: FileRow): Promise<void> {
  fileMustFollow(ctx, file, 'files.delete', {})
  const { uuid, parent, filename: name, template } = file
  const parentRow = await queries.selectParent(tx, parent)
  const entry = await openEntry(tx)
  entry.templates.add(`in ${parent.slice(0, parent.indexOf(':'))} ${parentRow.template}`)
  await trashFiles(ctx.app, tx, entry, [file])
  const path = parentRow.path === '' ? name : `${parentRow.path}/${name}`
  await closeEntry(ctx, tx, entry, { kind: 'file', owner: ownerOfFile(uuid), parent, path, title: name, template })
  await recordEvent(ctx, tx, 'file.deleted', ownerOfFile(uuid), {
    ...fileDetail(file),
    path: name,
    revision: file.revision,
  })
}

interface FileLockOptions {
  expected?: Expected
  refusal?: DenialKey | undefined
  /** The change is at once what visitors of the page read. */
  isPublic?: boolean
}

/**
 * Locks a file until the end of the transaction and returns its current row, if the actor may do this to it. It may
 * have been deleted or changed since it was read.
 */
export async function lockFile(
  ctx: Context,
  tx: Tx,
  { uuid, parent }: Pick<FileRow, 'uuid' | 'parent'>,
  action: FileAction,
  { expected, refusal, isPublic = false }: FileLockOptions,
): Promise<FileRow> {
  // The parent first, as its deletion does: the other order could deadlock.
  const lockedParent = await lockFileParent(ctx, tx, parent)
  const file = await lockFileWithin(ctx, tx, lockedParent, uuid, [action], refusal)
  if (isPublic) mustPublishFiles(ctx, lockedParent, refusal)
  mustBeCurrent(file.revision, expected)
  return file
}

/** Locks a file of a locked parent, if the actor may see it and do this to it. */
export async function lockFileWithin(
  ctx: Context,
  tx: Tx,
  parent: LockedParent,
  uuid: string,
  /** With `visibility`, the actor must only see it. */
  actions: 'visibility' | readonly [FileAction, ...FileAction[]],
  refusal?: DenialKey,
): Promise<FileRow> {
  const file = await queries.lockFileRow(ctx.app.store, tx, uuid)
  // It may have been moved away meanwhile, to a parent that was not checked.
  if (file?.parent !== parent.owner) throw fail('file.notFound', { filename: ownerOfFile(uuid) })
  authorizeFile(ctx, file, actions === 'visibility' ? [] : actions, refusal)
  return file
}

/** The parent of files, locked and checked by `lockFileParent` or `lockFileSource`. */
export type LockedParent = FileParentRow & { owner: string }

/** Locks the parent of files until the end of the transaction, if the actor may change files there. */
export async function lockFileParent(
  ctx: Context,
  tx: Tx,
  parent: string,
  { exclusive = false, missing = () => fail('notFound') }: { exclusive?: boolean; missing?: () => ApiError } = {},
): Promise<LockedParent> {
  const row = await queries.lockFileParentRow(ctx.app.store, tx, parent, exclusive)
  if (!row) throw missing()
  authorizeFileParent(ctx, row)
  return { ...row, owner: parent }
}

/** The same for a file that is copied from there: the actor must only see the parent. */
export async function lockFileSource(ctx: Context, tx: Tx, parent: string): Promise<LockedParent> {
  const row = await queries.lockFileParentRow(ctx.app.store, tx, parent, false)
  if (!row) throw fail('notFound')
  fileParentMustBeVisible(ctx, row)
  return { ...row, owner: parent }
}

/** Locks a file until the end of the transaction, as the owner of content. */
export async function lockFileModel(ctx: Context, tx: Tx, file: FileRow, refusal?: DenialKey): Promise<LockedModel> {
  const locked = await lockFile(ctx, tx, file, 'update', { refusal })
  return { revision: locked.revision, model: fileModelOf(ctx.app, locked), canChangeTitle: false }
}

export async function recordFileChange(
  ctx: Context,
  tx: Tx,
  file: FileRow,
  facts: ChangeDetail,
  change: queries.FileChange,
  event: 'file.changed' | 'file.replaced' | 'file.renamed' | 'file.moved' = 'file.changed',
): Promise<number> {
  const revision = await queries.updateFile(tx, file.uuid, change)
  const { uuid, filename: path } = file
  await recordEvent(ctx, tx, event, ownerOfFile(uuid), { ...fileDetail(file), path, revision, ...facts })
  return revision
}

/** The detail that all events of a file have. */
export const fileDetail = ({ parent, template }: Pick<FileRow, 'parent' | 'template'>): ChangeDetail => ({
  parent,
  ...(template !== null && { template }),
})

// ---- together with the parent

/** Deletes files permanently, without the trash: other files replace them. */
export async function removeFiles({ store }: App, tx: Tx, files: readonly FileRow[]): Promise<void> {
  if (files.length === 0) return
  const uuids = files.map(({ uuid }) => uuid)
  const owners = uuids.map(ownerOfFile)
  const hashes = [...(await queries.deleteFileRows(tx, uuids)), ...(await deleteVersions(tx, owners))]
  await deleteContents(tx, owners)
  await removeFromIndex(store, tx, owners)
  await releaseBlobs(tx, hashes)
}

/** The file that represents its parent: the first image by name that browsers can show. */
export function firstImageOf(files: readonly FileRow[]): FileRow | undefined {
  return byName(files, ({ name_key }) => name_key).find(
    ({ type, extension }) => type === 'image' && isViewable(extension),
  )
}
