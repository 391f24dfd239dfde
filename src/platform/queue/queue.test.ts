import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTestStorage, createTestApp, engine, type TestApp } from '../../../test/harness.ts'
import { statementsOf } from '../../../test/sign-in.ts'
import { claimLane, renewJob } from './queries.ts'
import { enqueue, type NewJob, sweepJobs } from './queue.ts'
import { type Job, type Outcome, type JobWorker, startJobWorker } from './worker.ts'
import { until } from '../../../test/until.ts'

const add = ({ app }: TestApp, ...jobs: Partial<NewJob>[]) =>
  app.store.write(async tx => {
    for (const job of jobs) await enqueue(tx, { queue: 'test', payload: '', ...job })
  })
const rows = ({ app }: TestApp) => app.store.db.selectFrom('jobs').selectAll().orderBy('number').execute()

const worker = (
  run: (job: Job, stopping: AbortSignal) => Promise<Outcome>,
  more: Partial<JobWorker> = {},
): JobWorker => ({
  queue: 'test',
  leaseMs: 60_000,
  open: () => ({ run }),
  ...more,
})

const never = 3_600_000

test('a job runs after the commit of this process, without a poll; a rolled back one never', async () => {
  const site = await createTestApp()
  const done: string[] = []
  const stop = startJobWorker(
    site.app,
    worker(async ({ payload }) => {
      done.push(payload!)
      return { status: 'done' }
    }),
    { pollMs: never },
  )
  await site.app.store
    .write(async tx => {
      await enqueue(tx, { queue: 'test', payload: 'rolled back' })
      throw new Error('no')
    })
    .catch(() => {})
  for (const payload of ['a', 'b', 'c']) {
    await add(site, { payload })
    await until(() => expect(done.at(-1)).toBe(payload))
  }
  await stop()
  expect(done).toEqual(['a', 'b', 'c'])
  expect(await rows(site)).toEqual([])
})

/** Few lanes are found from lane to lane, many from job to job. */
const kindsOfLanes = [true, 'many'] as const

test.each(kindsOfLanes)(
  'jobs of a lane run one at a time and in order, lanes beside each other, in any number of processes (%s)',
  async hasLanes => {
    const storage = await createTestStorage()
    const sites = [await createTestApp({ storage }), await createTestApp({ storage })]
    const order = new Map<string, number[]>()
    const busy = new Set<string>()
    const another = Promise.withResolvers<void>()
    const run = async ({ lane, payload, attempts }: Job): Promise<Outcome> => {
      expect(busy.has(lane!), `two jobs of ${lane} at once`).toBe(false)
      busy.add(lane!)
      if (busy.size > 1) another.resolve()
      await another.promise // the first job waits for one of another lane
      await sleep(2)
      busy.delete(lane!)
      if (attempts === 1 && Number(payload) % 7 === 3) return { status: 'retry', afterMs: 0, problem: 'later' }
      order.set(lane!, [...(order.get(lane!) ?? []), Number(payload)])
      return { status: 'done' }
    }
    const stops = sites.map(({ app }) => startJobWorker(app, worker(run, { hasLanes, concurrency: 2 }), { pollMs: 20 }))
    const count = 20
    for (let payload = 0; payload < count; payload++)
      await add(sites[payload % 2]!, ...['x', 'y', 'z'].map(lane => ({ lane, payload: String(payload) })))
    await until(async () => expect(await rows(sites[0]!)).toEqual([]))
    await Promise.all(stops.map(stop => stop()))
    const all = Array.from({ length: count }, (_, index) => index)
    expect(Object.fromEntries(order)).toEqual({ x: all, y: all, z: all })
  },
)

