import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { App } from '../../app.ts'
import { accountOf, type Context } from '../../access/actor.ts'
import { auditActor, type AuditDetail, record } from '../../access/audit/audit.ts'
import { canPurge, canRestore } from '../../access/authorize/trash.ts'
import { fail } from '../../platform/errors.ts'
import { adaptContents } from '../languages/contents/contents.ts'
import { lockLanguagesShared } from '../languages/queries.ts'
import { deletePurgedPages } from '../redirects/queries.ts'
import { chunks } from '../../platform/lib/chunks.ts'
import { createId } from '../../platform/lib/id.ts'
import { releaseBlobs } from '../../platform/media/blobs.ts'
import { removeFromIndex, indexOwners } from '../../platform/search/search.ts'
import type { Tx, WriteOptions } from '../../platform/store/store.ts'
import { sweepInBatches, type SweepOptions } from '../../platform/store/sweep.ts'
import * as queries from './queries.ts'

export type TrashRow = queries.TrashRow

/** A trash entry that is being built during a deletion. */
export interface OpenEntry {
  id: string
  pages: number
  files: number
  /** Key of the default language at the time of the deletion. */
  language: string
  /** `page article`, `file image`, `in page default`: callers see the entry if they may see all of these. */
  templates: Set<string>
}

/** First step of a deletion, before any content is moved. Takes a share lock on the languages. */
export async function openEntry(tx: Tx): Promise<OpenEntry> {
  const language = (await lockLanguagesShared(tx)).find(({ is_default }) => is_default === 1)?.key ?? ''
  return { id: createId(), pages: 0, files: 0, language, templates: new Set() }
}

interface Templated {
  uuid: string
  template: string | null
}

/** Moves pages and their contents to the trash. Call `trashFiles` for their files. */
export async function trashPages({ store }: App, tx: Tx, entry: OpenEntry, pages: readonly Templated[]): Promise<void> {
  const uuids = pages.map(({ uuid }) => uuid)
  for (const table of ['page_slugs', 'schedules', 'pages'] as const)
    await queries.moveRowsToTrash(tx, entry.id, table, uuids)
  const owners = uuids.map(uuid => `page://${uuid}`)
  await trashContents(tx, entry, owners)
  await removeFromIndex(store, tx, owners)
  entry.pages += pages.length
  for (const { template } of pages) entry.templates.add(`page ${template}`)
}

/** Moves files and their contents to the trash. Blobs stay until the entry is purged. */
export async function trashFiles({ store }: App, tx: Tx, entry: OpenEntry, files: readonly Templated[]): Promise<void> {
  for (const batch of chunks(files)) {
    const uuids = batch.map(({ uuid }) => uuid)
    const owners = uuids.map(uuid => `file://${uuid}`)
    await queries.moveRowsToTrash(tx, entry.id, 'files', uuids)
    await queries.moveRowsToTrash(tx, entry.id, 'file_versions', owners)
    await trashContents(tx, entry, owners)
    await removeFromIndex(store, tx, owners)
  }
  entry.files += files.length
  for (const { template } of files) entry.templates.add(`file ${template ?? 'default'}`)
}

/** Moves an account and its content to the trash. Credentials and sessions are deleted by foreign keys. */
export async function trashUser(tx: Tx, entry: OpenEntry, { id, role }: { id: string; role: string }): Promise<void> {
  await queries.moveRowsToTrash(tx, entry.id, 'users', [id])
  await trashContents(tx, entry, [`user://${id}`])
  entry.templates.add(`user ${role}`)
}

async function trashContents(tx: Tx, { id }: OpenEntry, owners: readonly string[]): Promise<void> {
  for (const table of ['contents', 'changes', 'reviews', 'comments', 'history'] as const)
    await queries.moveRowsToTrash(tx, id, table, owners)
}

export type TrashedModel = Pick<TrashRow, 'kind' | 'owner' | 'parent' | 'path' | 'title' | 'template'>

/** Last step of a deletion: writes the entry. */
export async function closeEntry(
  ctx: Context,
  tx: Tx,
  { templates, ...entry }: OpenEntry,
  trashed: TrashedModel,
): Promise<void> {
  const is_purged = ctx.app.config.trash.days === 0 ? 1 : 0
  await queries.insertEntry(tx, { ...entry, ...trashed, user_id: accountOf(ctx) ?? null, is_purged })
  const needed = [...templates].map(text => {
    const space = text.lastIndexOf(' ')
    return { kind: text.slice(0, space) as 'page', template: text.slice(space + 1) }
  })
  await queries.insertTemplates(tx, entry.id, needed)
}

/** Call after the transaction of a deletion: with `trash.days = 0` entries are purged at once. */
export function purgeIfTrashIsOff(app: App): void {
  if (app.config.trash.days === 0) purgeSoon(app)
}

// ---- restoring

/** Entries with at least this many pages and files are restored as a long write, so that readers do not wait. */
const longWriteThreshold = 200

