import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { runDue, runsOf } from '../../../../test/background.ts'
import { cpuTime } from '../../../../test/cpu-time.ts'
import { createTestApp, createTestStorage, type TestApp, writeBlueprints } from '../../../../test/harness.ts'
import { createTokenClient } from '../../../../test/pages.ts'
import { isSlow, rounds } from '../../../../test/slow.ts'
import { until } from '../../../../test/until.ts'
import { chunks } from '../../../platform/lib/chunks.ts'
import { startExtensions } from '../../../extensions/start.ts'
import { defineExtension, type Extension, type ExtensionEvent, job, on } from '../../../index.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute

async function createSite(...extensions: Extension[]) {
  const storage = await createTestStorage()
  writeBlueprints(storage.data, {
    'pages/note.yml': 'fields: { text: { type: text } }',
    'pages/letter.yml': 'fields: { text: { type: text } }',
  })
  const site = await createTestApp({ storage, settings: { extensions } })
  const end = await startExtensions(site.app, { pollMs: 3_600_000 }) // the subscriptions
  await end()
  const admin = await createTokenClient(site)
  const create = async (slug: string, template = 'note') =>
    admin.done('POST', 'site/children', { slug, template, content: { text: '0' } })
  const update = (slug: string, text: string) => admin.done('PATCH', `pages/${slug}`, { text })
  const runs = async (name = 'shop') => runsOf(admin, name)
  return { site, storage, admin, create, update, runs }
}

const failures = ({ logged }: TestApp) =>
  logged.filter(({ event }) => event === 'extension.failed' || event === 'extension.postponed')

test('a handler runs after the commit, with the event; not after a change that was refused', async () => {
  const seen: ExtensionEvent[] = []
  const shop = defineExtension({
    name: 'shop',
    on: [
      on('page.*', async ({ event }) => void seen.push(event)),
      on('file.created', async ({ event }) => void seen.push(event), { name: 'files' }),
      on('user.changed', async ({ event }) => void seen.push(event)),
      on('language.created', async ({ event }) => void seen.push(event)),
    ],
  })
  const { site, admin, create, update } = await createSite(shop)
  await create('a')
  await create('b')
  await update('a', 'WORDS')
  expect((await admin.call('PATCH', 'pages/a/slug', { slug: 'b' })).status).toBe(400)
  await admin.done('PATCH', `users/${admin.id}/name`, { name: 'Ada' })
  await admin.done('POST', 'languages', { code: 'en', name: 'English' })
  expect(seen).toEqual([])
  await runDue(site)
  const types = seen.map(({ type }) => type)
  expect(types.toSorted()).toEqual([
    'language.created', 'page.changed', 'page.created', 'page.created', 'user.changed',
  ]) // prettier-ignore
  const change = seen.find(({ type }) => type === 'page.changed')!
  expect(change).toEqual({
    id: expect.stringMatching(/^msg_\w+$/) as string,
    type: 'page.changed',
    time: expect.any(Date) as Date,
    uuid: expect.stringMatching(/^page:\/\/\w+$/) as string,
    page: `@${change.uuid!.slice('page://'.length)}`,
    user: undefined,
    actor: admin.id,
    data: expect.objectContaining({ template: 'note', path: 'a', fields: ['text'] }) as object,
    attempt: 1,
  })
  expect(seen.find(({ type }) => type === 'user.changed')).toMatchObject({ user: admin.id, page: undefined })
  expect(seen.find(({ type }) => type === 'language.created')).toMatchObject({ uuid: undefined })
  expect(JSON.stringify(seen)).not.toContain('WORDS')
  expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length)
  expect(await site.app.store.db.selectFrom('jobs').select('id').execute(), 'nothing is kept').toEqual([])
})

test('templates and languages restrict the events', async () => {
  const seen: unknown[] = []
  const shop = defineExtension({
    name: 'shop',
    on: [on('page.created', async ({ event }) => void seen.push(event.data['path']), { templates: ['letter'] })],
  })
  const { site, create } = await createSite(shop)
  await create('a')
  await create('b', 'letter')
  await runDue(site)
  expect(seen).toEqual(['b'])
})

