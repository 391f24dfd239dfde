import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { addUser, createTestApp, engine, password, type TestApp } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { addToken, removeToken } from '../../test/tokens.ts'

/** Responses are cached until the next commit. Tested over real connections, without request logs. */
const site = await createTestApp({ quiet: true })
const otherSite = await createTestApp({ storage: site.storage, quiet: true })

const ports = new Map<TestApp, Promise<number>>()

/** One connection after the other, as long as the server keeps it. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

async function ask(app: TestApp, cookie: string, path = '/api/auth', headers = {}, method = 'GET') {
  if (!ports.has(app)) ports.set(app, app.listen())
  const port = await ports.get(app)!
  const sent = { ...(cookie && { cookie }), ...headers }
  const message = await new Promise<IncomingMessage>((resolve, reject) =>
    request({ host: '127.0.0.1', port, path, method, headers: sent, agent }, resolve).on('error', reject).end(),
  )
  return { status: message.statusCode!, headers: message.headers, body: await text(message) }
}

/** From the second request on a response is cached: the third one gets it from there. */
async function askTwice(app: TestApp, cookie: string): Promise<void> {
  for (let count = 0; count < 2; count++) await ask(app, cookie)
}

const dataOf = ({ body }: { body: string }) => (JSON.parse(body) as { data: Record<string, unknown> }).data

async function signedIn(app: TestApp = site) {
  const user = await addUser(app)
  const browser = app.browser()
  await browser.client.auth.login({ email: user.email, password })
  return { ...user, browser, cookie: [...browser.cookies].map(pair => pair.join('=')).join('; ') }
}

const rename = (app: TestApp, id: string, name: string) =>
  app.app.store.db.updateTable('users').set({ name }).where('id', '=', id).execute()

/** How often the store is read for a request. */
async function readsOf(app: TestApp, work: () => Promise<unknown>): Promise<number> {
  const { store } = app.app
  const read = store.read.bind(store)
  let count = 0
  store.read = query => {
    count++
    return read(query)
  }
  await work().finally(() => (store.read = read))
  return count
}

/**
 * The work is answered from the cache. On PostgreSQL any commit to the server ends cached responses, also one of another
 * test file, so it is tried again there.
 */
async function expectCached(app: TestApp, work: () => Promise<unknown>): Promise<void> {
  const reads = async () => {
    await work()
    await work()
    return readsOf(app, work)
  }
  if (engine === 'sqlite') expect(await reads()).toBe(0)
  else await expect.poll(reads, { timeout: 60_000, interval: 5 }).toBe(0)
}

test('a repeated request gets the same response, with a new request id', async () => {
  const { cookie } = await signedIn()
  const first = await ask(site, cookie)
  for (let count = 0; count < 3; count++) {
    const next = await ask(site, cookie)
    expect(next.status).toBe(200)
    expect(next.body).toBe(first.body)
    const volatile = { 'x-request-id': '', date: '' }
    expect({ ...next.headers, ...volatile }).toEqual({ ...first.headers, ...volatile })
    expect(next.headers['x-request-id']).not.toBe(first.headers['x-request-id'])
  }
})

test('a cached response reads nothing but the version of the store', async () => {
  const { cookie } = await signedIn()
  await expectCached(site, () => ask(site, cookie))
  if (engine === 'sqlite') expect(await readsOf(site, () => ask(site, cookie, '/api/auth', { 'x-other': '1' }))).toBe(0) // the session is known
  await rename(otherSite, (await signedIn(otherSite)).id, 'somebody else')
  expect(await readsOf(site, () => ask(site, cookie))).toBeGreaterThan(0)
})

test('if the version cannot be read, the request runs as usual', async () => {
  const { cookie } = await signedIn()
  await askTwice(site, cookie)
  const { store } = site.app
  const version = store.readVersion.bind(store)
  let failures = 0
  store.readVersion = () => {
    if (failures++ === 0) throw new Error('disk I/O error')
    return version()
  }
  expect(await ask(site, cookie)).toMatchObject({ status: 200 })
  expect(failures).toBeGreaterThan(0) // it was read
  store.readVersion = version
})

test('a change is visible to the next request, also one of another process', async () => {
  const { cookie, id } = await signedIn()
  for (const [round, app] of [site, otherSite, site, otherSite].entries()) {
    await askTwice(site, cookie)
    await rename(app, id, `name ${round}`)
    expect(dataOf(await ask(site, cookie))).toMatchObject({ name: `name ${round}` })
  }
})

test('a response is never sent to another caller', async () => {
  const [ada, ben] = [await signedIn(), await signedIn()]
  for (let round = 0; round < 3; round++) {
    expect(dataOf(await ask(site, ada.cookie))['id']).toBe(ada.id)
    expect(dataOf(await ask(site, ben.cookie))['id']).toBe(ben.id)
    expect((await ask(site, '')).status).toBe(401)
  }
})

test('a logout is visible to the next request', async () => {
  const { cookie, browser } = await signedIn()
  for (let round = 0; round < 3; round++) expect((await ask(site, cookie)).status).toBe(200)
  await browser.client.auth.logout()
  expect((await ask(site, cookie)).status).toBe(401)
})

