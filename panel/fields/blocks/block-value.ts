import { defaultValuesOf } from '../defaults.ts'
import { type FieldDefinitions, fieldsIn, isMap, listIn, textIn, type Values } from '../field.ts'
import { createId } from '../id.ts'

export interface BlockValue {
  id: string
  type: string
  isHidden: boolean
  content: Values
}

/** A type of block, as the API describes it. */
export interface Fieldset {
  type: string
  name: string
  label: string | undefined
  icon: string | undefined
  preview: string | undefined
  editable: boolean
  disabled: boolean
  /** The heading under which it is listed in the menu. */
  group: string | undefined
  /** Its fields of all tabs. */
  fields: FieldDefinitions
  tabs: readonly { name: string; label: string; fields: FieldDefinitions }[]
}

export type Fieldsets = ReadonlyMap<string, Fieldset>

export function fieldsetsIn(setting: unknown): Fieldsets {
  if (!isMap(setting)) return new Map()
  return new Map(Object.entries(setting).flatMap(([type, set]) => (isMap(set) ? [[type, fieldsetIn(set, type)]] : [])))
}

export function fieldsetIn(set: Values, type: string): Fieldset {
  const tabs = Object.entries(isMap(set['tabs']) ? set['tabs'] : {}).map(([name, tab]) => {
    const own = isMap(tab) ? tab : {}
    return { name, label: textIn(own['label']) ?? name, fields: fieldsIn(own['fields']) }
  })
  return {
    type,
    name: textIn(set['name']) ?? type,
    label: textIn(set['label']),
    icon: textIn(set['icon']),
    preview: textIn(set['preview']) ?? type,
    editable: set['editable'] !== false,
    disabled: set['disabled'] === true,
    group: isMap(set['group']) ? textIn(set['group']['label']) : undefined,
    fields: Object.assign({}, ...tabs.map(tab => tab.fields)) as FieldDefinitions,
    tabs,
  }
}

export const blocksIn = (value: unknown): BlockValue[] =>
  listIn(value).flatMap(block =>
    isMap(block) && typeof block['type'] === 'string' && typeof block['id'] === 'string'
      ? [
          isMap(block['content'])
            ? (block as unknown as BlockValue)
            : { ...(block as unknown as BlockValue), content: {} },
        ]
      : [],
  )

export const createBlock = (type: string, fieldsets: Fieldsets): BlockValue => ({
  id: createId(),
  type,
  isHidden: false,
  content: defaultValuesOf(fieldsets.get(type)?.fields ?? {}),
})

/** A copy with new ids, including those of nested blocks. */
export function copyOf(block: BlockValue): BlockValue {
  return { ...block, id: createId(), content: renewed(block.content) as Values }
}

function renewed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renewed)
  if (!isMap(value)) return value
  const isBlock = typeof value['id'] === 'string' && typeof value['type'] === 'string' && isMap(value['content'])
  const next = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, renewed(one)]))
  return isBlock ? { ...next, id: createId() } : next
}
