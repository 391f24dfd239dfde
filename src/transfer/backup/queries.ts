import { CompiledQuery } from 'kysely'
import { withSnapshot as storeAtOnce } from '../../platform/store/snapshot.ts'
import { now, type EngineName, type Store, type Tx } from '../../platform/store/store.ts'
import { BackupRefusal } from './refusal.ts'
import type { Applied, ColumnSchema, TableSchema } from './schema/queries.ts'

export type ColumnValue = string | number | null
export type Row = Record<string, ColumnValue>

/** Reads all rows as they are at one moment. */
export interface Snapshot {
  engine: EngineName
  read: <Found>(text: string, parameters?: readonly unknown[]) => Promise<Found[]>
}

/** A snapshot within a transaction that also writes. */
export function snapshotIn({ name }: Store, tx: Tx): Snapshot {
  return {
    engine: name,
    read: async (text, parameters = []) =>
      (await tx.executeQuery<never>(CompiledQuery.raw(text, [...parameters]))).rows,
  }
}

/** Runs the work with one consistent snapshot. */
export function withBackupSnapshot<Result>(
  store: Store,
  work: (snapshot: Snapshot) => Promise<Result>,
): Promise<Result> {
  return storeAtOnce(store, frozen =>
    work({
      engine: frozen.name,
      read: async (text, parameters = []) => (await frozen.read(CompiledQuery.raw(text, [...parameters]))) as never,
    }),
  )
}

const quotedNames = (columns: readonly ColumnSchema[]) => columns.map(({ name }) => `"${name}"`).join(', ')

const batchBytes = 1024 * 1024
const maxBatchRows = 1000

/**
 * Reads all rows in batches, in the order of their key, which is the same on both engines. The size of a batch depends
 * on the size of the rows in the last one.
 */
export async function* batchesOf(snapshot: Snapshot, table: TableSchema, where = '1 = 1'): AsyncGenerator<Row[]> {
  const steps =
    snapshot.engine === 'postgres' ? await openCursor(snapshot, table, where) : byKey(snapshot, table, where)
  try {
    for (let size = 100; ;) {
      const rows = await steps.next(size)
      if (rows.length === 0) return
      yield rows
      const bytes = rows.reduce((sum, row) => sum + bytesOf(row), 0)
      size = Math.max(1, Math.min(maxBatchRows, Math.floor((batchBytes / bytes) * rows.length)))
    }
  } finally {
    await steps.close()
  }
}

function bytesOf(row: Row): number {
  let bytes = 0
  for (const value of Object.values(row)) bytes += typeof value === 'string' ? value.length : 8
  return bytes
}

interface RowCursor {
  next(size: number): Promise<Row[]>
  close(): Promise<unknown>
}

/** The indexes of PostgreSQL may have another collation. With a cursor it sorts only once. */
async function openCursor({ read }: Snapshot, { name, columns, key }: TableSchema, where: string): Promise<RowCursor> {
  const order = key.map(column => `"${column.name}"${column.isNumber ? '' : ' collate "C"'}`)
  await read(
    `declare pieces no scroll cursor for select ${quotedNames(columns)} from "${name}" where ${where} order by ${order.join(', ')}`,
  )
  return {
    next: size => read<Row>(`fetch forward ${size} from pieces`),
    close: () => read('close pieces').catch(() => {}), // fails if the transaction has already failed
  }
}

function byKey({ read }: Snapshot, { name, columns, key }: TableSchema, where: string): RowCursor {
  let last: Row | undefined
  return {
    async next(size) {
      const beyond = last ? `(${quotedNames(key)}) > (${key.map(() => '?').join(', ')})` : '1 = 1'
      const rows = await read<Row>(
        `select ${quotedNames(columns)} from "${name}" where (${where}) and ${beyond} order by ${quotedNames(key)} limit ${size}`,
        last ? key.map(column => last![column.name]) : [],
      )
      last = rows.at(-1)
      return rows
    },
    close: async () => {},
  }
}

export async function countRows({ read }: Snapshot, name: string, where = '1 = 1'): Promise<number> {
  const [row] = await read<{ count: number }>(`select count(*) as count from "${name}" where ${where}`)
  return row!.count
}

export async function selectApplied({ read }: Snapshot): Promise<Applied[]> {
  return read('select name, release, applied_at from migrations order by name')
}

export async function selectPrints({ read }: Snapshot): Promise<{ ring: string; key_id: string; print: string }[]> {
  return read('select ring, key_id, print from key_prints order by ring, key_id')
}

