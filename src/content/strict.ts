import { z } from 'zod'
import type { Broken, Field, Fields, Fieldset, Nested } from '../blueprints/fields/field.ts'
import { offeredBy } from '../blueprints/fields/options.ts'
import { isList, isMap } from '../blueprints/fields/stored.ts'
import { message } from '../texts.ts'
import { contentMustFit } from './rules.ts'
import type { Detail } from './content.ts'
import type { Model } from './save.ts'

/** For every endpoint that takes content. */
export const strictQuery = { strict: z.union([z.boolean(), z.enum(['true', 'false', '1', '0'])]).optional() }

export type Strict = z.output<z.ZodObject<typeof strictQuery>>['strict']

const maxProblems = 50

/**
 * With `strict=true` a name without a field and a value that is no option are refused, also inside of rows and blocks.
 * Otherwise further names are stored as text, and a value that is no option is empty.
 */
export function refuseUnknown(
  strict: Strict,
  { form, reserved }: Pick<Model, 'form' | 'reserved'>,
  sent: Readonly<Record<string, unknown>>,
  locale: string,
): void {
  if (strict !== true && strict !== 'true' && strict !== '1') return
  const details = new Map<string, Detail>()
  for (const [key, value] of Object.entries(sent)) {
    const name = key.toLowerCase()
    const field = form.fields.get(name)
    if (!field && (reserved.has(name) || form.broken.has(name))) continue
    const broken = field ? unknownIn(field, value) : { unknown: message('validation.unknown') }
    if (broken) details.set(name.slice(0, 100), { label: field?.label ?? name, message: broken })
    if (details.size >= maxProblems) break
  }
  if (details.size > 0) contentMustFit({ broken: Object.fromEntries(details) }, locale)
}

type Choice = Parameters<typeof offeredBy>[0]

/** The first thing inside a value that its field does not know. */
function unknownIn(field: Field, value: unknown): Broken | undefined {
  const { fields, fieldsets, settings } = field as unknown as Partial<Nested>
  switch (field.type) {
    case 'radio':
    case 'select':
    case 'toggles':
      return notOffered(field, [value])
    case 'checkboxes':
    case 'multiselect':
      return notOffered(field, value)
    case 'tags':
      return field['accept'] === 'options' ? notOffered(field, value) : undefined
    case 'object':
      return unknownName(fields!, value)
    case 'structure':
      return first(value, row => unknownName(fields!, row))
    case 'blocks':
      return unknownBlock(fieldsets!, value)
    case 'layout':
      return first(value, row => {
        if (!isMap(row)) return undefined
        return (
          unknownName(settings!.fields, row['attrs']) ??
          first(row['columns'], column => (isMap(column) ? unknownBlock(fieldsets!, column['blocks']) : undefined))
        )
      })
    default:
      return undefined
  }
}

function first(list: unknown, ctx: (item: unknown) => Broken | undefined): Broken | undefined {
  if (!isList(list)) return undefined
  for (const item of list) {
    const broken = ctx(item)
    if (broken) return broken
  }
  return undefined
}

function unknownName(fields: Fields, row: unknown): Broken | undefined {
  if (!isMap(row)) return undefined
  for (const [name, value] of Object.entries(row)) {
    const field = fields.get(name.toLowerCase())
    const broken = field ? unknownIn(field, value) : notHere(name)
    if (broken) return broken
  }
  return undefined
}

function unknownBlock(fieldsets: ReadonlyMap<string, Fieldset>, blocks: unknown): Broken | undefined {
  return first(blocks, block => {
    if (!isMap(block)) return undefined
    const set = fieldsets.get(String(block['type']))
    return set ? unknownName(set.fields, block['content']) : notHere(String(block['type']))
  })
}

/** Options that come from a query are only known later: any value passes. A text lists its values with commas. */
function notOffered(field: Field, value: unknown): Broken | undefined {
  const offered = offeredBy(field as unknown as Choice)
  const values = isList(value) ? value : typeof value === 'string' ? value.split(',').map(part => part.trim()) : []
  const isUnknown = (one: unknown) =>
    (typeof one === 'string' || typeof one === 'number') && one !== '' && !offered!.values.has(String(one))
  if (!offered || !values.some(isUnknown)) return undefined
  const options = [...offered.values].slice(0, maxProblems).join(', ')
  return { options: message('validation.options', { options }) }
}

const notHere = (name: string): Broken => ({
  unknown: message('validation.unknownInside', { name: name.slice(0, 100) }),
})
