import type { Values } from '../fields/field.ts'
import { align } from './align.ts'
import { equal } from './equal.ts'

/**
 * For each new row, the index of the old row that it was, or undefined if it is new. Equal rows are matched first. The
 * rows between them are matched by position if their number is the same, otherwise by similarity.
 */
export function matchRows(before: readonly Values[], after: readonly Values[]): (number | undefined)[] {
  const were = Array.from<unknown, number | undefined>(after, () => undefined)
  const pairs = align(before.map(textOf), after.map(textOf))
  let [i, j] = [0, 0]
  for (const [was, is] of [...pairs, [before.length, after.length] as const]) {
    matchBetween(before, after, { i, was, j, is }, were)
    if (is < after.length) were[is] = was
    ;[i, j] = [was + 1, is + 1]
  }
  return were
}

function matchBetween(
  before: readonly Values[],
  after: readonly Values[],
  { i, was, j, is }: { i: number; was: number; j: number; is: number },
  were: (number | undefined)[],
): void {
  const isReplaced = was - i === is - j
  let next = j
  for (let at = i; at < was; at++) {
    const to = isReplaced ? j + at - i : findLike(before[at]!, after, next, is)
    if (to === undefined) continue
    were[to] = at
    next = to + 1
  }
}

function findLike(row: Values, rows: readonly Values[], from: number, until: number): number | undefined {
  for (let at = from; at < until; at++) if (likeness(row, rows[at]!) >= 0.5) return at
  return undefined
}

function likeness(one: Values, other: Values): number {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])]
  return names.length === 0 ? 1 : names.filter(name => equal(one[name], other[name])).length / names.length
}

/** Canonical JSON: the same for equal values, in any order of their keys. */
export function textOf(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  )
}
