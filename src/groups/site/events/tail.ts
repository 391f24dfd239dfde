import type { Store } from '../../../platform/store/store.ts'
import { type Committed, selectCommitted, selectNewest, selectRecentIds, selectTail, type TailRow } from './queries.ts'

/** Maximum number of events that are read at once, and of ids that may still be committed. */
const maxRead = 1000
const maxHoles = 10_000
/**
 * Reads before a missing id is compared with the running transactions. PostgreSQL takes the id from the sequence a moment
 * before the transaction gets its own number.
 */
const readsBefore = 5

interface Hole {
  reads: number
  /** The transaction that would have been the next one when the id had been missing for a while. */
  nextTransaction?: bigint
}

/** Reads new events in the order of their ids. */
export interface Tail {
  /** The highest id that was read. */
  readonly position: number
  /** All events up to this id have been read, or will never exist. */
  readonly complete: number
  /** What was committed since the last call: ids up to the position at that time (`late`), and newer ones, in order. */
  read(): Promise<{ late: TailRow[]; rows: TailRow[] }>
}

/**
 * Begins with the next event. On PostgreSQL, ids are committed out of order, so an id that is missing is remembered and read
 * later. It is given up when every transaction that was running at that time has ended: then it was rolled back. On
 * SQLite there is one writer at a time, and ids are committed in order.
 */
export async function openTail(store: Store): Promise<Tail> {
  const isOrdered = store.name === 'sqlite'
  let position = await selectNewest(store)
  const holes = new Map<number, Hole>()
  if (!isOrdered) {
    const ids = await selectRecentIds(store, position, maxHoles)
    if (ids.length > 0) addHoles(ids[0]! - 1, ids)
  }

  /** Where ids leave out thousands, they do not come from a sequence. */
  function addHoles(after: number, ids: readonly number[]): void {
    let last = after
    for (const id of ids) {
      if (id - last < maxHoles) for (let missing = last + 1; missing < id; missing++) holes.set(missing, { reads: 0 })
      last = id
    }
    for (const id of holes.keys()) {
      if (holes.size <= maxHoles) break
      holes.delete(id)
    }
  }

  function fillHoles({ found, oldestTransaction, nextTransaction }: Committed): void {
    for (const { id } of found) holes.delete(id)
    for (const [id, hole] of holes) {
      hole.reads++
      if (hole.nextTransaction !== undefined && oldestTransaction >= hole.nextTransaction) holes.delete(id)
      else if (hole.nextTransaction === undefined && hole.reads > readsBefore) hole.nextTransaction = nextTransaction
    }
  }

  return {
    get position() {
      return position
    },
    get complete() {
      return holes.size === 0 ? position : Math.min(...holes.keys()) - 1
    },
    async read() {
      const committed = holes.size === 0 ? undefined : await selectCommitted(store, [...holes.keys()])
      const rows = await selectTail(store, position, maxRead)
      if (committed) fillHoles(committed) // after both reads: if one fails, the next call reads the late ids again
      if (rows.length > 0) {
        const ids = rows.map(({ id }) => id)
        if (!isOrdered) addHoles(position, ids)
        position = ids.at(-1)!
      }
      return { late: committed?.found ?? [], rows }
    },
  }
}
