import { DatabaseSync } from 'node:sqlite'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgres } from '../tools/postgres.ts'
import { atMost, type Figure } from './results.ts'
import { compare, median } from './load.ts'
import { addUser, createSite, type Program, type Site, startQuoin } from './programs.ts'

const password = 'seven quiet herons over water'
const admin = 'admin@example.org'
const few = 1000
const many = 100_000

/** Whether a site with a hundred thousand accounts answers as quickly as one with a thousand. */
export async function users({ quick }: { quick: boolean }): Promise<Figure[]> {
  const most = quick ? 20_000 : many
  const figures = await compareSites('SQLite', most, createSite(), createSite())
  const postgres = await startPostgres()
  const databases = await Promise.all(['few', 'many'].map(name => createDatabase(postgres.url, name)))
  try {
    const [small, large] = databases.map(url => createSite(url)) as [Site, Site]
    return [...figures, ...(await compareSites('PostgreSQL', most, small, large))]
  } finally {
    await postgres.stop()
  }
}

async function compareSites(engine: string, most: number, small: Site, large: Site): Promise<Figure[]> {
  const programs: Program[] = []
  try {
    const [little, big] = [await opened(small, few), await opened(large, most)]
    programs.push(little.program, big.program)
    return [
      await ratio(`list 100 of ${most} accounts, ${engine}`, little, big, '/api/users?limit=100'),
      await ratio(`find one by e-mail, ${engine}`, little, big, '/api/users/person777@example.org'),
      // Every account is looked at: it takes as many times longer as there are more of them, and should not take more.
      await ratio(`search a word that one account has, ${engine}`, little, big, '/api/users/search?q=person777@', 100),
    ]
  } finally {
    for (const program of programs) await program.stop()
    for (const site of [small, large]) site.remove()
  }
}

interface Opened {
  program: Program
  cookie: string
}

async function opened(site: Site, count: number): Promise<Opened> {
  process.stderr.write(`measuring: a site with ${count} accounts\n`)
  mkdirSync(join(site.folder, 'blueprints/users'), { recursive: true })
  writeFileSync(join(site.folder, 'blueprints/users/editor.yml'), 'title: Editor\n')
  addUser(site, admin, password)
  await fill(site, count)
  const program = await startQuoin(site)
  const response = await fetch(`${program.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: admin, password }),
  })
  const cookie = response.headers.getSetCookie().map(line => line.split(';')[0]!)
  return { program, cookie: cookie.join('; ') }
}

/** One client after the other: how long a request takes, not how many the machine bears. */
async function ratio(what: string, little: Opened, big: Opened, path: string, wanted = 1.5): Promise<Figure> {
  const time =
    ({ program, cookie }: Opened) =>
    async () => {
      const times: number[] = []
      for (let count = 0; count < (wanted > 2 ? 3 : 30); count++) {
        const start = performance.now()
        const response = await fetch(program.url + path, { headers: { cookie, 'x-round': String(Math.random()) } })
        await response.arrayBuffer()
        if (response.status !== 200) throw new Error(`${path} was answered with ${response.status}`)
        times.push(performance.now() - start)
      }
      return median(times)
    }
  await time(little)()
  await time(big)()
  const { ratio: measured, value, yardstick } = await compare(wanted > 2 ? 3 : 10, time(big), time(little))
  return atMost(what, measured, wanted, ' ×', `${value.toFixed(2)} ms against ${yardstick.toFixed(2)} ms with ${few}`)
}

// ---- accounts, straight into the store: hashing a hundred thousand passwords is not what is measured

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

async function fill(site: Site, count: number): Promise<void> {
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

async function createDatabase(server: string, name: string): Promise<string> {
  const client = new pg.Client(server)
  await client.connect()
  await client.query(`create database bench_${name}`)
  await client.end()
  return Object.assign(new URL(server), { pathname: `/bench_${name}` }).href
}