test('a page that becomes public is published, once, however that happens', async () => {
  const seen: string[] = []
  const note = (name: string) => async ({ event }: { event: ExtensionEvent }) => {
    const { path, status, fields } = event.data as { path: string; status?: string; fields?: readonly string[] }
    seen.push(`${name} ${event.type} ${path} ${status ?? String(fields)}`)
  } // prettier-ignore
  const shop = defineExtension({
    name: 'shop',
    on: [on('page.published', note('published')), on('page.*', note('all'))],
  })
  const { site, admin, create, update } = await createSite(shop)
  const set = (slug: string, status: string) => admin.done('PATCH', `pages/${slug}/status`, { status })
  const told = async () => {
    await runDue(site)
    return seen.splice(0).toSorted()
  }
  await create('a')
  await update('a', '1')
  expect(await told()).toEqual(['all page.changed a text', 'all page.created a draft'])
  await set('a', 'unlisted')
  expect(await told()).toEqual(['all page.status a unlisted', 'published page.published a unlisted'])
  await set('a', 'listed')
  expect(await told()).toEqual(['all page.status a listed'])
  await update('a', '2')
  expect(await told()).toEqual(['all page.published a text', 'published page.published a text'])
  await set('a', 'draft')
  expect(await told()).toEqual(['all page.status a draft'])
  await admin.done('POST', 'site/children', { slug: 'b', template: 'note', draft: false })
  expect(await told()).toEqual(['all page.created b unlisted', 'published page.published b unlisted'])
})

test('what a handler changes names the extension and its cause; its cms has every permission', async () => {
  const shop = defineExtension({
    name: 'shop',
    on: [
      on('page.created', async ({ cms, event, log }) => {
        log.info('at work')
        const page = await cms.pages.get({ id: event.page })
        await cms.pages.update({ id: event.page }, { text: `${page.title} of ${event.actor}` })
      }),
    ],
  })
  const { site, admin, create } = await createSite(shop)
  await create('a')
  await runDue(site)
  expect((await admin.done('GET', 'pages/a')).data.content.text).toBe(`a of ${admin.id}`)
  const { data } = await admin.done('GET', 'site/events?event=page.*')
  const [change] = data
  const created = data.find(({ event }: { event: string }) => event === 'page.created')
  expect(change).toMatchObject({
    event: 'page.changed',
    user: null,
    detail: { extension: 'shop', cause: created.id, chain: ['shop: on page.created'] },
  })
  const row = await site.app.store.db.selectFrom('audit_events').selectAll().where('id', '=', change.id).execute()
  expect(row).toMatchObject([{ ip_prefix: null, actor_id: null }])
  expect(site.logged.find(({ msg }) => msg === 'at work')).toMatchObject({
    extension: 'shop',
    part: 'on page.created',
  })
})

test('a handler never sees data from before the commit', { timeout: 600_000 }, async () => {
  const [own, shared] = [['a', 'b', 'c', 'd'], 'shared']
  /** Changes of each writer, of its own page and of the shared one: 1,000 events in the slow run. */
  const each = rounds(2, 125)
  const [behind, seen]: [string[], string[]] = [[], []]
  const shop = defineExtension({
    name: 'shop',
    on: [
      on('page.changed', async ({ cms, event: { page: id, data } }) => {
        const { content, revision } = (await cms.pages.get({ id, select: ['content', 'revision'] })) as {
          content: { text: string }
          revision: number
        }
        // The text of a page with one writer is its revision: another one would be of another commit.
        const isTorn = data['path'] !== shared && Number(content.text) !== revision
        if (revision < (data['revision'] as number) || isTorn)
          behind.push(`${String(data['path'])} ${String(data['revision'])}: ${revision}, ${content.text}`)
        seen.push(`${String(data['path'])} ${String(data['revision'])}`)
      }),
    ],
  })
  const { site, storage, admin, create, update } = await createSite(shop)
  for (const slug of [...own, shared]) await create(slug)
  const { revision: first } = (await admin.done('GET', 'pages/a?select=revision')).data as { revision: number }
  const other = await createTestApp({ storage, settings: { extensions: [shop] } })
  const ends = await Promise.all([site, other].map(({ app }) => startExtensions(app, { pollMs: 10 })))

  async function write(slug: string): Promise<void> {
    for (let round = 1; round <= each; round++) {
      await Promise.all([update(slug, String(first + round)), update(shared, `${slug} ${round}`)])
      // Handlers are at work while the rest is written.
      if (round === 1) await until(() => expect(seen.length).toBeGreaterThan(0))
      if (round % 3 === 0) await nextTurn()
    }
  }

  await Promise.all(own.map(write))
  const count = 2 * each * own.length
  await until(() => expect(seen).toHaveLength(count))
  await Promise.all(ends.map(end => end()))
  expect(behind).toEqual([])
  expect(new Set(seen).size).toBe(count)
})