test.each(kindsOfLanes)(
  'a lane that waits does not delay others, and a slow job leaves the other runners free (%s)',
  async hasLanes => {
    const site = await createTestApp()
    const done: string[] = []
    let finish: (() => void) | undefined
    const stop = startJobWorker(
      site.app,
      worker(
        async ({ lane, payload }) => {
          if (lane === 'fails') return { status: 'retry', afterMs: 60_000, problem: 'down' }
          if (payload === 'slow') await new Promise<void>(resolve => (finish = resolve))
          done.push(payload!)
          return { status: 'done' }
        },
        { hasLanes, concurrency: 2 },
      ),
      { pollMs: never },
    )
    await add(
      site,
      { lane: 'fails', payload: 'one' },
      { lane: 'fails', payload: 'two' },
      { lane: 'slow', payload: 'slow' },
    )
    await until(async () => expect((await rows(site)).map(row => row.attempts)).toEqual([1, 0, 1]))
    await add(site, { lane: 'quick', payload: 'quick' })
    await until(() => expect(done).toEqual(['quick']))
    finish?.()
    await until(() => expect(done).toEqual(['quick', 'slow']))
    await stop()
    expect(await rows(site)).toMatchObject([
      { lane: 'fails', attempts: 1, problem: 'down' },
      { lane: 'fails', attempts: 0 },
    ])
  },
)

test('a delayed job and a retry run when they are due, without a poll', async () => {
  const site = await createTestApp()
  const attempts: number[] = []
  const stop = startJobWorker(
    site.app,
    worker(async job => {
      attempts.push(job.attempts)
      return job.attempts < 3 ? { status: 'retry', afterMs: 30, problem: 'x' } : { status: 'done' }
    }),
    { pollMs: never },
  )
  await add(site, { delayMs: 50 })
  await until(() => expect(attempts).toEqual([1, 2, 3]))
  await stop()
  expect(await rows(site)).toEqual([])
})

const claim = ({ app }: TestApp) => app.store.write(tx => claimLane(tx, 'test', 'a', 60_000))

test('only one process claims a lane; it may renew its lease; after the lease another one takes over', async () => {
  const storage = await createTestStorage()
  const [one, other] = [await createTestApp({ storage }), await createTestApp({ storage })]
  await add(one, { lane: 'a', payload: '1' }, { lane: 'a', payload: '2' })
  const claims = await Promise.all([one, other, one, other].map(claim))
  const [job, ...more] = claims.filter(claimed => claimed !== undefined)
  expect([job?.payload, more]).toEqual(['1', []])
  await storage.moveClock(50_000)
  expect(await one.app.store.write(tx => renewJob(tx, 'test', job!, 60_000))).toBe(true)
  await storage.moveClock(50_000)
  expect(await claim(other)).toBeUndefined()
  await storage.moveClock(50_000)
  expect(await claim(other)).toMatchObject({ payload: '1', attempts: 2 })
  expect(await one.app.store.write(tx => renewJob(tx, 'test', job!, 60_000))).toBe(false)
})

test('what a worker reports after it lost the lease is ignored', async () => {
  const site = await createTestApp()
  let finish: ((outcome: Outcome) => void) | undefined
  const stop = startJobWorker(
    site.app,
    worker(() => new Promise(resolve => (finish = resolve)), { hasLanes: true }),
    { pollMs: never },
  )
  await add(site, { lane: 'a' })
  await until(async () => expect((await rows(site))[0]).toMatchObject({ attempts: 1 }))
  await site.storage.moveClock(61_000)
  expect(await site.app.store.write(tx => claimLane(tx, 'test', 'a', 60_000))).toBeDefined()
  let isCommitted = false
  finish?.({ status: 'done', commitWith: async () => void (isCommitted = true) })
  await stop()
  expect([isCommitted, (await rows(site)).length]).toEqual([false, 1])
  expect(await site.app.store.write(tx => claimLane(tx, 'test', 'a', 60_000)), 'the lane is still busy').toBeUndefined()
})

