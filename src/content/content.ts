import { isDeepStrictEqual } from 'node:util'
import type { Form } from '../blueprints/blueprints.ts'
import { type CpuBudget, createBudget, maxValueParts, withBudget } from '../blueprints/fields/budget.ts'
import {
  type RuleErrors,
  type Field,
  type Fields,
  type FieldType,
  type NestedError,
  builtInTypeOf,
  type StoredValue,
  type BlueprintText,
  fieldTypeOf,
} from '../blueprints/fields/field.ts'
import { checkField } from '../blueprints/fields/nested.ts'
import { showDate } from '../blueprints/fields/moments.ts'
import { perField } from '../blueprints/fields/per-field.ts'
import { isForbiddenName, textOf, toStored } from '../blueprints/fields/stored.ts'
import { readValue, writeValueInSteps } from '../blueprints/fields/values.ts'
import { type ShownReferences, withVisible } from '../blueprints/fields/visible.ts'
import { toText } from '../blueprints/fields/yaml.ts'
import { runToEnd } from '../platform/lib/steps.ts'
import { createLruCache } from '../platform/lib/lru-cache.ts'
import { createYielder, endOfTurn } from '../platform/lib/yield.ts'
import { message } from '../platform/texts.ts'

/** The fields of a blueprint, and the names of those with invalid settings. */
type Fillable = Pick<Form, 'fields' | 'broken'>

/** Stored content: lower-case field name → text. */
export type StoredContent = Readonly<Record<string, string>>

/** Validation errors of one field. The label is not translated yet. */
export interface Detail {
  label: BlueprintText
  message: RuleErrors
  /** Invalid nested fields. */
  inside?: readonly NestedError[]
}

/** The content to store; or the errors by field name, in which case nothing may be stored. */
export type Changed = { stored: Record<string, string> } | { errors: Record<string, Detail> }

/**
 * The values of all fields in the order of the blueprint, then stored texts without a field. Yields to the event loop
 * between long values.
 */
