import { promises as dns } from 'node:dns'
import { setImmediate as nextTurn } from 'node:timers/promises'
import tls from 'node:tls'
import { expect, test, vi } from 'vitest'
import { certificate } from '../../../../test/certificate.ts'
import { createTestStorage, createTestApp, type TestApp, writeBlueprints } from '../../../../test/harness.ts'
import { addPage, createTokenClient, type TokenClient } from '../../../../test/pages.ts'
import { lastMail, mailsTo, withMail } from '../../../../test/signed-in-user.ts'
import { createReceiver, type Receiver, verify } from '../../../../test/receiver.ts'
import { userRow } from '../../../../test/sign-in.ts'
import { startWebhooks } from './deliver.ts'
import { sweepDeliveries } from './webhooks.ts'
import { until } from '../../../../test/until.ts'

const minute = 60_000
const hour = 60 * minute

async function createSite(settings: Parameters<typeof createTestApp>[0] = {}) {
  const storage = await createTestStorage()
  writeBlueprints(storage.data, {
    'pages/note.yml': 'fields: { text: { type: text } }',
    'pages/letter.yml': 'fields: { text: { type: text } }',
    'users/writer.yml': 'permissions: { access: { system: false } }',
    'users/manager.yml': '{}',
  })
  const site = await createTestApp({
    storage,
    ...settings,
    settings: { webhooks: { allow: ['127.0.0.1'] }, ...settings.settings },
  })
  return { site, admin: await createTokenClient(site) }
}

/** Sends all due deliveries, then stops. */
async function sendAll({ app, storage }: TestApp): Promise<void> {
  const stop = await startWebhooks(app, { pollMs: 20 })
  try {
    await until(async () => {
      // In one statement: between two, a job could end and its lane be released.
      const jobs = await app.store.db
        .selectFrom('jobs')
        .leftJoin('job_lanes', join =>
          join.onRef('job_lanes.lane', '=', 'jobs.lane').onRef('job_lanes.queue', '=', 'jobs.queue'),
        )
        .select(['jobs.lane', 'jobs.due_at', 'job_lanes.busy_until'])
        .where('jobs.queue', '=', 'webhooks')
        .where('jobs.finished_at', 'is', null)
        .orderBy('jobs.number')
        .execute()
      const heads = jobs.filter((job, index) => jobs.findIndex(({ lane }) => lane === job.lane) === index)
      const now = storage.clock()
      expect(heads.filter(({ due_at, busy_until }) => due_at <= now || (busy_until ?? 0) > now)).toEqual([])
    })
  } finally {
    await stop()
  }
}

async function create(admin: TokenClient, receiver: Receiver, more: object = {}) {
  const answer = await admin.done('POST', 'system/webhooks', { url: receiver.url, events: ['*'], ...more })
  const { secret } = answer as unknown as { secret: string }
  return { id: answer.data.id as string, secret }
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn()
}

const note = (slug: string) => ({ slug, title: slug, template: 'note', content: { text: 'SECRET WORDS' } })
const deliveriesOf = async (admin: TokenClient, id: string) =>
  (await admin.done('GET', `system/webhooks/${id}/deliveries`)).data

// ---- from the change to the receiver

