import { setImmediate as breathe } from 'node:timers/promises'
import type { App } from '../../app.ts'
import { type By, record } from '../../access/audit/audit.ts'
import { fail } from '../../platform/errors.ts'
import { adaptContents } from '../languages/contents/contents.ts'
import { shareLockLanguages } from '../languages/queries.ts'
import { chunks } from '../../platform/lib/chunks.ts'
import { createId } from '../../platform/lib/id.ts'
import { releaseBlobs } from '../../platform/media/blobs.ts'
import { removeFromIndex, indexOwners } from '../../platform/search/search.ts'
import type { Tx, WriteOptions } from '../../platform/store/store.ts'
import { sweepInBatches, type SweepOptions } from '../../platform/store/sweep.ts'
import * as queries from './queries.ts'

export type TrashRow = queries.TrashRow

/** A deletion that is under way. */
export interface OpenEntry {
  id: string
  pages: number
  files: number
  /** The key of the default language. */
  language: string
  /** `page article`, `file image`, `in page default`: who may see all of these sees the entry. */
  templates: Set<string>
}

/** The first step of a deletion, before any content goes: languages stay as they are until the end of the transaction. */
export async function openEntry(tx: Tx): Promise<OpenEntry> {
  const language = (await shareLockLanguages(tx)).find(({ is_default }) => is_default === 1)?.key ?? ''
  return { id: createId(), pages: 0, files: 0, language, templates: new Set() }
}

interface Templated {
  uuid: string
  template: string | null
}

/** Some pages with their contents. Their files go with `trashFiles`. */
export async function trashPages({ store }: App, tx: Tx, entry: OpenEntry, pages: readonly Templated[]): Promise<void> {
  const uuids = pages.map(({ uuid }) => uuid)
  for (const table of ['page_slugs', 'schedules', 'pages'] as const) await queries.moveRows(tx, entry.id, table, uuids)
  const owners = uuids.map(uuid => `page://${uuid}`)
  await trashContents(tx, entry, owners)
  await removeFromIndex(store, tx, owners)
  entry.pages += pages.length
  for (const { template } of pages) entry.templates.add(`page ${template}`)
}

/** Some files with their contents. Their bytes stay. */
export async function trashFiles({ store }: App, tx: Tx, entry: OpenEntry, files: readonly Templated[]): Promise<void> {
  for (const some of chunks(files)) {
    const uuids = some.map(({ uuid }) => uuid)
    const owners = uuids.map(uuid => `file://${uuid}`)
    await queries.moveRows(tx, entry.id, 'files', uuids)
    await trashContents(tx, entry, owners)
    await removeFromIndex(store, tx, owners)
  }
  entry.files += files.length
  for (const { template } of files) entry.templates.add(`file ${template ?? 'default'}`)
}

/** The account with its content. What it signs in with is deleted by the store, with the row. */
export async function trashUser(tx: Tx, entry: OpenEntry, { id, role }: { id: string; role: string }): Promise<void> {
  await queries.moveRows(tx, entry.id, 'users', [id])
  await trashContents(tx, entry, [`user://${id}`])
  entry.templates.add(`user ${role}`)
}

async function trashContents(tx: Tx, { id }: OpenEntry, owners: readonly string[]): Promise<void> {
  for (const table of ['contents', 'changes', 'history'] as const) await queries.moveRows(tx, id, table, owners)
}

export type Trashed = Pick<TrashRow, 'kind' | 'owner' | 'parent' | 'path' | 'title' | 'template'>

/** The last step of a deletion. */
export async function closeEntry(
  { config }: App,
  tx: Tx,
  { templates, ...entry }: OpenEntry,
  trashed: Trashed,
  by: By,
): Promise<void> {
  const is_purged = config.trash.days === 0 ? 1 : 0
  await queries.insertEntry(tx, { ...entry, ...trashed, user_id: by.actor ?? null, is_purged })
  const needed = [...templates].map(text => {
    const space = text.lastIndexOf(' ')
    return { kind: text.slice(0, space) as 'page', template: text.slice(space + 1) }
  })
  await queries.insertTemplates(tx, entry.id, needed)
}