export async function readContent(form: Fillable, stored: StoredContent): Promise<Record<string, unknown>> {
  const steps = read(form, stored)
  for (;;) {
    for (let wait = endOfTurn(); wait; wait = endOfTurn()) await wait
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

interface SavedField {
  name: string
  field: Field
  type: FieldType
}

/** The fields that have values, with their types. */
const savedFields = perField((fields: Fields) => {
  const saved: SavedField[] = []
  for (const [name, field] of fields) {
    const type = fieldTypeOf(field)
    if (type.saved) saved.push({ name, field, type })
  }
  return saved
})

/** Lists and maps by the text that they are read from. Weighed by characters of text. */
const readValues = createLruCache<{ field: Field; value: unknown }>(2_000_000, text => text.length + 200)
/** Shorter texts are read faster than looked up, in characters. */
const minCached = 50

/**
 * Parsing blocks and checking their HTML takes longer than everything else of an answer, and the value depends on the
 * text and the field only. Frozen, because answers share it.
 */
function readOnce(type: FieldType, field: Field, text: string): unknown {
  const cached = readValues.get(text)
  if (cached?.field === field) return cached.value
  const value = deepFreeze(readValue(type, field, text))
  readValues.set(text, { field, value })
  return value
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const part of Object.values(value)) deepFreeze(part)
  return Object.freeze(value)
}

/** Takes steps until the work is done or the turn of the event loop is over. */
function runUntilYield<Result>(
  steps: Generator<void, Result>,
  yielder = createYielder(),
): IteratorResult<void, Result> {
  let step = steps.next()
  while (step.done !== true && !yielder.isDue()) step = steps.next()
  return step
}

function* read({ fields }: Fillable, stored: StoredContent): Generator<void, Record<string, unknown>> {
  const values: Record<string, unknown> = {}
  for (const { name, field, type } of savedFields(fields)) {
    const text = stored[name]
    const isCached = text !== undefined && text.length >= minCached && type.storedAs !== 'text'
    values[name] = isCached ? readOnce(type, field, text) : readValue(type, field, text)
    if (text !== undefined && text.length > longValue) yield
  }
  for (const name of Object.keys(stored))
    if (!Object.hasOwn(values, name) && !isForbiddenName(name)) values[name] = stored[name]
  return values
}

/** Length of a value, in characters, whose reading or checking may take a millisecond. Shorter ones get no step of their own. */
const longValue = 5000

const isLong = (text: string | undefined): boolean => text !== undefined && text.length > longValue

export interface ChangeOptions {
  /** Check the blueprint rules of all fields. The form of a value is always checked. */
  validate: boolean
  /** Names with a permission of their own, such as `title`. Sending their current value is allowed. */
  reserved?: ReadonlySet<string>
  /** The published content, if `stored` is a draft: to find the changed fields. */
  before?: StoredContent
  /** References that the caller can see. References that they cannot see are preserved. */
  shownReferences: ShownReferences
}

const noNames: ReadonlySet<string> = new Set()
/** Errors beyond this number are not reported. */
const maxProblems = 50

/**
 * Sent values replace stored ones. A value that is missing or null, or belongs to a disabled field, is not changed.
 * Names without a field are stored as text. Yields to the event loop between long values.
 */
export async function changeContent(
  form: Fillable,
  stored: StoredContent,
  sent: Readonly<Record<string, unknown>>,
  options: ChangeOptions,
): Promise<Changed> {
  const budget = createBudget()
  return inSteps(change(form, stored, sent, options, budget), options, budget)
}

/** Budget and shown references are module variables, so they are set again for every turn of the event loop. */
async function inSteps(
  steps: Generator<void, Changed>,
  { shownReferences }: Pick<ChangeOptions, 'shownReferences'>,
  budget: CpuBudget,
): Promise<Changed> {
  const yielder = createYielder()
  for (;;) {
    const { done, value } = withVisible(shownReferences, () => withBudget(() => runUntilYield(steps, yielder), budget))
    if (done === true) return value
    await yielder.yieldNow()
  }
}

function* change(
  form: Fillable,
  stored: StoredContent,
  sent: Readonly<Record<string, unknown>>,
  { validate, reserved = noNames, before = stored, isNew = false }: ChangeOptions & { isNew?: boolean },
  budget: CpuBudget,
): Generator<void, Changed> {
  const next = { ...stored }
  const details = new Map<string, Detail>()
  for (const key of Object.keys(sent)) {
    const value = sent[key]
    const name = key.toLowerCase()
    budget.parts = maxValueParts
    const written = value === null ? undefined : yield* write(form, next, name, value, { reserved, isNew })
    if (written === undefined) continue
    if ('stored' in written) next[name] = written.stored
    else details.set(...detail(form, name.slice(0, 100), written.errors))
    if (details.size >= maxProblems) return result(next, details) // do not spend CPU on the rest
    if (isLong(next[name])) yield
  }
  const excess = excessOf(stored, next)
  if (excess) details.set(...detail(form, ...excess))
  if (validate) yield* addBrokenRules(form, before, next, details, budget)
  return result(next, details)
}

/** Limit in UTF-16 units for all texts of a model in one language: they are read, compared and versioned as a whole. */
const maxCharacters = 1_000_000

function charactersIn(content: StoredContent): number {
  let sum = 0
  for (const text of Object.values(content)) sum += text.length
  return sum
}

/** References to pages and files in all texts together: the store has a row for each. */
const maxReferences = 5000
const reference = /(?:page|file):|\/@/g

function referencesIn(content: StoredContent): number {
  let count = 0
  for (const text of Object.values(content)) if (isLong(text)) count += text.match(reference)?.length ?? 0
  return count
}

/**
 * The largest changed value and its error, if the content exceeds `maxCharacters` or `maxReferences`. Content that already
 * did may shrink or stay.
 */
function excessOf(stored: StoredContent, next: StoredContent): [name: string, errors: RuleErrors] | undefined {
  const characters = charactersIn(next)
  if (characters <= longValue) return undefined
  const largest = () =>
    Object.keys(next)
      .filter(name => next[name] !== stored[name])
      .reduce((one, other) => (next[other]!.length > next[one]!.length ? other : one))
  if (characters > maxCharacters && characters > charactersIn(stored))
    return [largest(), { maxlength: message('validation.tooLarge') }]
  const references = referencesIn(next)
  if (references > maxReferences && references > referencesIn(stored))
    return [largest(), { max: message('validation.tooManyReferences', { max: String(maxReferences) }) }]
  return undefined
}

function result(stored: Record<string, string>, details: Map<string, Detail>): Changed {
  return details.size === 0 ? { stored } : { errors: Object.fromEntries(details) }
}

function detail({ fields }: Fillable, name: string, errors: RuleErrors): [name: string, detail: Detail] {
  return [name, { label: fields.get(name)?.label ?? name, message: errors }]
}

/** Checks changed fields first. Unchanged fields pass unchecked once the CPU budget is spent. */
function* addBrokenRules(
  form: Fillable,
  before: StoredContent,
  next: StoredContent,
  details: Map<string, Detail>,
  budget: CpuBudget,
): Generator<void, void> {
  const values = yield* read(form, next)
  const changed: SavedField[] = []
  const same: SavedField[] = []
  for (const one of savedFields(form.fields)) (next[one.name] === before[one.name] ? same : changed).push(one)
  let left = maxProblems
  for (const fields of [changed, same]) {
    budget.isLenient = fields === same
    for (const { name, field, type } of fields) {
      const errors = details.has(field.name) ? undefined : checkField(type, field, name, values)
      if (errors) {
        const inside = Iterator.from(type.nestedErrors?.(values[name], field) ?? [])
          .take(left)
          .toArray()
        left -= inside.length
        const [, found] = detail(form, field.name, errors)
        details.set(field.name, inside.length > 0 ? { ...found, inside } : found)
      }
      if (isLong(next[name])) yield
    }
  }
}

export interface CreateOptions extends ChangeOptions {
  /** Database time in ms, for fields with the default `now` or `today`. */
  now?: number
}

/** The first content of a new model: the sent values, and the defaults of the blueprint for empty fields. */
export async function createContent(
  form: Fillable,
  sent: Readonly<Record<string, unknown>>,
  options: CreateOptions,
): Promise<Changed> {
  const budget = createBudget()
  return inSteps(create(form, sent, options, budget), options, budget)
}

function* create(
  form: Fillable,
  sent: Readonly<Record<string, unknown>>,
  { validate, now, ...options }: CreateOptions,
  budget: CpuBudget,
): Generator<void, Changed> {
  const changed = yield* change(form, {}, sent, { ...options, validate: false, isNew: true }, budget)
  if ('errors' in changed) return changed
  const { stored } = changed
  for (const [name, field] of form.fields) {
    const text = (stored[name] ?? '') === '' ? defaultOf(field, now) : ''
    if (text !== '') stored[name] = text
  }
  const details = new Map<string, Detail>()
  if (validate) yield* addBrokenRules(form, {}, stored, details, budget)
  return result(stored, details)
}

/** Empty if the blueprint has no default, or an invalid one. */
function defaultOf(field: Field, now: number | undefined): string {
  const { default: defaultValue = '' } = field
  const type = builtInTypeOf(field)
  const isNow = (type === 'date' || type === 'time') && (defaultValue === 'now' || defaultValue === 'today')
  const value = isNow && now !== undefined ? showDate(now) : defaultValue
  // Passed as the value before, so that defaults of disabled nested fields are preserved.
  const inside = fieldTypeOf(field).nested.length > 0 ? toStored(value) : undefined
  const written = value === '' || value === null ? undefined : runToEnd(writeField(field, value, inside))
  return written && 'stored' in written ? written.stored : ''
}

// ---- one value

type FieldResult = { stored: string } | { errors: RuleErrors }

/** Undefined if the stored value does not change. */
function* write(
  { fields, broken }: Fillable,
  stored: StoredContent,
  name: string,
  value: unknown,
  { reserved, isNew }: { reserved: ReadonlySet<string>; isNew: boolean },
): Generator<void, FieldResult | undefined> {
  if (reserved.has(name)) return writeReserved(stored[name] ?? '', value)
  if (broken.has(name)) return undefined
  const field = fields.get(name)
  if (field?.disabled || (field && !isNew && isStillUnset(field, stored[name], value))) return undefined
  if (field) return yield* writeField(field, value, stored[name])
  return writeUnknown(fields, stored, name, value)
}

/** Accepts the current value, so that clients can send back everything that they have read. */
function writeReserved(stored: string, value: unknown): FieldResult | undefined {
  const isSame = textOf(toStored(value)) === stored.trim() && typeof value !== 'object'
  return isSame ? undefined : { errors: { reserved: message('validation.reserved') } }
}

/** Nothing is stored, and the client sends back the value shown for an unset field. */
function isStillUnset(field: Field, stored: string | undefined, value: unknown): boolean {
  const type = fieldTypeOf(field)
  return stored === undefined && type.saved && isDeepStrictEqual(value, type.read(undefined, field))
}

function* writeField(
  field: Field,
  value: unknown,
  before: StoredValue | undefined,
): Generator<void, FieldResult | undefined> {
  const type = fieldTypeOf(field)
  if (!type.saved) return undefined
  const written = yield* writeValueInSteps(type, field, value, before)
  if ('errors' in written) return written
  const { stored } = written
  return { stored: typeof stored === 'object' ? JSON.stringify(stored) : toText(stored) }
}

const nameForm = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_-]{0,99}$/u
const maxUnknownLength = 100_000
const maxUnknownFields = 200

function writeUnknown(fields: Fields, stored: StoredContent, name: string, value: unknown): FieldResult {
  if (!nameForm.test(name) || isForbiddenName(name)) return { errors: { name: message('validation.name') } }
  const text = textOfUnknown(value)
  if (text === undefined || text.length > maxUnknownLength)
    return { errors: { maxlength: message('validation.tooLarge') } }
  const isNew = !Object.hasOwn(stored, name)
  if (isNew && hasTooMany(fields, stored))
    return { errors: { max: message('validation.tooMany', { max: String(maxUnknownFields) }) } }
  return { stored: text }
}

function hasTooMany(fields: Fields, stored: StoredContent): boolean {
  let count = 0
  for (const name in stored) if (!fields.has(name) && ++count >= maxUnknownFields) return true
  return false
}

function textOfUnknown(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim()
  if (typeof value === 'boolean') return value ? '1' : '0'
  const stored = toStored(value)
  return stored === undefined ? undefined : toText(stored)
}
