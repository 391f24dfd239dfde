/** The whole database, to compare it before and after. */
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import type { App } from '../src/app.ts'
import { engine, type TestApp } from './harness.ts'
import { isSlow } from './slow.ts'

/** Columns that requests update by themselves, at most once a minute. */
const volatileColumns: Record<string, readonly string[]> = { sessions: ['last_seen_at', 'idle_until'] }

export type Dump = Record<string, string[]>

type Row = Record<string, unknown>

type RowFilter = (row: Row) => boolean

const noRow: RowFilter = () => false

/** Cache: the dump is valid until something is committed, which SQLite can detect. */
const latest = new WeakMap<App, { version: number; except: RowFilter; found: Dump }>()

/**
 * All rows of all tables, except the internal tables of the search index. `except` excludes rows that are expected to
 * change.
 */
export async function dump({ app }: TestApp, except = noRow): Promise<Dump> {
  const version = app.store.version()?.number
  const last = latest.get(app)
  if (last && last.version === version && last.except === except) return last.found
  const tables = engine === 'sqlite' ? await fromSqlite(app) : await fromPostgres(app)
  const found: Dump = {}
  for (const [name, rows] of tables)
    found[name] = rows
      .filter(row => !except(row))
      .map(row =>
        JSON.stringify(row, (key, value: unknown) => (volatileColumns[name]?.includes(key) ? undefined : value)),
      )
      .toSorted()
  if (version !== undefined) latest.set(app, { version, except, found })
  return found
}

async function fromSqlite({ store: { db } }: App): Promise<Map<string, Row[]>> {
  const names = await sql<{ name: string }>`select name from sqlite_master where type = 'table'
    and name not like 'sqlite_%' and name not like 'search_index_%' order by name`.execute(db)
  const tables = new Map<string, Row[]>()
  for (const { name } of names.rows)
    tables.set(name, (await sql<Row>`select * from ${sql.table(name)}`.execute(db)).rows)
  return tables
}

/** In one statement, because most tests dump twice. */
async function fromPostgres({ store: { db } }: App): Promise<Map<string, Row[]>> {
  const names = await sql<{
    name: string
  }>`select tablename as name from pg_tables where schemaname = 'public' order by tablename`.execute(db)
  const tables = new Map(names.rows.map(({ name }) => [name, [] as Row[]]))
  const each = [...tables.keys()].map(
    name => sql`select ${sql.lit(name)} as name, to_json(one)::text as text from ${sql.table(name)} as one`,
  )
  const { rows } = await sql<{ name: string; text: string }>`${sql.join(each, sql` union all `)}`.execute(db)
  for (const { name, text } of rows) tables.get(name)!.push(JSON.parse(text) as Row)
  return tables
}

/**
 * The tests of this block change nothing. Comparing the whole database takes longer than a request, so only the slow run
 * compares after each test, and names the one that has changed it.
 */
export function mustStayUnchanged(state: () => Promise<Dump>): void {
  let before: Dump
  const compare = async () => expect(await state(), 'the database after these requests').toEqual(before)
  beforeAll(async () => {
    before = await state()
  })
  if (isSlow) afterEach(compare)
  else afterAll(compare)
}
