import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { runDue, runsOf } from '../../../../test/background.ts'
import { createTestApp, createTestStorage, type TestApp, type TestStorage } from '../../../../test/harness.ts'
import { createTokenClient } from '../../../../test/pages.ts'
import { createMailServer } from '../../../../test/smtp.ts'
import { statementsOf } from '../../../../test/sign-in.ts'
import { until } from '../../../../test/until.ts'
import { runJob, startExtensions } from '../../../extensions/start.ts'
import { defineExtension, documents, type Extension, job, z } from '../../../index.ts'
import { startSending } from '../../../platform/mail/outbox.ts'
import { forgetRemoved } from './extensions.ts'

const run = async () => {}
const hour = 60 * 60_000
const day = 24 * hour

async function createSite(...extensions: Extension[]) {
  const storage = await createTestStorage()
  await storage.stopClock()
  const site = await createTestApp({ storage, settings: { extensions } })
  const admin = await createTokenClient(site)
  const runs = async () => runsOf(admin, 'shop')
  const states = async () => (await runs()).map(({ state }) => state)
  return { site, storage, admin, runs, states }
}

/** The next 03:00, UTC, as the API shows it. */
const nextThree = (storage: TestStorage) =>
  `${new Date(Math.ceil((storage.clock() - 3 * hour) / day) * day + 3 * hour).toISOString().slice(0, 19)}+00:00`

const failures = ({ logged }: TestApp) => logged.filter(({ event }) => event === 'extension.failed')

test('a job runs at its time, once in two processes, and not before', async () => {
  const seen: string[] = []
  const shop = (process: string) =>
    defineExtension({
      name: 'shop',
      jobs: [job('nightly', { at: '0 3 * * *', run: async () => void seen.push(process) })],
    })
  const { site, storage, admin, states } = await createSite(shop('one'))
  const other = await createTestApp({ storage, settings: { extensions: [shop('two')] } })
  const due = nextThree(storage)
  await runDue(site, other)
  expect(seen).toEqual([])
  const [listed] = (await admin.done('GET', 'system/extensions')).data
  expect(listed.jobs).toEqual([{ name: 'nightly', at: '0 3 * * *', timeZone: null, next: due, last: null }])
  for (let night = 1; night <= 3; night++) {
    await storage.moveClock(day)
    await runDue(site, other)
    expect(seen, `night ${night}`).toHaveLength(night)
  }
  expect(await states()).toEqual(['done', 'done', 'done'])
  const [after] = (await admin.done('GET', 'system/extensions')).data
  expect(Date.parse(after.jobs[0].next) - Date.parse(due)).toBe(3 * day)
  expect(Date.parse(after.jobs[0].last) - Date.parse(due)).toBe(2 * day)
})

test('times that were missed while no server was running are made up for once', async () => {
  let count = 0
  const shop = defineExtension({ name: 'shop', jobs: [job('often', { at: '*/5 * * * *', run: async () => ++count })] })
  const { site, storage } = await createSite(shop)
  await runDue(site)
  await storage.moveClock(10 * day)
  await runDue(site)
  expect(count).toBe(1)
  await storage.moveClock(5 * 60_000)
  await runDue(site)
  expect(count).toBe(2)
})

test('a job that is still running is not started again', async () => {
  let count = 0
  const held = Promise.withResolvers<void>()
  const shop = defineExtension({
    name: 'shop',
    jobs: [
      job('often', {
        at: '* * * * *',
        run: async () => {
          count++
          await held.promise
        },
      }),
    ],
  })
  const { site, storage, states } = await createSite(shop)
  const end = await startExtensions(site.app, { pollMs: 10 })
  await storage.moveClock(60_000)
  await until(() => expect(count).toBe(1))
  await storage.moveClock(60_000)
  await until(() => expect(site.logged.map(({ event }) => event)).toContain('extension.skipped'))
  expect(site.logged.find(({ event }) => event === 'extension.skipped')).toMatchObject({
    extension: 'shop',
    part: 'job often',
  })
  held.resolve()
  await until(async () => expect(await states()).toEqual(['done']))
  await storage.moveClock(60_000)
  await until(() => expect(count).toBe(2))
  await end()
})

