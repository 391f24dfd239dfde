import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { beforeAll, expect, test } from 'vitest'
import {
  addUser,
  createTestApp,
  createTestStorage,
  engine,
  password,
  type TestApp,
  writeBlueprints,
} from '../../../test/harness.ts'
import { createTokenClient, type TokenClient } from '../../../test/pages.ts'
import { addToken } from '../../../test/tokens.ts'

/** Answers to anonymous clients are cached until the next commit. Tested over real connections. */
let [site, other] = [] as unknown as [TestApp, TestApp]
let admin: TokenClient
const ports = new Map<TestApp, Promise<number>>()
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

const blueprints = {
  'users/nobody.yml': 'title: Anonymous clients\n',
  'pages/note.yml': 'fields: { text: { type: text }, secret: { type: text, private: true } }\n',
}

beforeAll(async () => {
  const storage = await createTestStorage()
  writeBlueprints(storage.data, blueprints)
  site = await createTestApp({ storage, quiet: true, settings: { api: { cors: ['https://app.example'] } } })
  other = await createTestApp({ storage, quiet: true })
  admin = await createTokenClient(site)
  await admin.done('POST', 'site/children', {
    slug: 'a',
    template: 'note',
    content: { text: 'one', secret: 'plutonium' },
  })
  await admin.done('PATCH', 'pages/a/status', { status: 'listed' })
})

async function ask(path: string, headers: Record<string, string> = {}, { on = site, method = 'GET' } = {}) {
  if (!ports.has(on)) ports.set(on, on.listen())
  const port = await ports.get(on)!
  const message = await new Promise<IncomingMessage>((resolve, reject) =>
    request({ host: '127.0.0.1', port, path: `/api/${path}`, method, headers, agent }, resolve)
      .on('error', reject)
      .end(),
  )
  return { status: message.statusCode!, headers: message.headers, body: await text(message) }
}

const stable = ({ headers }: { headers: object }) => ({ ...headers, 'x-request-id': '', date: '' })

/** How often the store is read, apart from the read of its version. */
async function readsOf(work: () => Promise<unknown>): Promise<number> {
  const { store } = site.app
  const read = store.read.bind(store)
  let count = 0
  store.read = query => {
    count++
    return read(query)
  }
  await work().finally(() => (store.read = read))
  return count
}

const paths = [
  'pages/a',
  'site',
  'site/children',
  'site/search?q=one',
  'languages',
  'pages/a/files',
  'pages/a/children',
]

test.each(paths)('%s is read once: other headers, HEAD and 304 need no further read', async path => {
  const first = await ask(path)
  const etag = first.headers.etag!
  expect([first.status, etag]).toEqual([200, expect.stringMatching(/^"[\w-]{22}"$/)])
  for (const [headers, method] of [
    [{}, 'GET'],
    [{ 'user-agent': 'x', accept: '*/*', cookie: 'visits=7', 'accept-language': 'de' }, 'GET'],
    [{ 'if-none-match': `"x", W/${etag}` }, 'GET'],
    [{}, 'HEAD'],
  ] as [Record<string, string>, string][]) {
    const answer = await ask(path, headers, { method })
    const isKnown = 'if-none-match' in headers
    expect([answer.status, answer.body]).toEqual([isKnown ? 304 : 200, isKnown || method === 'HEAD' ? '' : first.body])
    if (!isKnown) expect(stable(answer)).toEqual(stable(first))
    if (engine === 'sqlite')
      expect([headers, await readsOf(() => ask(path, headers, { method }))]).toEqual([headers, 0])
  }
})

/** A commit to any other database of the server counts as a change there, and other tests run beside this one. */
test.runIf(engine === 'postgres')('PostgreSQL: while nothing is committed, nothing is read', async () => {
  let reads = Infinity
  for (let attempt = 0; attempt < 2000 && reads > 0; attempt++) reads = await readsOf(() => ask('pages/a'))
  expect(reads).toBe(0)
})

test('HEAD that is not cached has the headers of GET', async () => {
  const path = 'pages/a?select=title'
  const head = await ask(path, {}, { method: 'HEAD' })
  expect(head.headers['cache-control']).toContain('public')
  expect(stable(head)).toEqual(stable(await ask(path)))
})

test('with a shared maximum age of 0, shared caches store nothing', async () => {
  const uncached = await createTestApp({ storage: site.storage, settings: { delivery: { sharedMaxAge: 0 } } })
  const { status, headers } = await ask('pages/a', {}, { on: uncached })
  expect([status, headers['cache-control']]).toEqual([200, 'private, no-cache'])
})

test('a change of any process is seen at once, and 304 ends', async () => {
  const writers = [admin, await createTokenClient(other)]
  for (let round = 0; round < 6; round++) {
    const before = await ask('pages/a')
    expect((await ask('pages/a', { 'if-none-match': before.headers.etag! })).status).toBe(304)
    await writers[round % 2]!.done('PATCH', 'pages/a', { text: `round ${round}` })
    const after = await ask('pages/a', { 'if-none-match': before.headers.etag! })
    expect([after.status, after.body.includes(`"round ${round}"`)]).toEqual([200, true])
  }
  await writers[1]!.done('PATCH', 'pages/a/status', { status: 'draft' })
  expect((await ask('pages/a')).status).toBe(404)
  await writers[0]!.done('PATCH', 'pages/a/status', { status: 'listed' })
})