test('events of one page are in order and wait for each other; other pages go on', async () => {
  const seen: string[] = []
  const held = Promise.withResolvers<void>()
  const shop = defineExtension({
    name: 'shop',
    on: [
      on('page.changed', async ({ event: { data } }) => {
        if (data['path'] === 'a' && seen.length === 0) await held.promise
        seen.push(`${data['path'] as string} ${data['revision'] as number}`)
      }),
    ],
  })
  const { site, create, update } = await createSite(shop)
  for (const slug of ['a', 'b']) await create(slug)
  const end = await startExtensions(site.app, { pollMs: 20 })
  for (const text of ['1', '2', '3']) for (const slug of ['a', 'b']) await update(slug, text)
  await until(() => expect(seen.filter(one => one.startsWith('b'))).toHaveLength(3))
  expect(seen.filter(one => one.startsWith('a'))).toEqual([])
  held.resolve()
  await until(() => expect(seen).toHaveLength(6))
  await end()
  for (const slug of ['a', 'b']) {
    const numbers = seen.filter(one => one.startsWith(slug)).map(one => Number(one.slice(2)))
    expect(numbers).toEqual(numbers.toSorted((one, other) => one - other))
  }
})

test('two processes handle each event once, in order per page', async () => {
  const seen: string[] = []
  const count = rounds(5, 50)
  const shop = (process: string) =>
    defineExtension({
      name: 'shop',
      on: [
        on('page.changed', async ({ cms, event: { page, data } }) => {
          await cms.pages.get({ id: page }) // gives the other process time
          seen.push(`${data['path'] as string} ${data['revision'] as number} ${process}`)
        }),
      ],
    })
  const { site, storage, create, update } = await createSite(shop('one'))
  const other = await createTestApp({ storage, settings: { extensions: [shop('two')] } })
  const slugs = ['a', 'b', 'c']
  for (const slug of slugs) await create(slug)
  const ends = await Promise.all([site, other].map(({ app }) => startExtensions(app, { pollMs: 10 })))
  for (let round = 1; round <= count; round++) await Promise.all(slugs.map(slug => update(slug, String(round))))
  await until(() => expect(seen.length).toBeGreaterThanOrEqual(count * slugs.length))
  await Promise.all(ends.map(end => end()))
  expect(seen).toHaveLength(count * slugs.length)
  for (const slug of slugs) {
    const numbers = seen.filter(one => one.startsWith(slug)).map(one => Number(one.split(' ')[1]))
    expect(numbers).toEqual(numbers.toSorted((one, two) => one - two))
  }
})

// ---- failures

