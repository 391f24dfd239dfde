/** Stores that were written by earlier releases (`test/stores`) open in this one, and nothing is lost. */
import { cpSync, existsSync, globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createTestApp, createTestStorage, type TestStorage } from './harness.ts'
import { quoin } from './program.ts'

const stores = join(import.meta.dirname, 'stores')
const releases = readdirSync(stores).filter(name => /^\d/.test(name))

/** Rows that expire by themselves, or that a migration turns into others. */
const temporary = new Set(['sessions', 'throttle', 'challenges', 'mails', 'setup'])

function countRows(path: string): Map<string, number> {
  const db = new DatabaseSync(path, { readOnly: true })
  const tables = db.prepare("select name from sqlite_schema where type = 'table' and sql not like '%virtual%'").all()
  const counts = tables.map(({ name }): [string, number] => {
    const { count } = db.prepare(`select count(*) as count from "${String(name)}"`).get()!
    return [String(name), Number(count)]
  })
  db.close()
  return new Map(counts.filter(([name]) => !/^sqlite_|_(?:data|idx|content|docsize|config)$/.test(name)))
}

test('there is a store of every release', () => {
  const changelog = readFileSync(join(import.meta.dirname, '../CHANGELOG.md'), 'utf8')
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as {
    version: string
  }
  const earlier = [...changelog.matchAll(/^## (\d+\.\d+\.\d+)/gm)].map(([, release]) => release!)
  const isUnreleased = /^## Unreleased[ \t]*\n+[^#\s]|^## Unreleased[ \t]*\n+###/m.test(changelog)
  const expected = isUnreleased ? earlier : earlier.filter(release => release !== version)
  expect(releases).toEqual(expect.arrayContaining(expected))
})

async function queryPostgres(url: string, text: string) {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await client.query<{ name: string; count: string }>(text)
  } finally {
    await client.end()
  }
}

async function countRowsOf(storage: TestStorage): Promise<Map<string, number>> {
  const url = storage.settings.database?.url
  if (url === undefined) return countRows(join(storage.data, 'quoin.db'))
  const tables = await queryPostgres(url, "select tablename as name from pg_tables where schemaname = 'public'")
  const counts = tables.rows.map(({ name }) => `select '${name}' as name, count(*) as count from "${name}"`)
  const { rows } = await queryPostgres(url, counts.join(' union all '))
  return new Map(rows.map(({ name, count }) => [name, Number(count)]))
}

/** The store of a release, as its program has left it. */
async function storeOf(release: string): Promise<TestStorage & { folder: string }> {
  const storage = await createTestStorage({ migrated: false })
  const url = storage.settings.database?.url
  const folder = join(stores, release, url === undefined ? '' : 'postgres')
  rmSync(join(storage.data, 'blueprints'), { recursive: true })
  for (const name of ['media', 'blueprints'])
    cpSync(join(stores, release, name), join(storage.data, name), { recursive: true })
  cpSync(join(folder, 'secrets.json'), join(storage.data, 'secrets.json'))
  const unpacked = (name: string) => gunzipSync(readFileSync(join(folder, name)))
  if (url === undefined) writeFileSync(join(storage.data, 'quoin.db'), unpacked('quoin.db.gz'), { mode: 0o600 })
  else await queryPostgres(url, String(unpacked('dump.sql.gz')))
  return { ...storage, folder }
}

test.each(releases)('a store of %s opens with everything in it', async release => {
  const { folder, ...storage } = await storeOf(release)
  const before = await countRowsOf(storage)
  expect(before.get('pages')).toBeGreaterThan(5)

  const site = await createTestApp({ storage })
  const browser = site.browser()
  await browser.client.auth.login({ email: 'ada@example.org', password: 'seven quiet herons over water' })
  const answers = JSON.parse(readFileSync(join(folder, 'answers.json'), 'utf8')) as Record<string, unknown>
  for (const [address, data] of Object.entries(answers)) {
    const answer = await browser.send({ url: `/api/${address}` })
    expect([address, answer.statusCode, answer.json().data]).toEqual([address, 200, data])
  }
  await site.close()

  const after = await countRowsOf(storage)
  for (const [table, count] of before)
    if (!temporary.has(table) && after.has(table)) expect([table, after.get(table)! >= count]).toEqual([table, true])
  for (const blob of globSync('*/*', { cwd: join(stores, release, 'media') }))
    expect([blob, existsSync(join(storage.data, 'media', blob))]).toEqual([blob, true])
  const { url = '' } = storage.settings.database ?? {}
  const checked = await quoin(['check', storage.data, '--data'], {
    environment: { QUOIN_DATA: storage.data, ...(url !== '' && { QUOIN_DATABASE_URL: url }) },
  })
  expect(checked).toMatchObject({ code: 0, stderr: '' })
})
