import { isBroken } from './broken.ts'
import type { Field, Fields, NestedFields } from './field.ts'
import { knownReferences } from './pickers.ts'
import { isList, isMap } from './stored.ts'

export type PickerType = 'pages' | 'files' | 'users'

const pickers: ReadonlySet<string> = new Set<PickerType>(['pages', 'files', 'users'])

export const isPicker = ({ type }: Field) => pickers.has(type)

/**
 * Called for every field with references. Returns the new value of the field. `references` are all references in `value`:
 * the list, or the stored text, that the field has now.
 */
export type ReplaceReferences = (
  type: PickerType,
  field: Field,
  references: readonly string[],
  value: unknown,
) => unknown

type Values = Readonly<Record<string, unknown>>

/** Whether any field, at any depth, matches. Cached for every list of fields. */
export function anyField(matches: (field: Field) => boolean): (fields: Fields) => boolean {
  const results = new WeakMap<Fields, boolean>()
  const hasMatch = (fields: Fields): boolean => {
    let found = results.get(fields)
    if (found === undefined) {
      results.set(fields, true) // a block may contain itself: a false positive is better than a false negative
      results.set(fields, (found = [...fields.values()].some(matchesDeep)))
    }
    return found
  }
  const matchesDeep = (field: Field): boolean => {
    const { fields, fieldsets, settings } = field as Partial<NestedFields>
    return (
      matches(field) ||
      (fields !== undefined && hasMatch(fields)) ||
      (settings !== undefined && hasMatch(settings.fields)) ||
      (fieldsets !== undefined && [...fieldsets.values()].some(set => hasMatch(set.fields)))
    )
  }
  return hasMatch
}

/** Whether any field, at any depth, has references. */
export const hasPickers = anyField(isPicker)

/** Returns the values with their references replaced, also inside of structures, objects, blocks and layouts. */
export function replaceReferences(fields: Fields, values: Values, replace: ReplaceReferences): Record<string, unknown> {
  if (!hasPickers(fields)) return values
  const next: Record<string, unknown> = { ...values }
  for (const [name, field] of fields) if (name in next) next[name] = replaceInField(field, next[name], replace)
  return next
}

function replaceInField(field: Field, value: unknown, replace: ReplaceReferences): unknown {
  const { fields, fieldsets, settings } = field as Partial<NestedFields>
  if (isBroken(value)) return value
  if (isPicker(field)) {
    const entries = typeof value === 'string' ? knownReferences(value) : isList(value) ? value : []
    const references = entries.map(referenceOf).filter(one => one !== undefined)
    return replace(field.type as PickerType, field, references, value)
  }
  if (field.type === 'structure' && fields) return mapEntries(value, row => replaceReferences(fields, row, replace))
  if (field.type === 'object' && fields) return isMap(value) ? replaceReferences(fields, value, replace) : value
  if (field.type === 'blocks' && fieldsets) return inBlocks(value, fieldsets, replace)
  if (field.type !== 'layout' || !fieldsets || !settings) return value
  return mapEntries(value, row => ({
    ...row,
    ...(isMap(row['attrs']) && { attrs: replaceReferences(settings.fields, row['attrs'], replace) }),
    columns: mapEntries(row['columns'], column => ({
      ...column,
      blocks: inBlocks(column['blocks'], fieldsets, replace),
    })),
  }))
}

/** The stored reference, or the uuid, id or e-mail address of an entry that is sent back. */
function referenceOf(entry: unknown): string | undefined {
  const names = isMap(entry) ? [entry['uuid'], entry['id'], entry['email']] : [entry]
  return names.find(name => typeof name === 'string' && name !== '') as string | undefined
}

function inBlocks(value: unknown, fieldsets: NestedFields['fieldsets'], replace: ReplaceReferences): unknown {
  return mapEntries(value, block => {
    const set = typeof block['type'] === 'string' ? fieldsets.get(block['type']) : undefined
    const content = block['content']
    return set && isMap(content) ? { ...block, content: replaceReferences(set.fields, content, replace) } : block
  })
}

const mapEntries = (value: unknown, change: (one: Values) => unknown): unknown =>
  isList(value) ? value.map(one => (isMap(one) ? change(one) : one)) : value