test('what fails is tried again after the waits of webhooks, under the same id, then given up; the next event follows', async () => {
  const attempts: { id: string; attempt: number; revision: number }[] = []
  let isBroken = true
  const shop = defineExtension({
    name: 'shop',
    on: [
      on('page.changed', async ({ event: { id, attempt, data } }) => {
        attempts.push({ id, attempt, revision: data['revision'] as number })
        if (isBroken) throw new RangeError('out of paper')
      }),
    ],
  })
  const { site, storage, admin, create, update, runs } = await createSite(shop)
  await create('a')
  await runDue(site)
  await storage.stopClock()
  await update('a', '1')
  await update('a', '2')
  await runDue(site)
  const delays = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]
  for (const [at, delay] of delays.entries()) {
    expect(attempts).toHaveLength(at + 1)
    const [waiting] = (await runs()).slice(-1)
    expect(waiting).toMatchObject({
      part: 'on page.changed',
      state: 'waiting',
      attempts: at + 1,
      problem: 'RangeError: out of paper',
    })
    await storage.moveClock(delay - 2000)
    await runDue(site)
    expect(attempts, 'not before').toHaveLength(at + 1)
    await storage.moveClock(delay / 10 + 3000)
    await runDue(site)
  }
  // The last attempt has failed, and so has the first one of the second event.
  expect(attempts).toHaveLength(11)
  expect(new Set(attempts.slice(0, 10).map(({ id }) => id)).size).toBe(1)
  expect(attempts.slice(0, 10).map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  expect(attempts[10]).toMatchObject({ attempt: 1 })
  const logged = failures(site)
  expect(logged[0]).toMatchObject({
    event: 'extension.postponed',
    extension: 'shop',
    part: 'on page.changed',
    problem: 'RangeError: out of paper',
    err: { stack: expect.stringContaining('on.test.ts') as string },
  })
  const failed = logged.find(({ event }) => event === 'extension.failed')
  expect(failed).toMatchObject({ failures: 10, msg: 'the extension "shop" has failed: on page.changed' })

  const [listed] = (await admin.done('GET', 'system/extensions')).data
  expect(listed).toMatchObject({ name: 'shop', waiting: 1, failed: 1, on: ['page.changed'] })
  const metrics = (await site.request({ url: '/metrics', remoteAddress: '127.0.0.1' })).body
  expect(metrics).toContain('quoin_extension_runs_total{extension="shop",part="on page.changed",result="failed"} 1')
  expect(metrics).toContain('quoin_jobs_waiting{queue="extension:shop"} 1')

  // By hand it does not wait behind the event that fails, and has the same id.
  isBroken = false
  const run = (await runs()).find(({ state }) => state === 'failed')
  await admin.done('POST', 'system/extensions/shop/runs', { again: run!.id })
  await runDue(site)
  expect(attempts.slice(11)).toEqual([{ id: attempts[0]!.id, attempt: 1, revision: attempts[0]!.revision }])
})

test('a handler that throws, hangs or rejects with anything is named; others are not concerned', async () => {
  const seen: string[] = []
  let later: unknown
  let signalled: AbortSignal | undefined
  const hanging = defineExtension({
    name: 'hanging',
    on: [
      on(
        'page.created',
        async ({ cms, signal }) => {
          signalled = signal
          await new Promise(resolve => signal.addEventListener('abort', resolve))
          later = await cms.users.list({}).catch((error: unknown) => error)
          await new Promise(() => {})
        },
        { timeout: 50 },
      ),
    ],
  })
  const throwing = defineExtension({
    name: 'throwing',
    on: [
      on('page.created', () => {
        throw new Error('at once')
      }),
      on('page.created', () => Promise.reject('just a text'), { name: 'second' }), // oxlint-disable-line typescript/prefer-promise-reject-errors
      on('page.created', async ({ cms }) => cms.pages.get({ id: 'nowhere' }), { name: 'third' }),
    ],
  })
  const fine = defineExtension({
    name: 'fine',
    on: [on('page.created', async ({ event }) => void seen.push(String(event.data['path'])))],
  })
  const { site, create, runs } = await createSite(hanging, throwing, fine)
  await create('a')
  await create('b')
  await runDue(site)
  expect(seen.toSorted()).toEqual(['a', 'b'])
  const problems = new Map(
    failures(site).map(({ extension, part, problem }) => [`${String(extension)} ${String(part)}`, problem]),
  )
  expect(Object.fromEntries(problems)).toEqual({
    'hanging on page.created': 'It did not end within 0.05 s.',
    'throwing on page.created': 'Error: at once',
    'throwing on second': 'just a text',
    'throwing on third': expect.stringContaining('nowhere') as string,
  })
  expect(signalled?.aborted).toBe(true)
  await until(() => expect(later).toMatchObject({ message: 'its time is over' }))
  expect(await runs('throwing')).toHaveLength(6)
})

