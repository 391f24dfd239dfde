import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CompiledQuery, sql } from 'kysely'
import { release } from '../../../platform/release.ts'
import { migrate, migrations, unfinished } from '../../../platform/store/migrate.ts'
import { openSqlite } from '../../../platform/store/sqlite.ts'
import { now, type Store, type Tx } from '../../../platform/store/store.ts'

export interface ColumnSchema {
  name: string
  isNumber: boolean
  isNullable: boolean
}

export interface TableSchema {
  name: string
  columns: ColumnSchema[]
  /** The primary key; rows are also sorted by it. */
  key: ColumnSchema[]
}

/** The tables to copy: all except those that are derived from others. The same on both engines. */
export interface Shape {
  /** Referenced tables come before the tables that refer to them. */
  tables: TableSchema[]
  triggers: { name: string; table: string; text: string }[]
}

export interface Applied {
  name: string
  release: string
  applied_at: number
}

/** The search index is not copied: each engine rebuilds its own from the contents. */
const isRebuilt = (name: string) => name.startsWith('search_')

const shapes = new Map<number, Promise<Shape>>()

/** The tables after the first `count` migrations. */
export function shapeAfter(count: number): Promise<Shape> {
  let shape = shapes.get(count)
  if (!shape) {
    shape = makeShape(count)
    shapes.set(count, shape)
  }
  return shape
}