/** Those of the tables whose rows refer to blobs. A database that is not migrated may not have all of them yet. */
export const blobTables = (tables: readonly TableSchema[]) =>
  ['files', 'file_versions', 'trash_rows'].filter(name => tables.some(table => table.name === name))

/** Hashes that files refer to and that have no row in `blobs`: they cannot be archived. */
export async function selectUnknownBytes(
  { read }: Snapshot,
  referring: readonly string[],
): Promise<{ hash: string }[]> {
  const hashes = referring.map(table => `select hash from ${table} where hash is not null`)
  return read(
    `select distinct hash from (${hashes.join(' union all ')}) as used
     where not exists (select 1 from blobs where blobs.hash = used.hash) order by hash`,
  )
}

/** Blobs of files, including those in the trash and former versions. Unused blobs will be swept and are not archived. */
export const usedBytes = (referring: readonly string[]) =>
  [
    'unused_since is null',
    ...referring.map(table => `exists (select 1 from ${table} where ${table}.hash = blobs.hash)`),
  ].join(' or ')

/** Restarts the hour after which unused blobs are swept, for all of them that are not being removed. */
export async function postponeSweep(tx: Tx): Promise<void> {
  await tx.updateTable('blobs').set({ unused_since: now }).where('unused_since', '>=', 0).execute()
}

// ---- writing

export async function insertRows({ name }: Store, tx: Tx, table: TableSchema, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return
  const into = `insert into "${table.name}" (${quotedNames(table.columns)})`
  if (name === 'postgres') {
    mustBePossible(table, rows)
    const lists = table.columns.map((column, index) => `$${index + 1}::${column.isNumber ? 'bigint' : 'text'}[]`)
    const values = table.columns.map(column => rows.map(row => row[column.name]))
    const text = `${into} overriding system value select * from unnest(${lists.join(', ')})`
    await tx.executeQuery(CompiledQuery.raw(text, values))
    return
  }
  const text = `${into} values (${table.columns.map(() => '?').join(', ')})`
  for (const row of rows)
    await tx.executeQuery(
      CompiledQuery.raw(
        text,
        table.columns.map(column => row[column.name]),
      ),
    )
}

/** SQLite accepts the character U+0000 in text, PostgreSQL does not. */
function mustBePossible({ name, key }: TableSchema, rows: readonly Row[]): void {
  for (const row of rows)
    if (Object.values(row).some(value => typeof value === 'string' && value.includes('\0')))
      throw new BackupRefusal(
        `PostgreSQL cannot keep the character U+0000, which is in a row of ${name}: ${key.map(column => row[column.name]).join(' ')}`,
      )
}

export async function deleteBackupRows(
  { name }: Store,
  tx: Tx,
  table: TableSchema,
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return
  if (name === 'postgres') {
    const lists = table.key.map((column, index) => `$${index + 1}::${column.isNumber ? 'bigint' : 'text'}[]`)
    const text = `delete from "${table.name}" where (${quotedNames(table.key)}) in (select * from unnest(${lists.join(', ')}))`
    await tx.executeQuery(
      CompiledQuery.raw(
        text,
        table.key.map(column => rows.map(row => row[column.name])),
      ),
    )
    return
  }
  const text = `delete from "${table.name}" where ${table.key.map(column => `"${column.name}" = ?`).join(' and ')}`
  for (const row of rows)
    await tx.executeQuery(
      CompiledQuery.raw(
        text,
        table.key.map(column => row[column.name]),
      ),
    )
}

const indexBatchSize = 200

/** Owners to index, in batches. */
export async function selectIndexableOwners({ engine, read }: Snapshot, after: string): Promise<{ owner: string }[]> {
  return read(
    `select distinct owner from contents where owner > ${engine === 'postgres' ? '$1' : '?'}
     and (owner like 'page://%' or owner like 'file://%') order by owner limit ${indexBatchSize}`,
    [after],
  )
}

/** Owners in the search index that have no content. */
export async function selectOwnersWithoutContent({ read }: Snapshot): Promise<{ owner: string }[]> {
  return read(
    'select distinct owner from search_rows where not exists (select 1 from contents where contents.owner = search_rows.owner)',
  )
}

/** Blobs that exist but that no file uses: they will be swept. */
export async function insertUnused(tx: Tx, blobs: readonly { hash: string; size: number }[]): Promise<void> {
  if (blobs.length === 0) return
  await tx
    .insertInto('blobs')
    .values(blobs.map(blob => ({ ...blob, unused_since: now })))
    .onConflict(conflict => conflict.doNothing())
    .execute()
}