test('extensions that cause each other to run are stopped, and the log names them', async () => {
  const changes: string[] = []
  const echo = (name: 'ping' | 'pong') =>
    defineExtension({
      name,
      on: [
        on('page.changed', async ({ cms, event }) => {
          await cms.pages.update({ id: event.page }, { text: `${name} ${event.id}` })
          changes.push(name)
        }),
      ],
    })
  const { site, create, update, runs } = await createSite(echo('ping'), echo('pong'))
  await create('a')
  await update('a', 'begin')
  await runDue(site)
  // Both react to every change: 2 + 4 + 8 + 16 + 32 changes, and 64 that are refused.
  expect(changes).toHaveLength(62)
  const refused = site.logged.filter(({ event }) => event === 'extension.chain')
  expect(refused).toHaveLength(64)
  for (const { chain, msg } of refused) {
    expect(chain).toHaveLength(6)
    expect(msg).toMatch(
      /^extensions cause each other to run: (?:p[io]ng: on page.changed → ){5}p[io]ng: on page.changed$/,
    )
  }
  expect(await runs('ping')).toEqual(
    Array.from({ length: 32 }, () => expect.objectContaining({ state: 'failed', attempts: 1 }) as object),
  )
})

test('a run whose process dies again and again is given up', async () => {
  const seen: number[] = []
  const shop = defineExtension({
    name: 'shop',
    on: [on('page.created', async ({ event }) => void seen.push(event.attempt))],
  })
  const { site, create, runs } = await createSite(shop)
  const { db } = site.app.store
  await create('a')
  await db.updateTable('jobs').set({ attempts: 4 }).execute()
  await runDue(site)
  expect(seen).toEqual([5])
  await create('b')
  await db.updateTable('jobs').set({ attempts: 5 }).where('finished_at', 'is', null).execute()
  await runDue(site)
  expect(seen).toEqual([5])
  expect(await runs()).toMatchObject([{ state: 'failed', problem: 'The server has ended 5 times while this ran.' }])
})

test('what waits for a handler or a job is left to servers that have it, and kept for a week', async () => {
  const seen: string[] = []
  const note = (name: string) => async ({ event }: { event: ExtensionEvent }) =>
    void seen.push(`${name} ${String(event.data['path'])}`) // prettier-ignore
  const nightly = job('nightly', { at: '0 3 * * *', run: async () => void seen.push('nightly') })
  const shop = (...handlers: ReturnType<typeof on>[]) => defineExtension({ name: 'shop', on: handlers, jobs: handlers.length > 1 ? [nightly] : [] }) // prettier-ignore
  const {
    site: newer,
    storage,
    create,
  } = await createSite(shop(on('page.created', note('created')), on('page.created', note('new'), { name: 'new' })))
  await storage.stopClock()
  const older = await createTestApp({ storage, settings: { extensions: [shop(on('page.created', note('created')))] } })
  const { db } = newer.app.store
  const waiting = async () => (await db.selectFrom('jobs').select(['lane', 'attempts', 'problem']).where('queue', '=', 'extension:shop').where('finished_at', 'is', null).execute()) // prettier-ignore
  const parts = async () => [
    ...(await db.selectFrom('subscriptions').select('id').orderBy('id').execute()).map(({ id }) => id),
    ...(await db.selectFrom('extension_schedules').select('job').execute()).map(({ job: name }) => name),
  ]
  const all = ['extension:shop:new', 'extension:shop:page.created', 'nightly']
  /** Runs the older one until it has nothing to do. */
  const runOlder = async (path: string) => {
    const end = await startExtensions(older.app, { pollMs: 20 })
    await create(path)
    await until(() => expect(seen).toContain(`created ${path}`))
    await end()
  }

  await runOlder('a')
  await runOlder('b')
  expect(seen.splice(0)).toEqual(['created a', 'created b'])
  expect(await parts()).toEqual(all)
  expect(await waiting()).toMatchObject([
    { attempts: 0, problem: null },
    { attempts: 0, problem: null },
  ])
  expect(older.logged.filter(({ event }) => event === 'extension.removed')).toMatchObject(
    ['job nightly', 'on new', 'job nightly', 'on new'].map(part => ({ extension: 'shop', part })),
  )
  await runDue(newer, older)
  expect(seen.splice(0).toSorted()).toEqual(['new a', 'new b'])

  await storage.moveClock(6 * 24 * hour)
  await runOlder('c')
  await runDue(newer)
  expect(seen.splice(0).toSorted()).toEqual(['created c', 'new c', 'nightly'])
  // From here on, no server has them.
  await runOlder('d')
  await storage.moveClock(6 * 24 * hour)
  await runOlder('e')
  expect(await parts()).toEqual(all)
  expect(await waiting()).toHaveLength(2)
  await storage.moveClock(2 * 24 * hour)
  await runOlder('f')
  expect([await parts(), await waiting()]).toEqual([['extension:shop:page.created'], []])
})

