import { setTimeout as sleep } from 'node:timers/promises'
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

test('a thread that ends rejects its requests, and reports it once', async () => {
  let ends = 0
  const worker = open(() => ends++)
  await expect(Promise.all(['slow', 'end'].map(work => worker.call({ work })))).rejects.toThrow('has ended')
  await worker.close()
  await sleep(20)
  expect(ends).toBe(1)
})

test('an idle thread ends, and reports it before its successor starts', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let ends = 0
  const onEnd = () => {
    ends++
    resolve()
  }
  const worker = open(onEnd, { idleMs: 1 })
  await worker.call({ work: 'quick' })
  await promise
  await sleep(100) // until it has exited
  expect(ends).toBe(1)
})

test('a thread with an open transaction does not end while idle', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let idleChecks = 0
  let ends = 0
  const isIdle = () => {
    if (++idleChecks === 5) resolve()
    return idleChecks > 5
  }
  const worker = open(() => ends++, { idleMs: 1, isIdle })
  await worker.call({ work: 'quick' })
  await promise
  expect(ends).toBe(0)
  await worker.close()
})
