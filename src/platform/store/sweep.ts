import { setTimeout as pause } from 'node:timers/promises'
import type { Store, Tx } from './store.ts'

/** Rows of one statement of a sweep: it takes some milliseconds. */
const batchSize = 500
/** Between two batches, in ms: requests get more than half of the time. */
const pauseMs = 10

export interface SweepOptions {
  /** Asked between two batches: a sweep that has much to do does not delay the end of the process. */
  isStopped?: () => boolean
}

/**
 * Removes what has expired in batches, each in a transaction of its own, until a batch is not full. However many rows there
 * are, no statement takes long, and other writers take turns with it. `remove` answers with the number of rows it removed.
 */
export async function sweepInBatches(
  store: Store,
  remove: (tx: Tx, batchSize: number) => Promise<number>,
  { isStopped = () => false }: SweepOptions = {},
): Promise<void> {
  while (!isStopped() && (await store.write(tx => remove(tx, batchSize))) >= batchSize) await pause(pauseMs)
}