/** Migrates a temporary database and reads its schema, so that no separate list of tables is needed. */
async function makeShape(count: number): Promise<Shape> {
  const folder = mkdtempSync(join(tmpdir(), 'quoin-shape-'))
  try {
    const store = openSqlite({ path: join(folder, 'shape.db') })
    try {
      await migrate(store, release, migrations.slice(0, count))
      return readShape(text => store.read(CompiledQuery.raw(text)) as never)
    } finally {
      await store.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

type Ask = <Row>(text: string) => Row[]

function readShape(ask: Ask): Shape {
  const names = ask<{ name: string }>(
    `select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\' and name <> 'migrations' order by name`,
  ).filter(({ name }) => !isRebuilt(name))
  const tables = names.map(({ name }) => tableOf(ask, name))
  const referred = new Map(
    names.map(({ name }) => [name, ask<{ table: string }>(`pragma foreign_key_list("${name}")`).map(row => row.table)]),
  )
  const triggers = ask<{ name: string; table: string; text: string }>(
    `select name, tbl_name as "table", sql as text from sqlite_master where type = 'trigger' order by name`,
  )
  return { tables: inOrder(tables, referred), triggers }
}

function tableOf(ask: Ask, name: string): TableSchema {
  const rows = ask<{ name: string; type: string; notnull: number; pk: number }>(`pragma table_info("${name}")`)
  const columns = rows.map(row => ({
    name: row.name,
    isNumber: row.type.toLowerCase() === 'integer',
    isNullable: row.notnull === 0 && row.pk === 0,
  }))
  const key = rows.filter(({ pk }) => pk > 0).toSorted((one, other) => one.pk - other.pk)
  return { name, columns, key: key.map(row => columns.find(column => column.name === row.name)!) }
}

function inOrder(tables: TableSchema[], referred: ReadonlyMap<string, string[]>): TableSchema[] {
  const sorted: TableSchema[] = []
  const put = (table: TableSchema) => {
    if (sorted.includes(table)) return
    for (const name of referred.get(table.name)!) put(tables.find(other => other.name === name)!)
    sorted.push(table)
  }
  for (const table of tables) put(table)
  return sorted
}

// ---- state of a database

/** `foreign`: it has tables with our names that Quoin did not create. */
export type State = 'empty' | 'whole' | 'unfinished' | 'foreign'

export async function selectDatabaseState(store: Store, { tables }: Shape): Promise<{ state: State; mark: string }> {
  const catalogue =
    store.name === 'postgres'
      ? 'select tablename as name from pg_tables where schemaname = current_schema()'
      : `select name from sqlite_master where type = 'table'`
  const existing = new Set(
    ((await store.read(CompiledQuery.raw(catalogue))) as { name: string }[]).map(row => row.name),
  )
  if (!existing.has('migrations'))
    return { state: tables.some(({ name }) => existing.has(name)) ? 'foreign' : 'empty', mark: '' }
  try {
    const rows = (await store.read(CompiledQuery.raw('select name, release from migrations'))) as Applied[]
    const mark = rows.find(({ name }) => name === unfinished)
    if (mark) return { state: 'unfinished', mark: mark.release }
    return { state: rows.some(({ name }) => name === migrations[0]![0]) ? 'whole' : 'foreign', mark: '' }
  } catch {
    return { state: 'foreign', mark: '' }
  }
}

// ---- creating and dropping

const run = (tx: Tx, text: string) => tx.executeQuery(CompiledQuery.raw(text))

/** Drops all tables and functions of Quoin. */
export async function dropEverything(store: Store, tx: Tx, { tables }: Shape): Promise<void> {
  const names = [...tables.map(({ name }) => name), 'search_rows', 'search_index', 'migrations'].toReversed()
  if (store.name === 'sqlite') {
    await run(tx, 'drop table if exists search_terms')
    for (const name of names) await run(tx, `drop table if exists "${name}"`)
    return
  }
  await run(tx, `drop table if exists ${names.map(name => `"${name}"`).join(', ')} cascade`)
  const { rows } = await sql<{ name: string }>`select proname as name from pg_proc
    where pronamespace = current_schema()::regnamespace and (proname like 'quoin\\_%' or proname = 'audit_events_append_only')`.execute(
    tx,
  )
  for (const { name } of rows) await run(tx, `drop function "${name}" cascade`)
}

/** Creates the tables as these migrations do, empties them, and disables the triggers. */
export async function createSchema(store: Store, tx: Tx, applied: readonly Applied[], shape: Shape): Promise<void> {
  await sql`create table migrations (
    name text primary key, release text not null, applied_at bigint not null
  )`.execute(tx)
  for (const row of applied) {
    await migrations.find(([name]) => name === row.name)![1](tx, store.name)
    await tx.insertInto('migrations').values(row).execute()
  }
  await stopTriggers(store, tx, shape)
  for (const { name } of shape.tables.toReversed()) await run(tx, `delete from "${name}"`)
}

/** Disables the triggers: copied rows already contain what they maintain. */
export async function stopTriggers({ name }: Store, tx: Tx, { tables, triggers }: Shape): Promise<void> {
  if (name === 'sqlite') for (const trigger of triggers) await run(tx, `drop trigger "${trigger.name}"`)
  else for (const table of tables) await run(tx, `alter table "${table.name}" disable trigger user`)
}

/** Enables the triggers, which maintain counts, and sets every sequence to the number after the highest id. */
export async function startTriggers(store: Store, tx: Tx, { tables, triggers }: Shape): Promise<void> {
  if (store.name === 'sqlite') {
    for (const { text } of triggers) await run(tx, text)
    return
  }
  for (const { name, key } of tables) {
    await run(tx, `alter table "${name}" enable trigger user`)
    if (key.length !== 1 || !key[0]!.isNumber) continue
    const id = key[0]!.name
    await run(
      tx,
      `select setval(sequence, (select coalesce(max("${id}"), 0) + 1 from "${name}"), false)
       from pg_get_serial_sequence('"${name}"', '${id}') as sequence where sequence is not null`,
    )
  }
}

/** Runs the migrations of this release that the rows do not have yet. */
export async function migrateRest(store: Store, tx: Tx, count: number): Promise<void> {
  for (const [name, up] of migrations.slice(count)) {
    await up(tx, store.name)
    await tx.insertInto('migrations').values({ name, release, applied_at: now }).execute()
  }
}

/** Marks the database as unfinished, so that no server uses it; the text identifies the site that is being copied. */
export async function markUnfinished(tx: Tx, text: string): Promise<void> {
  await tx.insertInto('migrations').values({ name: unfinished, release: text, applied_at: now }).execute()
}

export async function unmark(tx: Tx): Promise<void> {
  await tx.deleteFrom('migrations').where('name', '=', unfinished).execute()
}
