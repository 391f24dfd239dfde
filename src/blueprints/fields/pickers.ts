import { z } from 'zod'
import { isBroken } from './broken.ts'
import type { BrokenValue, RuleErrors, FieldBase, StoredValue, WriteResult } from './field.ts'
import { spendParts } from './budget.ts'
import { type RowState, storedUnlessChanged, withHidden } from './merge.ts'
import { checkListRules, tooManyParts, wrongType } from './rules.ts'
import { counts, flag, saved, textSetting } from './settings.ts'
import { isList, isMap, textOf } from './stored.ts'
import { refuseOverwritingBroken } from './values.ts'
import { maxShown, type ShownReferences, visibleNow } from './visible.ts'
import { parseStructured } from './yaml.ts'

/**
 * Shared by files, pages and users: a list of stored references, such as `page://…` or an id. Field types cannot look
 * up pages, files and accounts; resolving references, including those to nothing, happens in `forms/pickers`.
 */
export const pickerSettings = () => ({
  ...saved(),
  ...counts(),
  empty: textSetting().optional(),
  image: z.union([z.string(), z.literal(false), z.record(z.string(), z.unknown())]).optional(),
  info: textSetting().optional(),
  layout: z.string().default('list'),
  link: flag(true),
  multiple: flag(true),
  query: z.string().optional(),
  search: flag(true),
  size: z.string().default('auto'),
  store: z.string().default('uuid'),
  text: textSetting().optional(),
})

interface Picker {
  type: string
  min?: number | undefined
  max?: number | undefined
  multiple: boolean
  store: string
}

/** A simple YAML list that needs no parser, as most imported ones are. */
const plainList = /^(?:- [\w:/.@+~-]+(?:\n|$))+$/
/** A text that is not a list is one reference, unless it is longer than this, in characters. */
const maxReferenceLength = 500

/** The stored entries, including those that are not references: they stay at their place. */
function entriesIn(stored: StoredValue | undefined): readonly StoredValue[] | BrokenValue {
  if (isList(stored)) return stored
  if (isMap(stored)) return [stored]
  const whole = textOf(stored)
  if (whole === '') return []
  if (plainList.test(whole)) return whole.split('\n').map(line => line.slice(2))
  const entries = parseStructured(whole)
  if (isList(entries)) return entries
  if (!isBroken(entries)) return entries === null ? [] : [entries]
  return entries.$broken === 'unreadable' && whole.length <= maxReferenceLength ? [whole] : entries
}

const referencesIn = (entries: readonly StoredValue[]) =>
  entries.map(entry => textOf(entry)).filter(entry => entry !== '')

export function readReferences(stored: StoredValue | undefined): readonly string[] | BrokenValue {
  const entries = entriesIn(stored)
  return isBroken(entries) ? entries : referencesIn(entries)
}

/** The same for code that treats a broken value as having no references. */
export function knownReferences(stored: StoredValue | undefined): readonly string[] {
  const references = readReferences(stored)
  return isBroken(references) ? [] : references
}

/**
 * Accepts references, or the entries that the API shows for them. References that the caller was not shown stay stored.
 */
export function writeReferences(sent: unknown, field: Picker, before?: StoredValue): WriteResult {
  const entries = typeof sent === 'string' ? readReferences(sent) : sent
  if (!isList(entries)) return wrongType('list')
  const previous = entriesIn(before)
  if (isBroken(previous)) return refuseOverwritingBroken()
  if (entries.length > previous.length && !spendParts(entries.length)) return tooManyParts()
  const visible = visibleNow()
  const shown = shownOf(previous, field, visible)
  const take = takingFrom(shown)
  const states = new Map<number, number>()
  const written: string[] = []
  for (const entry of entries) {
    const storedIndex = take(entry)
    const reference =
      storedIndex === undefined
        ? toStore(referenceIn(entry, field.store), field, visible)
        : textOf(previous[storedIndex])
    if (reference === '') return wrongType('list')
    if (storedIndex !== undefined) states.set(storedIndex, written.length)
    written.push(reference)
  }
  // In a field with a single choice, the new choice replaces a hidden reference, too.
  if (!field.multiple && written.length > 0) return { stored: storedUnlessChanged(written, previous, before) }
  const isShown = new Set(shown.map(({ index }) => index))
  const stateOf = (index: number): RowState =>
    states.get(index) ?? (isShown.has(index) && (visible === 'all' || visible.isComplete) ? 'removed' : 'hidden')
  return { stored: storedUnlessChanged(withHidden<StoredValue>(previous, stateOf, written), previous, before) }
}

/**
 * The stored references that the caller is shown, with every name that identifies each of them when it is sent back.
 */
function shownOf(previous: readonly StoredValue[], { type }: Picker, visible: ShownReferences) {
  let count = 0
  return previous.flatMap((entry, index) => {
    const reference = textOf(entry)
    if (reference === '') return []
    if (visible === 'all') return { index, names: [reference] }
    if (++count > maxShown.inField) return []
    const names = visible.namesOf(type, reference)
    return names ? { index, names: [reference, ...names] } : []
  })
}

/** The index of the first of them that an entry is, each of them once. */
function takingFrom(shown: ReturnType<typeof shownOf>): (entry: unknown) => number | undefined {
  const byName = new Map<string, Set<number>>()
  for (const { index, names } of shown)
    for (const name of names) {
      const places = byName.get(name)
      if (places) places.add(index)
      else byName.set(name, new Set([index]))
    }
  const namesOf = new Map(shown.map(({ index, names }) => [index, names]))
  return entry => {
    const own = isMap(entry) ? ['uuid', 'id', 'email'].map(name => entry[name]) : [entry]
    const found = own.flatMap(name => {
      const [first] = (typeof name === 'string' && byName.get(name.trim())) || []
      return first === undefined || name === '' ? [] : first
    })
    if (found.length === 0) return undefined
    const index = Math.min(...found)
    for (const name of namesOf.get(index)!) byName.get(name)!.delete(index)
    return index
  }
}

/**
 * Converts an id to a uuid, unless the field stores ids: a changed slug or e-mail address would break the reference.
 */
const toStore = (reference: string, { type, store }: Picker, visible: ShownReferences) =>
  (visible === 'all' ? undefined : visible.stored(type, reference, store)) ?? reference

/** Prefers the form that the field stores, if the entry has it. */
function referenceIn(entry: unknown, store: string): string {
  if (!isMap(entry)) return typeof entry === 'string' ? entry.trim() : ''
  const found = [store, 'uuid', 'id', 'email']
    .map(name => entry[name])
    .find(value => typeof value === 'string' && value)
  return typeof found === 'string' ? found.trim() : ''
}

export const checkReferences = (
  references: readonly string[],
  field: FieldBase & Picker,
  isActive: boolean,
): RuleErrors => checkListRules(field.multiple ? field : { ...field, max: 1 }, isActive, references)
