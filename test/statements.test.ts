/** The number of statements of a read does not grow with the number of rows. */
import { StatementSync } from 'node:sqlite'
import { beforeAll, expect, test, vi } from 'vitest'
import { indexOwners } from '../src/platform/search/search.ts'
import { createTestStorage, createTestApp, writeBlueprints } from './harness.ts'
import { addFile } from './media.ts'
import { addPage, createTokenClient, type TokenClient } from './pages.ts'
import { roundTripsOf } from './round-trips.ts'
import { statementsOf } from './sign-in.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'pages/default.yml':
    'fields: { text: { type: text }, related: { type: pages }, cover: { type: files }, by: { type: users } }',
  'files/default.yml': 'fields: { alt: { type: text } }',
})
const site = await createTestApp({ storage, quiet: true })
let admin: TokenClient

beforeAll(async () => {
  admin = await createTokenClient(site)
  const plain = await addPage(site, '', { slug: 'plain', title: 'Plain', draft: false })
  await addPage(site, plain, { slug: 'child', title: 'Child', draft: false })
  for (const [hall, rooms, files] of [
    ['few', 20, 5],
    ['many', 100, 50],
  ] as const) {
    // prettier-ignore
    const uuid = await addPage(site, '', { slug: hall, title: `The ${hall}`, draft: false })
    const bytes = Buffer.from('words')
    const found: { owner: string }[] = []
    for (let number = 0; number < files; number++) {
      const file = await addFile(site, `page://${uuid}`, `${hall}file-${number}.csv`, bytes, { focus: '50% 50%' })
      found.push({ owner: `file://${file.uuid}` })
    }
    const { store } = site.app
    await store.write(tx => indexOwners(store, tx, found))
    for (let number = 0; number < rooms; number++) {
      const by = [`user://${admin.id}`]
      const content = {
        text: `${hall}room`,
        related: [`page://${uuid}`],
        cover: [`${hall}/${hall}file-${number % files}.csv`],
        by,
      }
      await addPage(site, uuid, { slug: `room-${number}`, title: `Room ${number}`, content, draft: false })
    }
  }
})

async function countOf(path: string, warm = false): Promise<number> {
  await admin.done('GET', path) // some are read once for all
  return (await statementsOf(site, () => admin.done('GET', path), { warm })).length
}

test.each([
  'pages/HALL',
  'pages/HALL?view=any',
  'pages/HALL+room-1',
  'pages/HALL/children?limit=100',
  'pages/HALL/children?limit=100&view=default',
  'pages/HALL/children?limit=100&select=content,hasFiles,hasChildren,parents',
  'pages/HALL/children/search?limit=100&q=room',
  'pages/HALL/files',
  'pages/HALL/files?view=default',
  'site/search?limit=100&q=HALLroom',
  'site/search?limit=100&q=HALLroom&view=default',
  'site/search/files?q=HALLfile',
])('%s takes the same number of statements for many as for few', async path => {
  let [few, many] = [Infinity, Infinity]
  // Work in the background, such as the time of use of a token once a minute, only adds statements.
  for (let round = 0; round < 3 && (few !== many || round === 0); round++) {
    few = Math.min(few, await countOf(path.replace('HALL', 'few')))
    many = Math.min(many, await countOf(path.replace('HALL', 'many')))
  }
  expect([few, many]).toEqual([few, few])
  expect(many).toBeLessThan(40)
})

test('reading a page is one statement, besides caller and language', async () => {
  const statements = await statementsOf(site, () => admin.done('GET', 'pages/few?select=id,title,content'))
  expect(statements.filter(text => text.includes('"pages"'))).toHaveLength(1)
})

/** While nothing is written, languages and avatars are known: commits of other test files may come in between. */
test.runIf(site.app.store.name === 'postgres').each([
  ['auth', 1],
  ['pages/few?select=id,title,content', 2],
  ['pages/few/children?limit=20&select=id,title', 3],
] as const)('on PostgreSQL, GET %s takes %i round trips', async (path, count) => {
  await expect.poll(() => countOf(path, true), { timeout: 60_000, interval: 5 }).toBe(count)
  await expect
    .poll(() => roundTripsOf(site, () => admin.done('GET', path)), { timeout: 60_000, interval: 5 })
    .toBe(count)
})

let created = 0
/** Work in the background only adds round trips. */
test.runIf(site.app.store.name === 'postgres').each([
  ['PATCH', 'pages/few', 7, () => ({ text: `Winter ${created++}` })],
  ['PATCH', 'pages/plain+child', 8, () => ({ text: `Winter ${created++}` })],
  ['POST', 'site/children', 6, () => ({ slug: `new-${created++}`, title: 'New', content: { text: 'Winter' } })],
  ['POST', 'pages/plain/children', 8, () => ({ slug: `new-${created++}`, title: 'New', content: { text: 'Winter' } })],
] as const)('on PostgreSQL, %s %s takes at most %i round trips', async (method, path, max, body) => {
  await expect
    .poll(() => roundTripsOf(site, () => admin.done(method, path, body())), { timeout: 60_000, interval: 5 })
    .toBeLessThanOrEqual(max)
})

/** The statements of a request, without those that begin and end transactions. */
async function sqliteStatementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const methods = ['all', 'get', 'run', 'iterate'] as const
  const spies = methods.map(name => vi.spyOn(StatementSync.prototype, name))
  await work()
  const statements = spies
    .flatMap(spy => spy.mock.contexts.map(context => (context as StatementSync).sourceSQL))
    .filter(text => !/^(?:begin|commit|savepoint|release|pragma)/.test(text))
  for (const spy of spies) spy.mockRestore()
  return statements
}

test.runIf(site.app.store.name === 'sqlite')('saving the content of a page takes at most ten statements', async () => {
  await admin.done('PATCH', 'pages/few', { text: 'The harbour' }) // the first request records the use of the token
  const statements = await sqliteStatementsOf(() => admin.done('PATCH', 'pages/few', { text: 'The harbour in winter' }))
  expect(statements.length).toBeLessThanOrEqual(10)
  expect((await admin.done('GET', 'pages/few?select=content')).data).toMatchObject({
    content: { text: 'The harbour in winter' },
  })
})

test.runIf(site.app.store.name === 'sqlite')('saving the content of a file reads it once', async () => {
  const statements = await sqliteStatementsOf(() =>
    admin.done('PATCH', 'pages/few/files/fewfile-0.csv', { alt: 'The harbour in winter' }),
  )
  // The response reads it again, with its owner.
  expect(statements.filter(text => text.startsWith('select "data" from "contents"'))).toHaveLength(1)
})
