import { join } from 'node:path'
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import pg from 'pg'
import type { Site } from './programs.ts'

const columns = [
  'id',
  'email',
  'email_key',
  'name',
  'sort_key',
  'role',
  'language',
  'status',
  'created_at',
  'modified_at',
]

function rowOf(index: number): (string | number)[] {
  const email = `person${index}@example.org`
  const name = `Person ${index}`
  return [`u${index}`, email, email, name, name.toLowerCase(), 'editor', 'en', 'active', 0, 0]
}

/** Inserts accounts directly into the database, because hashing a hundred thousand passwords would take hours. */
export async function insertAccounts(site: Site, count: number): Promise<void> {
  const url = site.environment['QUOIN_DATABASE_URL']
  if (url === undefined) insertIntoSqlite(join(site.folder, 'data/quoin.db'), count)
  else await insertIntoPostgres(url, count)
}

function insertIntoSqlite(path: string, count: number): void {
  const db = new DatabaseSync(path)
  db.function('quoin_now', () => Date.now())
  db.exec('begin')
  const insert = db.prepare(`insert into users (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`)
  for (let index = 0; index < count; index++) insert.run(...rowOf(index))
  db.exec('commit')
  db.close()
}

async function insertIntoPostgres(url: string, count: number): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  for (let start = 0; start < count; start += 1000) {
    const rows = Array.from({ length: Math.min(1000, count - start) }, (_, index) => rowOf(start + index))
    const values = rows.map(
      (row, index) => `(${row.map((_, column) => `$${index * row.length + column + 1}`).join(', ')})`,
    )
    await client.query(`insert into users (${columns.join(', ')}) values ${values.join(', ')}`, rows.flat())
  }
  await client.query('analyze users')
  await client.end()
}

export async function createDatabase(server: string, name: string): Promise<string> {
  const client = new pg.Client(server)
  await client.connect()
  await client.query(`create database bench_${name}`)
  await client.end()
  return Object.assign(new URL(server), { pathname: `/bench_${name}` }).href
}

// ---- the rows of a new page

/** The tables with rows of a page, and the condition that selects them. */
const pageTables = [
  ['pages', 'uuid = ?'],
  ['contents', 'owner = ?'],
  ['history', 'owner = ?'],
  ['search_rows', 'owner = ?'],
  ['audit_events', 'subject_id = ?'],
] as const

/**
 * All rows of the page that was created last; that of `search_index` is composed of about as many words. `$` stands for the part that differs per page, `$uuid` for a random id:
 * as with real ids, inserts go to random places of the index and not to its end. `$rowid` stands for the id that the
 * database assigns to the row of `search_rows`, so this row is inserted before that of `search_index`. Counts and links are
 * written by triggers.
 */
export function rowsOfPage(path: string): { table: string; row: Record<string, SQLOutputValue> }[] {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    const page = db.prepare('select uuid, slug from pages order by created_at desc limit 1').get() as {
      uuid: string
      slug: string
    }
    const rows = pageTables.flatMap(([table, condition]) =>
      db
        .prepare(`select * from ${table} where ${condition}`)
        .all(table === 'pages' ? page.uuid : `page://${page.uuid}`)
        .map(row => ({ table: table as string, row: withPlaceholders(row, page) })),
    )
    const words = { heavy: 's$ $ topic section', light: contentWords(rows), place: 'inside' }
    const afterSearchRow = rows.findIndex(({ table }) => table === 'search_rows') + 1
    return rows.toSpliced(afterSearchRow, 0, { table: 'search_index', row: { rowid: '$rowid', ...words } })
  } finally {
    db.close()
  }
}

const contentWords = (rows: { table: string; row: Record<string, SQLOutputValue> }[]) => {
  const { data } = rows.find(({ table }) => table === 'contents')!.row
  return [
    ...new Set(
      String(data)
        .toLowerCase()
        .match(/[a-z]{2,}/g),
    ),
  ].join(' ')
}

const withPlaceholders = (row: Record<string, SQLOutputValue>, { uuid, slug }: { uuid: string; slug: string }) =>
  Object.fromEntries(
    Object.entries(row)
      .filter(([name]) => name !== 'id') // assigned by the database
      .map(([name, value]) => [
        name,
        typeof value === 'string' ? value.replaceAll(uuid, '$uuid').replaceAll(slug, 's$') : value,
      ]),
  )

/** Copies the database to a file next to it. */
export function copyStore(path: string): string {
  const copy = `${path}.copy`
  const db = new DatabaseSync(path)
  db.prepare('vacuum into ?').run(copy)
  db.close()
  return copy
}
