import { defaultValuesOf } from '../defaults.ts'
import { type FieldDefinitions, fieldsIn, isMap, listIn, textIn, type Values } from '../field.ts'
import { createId } from '../id.ts'
import { createTable } from '../table/table-value.ts'

export interface BlockValue {
  id: string
  type: string
  isHidden: boolean
  content: Values
}

/** A block type, as the API describes it. */
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

/** Elements of a text that are not offered in it where a block of that preview, with this field, exists. */
const ownBlocks: Readonly<Record<string, { part?: string; nodes: readonly string[] }>> = {
  heading: { part: 'text', nodes: ['heading'] },
  list: { part: 'text', nodes: ['bulletList', 'orderedList'] },
  quote: { part: 'text', nodes: ['quote'] },
  code: { part: 'code', nodes: ['codeBlock'] },
  line: { nodes: ['horizontalRule'] },
}

export function fieldsetsIn(setting: unknown): Fieldsets {
  if (!isMap(setting)) return new Map()
  const sets = Object.entries(setting).flatMap(([type, set]) => (isMap(set) ? [fieldsetIn(set, type)] : []))
  const nodes = sets.flatMap(({ preview = '', fields, disabled }) => {
    const own = disabled || !Object.hasOwn(ownBlocks, preview) ? undefined : ownBlocks[preview]!
    return own && (own.part === undefined || own.part in fields) ? own.nodes : []
  })
  return new Map(sets.map(set => [set.type, set.preview === 'text' ? withoutNodes(set, nodes) : set]))
}

function withoutNodes(set: Fieldset, nodes: readonly string[]): Fieldset {
  const changed = (fields: FieldDefinitions): FieldDefinitions =>
    fields['text'] ? { ...fields, text: { ...fields['text'], ownBlocks: nodes } } : fields
  return { ...set, fields: changed(set.fields), tabs: set.tabs.map(tab => ({ ...tab, fields: changed(tab.fields) })) }
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
    fields: Object.fromEntries(tabs.flatMap(tab => Object.entries(tab.fields))),
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

export function createBlock(type: string, fieldsets: Fieldsets): BlockValue {
  const { fields = {}, preview } = fieldsets.get(type) ?? {}
  const table = preview === 'table' ? fields['table'] : undefined
  const content = {
    ...defaultValuesOf(fields),
    // A table begins with cells to write into.
    ...(table && table.default === undefined && { table: createTable(table['header'] !== false) }),
  }
  return { id: createId(), type, isHidden: false, content }
}

/** A copy with new ids, including those of nested blocks. */
export function copyOf(block: BlockValue): BlockValue {
  return { ...block, id: createId(), content: renewedIn(block.content) }
}

const renewedIn = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, renewed(value)]))

function renewed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renewed)
  if (!isMap(value)) return value
  const isBlock = typeof value['id'] === 'string' && typeof value['type'] === 'string' && isMap(value['content'])
  return isBlock ? { ...renewedIn(value), id: createId() } : renewedIn(value)
}
