import { isDeepStrictEqual } from 'node:util'
import type { StoredValue } from './field.ts'
import { isList } from './stored.ts'

/** What a write does to a stored entry: it was not shown, so it stays; it is now at this index; or it is removed. */
export type RowState = 'hidden' | number | 'removed'

/**
 * Adds the entries that the caller was not shown to the written ones: each after the entry that it followed before, if
 * that is still there.
 */
export function withHidden<Item>(
  stored: readonly Item[],
  stateOf: (index: number) => RowState,
  written: readonly Item[],
) {
  const [first, after] = [[] as Item[], new Map<number, Item[]>()]
  let place = first
  for (const [index, item] of stored.entries()) {
    const state = stateOf(index)
    if (state === 'hidden') place.push(item)
    else if (state !== 'removed') {
      place = after.get(state) ?? []
      after.set(state, place)
    }
  }
  if (first.length === 0 && [...after.values()].every(items => items.length === 0)) return written
  return [...first, ...written.flatMap((item, index) => [item, ...(after.get(index) ?? [])])]
}

type Row = Readonly<Record<string, unknown>>

const rowsPerStep = 500

/** Above this number of comparisons rows are matched by their order only: comparing every pair would take too long. */
const maxComparisons = 20_000

/**
 * Matches every sent row with a stored row that was shown, because rows have no ids: equal rows first, then those with
 * most values in common, then by order. Undefined for a new row. Fields that `compares` excludes may have been shown in
 * part only and are not compared. In steps: signatures of thousands of rows take some 10 ms.
 */
export function* matchRows(
  sent: readonly Row[],
  shown: readonly Row[],
  compares: (name: string) => boolean,
): Generator<void, (number | undefined)[]> {
  const found = sent.map((): number | undefined => undefined)
  if (shown.length === 0) return found
  const free = new Set(shown.keys())
  const left = () => [...found.keys()].filter(at => found[at] === undefined)
  const take = (at: number, index: number | undefined) => {
    found[at] = index
    if (index !== undefined) free.delete(index)
  }
  const signature = (row: Row) => {
    let text = ''
    for (const name of Object.keys(row).toSorted()) if (compares(name)) text += signed(name) + signed(row[name])
    return text
  }
  const equal = new Map<string, number[]>()
  for (const [index, row] of shown.entries()) {
    const text = signature(row)
    const same = equal.get(text)
    if (same) same.push(index)
    else equal.set(text, [index])
    if (index % rowsPerStep === 0) yield
  }
  for (const [at, row] of sent.entries()) {
    take(at, equal.get(signature(row))?.shift())
    if (at % rowsPerStep === 0) yield
  }
  if (left().length * free.size <= maxComparisons)
    for (const at of left()) take(at, mostSimilarRow(sent[at]!, shown, free, compares))
  const rest = [...free]
  for (const [order, at] of left().entries()) take(at, rest[order])
  return found
}

/** Length first, so that the concatenation of two different pairs is never the same. */
const signed = (value: unknown) =>
  typeof value === 'string' ? `${value.length} ${value}` : `${JSON.stringify(value)};`

function mostSimilarRow(
  row: Row,
  shown: readonly Row[],
  free: ReadonlySet<number>,
  compares: (name: string) => boolean,
): number | undefined {
  const names = Object.keys(row).filter(name => compares(name) && !isBlank(row[name]))
  let [best, bestCount] = [undefined as number | undefined, 0]
  for (const index of free) {
    const equalCount = names.filter(name => isDeepStrictEqual(row[name], shown[index]![name])).length
    if (equalCount > bestCount) [best, bestCount] = [index, equalCount]
  }
  return best
}

const isBlank = (value: unknown) =>
  value === '' || value === null || value === undefined || value === false || (isList(value) && value.length === 0)

/** Keeps the stored form where its parsed parts are unchanged. */
export const storedUnlessChanged = (
  written: StoredValue,
  parts: unknown,
  before: StoredValue | undefined,
): StoredValue => (before !== undefined && isDeepStrictEqual(written, parts) ? before : written)
