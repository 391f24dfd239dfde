import { isDeepStrictEqual } from 'node:util'
import { type Message, message } from '../../platform/texts.ts'
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
  type WriteResult,
} from './field.ts'
import { withBudget } from './budget.ts'
import { isBroken } from './broken.ts'
import { isForbiddenName, isMap, isTooDeep, toStored } from './stored.ts'
import { readValue, writeValue } from './values.ts'

type Values = Readonly<Record<string, unknown>>

/** An error in one of several fields. */
export interface Problem {
  /** Its label, by language. */
  field: BlueprintText
  problem: Message
}

/** Handles the values of several fields: of a form, a row of a structure, a block. */
export interface NestedValues {
  /** The value of every field, then other stored values. */
  read(fields: Fields, stored: Readonly<Record<string, StoredValue>>): Record<string, unknown>
  /**
   * Disabled fields keep their stored value; in a new row they get their default. A value that is sent back as it was
   * read keeps its stored form.
   */
  write(fields: Fields, sent: Values, before?: unknown): { stored: Record<string, StoredValue> } | { error: Problem }
  /** Every field that breaks a rule, in order. */
  check(fields: Fields, values: Values): Generator<[field: Field, errors: RuleErrors]>
  /** The same, including errors inside these fields. */
  nestedErrors(fields: Fields, values: Values): Generator<NestedError>
  firstError(fields: Fields, values: Values): Problem | undefined
  /** Checks many rows with the same fields: the index of the first invalid row, and its error. */
  firstErrorInRows(fields: Fields, rows: readonly Values[]): [index: number, problem: Problem] | undefined
}

export const nested: NestedValues = {
  read(fields, stored) {
    const previous = withLowerCaseNames(stored)
    const values: Record<string, unknown> = {}
    for (const [name, field] of fields) {
      const type = savedType(field)
      if (type) values[name] = readValue(type, field, normaliseToggle(previous[name], field))
    }
    for (const name of Object.keys(previous)) if (!Object.hasOwn(values, name)) values[name] = previous[name]
    return values
  },

  write(fields, sent, before) {
    const previous = isMap(before) ? withLowerCaseNames(before as Record<string, StoredValue>) : {}
    const stored: Record<string, StoredValue> = {}
    for (const [name, value] of Object.entries(withLowerCaseNames(sent))) {
      const field = fields.get(name)
      if (field?.disabled === true) continue
      if (isMap(before) && previous[name] === undefined && isStillUnset(field, value)) continue
      const written = writeOne(name, value, field, previous[name])
      if ('errors' in written) return { error: { field: field?.label ?? name, problem: firstOf(written.errors) } }
      stored[name] = written.stored
    }
    for (const [name, value] of disabledValues(fields, before)) stored[name] = value
    return { stored: isMap(before) && isDeepStrictEqual(stored, previous) ? (before as typeof stored) : stored }
  },

  check,

  nestedErrors: nestedErrors,

  firstError: firstError,

  firstErrorInRows(fields, rows) {
    return withBudget(() => {
      for (const [index, row] of rows.entries()) {
        const error = firstError(fields, row)
        if (error) return [index, error]
      }
      return undefined
    })
  },
}

function savedType(field: Field | undefined): FieldType | undefined {
  const type = field && fieldTypeOf(field)
  return type?.saved === true ? type : undefined
}

function writeOne(
  name: string,
  value: unknown,
  field: Field | undefined,
  before: StoredValue | undefined,
): WriteResult {
  const type = savedType(field)
  return field && type ? writeValue(type, field, value, before) : writeUnknown(name, value)
}

/**
 * Whether the sent value equals what is shown for an empty field. The caller has already checked that nothing is
 * stored.
 */
function isStillUnset(field: Field | undefined, value: unknown): boolean {
  const type = savedType(field)
  return type !== undefined && isDeepStrictEqual(value, type.read(undefined, field!))
}

