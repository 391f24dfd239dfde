import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createLimiter, LimiterFull } from './concurrency-limiter.ts'

// M01 and M04 are threats in docs/security/sign-in.md.

/** Longer than any test: nothing times out. */
const hour = 3_600_000

/** A task that ends when the test resolves or rejects it. */
function controlledTask() {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const state = { started: false }
  const run = () => {
    state.started = true
    return promise
  }
  return { state, run, resolve, reject }
}

test('as many tasks run as there are slots; the others wait in order', async () => {
  const limiter = createLimiter({ slots: 2, maxWaiting: 10, timeoutMs: hour })
  const jobs = Array.from({ length: 4 }, controlledTask)
  const results = jobs.map((job, index) => limiter.run(`client ${index}`, job.run))
  await sleep(0)
  expect(jobs.map(({ state }) => state.started)).toEqual([true, true, false, false])
  expect([limiter.slots, limiter.running, limiter.waiting]).toEqual([2, 2, 2])
  jobs[1]!.resolve('b')
  expect(await results[1]).toBe('b')
  await sleep(0)
  expect(jobs.map(({ state }) => state.started)).toEqual([true, true, true, false])
  for (const job of jobs) job.resolve('done')
  await Promise.all(results)
  expect([limiter.running, limiter.waiting]).toEqual([0, 0])
})

test('M01: a full queue refuses at once', async () => {
  const limiter = createLimiter({ slots: 1, maxWaiting: 1, timeoutMs: hour })
  const job = controlledTask()
  const results = [limiter.run('a', job.run), limiter.run('b', job.run)]
  await expect(limiter.run('c', job.run)).rejects.toThrow(LimiterFull)
  expect([limiter.running, limiter.waiting]).toEqual([1, 1])
  job.resolve('done')
  expect(await Promise.all(results)).toEqual(['done', 'done'])
})

test('M04: each client has one place in the queue', async () => {
  const limiter = createLimiter({ slots: 1, maxWaiting: 8, timeoutMs: hour })
  const job = controlledTask()
  const results = [limiter.run('a', job.run), limiter.run('a', job.run)]
  for (let count = 0; count < 20; count++) await expect(limiter.run('a', job.run)).rejects.toThrow(LimiterFull)
  results.push(limiter.run('b', job.run))
  expect(limiter.waiting).toBe(2)
  job.resolve('done')
  expect(await Promise.all(results)).toEqual(['done', 'done', 'done'])
})

test('a client that waits too long is refused, and its place is free again', async () => {
  const limiter = createLimiter({ slots: 1, maxWaiting: 1, timeoutMs: 20 })
  const job = controlledTask()
  const first = limiter.run('a', job.run)
  const late = controlledTask()
  await expect(limiter.run('b', late.run)).rejects.toThrow(LimiterFull)
  expect([limiter.running, limiter.waiting]).toEqual([1, 0])
  job.resolve('done')
  await first
  expect(late.state.started).toBe(false)
  expect(await limiter.run('b', async () => 'next')).toBe('next')
  expect(limiter.running).toBe(0)
})

test('a slot is released when the work fails, also if it throws synchronously', async () => {
  const limiter = createLimiter({ slots: 1, maxWaiting: 1, timeoutMs: hour })
  for (let count = 0; count < 3; count++) {
    await expect(limiter.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    await expect(
      limiter.run('a', () => {
        throw new Error('at once')
      }),
    ).rejects.toThrow('at once')
  }
  expect([limiter.running, limiter.waiting]).toEqual([0, 0])
})

test('the number of running tasks never exceeds the slots, and all are run', async () => {
  const limiter = createLimiter({ slots: 3, maxWaiting: 100, timeoutMs: hour })
  let running = 0
  let maxRunning = 0
  const results = Array.from({ length: 60 }, (_, index) =>
    limiter.run(String(index), async () => {
      maxRunning = Math.max(maxRunning, ++running)
      await sleep(index % 3)
      running--
      return index
    }),
  )
  expect(await Promise.all(results)).toEqual(Array.from({ length: 60 }, (_, index) => index))
  expect([maxRunning, limiter.running]).toEqual([3, 0])
})

test('the waiting places of a network are limited', async () => {
  const limiter = createLimiter({ slots: 1, maxWaiting: 4, maxWaitingPerNetwork: 2, timeoutMs: hour })
  const job = controlledTask()
  const run = (name: string, network: string) => limiter.run({ name, network }, job.run)
  const results = [run('a', 'x'), run('b', 'x'), run('c', 'x')]
  await expect(run('d', 'x')).rejects.toThrow(LimiterFull)
  results.push(run('e', 'y'))
  expect(limiter.waiting).toBe(3)
  job.resolve('done')
  await Promise.all(results)
})

test('known clients have reserved places and are served first', async () => {
  const limiter = createLimiter({ slots: 1, maxWaiting: 2, reserved: 1, timeoutMs: hour })
  const order: string[] = []
  const gate = controlledTask()
  const first = limiter.run('first', gate.run)
  const next = (name: string, known = false) => limiter.run({ name, known }, async () => void order.push(name))
  const results = [next('a'), next('b')]
  await expect(next('c')).rejects.toThrow(LimiterFull)
  expect([limiter.hasRoom({ name: 'd' }), limiter.hasRoom({ name: 'd', known: true })]).toEqual([false, true])
  results.push(next('known', true))
  await expect(next('known', true), 'one waiting place per client').rejects.toThrow(LimiterFull)
  gate.resolve('done')
  await Promise.all([first, ...results])
  expect(order).toEqual(['known', 'a', 'b'])
})