/** Transaction options for restoring an entry. */
export async function restoreWrite({ store }: App, id: string): Promise<WriteOptions> {
  const { pages = 0, files = 0 } = (await queries.selectSize(store, id)) ?? {}
  return { isLong: pages + files >= longWriteThreshold }
}

/** Locks the entry, if the actor may restore everything in it; a concurrent second restore gets 404. */
export async function lockTrashEntry(ctx: Context, tx: Tx, id: string): Promise<TrashRow> {
  const entry = await queries.lockEntry(ctx.app.store, tx, id)
  if (!entry) throw fail('trash.notFound')
  if (!canRestore(ctx, await queries.selectTemplates(tx, [id]))) throw fail(`${entry.kind}.create.permission`)
  const existing = await queries.selectSameUuid(tx, id)
  if (existing !== undefined) throw fail('trash.uuid', { id: existing })
  return entry
}

/** Moves all rows of the entry back to their tables, with new values from `changes`, and deletes the entry. */
export async function returnEntry(
  app: App,
  tx: Tx,
  { id, language }: TrashRow,
  changes: queries.TrashChanges,
): Promise<void> {
  const languages = await lockLanguagesShared(tx)
  const owners: string[] = []
  const kinds = { pages: 'page', files: 'file', users: 'user' } as const
  for (const table of ['pages', 'files', 'users', 'page_slugs', 'schedules'] as const)
    for await (const batch of queries.moveRowsBack(tx, id, table, changes[table])) {
      if (table in kinds) owners.push(...batch.map(key => `${kinds[table as 'pages']}://${key}`))
      await yieldToOthers()
    }
  for (const table of ['contents', 'changes', 'reviews', 'comments', 'history', 'file_versions'] as const)
    for await (const _ of queries.moveRowsBack(tx, id, table)) await yieldToOthers()
  for (const batch of chunks(owners, 200)) {
    await adaptContents(app, tx, batch, { languages, from: language })
    await indexOwners(
      app.store,
      tx,
      batch.map(owner => ({ owner })).filter(({ owner }) => !owner.startsWith('user:')),
    )
    await yieldToOthers()
  }
  await queries.deleteEntry(tx, id)
}

// ---- permanent deletion

const day = 24 * 60 * 60_000
const batchSize = 500
const maxBatches = 200

/**
 * Marks an entry as purged: it can no longer be restored. `gone` if it was restored or purged in the meantime, `denied`
 * if the actor may not delete everything in it.
 */
export async function purgeEntry(ctx: Context, id: string): Promise<'purged' | 'gone' | 'denied'> {
  return ctx.app.store.write(async tx => {
    const entry = await queries.lockEntry(ctx.app.store, tx, id)
    if (!entry) return 'gone'
    if (!canPurge(ctx, await queries.selectTemplates(tx, [id]))) return 'denied'
    await queries.markPurged(tx, id)
    const { owner: subject, template, pages, files } = entry
    const facts = { ...(template !== null && { template }), pages, files, ...placeOf(entry) }
    await record(tx, { event: 'trash.deleted', subject, ...auditActor(ctx), detail: facts })
    return 'purged'
  })
}

/** Events outlive accounts, so they never contain an e-mail address; it is part of the path of an account's files. */
function placeOf({ kind, parent, path, title }: Pick<TrashRow, 'kind' | 'parent' | 'path' | 'title'>): AuditDetail {
  return kind === 'page' ? { path } : kind === 'file' ? { path: title, parent } : {}
}

/** Deletes the rows of marked entries in the background. */
export const purgeSoon = (app: App): void => app.background(() => deletePurgedRows(app))

/** Purges entries older than `trash.days`. Safe to run in several processes at once. */
export async function sweepTrash(app: App, options?: SweepOptions): Promise<void> {
  const { store, config } = app
  await sweepInBatches(store, (tx, size) => queries.markExpired(tx, config.trash.days * day, size), options)
  await deletePurgedRows(app, options)
}

/** Deletes the rows of purged entries in batches, up to a limit. The next sweep deletes the rest. */
async function deletePurgedRows({ store }: App, { isStopped = () => false }: SweepOptions = {}): Promise<void> {
  let left = maxBatches
  for (
    let ids = await queries.selectPurged(store, batchSize);
    ids.length > 0;
    ids = await queries.selectPurged(store, batchSize)
  )
    for (const id of ids) {
      let count = batchSize
      while (count === batchSize) {
        if (left-- === 0 || isStopped()) return
        count = await store.write(async tx => {
          if (!(await queries.lockPurged(store, tx, id))) return 0
          const rows = await queries.deleteSomeRows(tx, id, batchSize)
          await releaseBlobs(
            tx,
            rows.flatMap(({ hash }) => hash ?? []),
          )
          await deletePurgedPages(
            tx,
            rows.flatMap(({ kind, owner }) => (kind === 'pages' ? owner : [])),
          )
          if (rows.length < batchSize) await queries.deleteEntry(tx, id)
          return rows.length
        })
        await yieldToOthers()
      }
    }
}