test('a job that throws or never ends is reported with its extension, and runs at its next time', async () => {
  const signals: AbortSignal[] = []
  let count = 0
  const shop = defineExtension({
    name: 'shop',
    jobs: [
      job('throws', { at: '0 3 * * *', run: async () => Promise.reject(new RangeError('no paper')) }),
      job('hangs', {
        at: '0 3 * * *',
        timeout: 50,
        run: ({ signal }) => {
          signals.push(signal)
          return new Promise(() => {})
        },
      }),
      job('works', { at: '0 3 * * *', run: async () => ++count }),
    ],
  })
  const { site, storage, admin, runs } = await createSite(shop)
  await runDue(site)
  for (let night = 1; night <= 2; night++) {
    await storage.moveClock(day)
    await runDue(site)
    expect(count).toBe(night)
    expect(signals.map(({ aborted }) => aborted)).toEqual(Array.from({ length: night }, () => true))
  }
  const problems = (await runs()).map(({ part, state, problem }) => [part, state, problem])
  expect(problems.toSorted((one, other) => one.join(' ').localeCompare(other.join(' ')))).toEqual([
    ['job hangs', 'failed', 'It did not end within 0.05 s.'],
    ['job hangs', 'failed', 'It did not end within 0.05 s.'],
    ['job throws', 'failed', 'RangeError: no paper'],
    ['job throws', 'failed', 'RangeError: no paper'],
    ['job works', 'done', null],
    ['job works', 'done', null],
  ])
  expect(failures(site).map(({ extension, part }) => `${String(extension)} ${String(part)}`).toSorted()).toEqual([
    'shop job hangs', 'shop job hangs', 'shop job throws', 'shop job throws',
  ]) // prettier-ignore
  expect((await admin.done('GET', 'system/extensions')).data).toMatchObject([{ waiting: 0, failed: 4 }])
})

test('a run that ends with its process runs again, one that was started by hand does not', async () => {
  let count = 0
  const shop = defineExtension({ name: 'shop', jobs: [job('nightly', { at: '0 3 * * *', run: async () => ++count })] })
  const { site, storage, admin, runs } = await createSite(shop)
  const killed = async () =>
    site.app.store.db.updateTable('jobs').set({ attempts: 1 }).where('finished_at', 'is', null).execute()
  await admin.done('POST', 'system/extensions/shop/runs', { job: 'nightly' })
  await killed()
  await runDue(site)
  expect(count).toBe(0)
  expect(await runs()).toMatchObject([
    { part: 'job nightly', state: 'failed', problem: 'It was interrupted by the end of the process.' },
  ])
  await site.app.store.db
    .insertInto('jobs')
    .values({
      id: 'scheduled',
      queue: 'extension:shop',
      lane: 'job:nightly',
      payload: '{"job":"nightly"}',
      sealed: 0,
      attempts: 1,
      due_at: 0,
      created_at: storage.clock(),
      finished_at: null,
      problem: null,
      result: null,
    })
    .execute()
  await runDue(site)
  expect(count).toBe(1)
})

test('two commands that run the same job run it one after the other, and none interrupts the run of the other', async () => {
  const holds = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let count = 0
  const shop = defineExtension({ name: 'shop', jobs: [job('fill', { run: async () => holds[count++]!.promise })] })
  const { site, storage, states } = await createSite(shop)
  const other = await createTestApp({ storage, settings: { extensions: [shop] } })
  const first = runJob(site.app, 'shop', 'fill')
  await until(() => expect(count).toBe(1))
  const second = runJob(other.app, 'shop', 'fill')
  await until(async () => expect(await states()).toEqual(['waiting', 'waiting']))
  holds[0]!.resolve()
  await until(() => expect(count).toBe(2))
  await sleep(5000) // longer than a run may take that is stopped
  holds[1]!.resolve()
  expect(await Promise.all([first, second])).toEqual([null, null])
  expect(await states()).toEqual(['done', 'done'])
})

test('the command that runs a job does not report success if the run was deleted meanwhile', async () => {
  const shop = defineExtension({
    name: 'shop',
    jobs: [job('fill', { run: async () => site.app.store.db.deleteFrom('jobs').execute() })],
  })
  const { site } = await createSite(shop)
  expect(await runJob(site.app, 'shop', 'fill')).toBe('The run was deleted before its result was read.')
})

test('what is declared otherwise, or no longer, is scheduled otherwise, or no longer', async () => {
  const { storage } = await createSite()
  const open = async (...jobs: ReturnType<typeof job>[]) => {
    const site = await createTestApp({
      storage,
      settings: { extensions: [defineExtension({ name: 'shop', jobs })] },
    })
    await (
      await startExtensions(site.app, { pollMs: hour, schedulesJobs: false })
    )()
    const rows = await site.app.store.db.selectFrom('extension_schedules').selectAll().orderBy('job').execute()
    return rows.map(({ job: name, next_at }) => `${name} ${new Date(next_at).toISOString().slice(11, 16)}`)
  }
  expect(await open(job('a', { at: '0 3 * * *', run }), job('b', { run }))).toEqual(['a 03:00'])
  expect(await open(job('a', { at: '30 4 * * *', run }), job('b', { at: '0 5 * * *', run }))).toEqual([
    'a 04:30', 'b 05:00',
  ]) // prettier-ignore
  const [kiritimati] = await open(job('a', { at: '0 3 * * *', timeZone: 'Pacific/Kiritimati', run }))
  expect(kiritimati).toBe('a 13:00')
  expect(await open()).toEqual(['a 13:00', 'b 05:00'])
  await storage.moveClock(8 * day) // other servers may have them for a week
  expect(await open()).toEqual([])
})

