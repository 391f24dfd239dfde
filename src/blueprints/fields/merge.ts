import { isDeepStrictEqual } from 'node:util'
import type { Stored } from './field.ts'
import { isList } from './stored.ts'

/** What became of an entry that was stored: it was not shown, it is at this place now, or it was taken out. */
export type Fate = 'hidden' | number | 'removed'

/**
 * What is written, with the entries that the caller was not shown where they were: after the one that stood before them, as
 * far as that is still there.
 */
export function withHidden<Item>(stored: readonly Item[], fateOf: (index: number) => Fate, written: readonly Item[]) {
  const [first, after] = [[] as Item[], new Map<number, Item[]>()]
  let place = first
  for (const [index, item] of stored.entries()) {
    const fate = fateOf(index)
    if (fate === 'hidden') place.push(item)
    else if (fate !== 'removed') {
      place = after.get(fate) ?? []
      after.set(fate, place)
    }
  }
  if (first.length === 0 && [...after.values()].every(items => items.length === 0)) return written
  return [...first, ...written.flatMap((item, index) => [item, ...(after.get(index) ?? [])])]
}

type Row = Readonly<Record<string, unknown>>

/** Comparing every row with every other one ends here; then they are taken in their order. */
const maxComparisons = 20_000

/**
 * Which of the rows that were shown each sent row is: rows have no ids. Equal ones first, then those that have most in
 * common, then by their order. Undefined for a new one. What `compares` excludes
 * may have been shown in part only, and says nothing.
 */
export function matchRows(
  sent: readonly Row[],
  shown: readonly Row[],
  compares: (name: string) => boolean,
): (number | undefined)[] {
  const found = sent.map((): number | undefined => undefined)
  const free = new Set(shown.keys())
  const left = () => [...found.keys()].filter(at => found[at] === undefined)
  const take = (at: number, index: number | undefined) => {
    found[at] = index
    if (index !== undefined) free.delete(index)
  }
  const signature = (row: Row) =>
    JSON.stringify(Object.keys(row).filter(compares).toSorted().map(name => [name, row[name]])) // prettier-ignore
  const equal = Map.groupBy(shown.keys(), index => signature(shown[index]!))
  for (const [at, row] of sent.entries()) take(at, equal.get(signature(row))?.shift())
  if (left().length * free.size <= maxComparisons)
    for (const at of left()) take(at, maxAlike(sent[at]!, shown, free, compares))
  const rest = [...free]
  for (const [order, at] of left().entries()) take(at, rest[order])
  return found
}

function maxAlike(
  row: Row,
  shown: readonly Row[],
  free: ReadonlySet<number>,
  compares: (name: string) => boolean,
): number | undefined {
  const names = Object.keys(row).filter(name => compares(name) && !isBlank(row[name]))
  let [best, most] = [undefined as number | undefined, 0]
  for (const index of free) {
    const alike = names.filter(name => isDeepStrictEqual(row[name], shown[index]![name])).length
    if (alike > most) [best, most] = [index, alike]
  }
  return best
}

const isBlank = (value: unknown) =>
  value === '' || value === null || value === undefined || value === false || (isList(value) && value.length === 0)

/** What was stored, as it was, where the parts of it are the same. */
export const unlessSame = (written: Stored, parts: unknown, before: Stored | undefined): Stored =>
  before !== undefined && isDeepStrictEqual(written, parts) ? before : written
