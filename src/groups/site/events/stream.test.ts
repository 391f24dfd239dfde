import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  addUser,
  createTestStorage,
  createTestApp,
  engine,
  password,
  writeBlueprints,
} from '../../../../test/harness.ts'
import { openStream, type StreamClient } from '../../../../test/event-stream.ts'
import { addPage } from '../../../../test/pages.ts'
import { describeRole } from '../../../../test/signed-in-user.ts'
import { newIp, postLogin, postLogout, sessionCookie } from '../../../../test/sign-in.ts'
import { addToken, removeToken } from '../../../../test/tokens.ts'
import { record } from '../../../access/audit/audit.ts'
import { operatorContext } from '../../../cli/site.ts'
import { createStreams } from '../../../http/event-stream.ts'
import { deleteUser, disableUser, setPassword } from '../../users/users.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, { 'pages/secret.yml': 'options: { access: { writer: false } }' })
describeRole(storage, 'writer', 'permissions: { access: { users: false } }')
const site = await createTestApp({ storage })
const port = await site.listen()
const { app } = site
const host = new URL(app.config.url).host

async function tokenOf(role = 'admin', scopes = ['*']) {
  const { id: owner } = await addUser(site, { role, hash: null })
  const { id, token } = await addToken(app, { userId: owner, name: 'test', scopes })
  return { id, owner, headers: { host, authorization: `Bearer ${token}` } }
}

const { headers } = await tokenOf()
const open = (more: Record<string, string> = {}, path?: string) => openStream(port, { ...headers, ...more }, path)

let count = 0
/** Creates a page, and returns its path. */
async function happen(template = 'default'): Promise<string> {
  const slug = `page-${++count}`
  await addPage(site, '', { slug, title: slug, template })
  return slug
}

const pathsIn = ({ received }: StreamClient) => received.map(({ data }) => data.detail['path'])

test('events arrive as they happen, in a response that nothing may buffer', async () => {
  const stream = await open()
  expect(stream.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  })
  const path = await happen()
  const [first] = await stream.waitForEvents(1)
  expect(first).toMatchObject({ event: 'page.created', id: String(first!.data.id), data: { title: path } })
  stream.close()
})

test('Last-Event-ID resumes without a loss', async () => {
  const stream = await open()
  const before = await happen()
  await stream.waitForEvents(1)
  stream.close()
  const missed = [await happen(), await happen()]
  const again = await open({ 'last-event-id': stream.lastEventId })
  await again.waitForEvents(2)
  const live = await happen()
  await again.waitForEvents(3)
  expect(pathsIn(again)).toEqual([...missed, live])
  again.close()
  const byParameter = await open({}, `/api/site/events?lastEventId=${Number(stream.lastEventId) - 1}`)
  await byParameter.waitForEvents(4)
  expect(pathsIn(byParameter)).toEqual([before, ...missed, live])
  byParameter.close()
  const future = await open({ 'last-event-id': '999999999999' })
  const next = await happen()
  await future.waitForEvents(1)
  expect(pathsIn(future)).toEqual([next])
  future.close()
})

test('a stream has what the caller may see and has asked for', async () => {
  const writer = await tokenOf('writer')
  const mine = await openStream(port, writer.headers, '/api/site/events?event=page.*')
  const all = await open({}, '/api/site/events?event=page.*')
  const hidden = await happen('secret')
  const seen = await happen()
  await all.waitForEvents(2)
  await mine.waitForEvents(1)
  expect([pathsIn(all), pathsIn(mine)]).toEqual([[hidden, seen], [seen]])
  const languages = await openStream(port, writer.headers, '/api/site/events?event=language.*&lastEventId=0')
  await happen()
  await all.waitForEvents(3)
  expect(languages.received).toEqual([])
  for (const stream of [mine, all, languages]) stream.close()
})

test.each<[Record<string, string>, string]>([
  [{ 'last-event-id': 'x' }, ''],
  [{ 'last-event-id': '-1' }, ''],
  [{}, '?lastEventId=1.5'],
  [{}, '?before=1-1'],
  [{}, '?until=2026-01-01T00:00:00Z'],
  [{}, '?event=nothing.*'],
])('%j %s is 400', async (more, query) => {
  const { status, body } = await open(more, `/api/site/events${query}`)
  expect([status, (JSON.parse(body) as { key: string }).key]).toEqual([400, 'error.validation'])
})