test('what waits for an extension is kept for a week if a server starts without it', async () => {
  const seen: string[] = []
  const shop = defineExtension({
    name: 'shop',
    on: [on('page.created', async ({ event }) => void seen.push(String(event.data['path'])))],
    jobs: [job('nightly', { at: '0 3 * * *', run: async () => {} })],
  })
  const { site, storage, create } = await createSite(shop)
  await storage.stopClock()
  const { db } = site.app.store
  const count = async (table: 'subscriptions' | 'jobs' | 'extension_schedules') =>
    (await db.selectFrom(table).selectAll().execute()).length
  const other = defineExtension({ name: 'other', jobs: [] })
  const without = await createTestApp({ storage, settings: { extensions: [other] } })
  const leftOut = { ...without.app, config: { ...without.app.config, withoutExtensions: ['shop'] } }
  const start = async (app: TestApp['app']) => (await startExtensions(app, { pollMs: hour }))()
  const removals = () => without.logged.filter(({ event }) => event === 'extension.removed')

  await start(leftOut)
  expect([await count('subscriptions'), await count('extension_schedules'), removals()]).toEqual([1, 1, []])
  await create('a')
  await start(without.app)
  await start(without.app)
  expect(removals()).toMatchObject([{ extension: 'shop', until: expect.any(String) as string }, {}, {}, {}])
  await create('b')
  await storage.moveClock(6 * 24 * hour)
  await start(without.app)
  // Another server still has it, or has it again.
  await runDue(site)
  expect(seen.toSorted()).toEqual(['a', 'b'])
  expect(await count('jobs')).toBe(1) // the nightly job
  await storage.moveClock(2 * 24 * hour)
  await create('c')
  await start(without.app)
  expect([await count('subscriptions'), await count('extension_schedules')]).toEqual([1, 1])
  await storage.moveClock(8 * 24 * hour)
  await start(without.app)
  expect([await count('subscriptions'), await count('extension_schedules'), await count('jobs')]).toEqual([0, 0, 0])
  await create('d')
  await runDue(site)
  await create('e')
  await runDue(site)
  expect(seen.toSorted()).toEqual(['a', 'b', 'e'])
})

/** Queues an event for each of so many pages, handles all of them, and returns the CPU time for each, in ms. */
async function handleMany(lanes: number): Promise<number> {
  const seen: string[] = []
  const shop = defineExtension({
    name: 'shop',
    on: [on('page.changed', async ({ event }) => void seen.push(event.page))],
  })
  const { site } = await createSite(shop)
  const timestamp = new Date(0).toISOString()
  const rows = Array.from({ length: lanes }, (_, at) => ({
    id: `msg_${at}`,
    queue: 'extension:shop',
    lane: `extension:shop:page.changed|page://p${at}`,
    payload: JSON.stringify({ events: [{ type: 'page.changed', timestamp, data: { id: 1, uuid: `page://p${at}` } }] }),
    sealed: 0,
    due_at: 0,
    created_at: 0,
  }))
  await site.app.store.write(async tx => {
    for (const batch of chunks(rows, 500)) await tx.insertInto('jobs').values(batch).execute()
  })
  const started = cpuTime()
  const end = await startExtensions(site.app, { pollMs: minute })
  for (let count = 200; count <= lanes; count += 200)
    await until(() => expect(seen.length).toBeGreaterThanOrEqual(count))
  await end()
  expect(new Set(seen).size).toBe(lanes)
  expect(await site.app.store.db.selectFrom('jobs').select('id').execute()).toEqual([])
  return (cpuTime() - started) / lanes
}

test('many pages with an event each are handled once', async () => {
  await handleMany(isSlow ? 1000 : 200)
})

test.runIf(isSlow)('ten thousand pages take as long for each as a thousand', { timeout: 1_200_000 }, async () => {
  const few = await handleMany(1000)
  expect(await handleMany(10_000)).toBeLessThan(few * 3)
})
