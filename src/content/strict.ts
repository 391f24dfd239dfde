import { z } from 'zod'
import {
  type RuleErrors,
  type Field,
  type Fields,
  type Fieldset,
  builtInTypeOf,
  type NestedFields,
} from '../blueprints/fields/field.ts'
import { offeredBy } from '../blueprints/fields/options.ts'
import { isList, isMap } from '../blueprints/fields/stored.ts'
import { message } from '../platform/texts.ts'
import { contentMustBeValid } from './rules.ts'
import type { RequestContext } from '../http/context.ts'
import type { Detail } from './content.ts'
import type { Model } from './save.ts'

/** Query parameter of every endpoint that accepts content. */
export const strictQuery = {
  strict: z
    .union([z.boolean(), z.enum(['true', 'false', '1', '0'])])
    .optional()
    .describe('`true` refuses unknown fields, and values that are no option of their field.'),
}

export type Strict = z.output<z.ZodObject<typeof strictQuery>>['strict']

const maxProblems = 50

/**
 * With `strict=true`, unknown field names and values that are no option are refused, also in rows and blocks. Otherwise
 * unknown names are stored as text, and a value that is no option becomes empty.
 */
export async function refuseUnknown(
  ctx: RequestContext,
  strict: Strict,
  { owner, form, reserved }: Pick<Model, 'owner' | 'form' | 'reserved'>,
  sent: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  if (strict !== true && strict !== 'true' && strict !== '1') return
  const details = new Map<string, Detail>()
  const queried: DeferredValues[] = []
  for (const [key, value] of Object.entries(sent)) {
    const name = key.toLowerCase()
    const field = form.fields.get(name)
    if (!field && (reserved.has(name) || form.broken.has(name))) continue
    const defer = (inner: Field, values: readonly string[]) => void queried.push({ name, field: inner, values })
    const errors = field ? unknownIn(field, value, defer) : { unknown: message('validation.unknown') }
    if (errors) details.set(name.slice(0, 100), { label: field?.label ?? name, message: errors })
    if (details.size >= maxProblems) break
  }
  const options = new Map<Field, ReadonlySet<string> | undefined>()
  for (const { name, field, values } of queried) {
    if (details.size >= maxProblems || details.has(name)) continue
    if (!options.has(field)) options.set(field, await ctx.offered(ctx, owner, field))
    const errors = notAmong(options.get(field), values)
    if (errors) details.set(name, { label: form.fields.get(name)!.label ?? name, message: errors })
  }
  if (details.size > 0) contentMustBeValid({ errors: Object.fromEntries(details) }, ctx.locale)
}

/** Values of a field whose options come from a query; it is `name` or nested in it. */
interface DeferredValues {
  name: string
  field: Field
  values: readonly string[]
}

type Defer = (field: Field, values: readonly string[]) => void

type Choice = Parameters<typeof offeredBy>[0]

/** The first unknown name or option in a value. */
function unknownIn(field: Field, value: unknown, defer: Defer): RuleErrors | undefined {
  const { fields, fieldsets, settings } = field as unknown as Partial<NestedFields>
  switch (builtInTypeOf(field)) {
    case 'radio':
    case 'select':
    case 'toggles':
      return notOffered(field, [value], defer)
    case 'checkboxes':
    case 'multiselect':
      return notOffered(field, value, defer)
    case 'tags':
      return field['accept'] === 'options' ? notOffered(field, value, defer) : undefined
    case 'object':
      return unknownName(fields!, value, defer)
    case 'structure':
      return first(value, row => unknownName(fields!, row, defer))
    case 'blocks':
      return unknownBlock(fieldsets!, value, defer)
    case 'layout':
      return first(value, row => {
        if (!isMap(row)) return undefined
        return (
          unknownName(settings!.fields, row['attrs'], defer) ??
          first(row['columns'], column =>
            isMap(column) ? unknownBlock(fieldsets!, column['blocks'], defer) : undefined,
          )
        )
      })
    default:
      return undefined
  }
}

function first(list: unknown, check: (item: unknown) => RuleErrors | undefined): RuleErrors | undefined {
  if (!isList(list)) return undefined
  for (const item of list) {
    const errors = check(item)
    if (errors) return errors
  }
  return undefined
}

function unknownName(fields: Fields, row: unknown, defer: Defer): RuleErrors | undefined {
  if (!isMap(row)) return undefined
  for (const [name, value] of Object.entries(row)) {
    const field = fields.get(name.toLowerCase())
    const errors = field ? unknownIn(field, value, defer) : notHere(name)
    if (errors) return errors
  }
  return undefined
}

function unknownBlock(fieldsets: ReadonlyMap<string, Fieldset>, blocks: unknown, defer: Defer): RuleErrors | undefined {
  return first(blocks, block => {
    if (!isMap(block)) return undefined
    const set = fieldsets.get(String(block['type']))
    return set ? unknownName(set.fields, block['content'], defer) : notHere(String(block['type']))
  })
}

/**
 * Options from a query are checked last, because they read the database. A text is a comma-separated list of values.
 */
function notOffered(field: Field, value: unknown, defer: Defer): RuleErrors | undefined {
  const chosen = isList(value) ? value : typeof value === 'string' ? value.split(',').map(part => part.trim()) : []
  const values = chosen.filter(one => (typeof one === 'string' || typeof one === 'number') && one !== '').map(String)
  const offered = offeredBy(field as unknown as Choice)
  if (!offered && values.length > 0) defer(field, values)
  return notAmong(offered?.values, values)
}

function notAmong(offered: ReadonlySet<string> | undefined, values: readonly string[]): RuleErrors | undefined {
  if (!offered || values.every(value => offered.has(value))) return undefined
  return { options: message('validation.options', { options: [...offered].slice(0, maxProblems).join(', ') }) }
}

const notHere = (name: string): RuleErrors => ({
  unknown: message('validation.unknownInside', { name: name.slice(0, 100) }),
})
