import { setImmediate as others } from 'node:timers/promises'
import { chunks } from './chunks.ts'

const longest = 10
const pieceSize = 2000

/** Long work rests now and then, so that nobody else has to wait for its end. */
export function createYielder() {
  let until = performance.now() + longest
  return {
    isOver: () => performance.now() > until,
    async rest(): Promise<void> {
      await others()
      until = performance.now() + longest
    },
  }
}

/** Of a tree operation: to prepare the statements of a chunk takes some milliseconds. */
const chunkSize = 200

/**
 * A long list in chunks. When some milliseconds have passed the event loop gets a turn between two of them: also within a
 * transaction, where other readers go on and other writers wait without blocking them.
 */
export async function* chunksYielding<Item>(items: readonly Item[], size = chunkSize): AsyncGenerator<Item[]> {
  const pace = createYielder()
  for (const chunk of chunks(items, size)) {
    yield chunk
    if (pace.isOver()) await pace.rest()
  }
}

let turn: { until: number; end: Promise<void> } | undefined

function beginTurn() {
  const one = {
    until: performance.now() + longest,
    end: others().then(() => {
      if (turn === one) turn = undefined
    }),
  }
  return one
}

/**
 * For many pieces of work that are begun together, as reading the things of a list: when some milliseconds of this turn of
 * the event loop are used up, the next piece waits for another one.
 */
export async function yieldingInTurn<Value>(work: () => Value): Promise<Value> {
  for (;;) {
    turn ??= beginTurn()
    if (performance.now() <= turn.until) return work()
    await turn.end
  }
}

/** As `toSorted` does it, in pieces that are merged afterwards. */
export async function sortYielding<Item>(items: Item[], compare: (a: Item, b: Item) => number): Promise<Item[]> {
  const pace = createYielder()
  let runs: Item[][] = []
  for (let start = 0; start < items.length; start += pieceSize) {
    runs.push(items.slice(start, start + pieceSize).toSorted(compare))
    if (pace.isOver()) await pace.rest()
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
      if (merged.length % 500 === 0 && pace.isOver()) await pace.rest()
    }
    return merged
  }
}