test('an account with access to the system starts a job; it is refused to others, and what does not exist', async () => {
  let count = 0
  const shop = defineExtension({
    name: 'shop',
    jobs: [
      job('fill', {
        run: async ({ cms }) => {
          count = (await cms.users.list({})).data.length
        },
      }),
    ],
  })
  const { site, admin, runs } = await createSite(shop)
  await admin.done('POST', 'system/extensions/shop/runs', { job: 'fill' })
  expect(await runs()).toMatchObject([{ part: 'job fill', state: 'waiting', attempts: 0, uuid: null, duration: null }])
  await runDue(site)
  expect(count).toBe(1)
  const [ended] = await runs()
  expect(ended).toMatchObject({ state: 'done', attempts: 1, duration: expect.any(Number) as number, next: null })
  await admin.done('POST', 'system/extensions/shop/runs', { again: ended!.id })
  await runDue(site)
  expect(await runs()).toHaveLength(2)

  for (const [path, body, key] of [
    ['market', { job: 'fill' }, 'error.extension.notFound'],
    ['shop', { job: 'empty' }, 'error.extension.job.notFound'],
    ['shop', {}, 'error.validation'],
    ['shop', { job: 'fill', again: ended!.id }, 'error.validation'],
    ['shop', { again: 'nothing' }, 'error.extension.run.notFound'],
    ['shop', { again: 5 }, 'error.validation'],
    ['shop', { command: 'rm' }, 'error.validation'],
  ] as const)
    expect((await admin.call('POST', `system/extensions/${path}/runs`, body)).key, `of ${JSON.stringify(body)}`).toBe(
      key,
    )
  const events = await site.app.store.db
    .selectFrom('audit_events')
    .select(['actor_id', 'detail'])
    .where('event', '=', 'system.extension.run')
    .execute()
  const recorded = [admin.id, { name: 'shop', job: 'fill' }]
  expect(events.map(({ actor_id, detail }) => [actor_id, JSON.parse(detail)])).toEqual([recorded, recorded])
  const editor = await createTokenClient(site, { role: 'editor' })
  expect((await editor.call('GET', 'system/extensions')).status).toBe(403)
  expect((await editor.call('POST', 'system/extensions/shop/runs', { job: 'fill' })).status).toBe(403)
})

test('only the last hundred runs are kept', async () => {
  const shop = defineExtension({ name: 'shop', jobs: [job('fill', { run: async () => {} })] })
  const { site, admin, runs } = await createSite(shop)
  await site.app.store.db
    .insertInto('jobs')
    .values(
      Array.from({ length: 120 }, (_, at) => ({
        id: `old${at}`,
        queue: 'extension:shop',
        lane: 'job:fill',
        payload: '{"job":"fill"}',
        sealed: 0,
        due_at: 0,
        created_at: 0,
        finished_at: 0,
        problem: null,
        result: null,
      })),
    )
    .execute()
  await admin.done('POST', 'system/extensions/shop/runs', { job: 'fill' })
  await runDue(site)
  expect(await site.app.store.db.selectFrom('jobs').select('id').execute()).toHaveLength(100)
  expect((await runs())[0]).toMatchObject({ state: 'done' })
})

test('a job keeps documents and sends mail', async () => {
  const server = await createMailServer()
  const subscribers = documents('subscribers', { value: z.object({ email: z.string() }) })
  const results: unknown[] = []
  const shop = defineExtension({
    name: 'shop',
    store: [subscribers],
    jobs: [
      job('send', {
        run: async ({ cms }) => {
          await cms.store(subscribers).put('ada', { email: 'ada@example.org' })
          for (const { value } of (await cms.store(subscribers).list()).data)
            results.push(await cms.mail({ to: value.email, subject: 'News', text: 'Hello.\n\nhttps://example.org/' }))
          for (const wrong of [{ to: 'a@b.c, d@e.f' }, { subject: ' ' }, { text: '' }])
            results.push(
              await cms
                .mail({ to: 'ada@example.org', subject: 'News', text: 'x', ...wrong })
                .catch((error: unknown) => (error as Error).message),
            )
        },
      }),
    ],
  })
  const storage = await createTestStorage()
  const site = await createTestApp({ storage, settings: { ...server.settings, extensions: [shop] } })
  const admin = await createTokenClient(site)
  await admin.done('POST', 'system/extensions/shop/runs', { job: 'send' })
  await runDue(site)
  expect(results).toEqual([
    true,
    'mail: "to" must be one address',
    'mail: subject and text must not be empty',
    'mail: subject and text must not be empty',
  ])
  const stop = startSending(site.app)
  await until(() => expect(server.mails).toHaveLength(1))
  await stop()
  expect(server.mails[0]).toMatchObject({ to: ['ada@example.org'], headers: { subject: 'News' } })
  expect(server.mails[0]!.text).toBe('Hello.\n\nhttps://example.org/')
})

test('a site without extensions reads its subscriptions once at the start, and has nothing that runs', async () => {
  const { site } = await createSite()
  await forgetRemoved(site.app) // compiles the statement
  expect(await statementsOf(site, () => forgetRemoved(site.app))).toHaveLength(1)
  expect(site.app.extensions.list).toEqual([])
})
