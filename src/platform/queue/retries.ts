import { randomInt } from 'node:crypto'

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** How long to wait after the first failure, the second, … */
const retryDelaysMs = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]

/** Share of a delay that is added at random, so that many jobs do not come back at the same moment. */
const jitterPercent = 10

/** How long to wait after so many failures, in ms; undefined if there have been too many. */
export function retryDelay(failures: number): number | undefined {
  const delay = retryDelaysMs[failures - 1]
  return delay === undefined ? undefined : delay + (delay * randomInt(jitterPercent + 1)) / 100
}