const ask = (url: string, more: object, method: 'GET' | 'HEAD' = 'GET') =>
  site.request({ url, method, headers: { ...headers, ...more } })

test('lastEventId without a stream is 400, HEAD and JSON have no stream, and anonymous clients get none', async () => {
  expect((await ask('/api/site/events?lastEventId=1', {})).statusCode).toBe(400)
  expect((await ask('/api/site/events', { accept: 'text/event-stream' }, 'HEAD')).statusCode).toBe(200)
  expect((await ask('/api/site/events', { accept: 'application/json, */*' })).headers['content-type']).toMatch(/json/)
  expect((await openStream(port, { host })).status).toBe(401)
})

// ---- when access ends

async function sessionStream() {
  const user = await addUser(site, { role: 'writer' })
  const browser = site.browser({ ip: newIp() })
  await postLogin(browser, { email: user.email, password })
  const stream = await openStream(port, { host, cookie: `${sessionCookie}=${browser.cookies.get(sessionCookie)}` })
  return { ...user, browser, stream }
}

test.each<[string, (who: Awaited<ReturnType<typeof sessionStream>>) => Promise<unknown>]>([
  ['logout', ({ browser }) => postLogout(browser)],
  ['another password', ({ id }) => setPassword(operatorContext(app), { id }, 'nine loud geese over land')],
  ['a disabled account', ({ id }) => disableUser(operatorContext(app), { id })],
  ['a deleted account', ({ id }) => deleteUser(operatorContext(app), { id })],
])('%s closes the stream', async (_, end) => {
  const who = await sessionStream()
  await end(who)
  await who.stream.ended
})

test('a revoked token closes the stream, and another role changes what it has', async () => {
  const { id, owner, headers: sent } = await tokenOf('writer')
  const stream = await openStream(port, sent, '/api/site/events?event=page.*')
  const before = await happen()
  await stream.waitForEvents(1)
  await app.store.write(async tx => {
    await tx.updateTable('users').set({ role: 'admin' }).where('id', '=', owner).execute()
    await record(tx, { event: 'user.changed', subject: owner, detail: { what: 'role' } })
  })
  const hidden = await happen('secret')
  await stream.waitForEvents(2)
  expect(pathsIn(stream)).toEqual([before, hidden])
  await removeToken(app, id)
  await stream.ended
})

test('a heartbeat checks the caller, and a slow reader loses the stream', async () => {
  const { createServer } = await import('node:http')
  const streams = createStreams({ streams: 2, perAccount: 1, unread: 1000, heartbeatMs: 5, retryMs: 1 })
  const caller = { user: { id: 'a' } } as never
  let isValid = true
  const server = createServer((_, response) => {
    const stream = streams.open(response, { caller, identify: async () => (isValid ? caller : undefined) })
    stream.position = '7'
    if (!isValid) for (let sent = 0; sent < 1000; sent++) stream.send({ event: 'x', data: 'x'.repeat(10_000) })
  }).listen(0)
  const { port: other } = server.address() as { port: number }
  const first = await openStream(other, {})
  expect(() => streams.mustBeBelowLimit(caller)).toThrow(expect.objectContaining({ key: 'events.streams' }) as Error)
  expect(() => streams.mustBeBelowLimit({ user: { id: 'b' } } as never)).not.toThrow()
  while (first.lastEventId !== '7') await new Promise(done => setTimeout(done, 5))
  isValid = false
  await first.ended
  const slow = await openStream(other, {}).catch(() => undefined) // the connection may break before the headers are sent
  await slow?.ended
  expect(slow?.received.length ?? 0).toBeLessThan(1000)
  server.close()
})

test('the number of streams is limited', async () => {
  const owners = await Promise.all(Array.from({ length: 6 }, () => tokenOf('writer')))
  const streams: StreamClient[] = []
  for (let number = 0; number < 100; number++) streams.push(await openStream(port, owners[number % 5]!.headers))
  expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200))
  const refused = await openStream(port, owners[5]!.headers)
  expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '30' } })
  expect((JSON.parse(refused.body) as { key: string }).key).toBe('error.events.streams')
  for (const stream of streams.slice(0, 50)) stream.close()
  let next = refused
  while (next.status === 503) next = await openStream(port, owners[5]!.headers)
  expect(next.status).toBe(200)
  for (const stream of [...streams, next]) stream.close()
})

