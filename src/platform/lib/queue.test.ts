import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createQueue, QueueFull } from './queue.ts'

/** Longer than any test: nothing times out. */
const hour = 3_600_000

/** Work that ends when the test releases it. */
function work() {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const state = { started: false }
  const run = () => {
    state.started = true
    return promise
  }
  return { state, run, resolve, reject }
}

test('as many tasks run as there are slots; the others wait in order', async () => {
  const queue = createQueue({ slots: 2, waiting: 10, timeout: hour })
  const jobs = Array.from({ length: 4 }, work)
  const results = jobs.map((job, index) => queue.run(`client ${index}`, job.run))
  await sleep(0)
  expect(jobs.map(({ state }) => state.started)).toEqual([true, true, false, false])
  expect([queue.slots, queue.running, queue.waiting]).toEqual([2, 2, 2])
  jobs[1]!.resolve('b')
  expect(await results[1]).toBe('b')
  await sleep(0)
  expect(jobs.map(({ state }) => state.started)).toEqual([true, true, true, false])
  for (const job of jobs) job.resolve('done')
  await Promise.all(results)
  expect([queue.running, queue.waiting]).toEqual([0, 0])
})

test('M01: a full queue refuses at once', async () => {
  const queue = createQueue({ slots: 1, waiting: 1, timeout: hour })
  const job = work()
  const results = [queue.run('a', job.run), queue.run('b', job.run)]
  await expect(queue.run('c', job.run)).rejects.toThrow(QueueFull)
  expect([queue.running, queue.waiting]).toEqual([1, 1])
  job.resolve('done')
  expect(await Promise.all(results)).toEqual(['done', 'done'])
})

test('M04: each client has one place in the queue', async () => {
  const queue = createQueue({ slots: 1, waiting: 8, timeout: hour })
  const job = work()
  const results = [queue.run('a', job.run), queue.run('a', job.run)]
  for (let count = 0; count < 20; count++) await expect(queue.run('a', job.run)).rejects.toThrow(QueueFull)
  results.push(queue.run('b', job.run))
  expect(queue.waiting).toBe(2)
  job.resolve('done')
  expect(await Promise.all(results)).toEqual(['done', 'done', 'done'])
})

test('a client that waits too long is refused, and its place is free again', async () => {
  const queue = createQueue({ slots: 1, waiting: 1, timeout: 20 })
  const job = work()
  const first = queue.run('a', job.run)
  const late = work()
  await expect(queue.run('b', late.run)).rejects.toThrow(QueueFull)
  expect([queue.running, queue.waiting]).toEqual([1, 0])
  job.resolve('done')
  await first
  expect(late.state.started).toBe(false)
  expect(await queue.run('b', async () => 'next')).toBe('next')
  expect(queue.running).toBe(0)
})

test('a slot is released when the work fails, also synchronously', async () => {
  const queue = createQueue({ slots: 1, waiting: 1, timeout: hour })
  for (let count = 0; count < 3; count++) {
    await expect(queue.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    await expect(
      queue.run('a', () => {
        throw new Error('at once')
      }),
    ).rejects.toThrow('at once')
  }
  expect([queue.running, queue.waiting]).toEqual([0, 0])
})

test('the number of running tasks never exceeds the slots, and all are run', async () => {
  const queue = createQueue({ slots: 3, waiting: 100, timeout: hour })
  let running = 0
  let maxRunning = 0
  const results = Array.from({ length: 60 }, (_, index) =>
    queue.run(String(index), async () => {
      maxRunning = Math.max(maxRunning, ++running)
      await sleep(index % 3)
      running--
      return index
    }),
  )
  expect(await Promise.all(results)).toEqual(Array.from({ length: 60 }, (_, index) => index))
  expect([maxRunning, queue.running]).toEqual([3, 0])
})

test('the waiting places of a network are limited', async () => {
  const queue = createQueue({ slots: 1, waiting: 4, waitingPerNetwork: 2, timeout: hour })
  const job = work()
  const run = (name: string, network: string) => queue.run({ name, network }, job.run)
  const results = [run('a', 'x'), run('b', 'x'), run('c', 'x')]
  await expect(run('d', 'x')).rejects.toThrow(QueueFull)
  results.push(run('e', 'y'))
  expect(queue.waiting).toBe(3)
  job.resolve('done')
  await Promise.all(results)
})

test('known clients have reserved places and are served first', async () => {
  const queue = createQueue({ slots: 1, waiting: 2, reserved: 1, timeout: hour })
  const order: string[] = []
  const gate = work()
  const first = queue.run('first', gate.run)
  const next = (name: string, known = false) => queue.run({ name, known }, async () => void order.push(name))
  const results = [next('a'), next('b')]
  await expect(next('c')).rejects.toThrow(QueueFull)
  expect([queue.hasRoom({ name: 'd' }), queue.hasRoom({ name: 'd', known: true })]).toEqual([false, true])
  results.push(next('known', true))
  await expect(next('known', true), 'one slot each').rejects.toThrow(QueueFull)
  gate.resolve('done')
  await Promise.all([first, ...results])
  expect(order).toEqual(['known', 'a', 'b'])
})
