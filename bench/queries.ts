import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
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

/** Accounts straight into the store: hashing a hundred thousand passwords is not what is measured. */
export async function fill(site: Site, count: number): Promise<void> {
  const url = site.environment['QUOIN_DATABASE_URL']
  if (url === undefined) fillSqlite(join(site.folder, 'data/quoin.db'), count)
  else await fillPostgres(url, count)
}

function fillSqlite(path: string, count: number): void {
  const db = new DatabaseSync(path)
  db.function('quoin_now', () => Date.now())
  db.exec('begin')
  const insert = db.prepare(`insert into users (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`)
  for (let index = 0; index < count; index++) insert.run(...rowOf(index))
  db.exec('commit')
  db.close()
}

async function fillPostgres(url: string, count: number): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  for (let start = 0; start < count; start += 1000) {
    const rows = Array.from({ length: Math.min(1000, count - start) }, (_, index) => rowOf(start + index))
    const values = rows.map((row, at) => `(${row.map((_, column) => `$${at * row.length + column + 1}`).join(', ')})`)
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