function defaultOf(field: Field): StoredValue | undefined {
  const { default: defaultValue = null } = field
  if (defaultValue === null || defaultValue === '') return undefined
  const type = savedType(field)
  // Pass the default as the stored value, too, so that disabled fields inside it keep their part of it.
  const written = type?.write(defaultValue, field, type.nested.length > 0 ? toStored(defaultValue) : undefined)
  return written && 'stored' in written ? written.stored : undefined
}

function* disabledValues(fields: Fields, before: unknown): Generator<[name: string, stored: StoredValue]> {
  const previous = isMap(before) ? withLowerCaseNames(before as Record<string, StoredValue>) : undefined
  for (const [name, field] of fields) {
    if (!field.disabled || !savedType(field)) continue
    const stored = previous ? previous[name] : defaultOf(field)
    if (stored !== undefined) yield [name, stored]
  }
}

function firstError(fields: Fields, values: Values): Problem | undefined {
  for (const [field, errors] of check(fields, values)) return { field: field.label, problem: firstOf(errors) }
  return undefined
}

function* check(fields: Fields, values: Values): Generator<[Field, RuleErrors]> {
  for (const [name, field] of fields) {
    const type = savedType(field)
    const errors = type && checkField(type, field, name, values)
    if (errors) yield [field, errors]
  }
}

function valueOf(field: Field, name: string, values: Values): unknown {
  return name in values ? values[name] : savedType(field)?.read(undefined, field)
}

function* nestedErrors(fields: Fields, values: Values): Generator<NestedError> {
  for (const [field, errors] of check(fields, values)) {
    const { name } = field
    yield { path: [name], field, errors }
    yield* prefixPaths(savedType(field)?.nestedErrors?.(valueOf(field, name, values), field), name)
  }
}

/** The rules that one of several values breaks; undefined if it breaks none. */
export function checkField(type: FieldType, field: Field, name: string, values: Values): RuleErrors | undefined {
  if (field.disabled || isBroken(values[name])) return undefined // the caller could not correct it
  const errors = type.check(valueOf(field, name, values), field, isActive(field, values))
  return Object.keys(errors).length > 0 ? errors : undefined
}

/** Prepends the path of a part to the paths of its errors. */
export function* prefixPaths(
  parts: Iterable<NestedError> = [],
  ...prefix: NestedError['path']
): Generator<NestedError> {
  for (const part of parts) yield { ...part, path: [...prefix, ...part.path] }
}

const firstOf = (errors: RuleErrors): Message => Object.values(errors)[0]!

function writeUnknown(name: string, value: unknown): WriteResult {
  const stored = isForbiddenName(name) ? undefined : toStored(value)
  if (stored !== undefined) return { stored }
  return { errors: { invalid: message(isTooDeep(value) ? 'validation.tooLarge' : 'validation.invalid') } }
}

/** Drops names that reach the prototype, such as `__proto__`. */
function withLowerCaseNames<Value>(map: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  const names = Object.keys(map)
  if (names.every(name => name === name.toLowerCase() && !isForbiddenName(name))) return map
  const small: Record<string, Value> = {}
  for (const name of names) if (!isForbiddenName(name)) small[name.toLowerCase()] = map[name]!
  return small
}

/** In values of files that people edit, `yes` counts as true in a toggle. */
function normaliseToggle(stored: StoredValue | undefined, field: Field): StoredValue | undefined {
  return builtInTypeOf(field) === 'toggle' && stored === 'yes' ? true : stored
}

/** A field with `when` is required only while every other field that it names has the given value. */
function isActive(field: Field, values: Values): boolean {
  const { when } = field
  return when === undefined || Object.keys(when).every(name => isSame(values[name.toLowerCase()] ?? '', when[name]))
}

/** Numbers and booleans in blueprints also match the strings that they are stored as. */
const isSame = (value: unknown, expected: unknown): boolean => asText(value) === asText(expected)

function asText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