test('an error has no ETag: clients would take it for that of the content', async () => {
  for (const path of ['pages/a?select[children]=any', 'site?select[children]=any']) {
    for (const answer of [await ask(path), await admin.call('GET', path)])
      expect([path, answer.status, answer.headers['etag']]).toEqual([path, 400, undefined])
  }
  const outdated = await admin.call('PATCH', 'pages/a', { text: 'late', revision: 999 })
  expect([outdated.status, outdated.headers['etag']]).toEqual([412, expect.stringMatching(/^"\d+"$/)])
})

test('accounts and anonymous clients never get the answers of each other', async () => {
  const { id, email } = await addUser(site, { role: 'admin' })
  const browser = site.browser()
  await browser.client.auth.login({ email, password })
  const cookie = [...browser.cookies].map(pair => pair.join('=')).join('; ')
  const { token } = await addToken(site.app, { userId: id, name: 'all', scopes: ['*'] })
  const { token: reader } = await addToken(site.app, { userId: id, name: 'published', scopes: ['published'] })
  for (let round = 0; round < 3; round++) {
    expect((await ask('pages/a')).body).not.toContain('plutonium')
    expect((await ask('pages/a', { cookie })).body).toContain('plutonium')
    expect((await ask('pages/a', { authorization: `Bearer ${token}` })).body).toContain('plutonium')
    const published = await ask('pages/a', { authorization: `Bearer ${reader}` })
    expect([published.body.includes('plutonium'), published.headers['cache-control']]).toEqual([
      false,
      'private, no-cache',
    ])
    expect((await ask('pages/a', { 'x-csrf': 'panel' })).status).toBe(401)
    expect((await ask('pages/a', { authorization: 'Bearer nonsense' })).status).toBe(401)
    expect((await ask('pages/a', { authorization: 'Basic eDp5' })).status).toBe(401)
    const shown = await ask('pages/a', { authorization: `Bearer ${token}` })
    expect([shown.headers['cache-control'], shown.headers.etag]).toEqual([
      'no-store',
      expect.stringMatching(/^"\d+\.[\w-]{22}"$/),
    ])
    expect((await ask('pages/a', { 'if-none-match': shown.headers.etag! })).status).toBe(200)
  }
})

test('a cached answer is refused to the wrong host, and read by listed origins only', async () => {
  for (let round = 0; round < 2; round++) {
    expect((await ask('site')).status).toBe(200)
    expect((await ask('site', { host: 'evil.example' })).status).toBe(421)
    expect(
      (await ask('site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }))
        .status,
    ).toBe(403)
    const { headers } = await ask('site', { origin: 'https://app.example' })
    expect(headers['access-control-allow-origin']).toBe('https://app.example')
    expect((await ask('site', { origin: 'https://evil.example' })).headers).not.toHaveProperty(
      'access-control-allow-origin',
    )
  }
})

test('cached answers count for the limit of the network', async () => {
  const storage = await createTestStorage()
  writeBlueprints(storage.data, blueprints)
  const limited = await createTestApp({ storage, quiet: true, settings: { api: { anonymousPerMinute: 3 } } })
  const statuses: number[] = []
  for (let index = 0; index < 4; index++) statuses.push((await ask('site', {}, { on: limited })).status)
  expect(statuses).toEqual([200, 200, 200, 429])
})

test('accounts: a read has a strong tag, which gives 304, and which a change accepts as If-Match', async () => {
  for (const path of [...paths, 'site/search/files?q=x', 'users']) {
    const { headers } = await admin.done('GET', path)
    const etag = String(headers['etag'])
    expect([path, etag]).toEqual([path, expect.stringMatching(/^"(\d+\.)?[\w-]{22}"$/)])
    expect([path, (await admin.done('GET', path)).headers['etag']]).toEqual([path, etag])
    const same = await site.request({ url: `/api/${path}`, headers: await authorised({ 'if-none-match': etag }) })
    expect([path, same.statusCode, same.body]).toEqual([path, 304, ''])
  }
  const etag = String((await admin.done('GET', 'pages/a')).headers['etag'])
  await admin.done('PATCH', 'site/title', { title: 'Other' })
  await admin.done('PATCH', 'pages/a', { text: 'by tag' }, { 'if-match': etag })
  expect((await admin.call('PATCH', 'pages/a', { text: 'again' }, { 'if-match': etag })).status).toBe(412)
})

let bearer: string | undefined

async function authorised(headers: Record<string, string>) {
  bearer ??= (await addToken(site.app, { userId: admin.id, name: 'conditional', scopes: ['*'] })).token
  return { host: new URL(site.app.config.url).host, authorization: `Bearer ${bearer}`, ...headers }
}

test.runIf(engine === 'sqlite')('accounts: 304 of a session reads nothing', async () => {
  const { email } = await addUser(site, { role: 'admin' })
  const browser = site.browser()
  await browser.client.auth.login({ email, password })
  const cookie = [...browser.cookies].map(pair => pair.join('=')).join('; ')
  await ask('pages/a', { cookie })
  const { headers } = await ask('pages/a', { cookie }) // stored at the second request
  const conditional = { 'if-none-match': headers.etag!, cookie }
  expect(await readsOf(async () => expect((await ask('pages/a', conditional)).status).toBe(304))).toBe(0)
})
