import { createHash } from 'node:crypto'
import { reindexAll } from '../backup/load.ts'
import {
  countRows,
  deleteBackupRows,
  insertRows,
  batchesOf,
  type Row,
  selectApplied,
  selectPrints,
  type Snapshot,
  withBackupSnapshot,
} from '../backup/queries.ts'
import { BackupRefusal } from '../backup/refusal.ts'
import { createDigest, type Digest, digestOf } from '../backup/rows.ts'
import {
  type Applied,
  createSchema,
  dropEverything,
  markUnfinished,
  type Shape,
  shapeAfter,
  startTriggers,
  selectDatabaseState,
  stopTriggers,
  type TableSchema,
  unmark,
} from '../backup/schema/queries.ts'
import { migrations, pendingMigrations, unfinished } from '../../platform/store/migrate.ts'
import type { Store } from '../../platform/store/store.ts'
import { mergeRows } from './merge-rows.ts'
import { selectDatabaseIdentity } from './queries.ts'

export interface CopyOptions {
  /** Replaces a site that exists in the target. Of an earlier copy of the same site, equal rows are kept. */
  force?: boolean
  progress?: (done: number, all: number) => void
}

export interface CopyReport {
  tables: Record<string, Digest>
  rows: number
  /** Rows that an earlier run had already copied. */
  alreadyCopied: number
}

/**
 * Copies all rows, as one consistent snapshot of the source, to another database. The target is marked as unfinished
 * until the end. The copy can be interrupted at any time: the next run removes rows that differ from the source and
 * adds the missing ones.
 */
export async function copyStore(source: Store, target: Store, options: CopyOptions = {}): Promise<CopyReport> {
  const { force = false, progress = () => {} } = options
  if ((await selectDatabaseIdentity(source)) === (await selectDatabaseIdentity(target)))
    throw new BackupRefusal('This is the same store.')
  if ((await pendingMigrations(source)).length > 0)
    throw new BackupRefusal('The database is not up to date. Run "quoin migrate" first.')
  const shape = await shapeAfter(migrations.length)
  return withBackupSnapshot(source, async snapshot => {
    await prepare(target, shape, { applied: await selectApplied(snapshot), mark: await markOf(snapshot), force })
    let [all, done, alreadyCopied] = [0, 0, 0]
    for (const { name } of shape.tables) all += await countRows(snapshot, name)
    for (const table of shape.tables.toReversed()) await removeOthers(snapshot, target, table)
    const tables: Record<string, Digest> = {}
    for (const table of shape.tables) {
      const { digest, copied } = await copyMissing(snapshot, target, table, count => progress((done += count), all))
      alreadyCopied += digest.rows - copied
      await verify(target, table, digest)
      tables[table.name] = digest
    }
    await reindexAll(target, work => target.write(work))
    await target.write(async tx => {
      await startTriggers(target, tx, shape)
      await unmark(tx)
    })
    return { tables, rows: all, alreadyCopied }
  })
}

/**
 * Identifies a site by the fingerprints of its secrets, so that the tables of another site are not continued.
 */
async function markOf(snapshot: Snapshot): Promise<string> {
  const prints = JSON.stringify(await selectPrints(snapshot))
  return createHash('sha256').update(prints).digest('base64url').slice(0, 22)
}

interface Preparation {
  applied: Applied[]
  mark: string
  force: boolean
}

/** Creates empty tables, or keeps those of an earlier copy of the same site. */
async function prepare(target: Store, shape: Shape, { applied, mark, force }: Preparation): Promise<void> {
  const { state, ...earlier } = await selectDatabaseState(target, shape)
  const isSame = state === 'unfinished' && earlier.mark === mark && (await hasSchema(target, applied))
  if (isSame) return
  if (state === 'foreign') throw new BackupRefusal('The target has tables that are not of Quoin. Use another one.')
  if (state === 'whole' && !force)
    throw new BackupRefusal('There is a site in the target already. --force replaces all of it.')
  if (state === 'whole') await pendingMigrations(target) // throws if a newer release made the database
  if (state === 'unfinished' && earlier.mark !== mark && !force)
    throw new BackupRefusal('The target holds an unfinished copy of another site. --force replaces it.')
  const isEarlierCopy =
    state === 'whole' && (await hasSchema(target, applied)) && (await withBackupSnapshot(target, markOf)) === mark
  await target.write(async tx => {
    await target.lockMigrations(tx)
    if (isEarlierCopy) await stopTriggers(target, tx, shape)
    else {
      if (state !== 'empty') await dropEverything(target, tx, shape)
      await createSchema(target, tx, applied, shape)
    }
    await markUnfinished(tx, mark)
  })
}

async function hasSchema(target: Store, applied: readonly Applied[]): Promise<boolean> {
  const rows = await withBackupSnapshot(target, selectApplied)
  const names = new Set(rows.map(({ name }) => name))
  names.delete(unfinished)
  return names.size === applied.length && applied.every(({ name }) => names.has(name))
}

const pieceSize = 1000

/** Removes rows that are not the same in the source first, so that they cannot conflict with new rows. */
async function removeOthers(snapshot: Snapshot, target: Store, table: TableSchema): Promise<void> {
  await withBackupSnapshot(target, async there => {
    if ((await countRows(there, table.name)) === 0) return
    let gone: Row[] = []
    const end = async () => {
      await target.write(tx => deleteBackupRows(target, tx, table, gone))
      gone = []
    }
    for await (const { theirs, isEqual } of mergeRows(table, batchesOf(snapshot, table), batchesOf(there, table))) {
      if (theirs && !isEqual) gone.push(theirs)
      if (gone.length >= pieceSize) await end()
    }
    await end()
  })
}

async function copyMissing(snapshot: Snapshot, target: Store, table: TableSchema, progress: (count: number) => void) {
  const digest = createDigest()
  let copied = 0
  await withBackupSnapshot(target, async there => {
    let [rows, characters, passed] = [[] as Row[], 0, 0]
    const end = async () => {
      await target.write(tx => insertRows(target, tx, table, rows))
      copied += rows.length
      progress(passed)
      rows = []
      characters = 0
      passed = 0
    }
    for await (const { ours, theirs } of mergeRows(table, batchesOf(snapshot, table), batchesOf(there, table))) {
      if (!ours) continue
      const line = digest.add(ours)
      passed++
      if (!theirs) {
        rows.push(ours)
        characters += line.length
      }
      if (passed >= pieceSize || characters > 4_000_000) await end()
    }
    await end()
  })
  return { digest: digest.end(), copied }
}

async function verify(target: Store, table: TableSchema, expected: Digest): Promise<void> {
  const actual = await withBackupSnapshot(target, snapshot => digestOf(batchesOf(snapshot, table)))
  if (actual.rows !== expected.rows || actual.sha256 !== expected.sha256)
    throw new BackupRefusal(
      `${table.name} differs in the target: ${actual.rows} rows instead of ${expected.rows}. Is another process writing there?`,
    )
}
