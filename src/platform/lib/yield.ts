import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { chunks } from './chunks.ts'

const maxBlockingMs = 10
const sortChunkSize = 2000

/** Lets long work yield to the event loop after every 10 ms, so that requests do not wait for its end. */
export function createYielder() {
  let until = performance.now() + maxBlockingMs
  return {
    isDue: () => performance.now() > until,
    async yieldNow(): Promise<void> {
      await yieldToOthers()
      until = performance.now() + maxBlockingMs
    },
  }
}

/** For tree operations: preparing the statements of one chunk takes some milliseconds. */
const chunkSize = 200

/**
 * Splits a long list into chunks, and yields to the event loop between two of them when 10 ms have passed. Also within
 * a transaction: readers continue, and other writers wait without blocking the event loop.
 */
export async function* chunksYielding<Item>(items: readonly Item[], size = chunkSize): AsyncGenerator<Item[]> {
  const yielder = createYielder()
  for (const chunk of chunks(items, size)) {
    yield chunk
    if (yielder.isDue()) await yielder.yieldNow()
  }
}

let turn: { until: number; end: Promise<void> } | undefined

function beginTurn() {
  const one = {
    until: performance.now() + maxBlockingMs,
    end: yieldToOthers().then(() => {
      if (turn === one) turn = undefined
    }),
  }
  return one
}

/**
 * For many tasks that are started together, such as reading the rows of a list: when 10 ms of this turn of the event
 * loop are used up, the promise to wait for before the next task. Others may use up the next turn first, so ask again.
 */
export function endOfTurn(): Promise<void> | undefined {
  turn ??= beginTurn()
  return performance.now() <= turn.until ? undefined : turn.end
}

/** Like `toSorted`, but in slices that are merged afterwards. */
export async function sortYielding<Item>(items: Item[], compare: (a: Item, b: Item) => number): Promise<Item[]> {
  const yielder = createYielder()
  let runs: Item[][] = []
  for (let start = 0; start < items.length; start += sortChunkSize) {
    runs.push(items.slice(start, start + sortChunkSize).toSorted(compare))
    if (yielder.isDue()) await yielder.yieldNow()
  }
  while (runs.length > 1) {
    const longer: Item[][] = []
    for (let at = 0; at < runs.length; at += 2) longer.push(await merge(runs[at]!, runs[at + 1] ?? []))
    runs = longer
  }
  return runs[0] ?? []

  async function merge(left: Item[], right: Item[]): Promise<Item[]> {
    if (right.length === 0) return left
    const merged: Item[] = []
    let [one, other] = [0, 0]
    while (one < left.length || other < right.length) {
      const isLeft = other >= right.length || (one < left.length && compare(left[one]!, right[other]!) <= 0)
      merged.push(isLeft ? left[one++]! : right[other++]!)
      if (merged.length % 500 === 0 && yielder.isDue()) await yielder.yieldNow()
    }
    return merged
  }
}

/** Work in steps: the caller decides whether other work may run between two of them. */
export type Steps<Result> = Generator<undefined, Result, undefined>

/** Yields to the event loop after every step. */
export async function runStepsYielding<Result>(steps: Steps<Result>): Promise<Result> {
  let step = steps.next()
  while (step.done !== true) {
    await yieldToOthers()
    step = steps.next()
  }
  return step.value
}
