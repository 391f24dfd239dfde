import { setTimeout as pause } from 'node:timers/promises'
import type { Store, Tx } from './store.ts'

/** Rows deleted per statement, which takes some milliseconds. */
const batchSize = 500
/** Pause between two batches, in ms: requests get more than half of the time. */
const pauseMs = 10

export interface SweepOptions {
  /** Checked between two batches, so that a long sweep does not delay the shutdown. */
  isStopped?: () => boolean
}

/**
 * Deletes expired rows in batches, each in its own transaction, until a batch is not full. No statement takes long,
 * however many rows there are, and other writers get their turn in between. All batches but the first count as long:
 * on SQLite the checkpoint of so many changed pages would block the event loop. `remove` returns the number of deleted
 * rows.
 */
export async function sweepInBatches(
  store: Store,
  remove: (tx: Tx, batchSize: number) => Promise<number>,
  { isStopped = () => false }: SweepOptions = {},
): Promise<void> {
  for (let isLong = false; !isStopped(); isLong = true) {
    if ((await store.write(tx => remove(tx, batchSize), { isLong })) < batchSize) return
    await pause(pauseMs)
  }
}