/** After the transaction of a deletion: without a trash nothing of it stays. */
export function purgeUnlessKept(app: App): void {
  if (app.config.trash.days === 0) purgeSoon(app)
}

// ---- back again

/** From so many pages and files on others would wait too long for it. */
const longFrom = 200

/** How an entry is restored. */
export async function restoreWrite({ store }: App, id: string): Promise<WriteOptions> {
  const { pages = 0, files = 0 } = (await queries.selectSize(store, id)) ?? {}
  return { isLong: pages + files >= longFrom }
}

/** Held until the end of the transaction: of two who restore it the second finds nothing. */
export async function lockTrashEntry({ store }: App, tx: Tx, id: string): Promise<TrashRow> {
  const entry = await queries.lockEntry(store, tx, id)
  if (!entry) throw fail('trash.notFound')
  const taken = await queries.selectSameUuid(tx, id)
  if (taken !== undefined) throw fail('trash.uuid', { id: taken })
  return entry
}

/** All rows of the entry return to their tables, with other values where `changes` says so. The entry is gone. */
export async function returnEntry(
  app: App,
  tx: Tx,
  { id, language }: TrashRow,
  changes: queries.Changes,
): Promise<void> {
  const languages = await shareLockLanguages(tx)
  const owners: string[] = []
  const kinds = { pages: 'page', files: 'file', users: 'user' } as const
  for (const table of ['pages', 'files', 'users', 'page_slugs', 'schedules'] as const)
    for await (const some of queries.returnRows(tx, id, table, changes[table])) {
      if (table in kinds) owners.push(...some.map(key => `${kinds[table as 'pages']}://${key}`))
      await breathe()
    }
  for (const table of ['contents', 'changes', 'history'] as const)
    for await (const _ of queries.returnRows(tx, id, table)) await breathe()
  for (const some of chunks(owners, 200)) {
    await adaptContents(app, tx, some, { languages, from: language })
    await indexOwners(
      app.store,
      tx,
      some.map(owner => ({ owner })).filter(({ owner }) => !owner.startsWith('user:')),
    )
    await breathe()
  }
  await queries.deleteEntry(tx, id)
}

// ---- for good

const day = 24 * 60 * 60_000
const batch = 500
const maxBatches = 200

/** Nobody can restore it from now on. False if it has been restored or deleted for good meanwhile. */
export async function purgeEntry(app: App, id: string, by: By = {}): Promise<boolean> {
  return app.store.write(async tx => {
    const { owner: subject, pages, files } = (await queries.markPurged(tx, id)) ?? {}
    if (subject === undefined) return false
    await record(tx, { event: 'trash.deleted', subject, ...by, detail: { pages: pages!, files: files! } })
    return true
  })
}

/** The rows of what has been marked are removed after the answer. */
export const purgeSoon = (app: App): void => app.background(() => purge(app))

/** What has been in the trash for `trash.days` is deleted for good. Any number of processes may do it at once. */
export async function sweepTrash(app: App, options?: SweepOptions): Promise<void> {
  const { store, config } = app
  await sweepInBatches(store, (tx, size) => queries.markExpired(tx, config.trash.days * day, size), options)
  await purge(app, options)
}

/** Removes the rows of what is deleted for good, some at a time. What is left is removed by the next sweep. */
async function purge({ store }: App, { isStopped = () => false }: SweepOptions = {}): Promise<void> {
  let left = maxBatches
  for (
    let ids = await queries.selectPurged(store, batch);
    ids.length > 0;
    ids = await queries.selectPurged(store, batch)
  )
    for (const id of ids) {
      let count = batch
      while (count === batch) {
        if (left-- === 0 || isStopped()) return
        count = await store.write(async tx => {
          if (!(await queries.lockPurged(store, tx, id))) return 0
          const rows = await queries.deleteSomeRows(tx, id, batch)
          await releaseBlobs(
            tx,
            rows.flatMap(({ hash }) => hash ?? []),
          )
          if (rows.length < batch) await queries.deleteEntry(tx, id)
          return rows.length
        })
        await breathe()
      }
    }
}
