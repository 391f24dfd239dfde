/**
 * `npm test` is quick. `npm run test:slow` runs the same tests with all inputs, more rounds and on all engines, and
 * tests that always take long.
 */
import { createHash } from 'node:crypto'

/** Long tests use `test.runIf(isSlow)`. */
export const isSlow = process.env['QUOIN_TEST_SLOW'] === 'true'

/** For tests that reach the database but are about something else: they run on one engine, in the slow run on all. */
export const isFirstEngine = isSlow || process.env['STORE'] !== 'postgres'

/** The number of repetitions of a test with a random outcome. */
export const rounds = (daily: number, slow: number): number => (isSlow ? slow : daily)

/** All values in the slow run, otherwise a quarter: each value is selected by its hash, independent of the others. */
export function quarter<Value>(all: readonly Value[], key: (value: Value) => string = String): readonly Value[] {
  if (isSlow) return all
  const chosen = all.filter(value => createHash('sha1').update(key(value)).digest()[0]! % 4 === 0)
  return chosen.length > 0 ? chosen : all.slice(0, 1)
}
