import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createTurns } from './turns.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const maxMs = 2000

/** Turns of the processes `a`, `b` and `c`, and the list of those that were started. */
function startTurns(slots: number) {
  const started: string[] = []
  const turns = createTurns<string>(slots, maxMs)
  return {
    request: (owner: string, id: number) => turns.request(owner, id, () => started.push(`${owner}${id}`)),
    end: (owner: string, id: number) => turns.end(owner, id),
    endAll: (owner: string) => turns.endAll(owner),
    started,
  }
}

test('so many turns run at a time, in the order of the requests', () => {
  const { request, end, started } = startTurns(2)
  request('a', 1)
  request('b', 1)
  request('a', 2)
  request('c', 1)
  expect(started).toEqual(['a1', 'b1'])
  end('b', 1)
  expect(started).toEqual(['a1', 'b1', 'a2'])
  end('a', 1)
  end('a', 2)
  expect(started).toEqual(['a1', 'b1', 'a2', 'c1'])
})

test('a turn that ends twice, or that was not taken, frees no further place', () => {
  const { request, end, started } = startTurns(1)
  request('a', 1)
  end('b', 1)
  end('a', 7)
  request('b', 1)
  request('b', 2)
  end('a', 1)
  end('a', 1)
  expect(started).toEqual(['a1', 'b1'])
})

test('the turns of a process that is gone end, also those that it waits for', () => {
  const { request, endAll, end, started } = startTurns(1)
  request('a', 1)
  request('a', 2)
  request('b', 1)
  request('b', 2)
  endAll('a')
  expect(started).toEqual(['a1', 'b1'])
  end('b', 1)
  expect(started).toEqual(['a1', 'b1', 'b2'])
})

test('a process that is stopped during its turn does not stop the others', () => {
  const { request, end, started } = startTurns(1)
  request('a', 1)
  request('b', 1)
  vi.advanceTimersByTime(maxMs - 1)
  expect(started).toEqual(['a1'])
  vi.advanceTimersByTime(1)
  expect(started).toEqual(['a1', 'b1'])
  request('c', 1)
  end('a', 1) // it goes on, and ends a turn that it no longer has
  expect(started).toEqual(['a1', 'b1'])
})
