import type { z } from 'zod'
import { type ApiError, type Details, fail } from '../platform/errors.ts'
import { type Message, message } from '../platform/texts.ts'
import type { AnyEndpoint } from './endpoint.ts'

/** Returns the parsed value, or throws an error with a message per field. The error never contains the sent values. */
export function validate(endpoint: AnyEndpoint, schema: z.ZodType, value: unknown): unknown {
  const checked = schema.safeParse(value, { reportInput: false })
  if (checked.success) return checked.data
  const renamed = schema === endpoint.body ? withKnownCase(endpoint, schema, value, checked.error.issues) : undefined
  const again = renamed ? schema.safeParse(renamed, { reportInput: false }) : checked
  if (again.success) return again.data
  const { issues } = again.error
  throw endpoint.invalid?.(issues) ?? invalid(issues)
}

/**
 * Renames fields that only differ in case from those of the schema: `{ TITLE: … }` → `{ title: … }`. Not in the
 * Authentication group, which is strict. Undefined if renaming does not make all fields known.
 */
function withKnownCase(
  { path }: AnyEndpoint,
  schema: z.ZodType,
  value: unknown,
  issues: z.core.$ZodIssue[],
): object | undefined {
  const unknown = issues.flatMap(issue =>
    issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys : [],
  )
  if (unknown.length === 0 || path.startsWith('/auth')) return undefined
  const names = new Map(propertyNames(schema).map(name => [name.toLowerCase(), name]))
  if (!unknown.every(key => names.has(key.toLowerCase()))) return undefined
  const body = value as Record<string, unknown>
  const renamed = { ...body }
  for (const key of unknown) {
    const name = names.get(key.toLowerCase())
    if (name === undefined || Object.hasOwn(renamed, name)) return undefined
    renamed[name] = body[key]
    delete renamed[key]
  }
  return renamed
}

const declaredNames = new WeakMap<z.ZodType, ReadonlySet<string>>()

/** The properties of a value that the schema declares; undefined if it has none of them. */
export function declaredIn(
  schema: z.ZodType,
  value: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  let names = declaredNames.get(schema)
  if (!names) declaredNames.set(schema, (names = new Set(propertyNames(schema))))
  let declared: Record<string, unknown> | undefined
  for (const name of Object.keys(value)) if (names.has(name)) (declared ??= {})[name] = value[name]
  return declared
}

function propertyNames(schema: z.ZodType): string[] {
  const { shape, innerType } = schema.def as { shape?: object; innerType?: z.ZodType }
  return innerType ? propertyNames(innerType) : Object.keys(shape ?? {})
}

/** Further problems are left out of the error. */
const maxIssues = 50

function invalid(issues: z.core.$ZodIssue[]): ApiError {
  const details: Details = {}
  for (const issue of issues.slice(0, maxIssues)) {
    const path = issue.path.map(String)
    const [rule, text] = wording(issue)
    const names =
      issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 10).map(key => [...path, key.slice(0, 100)]) : [path]
    for (const name of names) {
      const label = name.at(-1) ?? 'body'
      const field = name.join('.') || 'body'
      if (Object.hasOwn(details, field)) continue // report only the first problem of a field: the others follow from it
      Object.defineProperty(details, field, {
        value: { label, message: { [rule]: text } },
        enumerable: true,
        configurable: true,
      })
    }
  }
  return fail('validation').with({ details })
}

function wording(issue: z.core.$ZodIssue): [rule: string, text: Message] {
  switch (issue.code) {
    case 'unrecognized_keys':
      return ['unknown', message('validation.unknown')]
    case 'invalid_type':
      return wrongKind(kinds.get(issue.expected))
    case 'too_small':
      return tooSmall(issue.origin, String(issue.minimum))
    case 'too_big':
      return tooBig(issue.origin, String(issue.maximum))
    case 'invalid_value':
      return ['options', message('validation.options', { options: issue.values.join(', ') })]
    case 'custom':
      return (issue.params as Rule | undefined)?.broken ?? ['invalid', message('validation.invalid')]
    default:
      return ['invalid', message('validation.invalid')]
  }
}

function tooSmall(origin: string, min: string): [rule: string, text: Message] {
  const rule = origin === 'string' ? 'minlength' : 'min'
  if (origin === 'number') return [rule, message('validation.min', { min })]
  if (min === '1') return [rule, message('validation.empty')]
  return [rule, message(origin === 'string' ? 'validation.minlength' : 'validation.count.min', { min })]
}

function tooBig(origin: string, max: string): [rule: string, text: Message] {
  if (origin === 'string') return ['maxlength', message('validation.maxlength', { max })]
  return ['max', message(origin === 'number' ? 'validation.max' : 'validation.count.max', { max })]
}

interface Rule {
  broken: [rule: string, text: Message]
}

/** The message of a custom check: `.refine(isEmail, unless('email', message('validation.email')))`. */
export function customRule(rule: string, text: Message): { params: Rule & Record<string, unknown> } {
  return { params: { broken: [rule, text] } }
}

/** A type without a translated name gets a general message: Zod's own type names mean nothing to users. */
function wrongKind(kind: Message | undefined): [rule: string, text: Message] {
  return kind ? ['type', message('validation.type', { kind })] : ['invalid', message('validation.invalid')]
}

const kinds: ReadonlyMap<string, Message> = new Map([
  ['string', message('kind.text')],
  ['number', message('kind.number')],
  ['int', message('kind.int')],
  ['boolean', message('kind.boolean')],
  ['object', message('kind.object')],
  ['record', message('kind.object')],
  ['array', message('kind.list')],
])
