import type { Values } from '../fields/field.ts'
import { align } from './align.ts'
import { equal } from './equal.ts'

/**
 * For each row of `after`, the index of the same row in `before`; undefined if it was added. Equal rows are matched
 * first. The rows between them are matched by position if their number is the same, otherwise by similarity.
 */
export function matchRows(before: readonly Values[], after: readonly Values[]): (number | undefined)[] {
  const oldIndexes = Array.from<unknown, number | undefined>(after, () => undefined)
  const pairs = align(before.map(canonicalJson), after.map(canonicalJson))
  let [oldStart, newStart] = [0, 0]
  for (const [oldEnd, newEnd] of [...pairs, [before.length, after.length] as const]) {
    matchBetween(before, after, { oldStart, oldEnd, newStart, newEnd }, oldIndexes)
    if (newEnd < after.length) oldIndexes[newEnd] = oldEnd
    ;[oldStart, newStart] = [oldEnd + 1, newEnd + 1]
  }
  return oldIndexes
}

function matchBetween(
  before: readonly Values[],
  after: readonly Values[],
  { oldStart, oldEnd, newStart, newEnd }: { oldStart: number; oldEnd: number; newStart: number; newEnd: number },
  oldIndexes: (number | undefined)[],
): void {
  const isSameCount = oldEnd - oldStart === newEnd - newStart
  let next = newStart
  for (let index = oldStart; index < oldEnd; index++) {
    const to = isSameCount ? newStart + index - oldStart : findSimilar(before[index]!, after, next, newEnd)
    if (to === undefined) continue
    oldIndexes[to] = index
    next = to + 1
  }
}

function findSimilar(row: Values, rows: readonly Values[], from: number, until: number): number | undefined {
  for (let index = from; index < until; index++) if (similarity(row, rows[index]!) >= 0.5) return index
  return undefined
}

function similarity(one: Values, other: Values): number {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])]
  return names.length === 0 ? 1 : names.filter(name => equal(one[name], other[name])).length / names.length
}

/** The same for equal values, in any order of their keys. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}