// ---- several processes, several transactions

test('what another process does arrives here', async () => {
  const otherSite = await createTestApp({ storage })
  const stream = await open({}, '/api/site/events?event=page.*')
  await addPage(otherSite, '', { slug: 'elsewhere', title: 'Elsewhere' })
  await stream.waitForEvents(1)
  expect(pathsIn(stream)).toEqual(['elsewhere'])
  stream.close()
  await otherSite.close()
})

const importEvent = (number: number) => ({ event: 'site.imported', detail: { things: number } }) as const
const numbers = (of: StreamClient) => of.received.map(({ data }) => data.detail['things'])

test.runIf(engine === 'postgres')('an event that is committed after a newer one is not lost', async () => {
  const stream = await open({}, '/api/site/events?event=site.*')
  await app.store.write(tx => record(tx, importEvent(0)))
  await stream.waitForEvents(1)
  let again: StreamClient
  await app.store.write(async older => {
    await record(older, importEvent(1))
    await app.store.write(newer => record(newer, importEvent(2)))
    await stream.waitForEvents(2)
    expect(numbers(stream)).toEqual([0, 2])
    stream.close()
    // A client that resumes there gets the newer event again, because the older one may still come.
    again = await open({ 'last-event-id': stream.lastEventId }, '/api/site/events?event=site.*')
    await again.waitForEvents(1)
    expect(numbers(again)).toEqual([2])
  })
  await again!.waitForEvents(2)
  expect(numbers(again!)).toEqual([2, 1])
  // A transaction that is rolled back does not hold back the position forever.
  await app.store.write(async tx => {
    await record(tx, importEvent(3))
    throw new Error('undone')
  }).catch(() => {}) // prettier-ignore
  await app.store.write(tx => record(tx, importEvent(4)))
  await again!.waitForEvents(3)
  const { id } = again!.received[2]!.data
  for (let number = 5; Number(again!.received.at(-1)!.id) < id; number++) {
    await app.store.write(tx => record(tx, importEvent(number)))
    await again!.waitForEvents(again!.received.length + 1)
  }
  again!.close()
})

test('a stream whose events cannot be read is closed at its position, and the others go on', async () => {
  const closed = await open({}, '/api/site/events?event=preview.*')
  const other = await open({}, '/api/site/events?event=language.*')
  await app.store.write(tx => record(tx, { event: 'preview.created' }))
  const [readable] = await closed.waitForEvents(1)
  await app.store.write(async tx => {
    const unreadable = { event: 'preview.revoked', detail: '{unreadable', time: 0, count: 1 }
    await tx.insertInto('audit_events').values(unreadable).execute()
    await record(tx, { event: 'language.created', detail: { code: 'eo' } })
  })
  await closed.ended
  expect(Number(closed.lastEventId)).toBeLessThanOrEqual(readable!.data.id)
  const [next] = await other.waitForEvents(1)
  expect(next).toMatchObject({ event: 'language.created', data: { detail: { code: 'eo' } } })
  other.close()
})

test('stopping the server closes its streams', async () => {
  const otherSite = await createTestApp({ storage })
  const stream = await openStream(await otherSite.listen(), headers)
  await otherSite.close()
  await stream.ended
})

const hasCurl = spawnSync('curl', ['--version']).status === 0

test.runIf(hasCurl)('the samples of the guide', async () => {
  const guide = readFileSync(new URL('../../../../docs/guide/editing.md', import.meta.url), 'utf8')
  const samples = [...guide.matchAll(/^curl .*site\/events.*$/gm)].map(([line]) => line)
  const expected = [/"status":"ok"/, /\nid: \d+\nevent: page\.created\ndata: \{/]
  expect(samples).toHaveLength(expected.length)
  const [, token] = headers.authorization.split(' ')
  const env = { PATH: process.env['PATH'], TOKEN: token, SITE: `http://localhost:${port}` }
  for (const [index, sample] of samples.entries()) {
    const curl = spawn('sh', ['-c', `exec ${sample}`], { env })
    let output = ''
    for await (const chunk of curl.stdout) {
      if (output === '') await happen() // the stream is open
      output += String(chunk)
      if (expected[index]!.test(output)) break
    }
    curl.kill()
    expect(output).toMatch(expected[index]!)
  }
})
