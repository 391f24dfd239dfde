import { expect, test } from 'vitest'
import { openWorkerThread } from './worker-calls.ts'

const lib = new URL('worker-calls.ts', import.meta.url).href
const source = `
  import { parentPort } from 'node:worker_threads'
  import { sendProblem, sendResult } from ${JSON.stringify(lib)}
  parentPort.on('message', ({ id, work }) => {
    if (work === 'end') process.exit()
    else if (work === 'fail') sendProblem(id, Object.assign(new Error('full'), { code: 'ENOSPC', errcode: 13 }))
    else setTimeout(() => sendResult(id, work), work === 'slow' ? 50 : 0)
  })`
const open = (onEnd: () => void, options: { idleMs?: number; isIdle?: () => boolean } = {}) =>
  openWorkerThread<{ work: string }, string>(new URL(`data:text/javascript,${encodeURIComponent(source)}`), {
    onEnd,
    ...options,
  })

test('every request gets its own result or error', async () => {
  const worker = open(() => {})
  const results = await Promise.allSettled(['slow', 'quick', 'fail'].map(work => worker.call({ work })))
  expect(results).toMatchObject([
    { value: 'slow' },
    { value: 'quick' },
    { reason: { message: 'full', code: 'ENOSPC', errcode: 13 } },
  ])
  await worker.close()
})

test('a thread that ends rejects its requests, and calls onEnd once', async () => {
  let ends = 0
  const worker = open(() => ends++)
  await expect(Promise.all(['slow', 'end'].map(work => worker.call({ work })))).rejects.toThrow('has ended')
  await worker.close()
  expect(ends).toBe(1)
})

/** Resolves when the thread that is started next has exited. */
const exitOfNextThread = () =>
  new Promise<void>(resolve => process.once('worker', thread => thread.once('exit', () => resolve())))

test('an idle thread ends and calls onEnd once', async () => {
  const exit = exitOfNextThread()
  let ends = 0
  const worker = open(() => ends++, { idleMs: 1 })
  await worker.call({ work: 'quick' })
  await exit
  expect(ends).toBe(1)
})

test('a thread does not end while `isIdle` returns false', async () => {
  const exit = exitOfNextThread()
  let idleChecks = 0
  const checksAtEnd: number[] = []
  const worker = open(() => checksAtEnd.push(idleChecks), { idleMs: 1, isIdle: () => ++idleChecks > 5 })
  await worker.call({ work: 'quick' })
  await exit
  expect(checksAtEnd).toEqual([6])
})
