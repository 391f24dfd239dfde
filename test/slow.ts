/**
 * `npm test` is quick; `npm run test:slow` runs the same tests with all inputs, many rounds, and all engines, and those that take
 * long by themselves.
 */
import { createHash } from 'node:crypto'

/** Tests that take too long for every day are `test.runIf(isSlow)`. */
export const isSlow = process.env['QUOIN_TEST_SLOW'] === 'true'

/** How often something is tried whose outcome depends on chance. */
export const rounds = (daily: number, slow: number): number => (isSlow ? slow : daily)

/** All of them in the slow run, otherwise a quarter: always the same ones, whatever else is in the list. */
export function quarter<Value>(all: readonly Value[], key: (value: Value) => string = String): readonly Value[] {
  if (isSlow) return all
  const some = all.filter(value => createHash('sha1').update(key(value)).digest()[0]! % 4 === 0)
  return some.length > 0 ? some : all.slice(0, 1)
}
