import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createStop } from './stop.ts'

const exit = vi.spyOn(process, 'exit').mockImplementation(() => {
  throw new Error('exit')
})
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }))
afterEach(() => {
  vi.useRealTimers()
  exit.mockClear()
})

function start() {
  let finishCount = 0
  const stop = createStop({
    log: pino({ enabled: false }),
    shutdown: { isDraining: false },
    drainSeconds: 60,
    finish: async () => void finishCount++,
  })
  return { stop, finishCount: () => finishCount }
}

test.each([0, 10, 1900])('a signal that arrives again after %d ms is the same one', async laterMs => {
  const { stop, finishCount } = start()
  const stopped = stop('SIGTERM')
  await vi.advanceTimersByTimeAsync(laterMs)
  await stop('SIGTERM')
  expect([finishCount(), exit.mock.calls]).toEqual([0, []])

  await vi.advanceTimersByTimeAsync(5000)
  await stop('SIGTERM')
  await stopped
  await vi.advanceTimersByTimeAsync(laterMs)
  await stop('SIGTERM')
  expect([finishCount(), exit.mock.calls], 'also of the one that ends the drain').toEqual([1, []])

  await vi.advanceTimersByTimeAsync(5000)
  await expect(stop('SIGTERM')).rejects.toThrow('exit')
  expect(exit.mock.calls).toEqual([[1]])
})
