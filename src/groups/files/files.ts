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

/** By what the content of a file is known. */
export function ownerOf(uuid: string): string {
  return `file://${uuid}`
}

/** A file as something that has content. */
export function modelOf(app: App, file: { uuid: string; template: string | null }): Model {
  return { owner: ownerOf(file.uuid), form: blueprintOf(app, file), reserved, keep: app.config.history.keep }
}

/** What a file has besides its content is changed by operations of its own. */
const reserved = new Set(['sort', 'template', 'uuid'])

/** What of it stands among the content, as those know it who have used files as text. */
export function besides({ sort, template, uuid }: FileRow): Record<string, string> {
  return { ...(sort !== null && { sort: String(sort) }), ...(template !== null && { template }), uuid }
}

// ---- one file

/** Checked bytes, kept already, and what they are. */
export type Bytes = Pick<FileRow, 'hash' | 'size' | 'mime' | 'width' | 'height'>

export interface NewFile extends Bytes, Pick<FileRow, 'filename' | 'extension' | 'type' | 'template' | 'sort'> {}

/**
 * All of them or none. A file that is there already, with the same name, bytes and template, is taken for the new one. The
 * uuids are in the order of the files.
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
  // In the order of their names: two who bring the same files do not wait for each other in a circle.
  for (const file of files.toSorted((a, b) => (a.filename < b.filename ? -1 : 1))) {
    const uuid = createId()
    if (await queries.insertFile(tx, { ...file, uuid, parent })) {
      made.push(file)
      uuids.set(file, uuid)
    } else uuids.set(file, await sameFile(tx, parent, file))
  }
  // Also those of files that are there: an upload may have brought back their bytes.
  for (const hash of new Set(files.map(file => file.hash).toSorted())) await useBlob(tx, hash)
  for (const file of made) {
    const model = modelOf(app, { uuid: uuids.get(file)!, template: file.template })
    const first = firstContent(model, {}, { now: time, readBy: 'en' })
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

/** Only what is sent changes. Nothing is stored if any of it is not right. Answers with the revision of the file. */
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

/** Whoever sends back all that was read changes nothing of what is no content. */
export function contentIn(file: FileRow, sent: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const same = besides(file)
  const isSame = ([name, value]: [string, unknown]) => {
    const key = name.toLowerCase()
    return reserved.has(key) && (typeof value === 'string' || typeof value === 'number') && `${value}` === same[key]
  }
  return Object.fromEntries(Object.entries(sent).filter(entry => !isSame(entry)))
}

/** The extension stays. */
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

/** What is stored stays; fields that are new begin with what the blueprint says. */
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
      ...firstContent(model, {}, { now: await selectNow(tx), readBy: 'en' }),
      ...(await contentToChange(tx, model, language)),
    }
    const revision = await recordChange(tx, file, 'template', change.by, { template })
    await storeContent(tx, model, { language, revision, action: 'template', by: change.by }, content)
    await indexOwners(app.store, tx, [{ owner: ownerOf(uuid) }])
    return revision
  })
}

/** Other bytes of the same kind. The name stays, the address changes. */
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

/** These come one after the other, after so many others. All files of the thing, as they are ordered now. */
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

/** The file and its parent are held. */
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

/** Who changes something, and in which state they have seen it, if they say. */
export interface Seen {
  by: By
  expected: Expected
}

/** As it is now, held until the end of the transaction; it may have gone or changed since it was found. */
async function held({ store }: App, tx: Tx, uuid: string, expected?: Expected): Promise<FileRow> {
  const file = await queries.lockFile(store, tx, uuid)
  if (!file) throw fail('file.notFound', { filename: ownerOf(uuid) })
  mustBeCurrent(file.revision, expected)
  return file
}

/** The file is held until the end of the transaction; says at which revision it is. */
export async function lockRevision(app: App, tx: Tx, { uuid }: FileRow): Promise<number> {
  return (await held(app, tx, uuid)).revision
}

async function recordChange(tx: Tx, file: FileRow, what: string, by: By, change: queries.Change = {}): Promise<number> {
  await record(tx, { event: 'file.changed', subject: ownerOf(file.uuid), ...by, detail: { what, name: file.filename } })
  return queries.updateFile(tx, file.uuid, change)
}

// ---- with what they belong to

/** For good: other bytes take their place. */
export async function removeFiles({ store }: App, tx: Tx, files: readonly FileRow[]): Promise<void> {
  if (files.length === 0) return
  const uuids = files.map(({ uuid }) => uuid)
  const owners = uuids.map(ownerOf)
  const hashes = await queries.deleteRows(tx, uuids)
  await deleteContents(tx, owners)
  await removeFromIndex(store, tx, owners)
  await releaseBlobs(tx, hashes)
}

/** Every file of the things on the left that is wanted, once more for the thing on the right: with a uuid of its own, and the same bytes. */
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

/** Which of these stands for the thing they belong to: the first one by name that a browser shows. */
export function firstPictureOf(files: readonly FileRow[]): FileRow | undefined {
  return byName(files, ({ name_key }) => name_key).find(
    ({ type, extension }) => type === 'image' && isViewable(extension),
  )
}