test('a change is sent, signed, in order and without contents; a rolled back one is not', async () => {
  const { site, admin } = await createSite()
  const receiver = await createReceiver()
  const { id, secret } = await create(admin, receiver)
  await admin.done('POST', 'site/children', note('a'))
  await admin.done('PATCH', 'pages/a', { text: 'MORE WORDS' })
  await addPage(site, '', { slug: 'b', title: 'B' })
  expect((await admin.call('PATCH', 'pages/a/slug', { slug: 'b' })).status).toBe(400)
  await admin.done('PATCH', 'pages/a/slug', { slug: 'c' })
  await admin.done('POST', 'languages', { code: 'en', name: 'English' })
  await admin.done('PATCH', `users/${admin.id}/name`, { name: 'Ada' })
  await sendAll(site)
  expect(receiver.hooks.map(({ json }) => json.type)).toEqual([
    'page.created', 'page.changed', 'page.created', 'page.slug', 'language.created', 'user.changed',
  ]) // prettier-ignore
  for (const hook of receiver.hooks) verify(hook, secret)
  expect(new Set(receiver.hooks.map(hook => hook.id)).size).toBe(6)
  const { data, timestamp } = receiver.hooks[3]!.json
  expect(data).toEqual({
    id: expect.any(Number) as number,
    kind: 'page',
    uuid: expect.stringMatching(/^page:\/\//) as string,
    actor: admin.id,
    template: 'note',
    path: 'c',
    oldPath: 'a',
    revision: 3,
  })
  expect(new Date(timestamp).toISOString()).toBe(timestamp)
  expect(receiver.hooks[1]!.json.data).toMatchObject({ fields: ['text'], revision: 2, path: 'a' })
  expect(receiver.hooks[4]!.json.data).toMatchObject({ kind: 'language', language: 'en' })
  expect(receiver.hooks[5]!.json.data).toMatchObject({ kind: 'user', uuid: `user://${admin.id}`, fields: ['name'] })
  expect(JSON.stringify(receiver.hooks)).not.toMatch(/WORDS/)
  const [last] = await deliveriesOf(admin, id)
  expect(last).toMatchObject({
    state: 'done',
    status: 200,
    attempts: 1,
    problem: null,
    response: 'ok',
    events: ['user.changed'],
  })
})

test('events, templates and languages select what is sent; nothing is queued without an active webhook', async () => {
  const { site, admin } = await createSite()
  await admin.done('POST', 'languages', { code: 'en', name: 'English' })
  await admin.done('POST', 'languages', { code: 'de', name: 'Deutsch' })
  const jobs = async () => (await site.app.store.db.selectFrom('jobs').selectAll().execute()).length
  await admin.done('POST', 'site/children', note('a'))
  expect(await jobs()).toBe(0)
  const receiver = await createReceiver()
  const filter = { events: ['page.changed', 'site.*'], templates: ['note'], languages: ['de'] }
  const { id } = await create(admin, receiver, filter)
  await admin.done('POST', 'site/children', { ...note('b'), template: 'letter' })
  await admin.done('PATCH', 'pages/b', { text: 'x' }, { 'x-language': 'de' })
  await admin.done('PATCH', 'pages/a', { text: 'x' })
  await admin.done('PATCH', 'pages/a', { text: 'y' }, { 'x-language': 'de' })
  await admin.done('PATCH', 'site/title', { title: 'Ink' }, { 'x-language': 'de' })
  await sendAll(site)
  expect(receiver.hooks.map(({ json }) => [json.type, json.data.language])).toEqual([
    ['page.changed', 'de'],
    ['site.changed', 'de'],
  ])
  await admin.done('PATCH', `system/webhooks/${id}`, { active: false })
  const before = await jobs()
  await admin.done('PATCH', 'pages/a', { text: 'z' }, { 'x-language': 'de' })
  expect(await jobs()).toBe(before)
})

test('gathered events are one delivery, the same at the retry', async () => {
  const { site, admin } = await createSite()
  const receiver = await createReceiver()
  const { secret } = await create(admin, receiver, { gather: 60, events: ['page.*'] })
  for (const slug of ['a', 'b', 'c']) await admin.done('POST', 'site/children', note(slug))
  await sendAll(site)
  expect(receiver.hooks).toEqual([])
  await site.storage.moveClock(61_000)
  receiver.respond = response => void response.writeHead(500).end()
  await sendAll(site)
  await admin.done('POST', 'site/children', note('d'))
  receiver.respond = response => void response.end()
  await site.storage.moveClock(6000)
  await sendAll(site)
  expect(receiver.hooks).toHaveLength(2)
  const [first, again] = receiver.hooks as [(typeof receiver.hooks)[0], (typeof receiver.hooks)[0]]
  expect([again.id, again.body]).toEqual([first.id, first.body])
  expect(first.json).toMatchObject({ type: 'events', data: { events: [{ type: 'page.created' }, {}, {}] } })
  expect(first.json.data.events.map(({ data }: { data: { path: string } }) => data.path)).toEqual(['a', 'b', 'c'])
  for (const hook of receiver.hooks) verify(hook, secret)
})

test('events are gathered only while the lease is held: none is lost in a delivery that another process has sent', async () => {
  const { site, admin } = await createSite()
  const receiver = await createReceiver()
  await create(admin, receiver, { gather: 60, events: ['page.*'] })
  await admin.done('POST', 'site/children', note('a'))
  await site.storage.moveClock(50_000)
  for (const slug of ['b', 'c']) await admin.done('POST', 'site/children', note(slug))
  await site.storage.moveClock(11_000)

  const { store } = site.app
  const halted = Promise.withResolvers<void>()
  let hasClaimed = false
  /** A process that halts after it has claimed a job. */
  const write: typeof store.write = async (...parameters) => {
    if (hasClaimed) await halted.promise
    const value = await store.write(...parameters)
    hasClaimed ||= typeof value === 'object' && value !== null && 'attempts' in value
    return value
  }
  const stop = await startWebhooks({ ...site.app, store: Object.create(store, { write: { value: write } }) as typeof store }, { pollMs: 20 }) // prettier-ignore
  await until(() => expect(hasClaimed).toBe(true))
  await site.storage.moveClock(31_000)
  await sendAll(site)
  expect(receiver.hooks).toHaveLength(1)
  halted.resolve()
  await stop()
  await site.storage.moveClock(60_000)
  await sendAll(site)
  const firstById = new Map(receiver.hooks.toReversed().map(({ id, json }) => [id, json]))
  const paths = [...firstById.values()].flatMap(({ data }) =>
    (data.events ?? [{ data }]).map((event: { data: { path: string } }) => event.data.path),
  )
  expect(new Set(paths)).toEqual(new Set(['a', 'b', 'c']))
})

// ---- failures

test('a failed delivery is retried with growing delays, others wait behind it; then it is off and its owner gets a mail', async () => {
  const { site, admin } = await createSite({ settings: { webhooks: { allow: ['127.0.0.0/8'] }, ...withMail } })
  const receiver = await createReceiver()
  const { id } = await create(admin, receiver)
  receiver.respond = response => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end('no')
  await admin.done('POST', 'site/children', note('a'))
  await admin.done('POST', 'site/children', note('b'))
  const delays = [5000, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]
  for (const delay of delays) {
    await sendAll(site)
    const [behind, first] = await deliveriesOf(admin, id)
    expect(behind).toMatchObject({ attempts: 0, state: 'waiting' })
    expect(first).toMatchObject({ state: 'waiting', status: 302, problem: 'The response was 302.', response: 'no' })
    const wait = Date.parse(first.next) - site.storage.clock()
    expect(wait).toBeGreaterThan(delay * 0.9 - 3000)
    expect(wait).toBeLessThanOrEqual(delay * 1.1 + 1)
    await site.storage.moveClock(delay * 1.1 + 1)
  }
  await sendAll(site)
  expect(receiver.hooks).toHaveLength(delays.length + 1)
  expect(new Set(receiver.hooks.map(hook => hook.id)).size, 'the id stays').toBe(1)
  expect((await admin.done('GET', `system/webhooks/${id}`)).data).toMatchObject({ active: false, off: 'failed' })
  const { email } = await userRow(site, admin.id)
  expect(await lastMail(site, email, 'webhookOff')).toMatchObject({ problem: 'The response was 302.' })
  expect((await deliveriesOf(admin, id)).map((one: { state: string }) => one.state)).toEqual(['failed', 'failed'])
  await admin.done('PATCH', `system/webhooks/${id}`, { active: true })
  receiver.respond = response => void response.end()
  await admin.done('POST', 'site/children', note('c'))
  await sendAll(site)
  expect(receiver.hooks.at(-1)!.json.data).toMatchObject({ path: 'c' })
})

test('a test and a delivery that is sent again do not wait behind a failing delivery; their success makes it due', async () => {
  const { site, admin } = await createSite()
  const receiver = await createReceiver()
  const { id } = await create(admin, receiver)
  receiver.respond = response => void response.writeHead(500).end()
  await admin.done('POST', 'site/children', note('a'))
  await admin.done('POST', 'site/children', note('b'))
  await sendAll(site)
  const [, failing] = await deliveriesOf(admin, id)
  const again = await admin.done('POST', `system/webhooks/${id}/deliveries/${failing.id}/again`)
  await sendAll(site)
  expect((await deliveriesOf(admin, id))[0]).toMatchObject({ id: again.data.id, state: 'failed', status: 500 })
  expect(
    receiver.hooks.map(({ json }) => json.data.path),
    'a failure changes nothing',
  ).toEqual(['a', 'a'])
  receiver.respond = response => void response.end()
  await admin.done('POST', `system/webhooks/${id}/test`)
  await sendAll(site)
  const sent = receiver.hooks.slice(2).map(({ json }) => json.data.path ?? json.type)
  expect(sent).toEqual(['webhook.test', 'a', 'b'])
  const events = (await deliveriesOf(admin, id)).map((one: { events: string[] }) => one.events[0])
  expect(events, 'one list').toEqual(['webhook.test', 'page.created', 'page.created', 'page.created'])
})

test('410 turns a webhook off; 429 says when to try again', async () => {
  const { site, admin } = await createSite()
  const receiver = await createReceiver()
  const { id } = await create(admin, receiver)
  receiver.respond = response => void response.writeHead(429, { 'retry-after': '600' }).end()
  await admin.done('POST', 'site/children', note('a'))
  await sendAll(site)
  const [delivery] = await deliveriesOf(admin, id)
  expect(Date.parse(delivery.next) - site.storage.clock()).toBeGreaterThan(500_000)
  receiver.respond = response => void response.writeHead(410).end()
  await site.storage.moveClock(601_000)
  await sendAll(site)
  expect((await admin.done('GET', `system/webhooks/${id}`)).data).toMatchObject({ active: false, off: 'gone' })
})

test.each([429, 503])('%d with a date says when to try again', async status => {
  const { site, admin } = await createSite()
  const receiver = await createReceiver()
  const { id } = await create(admin, receiver)
  const date = new Date(Date.now() + 2 * hour).toUTCString()
  receiver.respond = response => void response.writeHead(status, { 'retry-after': date }).end()
  await admin.done('POST', 'site/children', note('a'))
  await sendAll(site)
  const wait = Date.parse((await deliveriesOf(admin, id))[0].next) - site.storage.clock()
  expect(Math.abs(wait - 2 * hour)).toBeLessThan(10 * minute)
})

test('an attempt has 15 seconds, and four webhooks get theirs at once', async () => {
  const { site, admin } = await createSite()
  const receiver = await createReceiver()
  const waiting: (() => void)[] = []
  receiver.respond = response => waiting.push(() => response.end())
  for (const path of ['a', 'b', 'c', 'd', 'e']) await create(admin, receiver, { url: `${receiver.url}/${path}` })
  await admin.done('POST', 'site/children', note('a'))
  const timeouts = vi.spyOn(AbortSignal, 'timeout')
  const stop = await startWebhooks(site.app, { pollMs: 20 })
  await until(() => expect(waiting).toHaveLength(4))
  await turns(200)
  expect(waiting).toHaveLength(4)
  waiting[0]!()
  await until(() => expect(waiting).toHaveLength(5))
  for (const respond of waiting) respond()
  expect(timeouts.mock.calls.filter(([ms]) => ms === 15_000)).toHaveLength(5)
  timeouts.mockRestore()
  await stop()
})

test('stops and kills of the server are no failures of the receiver', async () => {
  const { site, admin } = await createSite()
  const receiver = await createReceiver()
  const { id } = await create(admin, receiver)
  await admin.done('POST', 'site/children', note('a'))
  const { db } = site.app.store
  // As many kills as there are attempts: each claims the job and never reports.
  await db.updateTable('jobs').set({ attempts: 10 }).where('queue', '=', 'webhooks').execute()
  receiver.respond = () => {}
  const stop = await startWebhooks(site.app, { pollMs: 20 })
  await until(() => expect(receiver.hooks).toHaveLength(1))
  await stop()
  expect((await deliveriesOf(admin, id))[0]).toMatchObject({ state: 'waiting', problem: 'The server was stopped.' })
  receiver.respond = response => void response.writeHead(500).end()
  await sendAll(site)
  expect(receiver.hooks, 'at once').toHaveLength(2)
  const [failed] = await deliveriesOf(admin, id)
  expect(failed).toMatchObject({ state: 'waiting', status: 500 })
  expect(Date.parse(failed.next) - site.storage.clock()).toBeLessThan(minute)
  expect((await admin.done('GET', `system/webhooks/${id}`)).data).toMatchObject({ active: true })
})

test('an endless body is cut off; no response in time and a refused connection are failures', async () => {
  const { site, admin } = await createSite()
  const receiver = await createReceiver()
  const { id } = await create(admin, receiver)
  let written = 0
  receiver.respond = response => {
    const write = () => {
      while (!response.destroyed && written++ < 100_000) if (!response.write('x'.repeat(1024))) return
    }
    response.on('drain', write)
    write()
  }
  await admin.done('POST', 'site/children', note('a'))
  await sendAll(site)
  const [cut] = await deliveriesOf(admin, id)
  expect([cut.state, cut.status, cut.response.length]).toEqual(['done', 200, 2048])
  expect(written).toBeLessThan(100_000)

  // Response headers never come: the stop of the worker ends it early.
  receiver.respond = () => {}
  await admin.done('POST', 'site/children', note('b'))
  const stop = await startWebhooks(site.app, { pollMs: 20 })
  await until(() => expect(receiver.hooks).toHaveLength(2))
  await stop()
  const [slow] = await deliveriesOf(admin, id)
  expect(slow).toMatchObject({ state: 'waiting', attempts: 1, status: null, problem: 'The server was stopped.' })
  // Port 1 is reserved: another program may listen on a port that was just closed.
  await admin.done('PATCH', `system/webhooks/${id}`, { url: 'http://127.0.0.1:1/hook' })
  await sendAll(site)
  expect((await deliveriesOf(admin, id))[0]).toMatchObject({
    attempts: 2,
    problem: expect.stringContaining('ECONNREFUSED') as string,
  })
})

test('the timeout ends an attempt: no response is a failure, of a slow body the beginning is kept', async () => {
  const { site, admin } = await createSite()
  const receiver = await createReceiver()
  const { id } = await create(admin, receiver)
  for (const [slug, respond, expected] of [
    ['a', () => {}, { state: 'waiting', status: null, problem: 'There was no response in time.' }],
    ['b', response => void response.write('slow'), { state: 'done', status: 200, response: 'slow' }],
  ] as [string, Receiver['respond'], object][]) {
    const timeout = new AbortController()
    receiver.respond = (response, hook) => {
      respond(response, hook)
      // A few turns later, when what was written has been read.
      void turns(20).then(() => timeout.abort())
    }
    await admin.done('POST', 'site/children', note(slug))
    const stop = await startWebhooks(site.app, { pollMs: 20, timeout: () => timeout.signal })
    await until(async () => expect((await deliveriesOf(admin, id))[0]).toMatchObject(expected))
    await stop()
    await site.storage.moveClock(10_000)
    receiver.respond = response => void response.end()
    await sendAll(site)
  }
})

test('HTTPS: the connection goes to the checked address, and the certificate must be of the name', async () => {
  const { cert } = certificate
  const { site, admin } = await createSite({ settings: { webhooks: { allow: ['hooks.example.org', 'other.example.org'] } } })
  const receiver = await createReceiver(certificate)
  const lookup = vi.spyOn(dns, 'lookup').mockResolvedValue([{ address: '127.0.0.1', family: 4 }] as never)
  const authorities = tls.getCACertificates('default')
  try {
    const problems: unknown[] = []
    for (const [name, trusted] of [['hooks', [cert]], ['hooks', authorities], ['other', [cert]]] as const) {
      tls.setDefaultCACertificates(trusted)
      const { id } = await create(admin, { ...receiver, url: receiver.url.replace('127.0.0.1', `${name}.example.org`) })
      await admin.done('POST', `system/webhooks/${id}/test`)
      await sendAll(site)
      problems.push((await deliveriesOf(admin, id))[0].problem)
      await admin.done('DELETE', `system/webhooks/${id}`)
    }
    expect(problems).toEqual([null, expect.stringMatching(/CERT/), expect.stringMatching(/ALTNAME/)])
    expect(receiver.hooks).toHaveLength(1)
  } finally {
    tls.setDefaultCACertificates(authorities)
    lookup.mockRestore()
  }
}) // prettier-ignore

test('one slow address does not delay others', async () => {
  const { site, admin } = await createSite()
  const [slow, quick] = [await createReceiver(), await createReceiver()]
  let finish: (() => void) | undefined
  slow.respond = response => void (finish = () => void response.end())
  await create(admin, slow)
  await create(admin, quick)
  const stop = await startWebhooks(site.app, { pollMs: 3_600_000 })
  for (const slug of ['a', 'b', 'c']) await admin.done('POST', 'site/children', note(slug))
  await until(() => expect(quick.hooks).toHaveLength(3))
  expect(slow.hooks, 'one at a time').toHaveLength(1)
  slow.respond = response => void response.end()
  finish?.()
  await until(() => expect(slow.hooks).toHaveLength(3))
  await stop()
  expect(slow.hooks.map(({ json }) => json.data.path)).toEqual(['a', 'b', 'c'])
})

test('several processes share the deliveries: each is sent once, in order', async () => {
  const { site, admin } = await createSite()
  const otherSite = await createTestApp({ storage: site.storage, settings: { webhooks: { allow: ['127.0.0.1'] } } })
  const receiver = await createReceiver()
  await create(admin, receiver)
  const stops = await Promise.all([site, otherSite].map(({ app }) => startWebhooks(app, { pollMs: 20 })))
  const slugs = Array.from({ length: 12 }, (_, index) => `p${index}`)
  for (const slug of slugs) await admin.done('POST', 'site/children', note(slug))
  await until(() => expect(receiver.hooks).toHaveLength(slugs.length))
  await Promise.all(stops.map(stop => stop()))
  expect(receiver.hooks.map(({ json }) => json.data.path)).toEqual(slugs)
})

// ---- endpoints

test('a webhook is listed, changed and deleted; its secret is shown once and stored encrypted', async () => {
  const { site, admin } = await createSite()
  const receiver = await createReceiver()
  const { id, secret } = await create(admin, receiver, { events: ['page.*'] })
  expect(secret).toMatch(/^whsec_[\w+/]{43}=$/)
  const webhook = {
    id, url: receiver.url, events: ['page.*'], templates: [], languages: [], gather: 0, active: true, off: null,
    source: 'panel', owner: admin.id, oldSecretUntil: null,
  } // prettier-ignore
  expect((await admin.done('GET', 'system/webhooks')).data).toMatchObject([webhook])
  const change = { events: ['file.*'], gather: 5, templates: ['note'] }
  expect((await admin.done('PATCH', `system/webhooks/${id}`, change)).data).toMatchObject({ ...webhook, ...change })
  const stored = JSON.stringify([
    await site.app.store.db.selectFrom('webhooks').selectAll().execute(),
    (await admin.done('GET', `system/webhooks/${id}`)).data,
    site.logged,
  ])
  expect(stored).not.toContain(secret.slice(6))
  await admin.done('POST', `system/webhooks/${id}/test`)
  await admin.done('DELETE', `system/webhooks/${id}`)
  expect((await admin.done('GET', 'system/webhooks')).data).toEqual([])
  expect(await site.app.store.db.selectFrom('jobs').selectAll().execute()).toEqual([])
  for (const [method, path] of [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/secret'],
    ['POST', '/test'],
    ['GET', '/deliveries'],
    ['POST', '/deliveries/x/again'],
  ] as const)
    // prettier-ignore
    expect(await admin.call(method, `system/webhooks/${id}${path}`, method === 'PATCH' ? {} : undefined)).toMatchObject({
      status: 404,
      key: 'error.webhook.notFound',
    })
})

test('a test, sending again and a new secret', async () => {
  const { site, admin } = await createSite()
  const receiver = await createReceiver()
  const { id, secret } = await create(admin, receiver, { active: false })
  const { data: sent } = await admin.done('POST', `system/webhooks/${id}/test`)
  expect(sent).toMatchObject({ state: 'waiting', events: ['webhook.test'] })
  await sendAll(site)
  const answer = await admin.done('POST', `system/webhooks/${id}/secret`)
  const { secret: next } = answer as unknown as { secret: string }
  expect(answer.data.oldSecretUntil).not.toBeNull()
  await admin.done('POST', `system/webhooks/${id}/deliveries/${sent.id}/again`)
  await sendAll(site)
  const [first, again] = receiver.hooks as [(typeof receiver.hooks)[0], (typeof receiver.hooks)[0]]
  expect([again.id, again.body]).toEqual([first.id, first.body])
  verify(first, secret)
  for (const one of [secret, next]) verify(again, one)
  await site.storage.moveClock(25 * hour)
  await admin.done('POST', `system/webhooks/${id}/test`)
  await sendAll(site)
  verify(receiver.hooks[2]!, next)
  expect(() => verify(receiver.hooks[2]!, secret)).toThrow('signature')
  expect(await admin.call('POST', `system/webhooks/${id}/deliveries/none/again`)).toMatchObject({
    status: 404,
    key: 'error.webhook.delivery.notFound',
  })
})

test.each([
  ['ftp://example.org/', 'webhook.url.invalid'],
  ['file:///etc/passwd', 'webhook.url.invalid'],
  ['https://ada:secret@203.0.113.1/', 'webhook.url.invalid'],
  ['not an address', 'webhook.url.invalid'],
  ['http://93.184.216.34/', 'webhook.url.insecure'],
  ['https://does-not-exist.invalid/', 'webhook.url.unknown'],
  ...[
    '127.0.0.2', '10.0.0.1', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0', '224.0.0.1', '255.255.255.255',
    '2130706434', '0x7f.2', '192.0.2.1', '198.18.0.1', '[::1]', '[::]', '[fe80::1]', '[fc00::1]', '[ff02::1]', '[::ffff:10.0.0.1]',
    '[64:ff9b::a00:1]', '[2002:a00:1::]', '[2001:0:a00:1::]', '[fec0::1]', 'localhost',
  ].map(host => [`https://${host}/`, 'webhook.url.private']),
] as [string, string][])('%s is refused with %s', async (url, key) => {
  expect(await shared.admin.call('POST', 'system/webhooks', { url, events: ['*'] })).toMatchObject({
    status: 400,
    key: `error.${key}`,
  })
}) // prettier-ignore

const shared = await createSite({ settings: { webhooks: {} } })

test('a name with a public and a private address is refused, when it is saved and when it is sent to', async () => {
  const { site, admin } = await createSite()
  const lookup = vi.spyOn(dns, 'lookup')
  const answers = (...addresses: string[]) =>
    lookup.mockResolvedValue(addresses.map(address => ({ address, family: 4 })) as never)
  try {
    const body = { url: 'https://hooks.example.org/', events: ['*'] }
    answers('93.184.216.34', '10.0.0.1')
    expect(await admin.call('POST', 'system/webhooks', body)).toMatchObject({ key: 'error.webhook.url.private' })
    answers('93.184.216.34')
    const { data } = await admin.done('POST', 'system/webhooks', body)
    answers('93.184.216.34', '127.0.0.9')
    await admin.done('POST', 'site/children', note('a'))
    await sendAll(site)
    const [delivery] = await deliveriesOf(admin, data.id)
    expect(delivery).toMatchObject({ attempts: 1, status: null, problem: expect.stringContaining('private') as string })
  } finally {
    lookup.mockRestore()
  }
})

test('the connection goes to the checked address, without another look-up', async () => {
  const { site, admin } = await createSite({ settings: { webhooks: { allow: ['hooks.example.org'] } } })
  const receiver = await createReceiver()
  const lookup = vi.spyOn(dns, 'lookup').mockResolvedValue([{ address: '127.0.0.1', family: 4 }] as never)
  try {
    await create(admin, { ...receiver, url: receiver.url.replace('127.0.0.1', 'hooks.example.org') })
    await admin.done('POST', 'site/children', note('a'))
    await sendAll(site)
    expect(receiver.hooks).toHaveLength(1)
    expect(receiver.hooks[0]!.headers.host).toMatch(/^hooks\.example\.org:/)
    expect(lookup).toHaveBeenCalledTimes(2)
  } finally {
    lookup.mockRestore()
  }
})

test('wrong events, duplicates and roles without permission are refused', async () => {
  const { site, admin } = await createSite()
  const receiver = await createReceiver()
  const { id } = await create(admin, receiver)
  const { url } = receiver
  for (const events of [['auth.login.ok'], ['page.nothing'], ['pag.*'], ['**'], ['%']])
    expect(await admin.call('POST', 'system/webhooks', { url, events })).toMatchObject({ key: 'error.webhook.events' })
  expect(await admin.call('POST', 'system/webhooks', { url, events: ['*'] })).toMatchObject({
    key: 'error.webhook.duplicate',
  })
  for (const wrong of [{ events: [] }, { gather: -1 }, { gather: 4000 }, { url: '' }, { secret: 'whsec_mine' }])
    expect(await admin.call('PATCH', `system/webhooks/${id}`, wrong)).toMatchObject({
      status: 400,
      key: 'error.validation',
    })
  const writer = await createTokenClient(site, { role: 'writer' })
  expect((await writer.call('GET', 'system/webhooks')).status).toBe(403)
  expect((await writer.call('GET', `system/webhooks/${id}/deliveries`)).status).toBe(403)
})

test('only the owner sees what the receiver responded', async () => {
  const { site, admin } = await createSite()
  const [manager, other] = [await createTokenClient(site, { role: 'manager' }), await createTokenClient(site)]
  const receiver = await createReceiver()
  receiver.respond = response => void response.writeHead(500).end('INTERNAL')
  const { id } = await create(manager, receiver)
  const { data: sent } = await manager.done('POST', `system/webhooks/${id}/test`)
  await sendAll(site)
  expect((await deliveriesOf(manager, id))[0]).toMatchObject({ id: sent.id, status: 500, response: 'INTERNAL' })
  for (const one of [admin, other])
    expect((await deliveriesOf(one, id))[0]).toMatchObject({ id: sent.id, status: 500, response: null })
})

test('a change writes only what was sent: a webhook that is turned off in the meantime stays off', async () => {
  const { admin } = await createSite({ settings: { webhooks: { allow: ['127.0.0.1', 'hooks.example.org'] } } })
  const { id } = await create(admin, await createReceiver())
  const path = `system/webhooks/${id}`
  const lookup = vi.spyOn(dns, 'lookup').mockImplementation((async () => {
    await admin.done('PATCH', path, { active: false, gather: 7 })
    return [{ address: '127.0.0.1', family: 4 }]
  }) as never)
  try {
    const url = 'https://hooks.example.org/'
    const { data } = await admin.done('PATCH', path, { url, events: ['page.*'] })
    expect(data).toMatchObject({ url, events: ['page.*'], gather: 7, active: false })
  } finally {
    lookup.mockRestore()
  }
})

test('a webhook that is turned off and on again does not wait for an attempt that was running', async () => {
  const { site, admin } = await createSite()
  const receiver = await createReceiver()
  const { id } = await create(admin, receiver)
  let finish: (() => void) | undefined
  receiver.respond = response => void (finish = () => void response.end())
  const stop = await startWebhooks(site.app, { pollMs: 3_600_000 })
  await admin.done('POST', 'site/children', note('a'))
  await until(() => expect(receiver.hooks).toHaveLength(1))
  await admin.done('PATCH', `system/webhooks/${id}`, { active: false })
  const lanes = await site.app.store.db.selectFrom('job_lanes').select(['lane', 'busy_until']).execute()
  expect(lanes).toEqual([{ lane: id, busy_until: 0 }])
  receiver.respond = response => void response.end()
  await admin.done('PATCH', `system/webhooks/${id}`, { active: true })
  await admin.done('POST', 'site/children', note('b'))
  await until(() => expect(receiver.hooks).toHaveLength(2))
  finish?.()
  await stop()
})

test('administrators see the responses to a webhook of the settings, and get a mail when it is turned off', async () => {
  const receiver = await createReceiver()
  receiver.respond = response => void response.writeHead(410).end('INTERNAL')
  const list = [{ url: receiver.url, secret: `whsec_${Buffer.alloc(32, 'k').toString('base64')}`, events: ['page.*'] }]
  const { site, admin } = await createSite({ settings: { webhooks: { allow: ['127.0.0.1'], list }, ...withMail } })
  const manager = await createTokenClient(site, { role: 'manager' })
  const disabled = await createTokenClient(site)
  await site.app.store.db.updateTable('users').set({ status: 'disabled' }).where('id', '=', disabled.id).execute()
  await sendAll(site)
  await admin.done('POST', 'site/children', note('a'))
  await sendAll(site)
  const [webhook] = (await admin.done('GET', 'system/webhooks')).data
  expect(webhook).toMatchObject({ active: false, off: 'gone' })
  expect((await deliveriesOf(admin, webhook.id))[0]).toMatchObject({ response: 'INTERNAL' })
  expect((await deliveriesOf(manager, webhook.id))[0]).toMatchObject({ response: null })
  const mailsOf = async ({ id }: TokenClient) => mailsTo(site, (await userRow(site, id)).email, 'webhookOff')
  expect(await mailsOf(admin)).toMatchObject([{ data: { problem: 'The response was 410.' } }])
  expect([await mailsOf(manager), await mailsOf(disabled)]).toEqual([[], []])
  // A test delivery to a webhook that is off does not turn it off again.
  await admin.done('POST', `system/webhooks/${webhook.id}/test`)
  await sendAll(site)
  expect(await mailsOf(admin)).toHaveLength(1)
})

test('webhooks of the settings are sent, shown, turned off and on, and otherwise cannot be changed', async () => {
  const receiver = await createReceiver()
  const secret = `whsec_${Buffer.alloc(32, 'k').toString('base64')}`
  const list = [{ url: receiver.url, secret, events: ['page.*'] }]
  const { site, admin } = await createSite({ settings: { webhooks: { allow: ['127.0.0.1'], list } } })
  await sendAll(site)
  await admin.done('POST', 'site/children', note('a'))
  await sendAll(site)
  verify(receiver.hooks[0]!, secret)
  const [webhook] = (await admin.done('GET', 'system/webhooks')).data
  expect(webhook).toMatchObject({ source: 'settings', url: receiver.url, active: true })
  for (const [method, path] of [
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/secret'],
  ] as const)
    expect(
      await admin.call(method, `system/webhooks/${webhook.id}${path}`, method === 'PATCH' ? { gather: 1 } : undefined),
    ).toMatchObject({ status: 403, key: 'error.webhook.settings' })
  await admin.done('PATCH', `system/webhooks/${webhook.id}`, { active: false })
  await sendAll(site)
  await admin.done('POST', 'site/children', note('b'))
  await sendAll(site)
  expect(receiver.hooks, 'off, also after a start').toHaveLength(1)
  await admin.done('PATCH', `system/webhooks/${webhook.id}`, { active: true })
  await admin.done('POST', 'site/children', note('c'))
  await sendAll(site)
  expect(receiver.hooks).toHaveLength(2)
  const later = await createTestApp({ storage: site.storage })
  await sendAll(later)
  expect((await admin.done('GET', 'system/webhooks')).data).toEqual([])
})

test('the last 100 deliveries are kept', async () => {
  const { site, admin } = await createSite()
  const receiver = await createReceiver()
  const { id } = await create(admin, receiver)
  const job = {
    queue: 'webhooks',
    lane: id,
    payload: '{"events":[{"type":"x"}]}',
    sealed: 0,
    due_at: 0,
    created_at: site.storage.clock(),
    finished_at: 1,
    problem: null,
    result: null,
  }
  await site.app.store.db
    .insertInto('jobs')
    .values(Array.from({ length: 130 }, (_, index) => ({ ...job, id: `j${index}` })))
    .execute()
  expect(await deliveriesOf(admin, id)).toHaveLength(100)
  expect(await site.app.store.write(tx => sweepDeliveries(tx, 500))).toBe(30)
  expect((await deliveriesOf(admin, id)).at(-1)).toMatchObject({ id: 'j30' })
})
