import { type FieldDefinition, type FieldDefinitions, fieldsIn, isMap, listIn, type Values } from '../field.ts'
import { fieldsetIn, type Fieldsets, fieldsetsIn } from './block-value.ts'

const references = new Set(['files', 'pages', 'users'])

/** Content without references to files, pages and accounts, at any depth, and how many there were. */
export function withoutReferences(fields: FieldDefinitions, values: Values): { content: Values; count: number } {
  let count = 0

  const inContent = (of: FieldDefinitions, content: Values): Values =>
    Object.fromEntries(
      Object.entries(content).flatMap(([name, value]) => {
        const field = of[name]
        if (!field || !references.has(field.type)) return [[name, field ? inValue(field, value) : value]]
        count += listIn(value).length
        return []
      }),
    )

  function inValue(field: FieldDefinition, value: unknown): unknown {
    switch (field.type) {
      case 'object':
        return isMap(value) ? inContent(fieldsIn(field['fields']), value) : value
      case 'structure':
        return inEach(value, row => inContent(fieldsIn(field['fields']), row))
      case 'blocks':
        return inBlocks(fieldsetsIn(field['fieldsets']), value)
      case 'layout':
        return inRows(field, value)
      default:
        return value
    }
  }

  const inBlocks = (sets: Fieldsets, value: unknown) =>
    inEach(value, block => {
      const set = sets.get(String(block['type']))
      return set && isMap(block['content']) ? { ...block, content: inContent(set.fields, block['content']) } : block
    })

  function inRows(field: FieldDefinition, value: unknown) {
    const sets = fieldsetsIn(field['fieldsets'])
    const settings = isMap(field['settings']) ? fieldsetIn(field['settings'], 'settings').fields : {}
    return inEach(value, row => ({
      ...row,
      ...(isMap(row['attrs']) && { attrs: inContent(settings, row['attrs']) }),
      columns: inEach(row['columns'], column => ({ ...column, blocks: inBlocks(sets, column['blocks']) })),
    }))
  }

  const content = inContent(fields, values)
  return { content, count }
}

const inEach = (value: unknown, change: (item: Values) => Values): unknown =>
  Array.isArray(value) ? value.map(item => (isMap(item) ? change(item) : (item as unknown))) : value