test('another URL, header or method is another cache entry', async () => {
  const { cookie, id, email } = await signedIn()
  for (let round = 0; round < 3; round++) {
    expect(dataOf(await ask(site, cookie, '/api/auth?select=id'))).toEqual({ id })
    expect(dataOf(await ask(site, cookie, '/api/auth?select=email'))).toEqual({ email })
    expect((await ask(site, cookie, '/api/auth?select=id&pretty=1')).body).toContain('\n    "code": 200')
    const head = await ask(site, cookie, '/api/auth', {}, 'HEAD')
    expect([head.status, head.body]).toEqual([200, ''])
    expect((await ask(site, '', '/api/auth', { accept: 'application/problem+json' })).headers['content-type']).toBe(
      'application/problem+json; charset=utf-8',
    )
    expect((await ask(site, '', '/api/auth', { 'accept-language': 'de' })).headers['content-language']).toBe('de')
    expect(
      (await ask(site, cookie, '/api/auth', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).status,
    ).toBe(403)
    expect((await ask(site, cookie, '/api/auth', { authorization: 'Bearer nonsense' })).status).toBe(401)
  }
})

test('an expired session ends without a commit', async () => {
  const own = await createTestApp({ quiet: true })
  const { cookie } = await signedIn(own)
  await askTwice(own, cookie)
  await ask(own, cookie)
  await own.storage.moveClock(61 * 60_000)
  const answer = await ask(own, cookie)
  expect(answer.status).toBe(401)
  expect(JSON.parse(answer.body)).toMatchObject({ details: { reason: 'expired' } })
})

test('activity is recorded once a minute despite the cache', async () => {
  const own = await createTestApp({ quiet: true })
  const { cookie } = await signedIn(own)
  const idleOf = async () => {
    const { session } = JSON.parse((await ask(own, cookie)).body) as { session: { idleExpiresAt: string } }
    return Date.parse(session.idleExpiresAt)
  }
  const before = await idleOf()
  for (let count = 0; count < 2; count++) expect(await idleOf()).toBe(before)
  await own.storage.moveClock(61_000)
  expect((await idleOf()) - before).toBeGreaterThanOrEqual(61_000)
})

test('an answer that depends on an edit lock is not kept: the lock ends without a commit', async () => {
  const own = await createTestApp({ quiet: true })
  await addPage(own, '', { slug: 'a', status: 'listed' })
  const { cookie } = await signedIn(own)
  const canUpdate = async (path: string) =>
    (dataOf(await ask(own, cookie, path))['options'] as { update: boolean }).update
  await (await createTokenClient(own)).done('POST', 'pages/a/changes/save', { text: 'mine' })
  await own.storage.moveClock(9 * 60_000 + 50_000)
  const paths = ['/api/pages/a?select=options', '/api/site/resolve?path=/a&select=options']
  for (let round = 0; round < 3; round++)
    for (const path of paths) expect([path, await canUpdate(path)]).toEqual([path, false])
  await own.storage.moveClock(20_000)
  for (const path of paths) expect([path, await canUpdate(path)]).toEqual([path, true])
})

test('a listed origin may read cached responses', async () => {
  const own = await createTestApp({ settings: { api: { cors: ['https://app.example'] } }, quiet: true })
  const { cookie } = await signedIn(own)
  for (let round = 0; round < 3; round++) {
    const { headers } = await ask(own, cookie, '/api/auth', { origin: 'https://app.example' })
    expect(headers['access-control-allow-origin']).toBe('https://app.example')
    expect((await ask(own, cookie)).headers).not.toHaveProperty('access-control-allow-origin')
  }
})

test('an anonymous client whose token becomes valid is accepted', async () => {
  const { id } = await signedIn()
  const authorization = 'Bearer quoin_00000000000000000000000000000000'
  for (let round = 0; round < 2; round++) expect((await ask(site, '', '/api/auth', { authorization })).status).toBe(401)
  const { token } = await addToken(site.app, { userId: id, name: 'test', scopes: ['*'] })
  expect((await ask(site, '', '/api/auth', { authorization: `Bearer ${token}` })).status).toBe(200)
})

test('a token that reads what is published gets cached answers, until it ends', async () => {
  const own = await createTestApp({ quiet: true })
  await addPage(own, '', { slug: 'a', title: 'One', status: 'listed' })
  const admin = await createTokenClient(own)
  const { id: owner } = await signedIn(own)
  const create = async (lifetimeSeconds?: number) => {
    const created = await addToken(own.app, {
      userId: owner,
      name: 'front end',
      scopes: ['published'],
      lifetimeSeconds,
    })
    const read = () => ask(own, '', '/api/pages/a?select=title', { authorization: `Bearer ${created.token}` })
    await read() // notes that it was used
    return { ...created, read }
  }
  const [lasting, short] = [await create(), await create(30)]
  expect(dataOf(await lasting.read())).toEqual({ title: 'One' })
  await expectCached(own, lasting.read)
  await admin.done('PATCH', 'pages/a/title', { title: 'Two' })
  for (const { read } of [lasting, short, lasting, short, lasting, short])
    expect(dataOf(await read())).toEqual({ title: 'Two' })
  const { headers } = await lasting.read()
  expect(headers).toMatchObject({ 'cache-control': 'private, no-cache', etag: expect.any(String) as string })
  expect((await ask(own, '', '/api/pages/a?select=title')).status, 'requests without its token are refused').toBe(401)
  await own.storage.moveClock(31_000)
  expect([(await lasting.read()).status, (await short.read()).status]).toEqual([200, 401])
  await lasting.read()
  await removeToken(own.app, lasting.id)
  expect((await lasting.read()).status).toBe(401)
})

test('a connection is closed after a thousand requests', async () => {
  const { cookie } = await signedIn()
  let closed = 0
  for (let count = 0; count < 1005; count++) {
    const { headers, status } = await ask(site, cookie)
    expect(status).toBe(200)
    if (headers['connection'] === 'close') closed++
  }
  expect(closed).toBeGreaterThanOrEqual(1)
})
