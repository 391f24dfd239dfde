import type { App } from '../../app.ts'
import { type By, record } from '../../access/audit/audit.ts'
import { decode, deleteContents, insertHistory, upsertContent } from '../../content/queries.ts'
import { type Expected, mustBeCurrent } from '../../content/revision.ts'
import {
  type ContentChange,
  contentToChange,
  firstContent,
  type Model,
  saveContent,
  storeContent,
} from '../../content/save.ts'
import { followIds } from '../../content/ids/follow.ts'
import { fail } from '../../platform/errors.ts'
import type { ContentLanguage } from '../../http/context.ts'
import { contentLanguage } from '../../content/languages/languages.ts'
import { createId } from '../../platform/lib/id.ts'
import { releaseBlobs, useBlob } from '../../platform/media/blobs.ts'
import { removeFromIndex, indexOwners } from '../../platform/search/search.ts'
import { chunks } from '../../platform/lib/chunks.ts'
import { selectNow, type Tx } from '../../platform/store/store.ts'
import { closeEntry, openEntry, purgeUnlessKept, trashFiles } from '../../content/trash/trash.ts'
import { blueprintOf } from './blueprint.ts'
import { renamed } from './names.ts'
import { byName, namesOf } from './order.ts'
import * as queries from './queries.ts'
import { mustFitTemplate, nameMustBeFree } from './rules.ts'
import type { FileModel } from './target.ts'
import { isViewable } from './types.ts'

export type { FileRow } from './queries.ts'
type FileRow = queries.FileRow

/** The owner URI of the content of a file. */
export function ownerOf(uuid: string): string {
  return `file://${uuid}`
}

/** A file as a content model. */
export function modelOf(app: App, file: { uuid: string; template: string | null }): Model {
  return { owner: ownerOf(file.uuid), form: blueprintOf(app, file), reserved, keep: app.config.history.keep }
}

/** Properties that are not content: each is changed by an operation of its own. */
const reserved = new Set(['sort', 'template', 'uuid'])

