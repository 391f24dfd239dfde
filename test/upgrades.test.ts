/** Stores that were written by earlier releases (`test/stores`) open in this one, and nothing is lost. */
import { cpSync, existsSync, globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createTestApp, createTestStorage, engine } from './harness.ts'
import { quoin } from './program.ts'

const stores = join(import.meta.dirname, 'stores')
const releases = readdirSync(stores).filter(name => /^\d/.test(name))

/** Rows that expire by themselves, or that a migration turns into others. */
const fleeting = new Set(['sessions', 'throttle', 'challenges', 'mails', 'setup'])

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

test.runIf(engine === 'sqlite').each(releases)('a store of %s opens with everything in it', async release => {
  const storage = await createTestStorage()
  const path = join(storage.data, 'quoin.db')
  rmSync(join(storage.data, 'blueprints'), { recursive: true })
  for (const name of ['secrets.json', 'media', 'blueprints'])
    cpSync(join(stores, release, name), join(storage.data, name), { recursive: true })
  writeFileSync(path, gunzipSync(readFileSync(join(stores, release, 'quoin.db.gz'))), { mode: 0o600 })
  const before = countRows(path)
  expect(before.get('pages')).toBeGreaterThan(5)

  const site = await createTestApp({ storage })
  const browser = site.browser()
  await browser.client.auth.login({ email: 'ada@example.org', password: 'seven quiet herons over water' })
  const answers = JSON.parse(readFileSync(join(stores, release, 'answers.json'), 'utf8')) as Record<string, unknown>
  for (const [address, data] of Object.entries(answers)) {
    const answer = await browser.send({ url: `/api/${address}` })
    expect([address, answer.statusCode, answer.json().data]).toEqual([address, 200, data])
  }
  await site.close()

  const after = countRows(path)
  for (const [table, count] of before)
    if (!fleeting.has(table) && after.has(table)) expect([table, after.get(table)! >= count]).toEqual([table, true])
  for (const blob of globSync('*/*', { cwd: join(stores, release, 'media') }))
    expect([blob, existsSync(join(storage.data, 'media', blob))]).toEqual([blob, true])
  const checked = await quoin(['check', storage.data, '--data'], { environment: { QUOIN_DATA: storage.data } })
  expect(checked).toMatchObject({ code: 0, stderr: '' })
})