test('a job that throws is logged, and waits until its lease is over', async () => {
  const site = await createTestApp()
  const stop = startJobWorker(
    site.app,
    worker(async () => {
      throw new Error('a defect')
    }),
    { pollMs: 10 },
  )
  await add(site, {})
  await until(() => expect(site.logged.filter(line => line['queue'] === 'test')).toHaveLength(1))
  await sleep(50)
  await stop()
  expect(await rows(site)).toMatchObject([{ attempts: 1, finished_at: null }])
  expect(site.logged.filter(line => line['queue'] === 'test')).toHaveLength(1)
})

test('stopping tells running jobs, waits for them, and begins no other', async () => {
  const site = await createTestApp()
  let startCount = 0
  const stop = startJobWorker(
    site.app,
    worker(async (_, stopping) => {
      startCount++
      await new Promise(resolve => stopping.addEventListener('abort', resolve))
      return { status: 'failed', problem: 'stopped', result: '1' }
    }),
  )
  await add(site, {}, {})
  await until(() => expect(startCount).toBe(1))
  await stop()
  expect(startCount).toBe(1)
  const [first, second] = await rows(site)
  expect(first).toMatchObject({ problem: 'stopped', result: '1', finished_at: expect.any(Number) as number })
  expect(second).toMatchObject({ attempts: 0 })
})

test('the search for due lanes takes one statement, and unused lanes are swept', async () => {
  const site = await createTestApp()
  const stop = startJobWorker(
    site.app,
    worker(async () => ({ status: 'done' }), { hasLanes: true }),
    { pollMs: never },
  )
  await add(site, { lane: 'a' }, { lane: 'b' })
  await until(async () => expect(await rows(site)).toEqual([]))
  await stop()
  const idle = await statementsOf(site, async () => {
    const end = startJobWorker(
      site.app,
      worker(async () => ({ status: 'done' }), { hasLanes: true }),
      { pollMs: never },
    )
    await sleep(50)
    await end()
  })
  // The search, when the next job is due, and the search for what came due meanwhile.
  expect(idle.slice(3)).toEqual([])
  await site.app.store.write(tx => sweepJobs(tx, 10))
  expect(await site.app.store.db.selectFrom('job_lanes').selectAll().execute()).toEqual([])
})

/**
 * Queues a second job while the first one runs, which then ends as `outcome` says. Returns what has happened when its
 * round is closed.
 */
async function endEarly(outcome: () => Promise<Outcome>) {
  const site = await createTestApp()
  await add(site, { payload: 'first' })
  const closed = Promise.withResolvers<void>()
  let openCount = 0
  const run = async ({ payload }: Job): Promise<Outcome> => {
    if (payload === 'second') return { status: 'done' }
    await add(site, { payload: 'second' })
    return outcome()
  }
  const open = () => {
    openCount++
    return { run, close: () => closed.resolve() }
  }
  const stop = startJobWorker(site.app, worker(run, { open }), { pollMs: never })
  await closed.promise
  const openedAtOnce = openCount
  const logged = site.logged.filter(line => line['queue'] === 'test').map(line => line['msg'])
  const attempts = (await rows(site)).map(row => row.attempts)
  await stop()
  return { openedAtOnce, attempts, logged }
}

test('jobs that are queued while a round ends early wait for the next poll', async () => {
  const ended = await endEarly(async () => ({ status: 'retry', afterMs: 60_000, problem: 'down', endsRound: true }))
  expect(ended).toEqual({ openedAtOnce: 1, attempts: [1, 0], logged: [] })
})

test('a job that fails because the store is out of reach is no defect, and the queue is not tried again at once', async () => {
  const lost = Object.assign(
    new Error('the store is out of reach'),
    engine === 'postgres' ? { code: '08006' } : { code: 'ERR_SQLITE_ERROR', errcode: 5 },
  )
  const ended = await endEarly(async () => {
    throw lost
  })
  expect(ended).toEqual({
    openedAtOnce: 1,
    attempts: [1, 0],
    logged: ['the queue cannot be reached; trying again'],
  })
})