/** The properties that `content` shows, as in sites that are text files. */
export function besides({ sort, template, uuid }: FileRow): Record<string, string> {
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
export async function createFiles(app: App, parent: string, files: readonly NewFile[], by: By): Promise<string[]> {
  const language = await contentLanguage(app, undefined)
  return app.store.write(tx => insertFiles(app, tx, { parent, files, language }, by))
}

export async function insertFiles(
  app: App,
  tx: Tx,
  { parent, files, language }: { parent: string; files: readonly NewFile[]; language: ContentLanguage },
  by: By,
): Promise<string[]> {
  if (!(await queries.holdParent(app.store, tx, parent))) throw fail('notFound')
  const time = await selectNow(tx)
  const uuids = new Map<NewFile, string>()
  const made: NewFile[] = []
  // Sorted by name: concurrent uploads of the same files lock in the same order and cannot deadlock.
  for (const file of files.toSorted((a, b) => (a.filename < b.filename ? -1 : 1))) {
    const uuid = createId()
    if (await queries.insertFile(tx, { ...file, uuid, parent })) {
      made.push(file)
      uuids.set(file, uuid)
    } else uuids.set(file, await sameFile(tx, parent, file))
  }
  // Also for existing files: the upload may have restored their missing bytes.
  for (const hash of new Set(files.map(file => file.hash).toSorted())) await useBlob(tx, hash)
  for (const file of made) {
    const model = modelOf(app, { uuid: uuids.get(file)!, template: file.template })
    const first = await firstContent(model, {}, { now: time, readBy: 'en' })
    await storeContent(tx, model, { language, revision: 1, action: 'create', by }, first)
    await record(tx, { event: 'file.created', subject: model.owner, ...by, detail: { parent, name: file.filename } })
  }
  await indexOwners(
    app.store,
    tx,
    made.map(file => ({ owner: ownerOf(uuids.get(file)!) })),
  )
  return files.map(file => uuids.get(file)!)
}

async function sameFile(tx: Tx, parent: string, file: NewFile): Promise<string> {
  const there = await queries.findByName(tx, parent, file.filename)
  if (there?.hash !== file.hash || there.template !== file.template)
    throw fail('file.duplicate', { filename: file.filename })
  return there.uuid
}

/** Changes only the fields that are sent. Stores nothing if any value is invalid. Returns the revision of the file. */
export async function updateContent(
  app: App,
  { uuid }: FileRow,
  { sort, ...change }: ContentChange & { sort?: number | null | undefined },
): Promise<number> {
  return app.store.write(async tx => {
    const file = await held(app, tx, uuid, change.expected)
    const sent = contentIn(file, change.sent)
    const save = { ...change, sent, validate: true, revision: file.revision + 1, action: 'update' }
    const model = modelOf(app, file)
    const before = await contentToChange(tx, model, change.language)
    const content = await saveContent(tx, model, save)
    const isSorted = sort !== undefined && sort !== file.sort
    if (!content) return isSorted ? recordChange(tx, file, 'sort', change.by, { sort }) : file.revision
    await indexOwners(app.store, tx, [{ owner: ownerOf(uuid) }])
    const isShownAnew = (content['focus'] ?? '') !== (before['focus'] ?? '')
    return recordChange(tx, file, 'content', change.by, { isShownAnew, ...(isSorted && { sort }) })
  })
}

/** Drops unchanged properties: clients send back the whole content that they read. */
export function contentIn(file: FileRow, sent: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const same = besides(file)
  const isSame = ([name, value]: [string, unknown]) => {
    const key = name.toLowerCase()
    return reserved.has(key) && (typeof value === 'string' || typeof value === 'number') && `${value}` === same[key]
  }
  return Object.fromEntries(Object.entries(sent).filter(entry => !isSame(entry)))
}

/** Renames a file. The extension stays. */
export async function changeName(
  app: App,
  { file: { uuid }, parent: { owner: parent, idPrefix } }: FileModel,
  name: string,
  change: Seen,
): Promise<number> {
  return app.store.write(async tx => {
    await queries.holdParent(app.store, tx, parent, true)
    const found = await held(app, tx, uuid, change.expected)
    const filename = renamed(found, name)
    if (filename === found.filename) return found.revision
    nameMustBeFree(found, filename, await queries.findByName(tx, parent, filename))
    const names = { filename, ...namesOf(filename) }
    const revision = await recordChange(tx, { ...found, ...names }, 'name', change.by, names)
    await indexOwners(app.store, tx, [{ owner: ownerOf(uuid) }])
    const [from, to] = [found.filename, filename]
    const within = { owner: parent, from, to }
    await followIds(app, tx, { types: ['files'], from: idPrefix + from, to: idPrefix + to, within })
    return revision
  })
}

/** Changes the template. Stored content stays; new fields get their defaults. */
export async function changeTemplate(
  app: App,
  { file: { uuid }, parent }: FileModel,
  template: string,
  change: Seen,
): Promise<number> {
  const language = await contentLanguage(app, undefined)
  return app.store.write(async tx => {
    const before = await held(app, tx, uuid, change.expected)
    if (before.template === template) return before.revision
    mustFitTemplate(app, before, parent.form, template)
    const file = { ...before, template }
    const model = modelOf(app, file)
    const content = {
      ...(await firstContent(model, {}, { now: await selectNow(tx), readBy: 'en' })),
      ...(await contentToChange(tx, model, language)),
    }
    const revision = await recordChange(tx, file, 'template', change.by, { template })
    await storeContent(tx, model, { language, revision, action: 'template', by: change.by }, content)
    await indexOwners(app.store, tx, [{ owner: ownerOf(uuid) }])
    return revision
  })
}

/** Replaces the bytes with others of the same media type. The name stays, the URL changes. */
export async function replaceFile(app: App, { uuid }: FileRow, bytes: Bytes, change: Seen): Promise<number> {
  return app.store.write(async tx => {
    const file = await held(app, tx, uuid, change.expected)
    if (file.mime !== bytes.mime) throw fail('file.mime.differs', { mime: file.mime })
    if (file.hash === bytes.hash) return file.revision
    await useBlob(tx, bytes.hash)
    const revision = await recordChange(tx, file, 'bytes', change.by, bytes)
    await releaseBlobs(tx, [file.hash])
    return revision
  })
}

/** Numbers these files from `index` + 1 on, in this order. Other files keep their sort numbers. */
export async function sortFiles(
  app: App,
  parent: string,
  { uuids, index, by }: { uuids: readonly string[]; index: number; by: By },
): Promise<void> {
  await app.store.write(async tx => {
    const files = new Map((await queries.lockFilesOf(app.store, tx, parent, uuids)).map(file => [file.uuid, file]))
    let sort = index
    for (const uuid of new Set(uuids)) {
      const file = files.get(uuid)
      if (!file) continue
      sort++
      if (file.sort !== sort) await recordChange(tx, file, 'sort', by, { sort })
    }
  })
}

export async function deleteFile(app: App, { uuid }: FileRow, change: Seen): Promise<void> {
  await app.store.write(async tx => {
    const file = await held(app, tx, uuid, change.expected)
    await trashFile(app, tx, file, change.by)
  })
  purgeUnlessKept(app)
}

/** Moves a file to the trash. The file and its parent must be locked. */
export async function trashFile(app: App, tx: Tx, file: FileRow, by: By): Promise<void> {
  const { uuid, parent, filename: name, template } = file
  const above = await queries.selectParent(tx, parent)
  const entry = await openEntry(tx)
  entry.templates.add(`in ${parent.slice(0, parent.indexOf(':'))} ${above.template}`)
  await trashFiles(app, tx, entry, [file])
  const path = above.path === '' ? name : `${above.path}/${name}`
  await closeEntry(app, tx, entry, { kind: 'file', owner: ownerOf(uuid), parent, path, title: name, template }, by)
  await record(tx, { event: 'file.deleted', subject: ownerOf(uuid), ...by, detail: { parent, name } })
}

/** The actor of a change, and the revision that they read, if it was sent. */
export interface Seen {
  by: By
  expected: Expected
}

/**
 * Locks a file until the end of the transaction and returns its current row. It may have been deleted or changed
 * since it was read.
 */
async function held({ store }: App, tx: Tx, uuid: string, expected?: Expected): Promise<FileRow> {
  const file = await queries.lockFile(store, tx, uuid)
  if (!file) throw fail('file.notFound', { filename: ownerOf(uuid) })
  mustBeCurrent(file.revision, expected)
  return file
}

/** Locks a file until the end of the transaction and returns its revision. */
export async function lockRevision(app: App, tx: Tx, { uuid }: FileRow): Promise<number> {
  return (await held(app, tx, uuid)).revision
}

async function recordChange(tx: Tx, file: FileRow, what: string, by: By, change: queries.Change = {}): Promise<number> {
  await record(tx, { event: 'file.changed', subject: ownerOf(file.uuid), ...by, detail: { what, name: file.filename } })
  return queries.updateFile(tx, file.uuid, change)
}

// ---- together with the parent

/** Deletes files permanently, without the trash: other files replace them. */
export async function removeFiles({ store }: App, tx: Tx, files: readonly FileRow[]): Promise<void> {
  if (files.length === 0) return
  const uuids = files.map(({ uuid }) => uuid)
  const owners = uuids.map(ownerOf)
  const hashes = await queries.deleteRows(tx, uuids)
  await deleteContents(tx, owners)
  await removeFromIndex(store, tx, owners)
  await releaseBlobs(tx, hashes)
}

/**
 * Copies the wanted files of each owner on the left to the owner on the right. Copies have new uuids and share the
 * blobs.
 */
export async function copyFilesOf(
  app: App,
  tx: Tx,
  from: ReadonlyMap<string, string>,
  by: By,
  isWanted: (file: FileRow) => boolean = () => true,
): Promise<void> {
  const files = (await queries.selectIn(tx, [...from.keys()])).filter(isWanted)
  for (const some of chunks(files)) {
    const copies = new Map(some.map(file => [ownerOf(file.uuid), { ...file, uuid: createId() }]))
    for (const file of copies.values()) await queries.insertFile(tx, newFile(file, from.get(file.parent)!))
    for (const hash of new Set(some.map(({ hash: one }) => one).toSorted())) await useBlob(tx, hash)
    for (const { owner, language, data } of await queries.selectContents(tx, [...copies.keys()])) {
      const copy = copies.get(owner)!
      const [mine, content] = [ownerOf(copy.uuid), decode(data)]
      await upsertContent(tx, mine, language, content)
      const saved = { owner: mine, language, revision: 1, action: 'create', user: by.actor }
      await insertHistory(tx, saved, content, Object.keys(content))
    }
    await indexOwners(
      app.store,
      tx,
      [...copies.values()].map(({ uuid }) => ({ owner: ownerOf(uuid) })),
    )
  }
}

function newFile(file: FileRow, parent: string): queries.NewFile {
  const { filename, extension, type, mime, template, sort, size, hash, width, height, uuid } = file
  return { uuid, parent, filename, extension, type, mime, template, sort, size, hash, width, height }
}

/** The file that represents its parent: the first image by name that browsers can show. */
export function firstPictureOf(files: readonly FileRow[]): FileRow | undefined {
  return byName(files, ({ name_key }) => name_key).find(
    ({ type, extension }) => type === 'image' && isViewable(extension),
  )
}
