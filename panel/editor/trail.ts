import { fieldsetIn, fieldsetsIn } from '../fields/blocks/block-value.ts'
import { type FieldDefinition, type FieldDefinitions, fieldsIn, isMap, textIn } from '../fields/field.ts'
import { t } from '../texts/texts.ts'
import { blockLabel } from './compare.ts'
import type { TrailStep } from './merge.ts'

/** Labels on the path to a nested value, and the field that the value belongs to. */
export interface NamedField {
  labels: string[]
  field: FieldDefinition | undefined
}

/** Structural properties of blocks and rows, which have no label. */
const silent = new Set(['content', 'columns', 'blocks', 'attrs'])

export function nameOf(trail: readonly TrailStep[], definitions: FieldDefinitions): NamedField {
  let fields = definitions
  let field: FieldDefinition | undefined
  const labels: string[] = []
  for (const step of trail) {
    if ('name' in step) {
      if (silent.has(step.name) && labels.length > 0) continue
      field = fields[step.name]
      labels.push(step.name === 'isHidden' ? t('editor.diff.hidden') : (textIn(field?.label) ?? capital(step.name)))
      fields = fieldsIn(field?.['fields'])
      continue
    }
    const type = isMap(step.item) ? textIn(step.item['type']) : undefined
    const set = type === undefined ? undefined : fieldsetsIn(field?.['fieldsets']).get(type)
    if (type !== undefined && set) {
      labels.push(blockLabel(set, type))
      fields = set.fields
    } else {
      labels.push(t('editor.diff.row', { number: step.index + 1 }))
      if (field?.type === 'layout' && isMap(field['settings']))
        fields = fieldsetIn(field['settings'], 'settings').fields
    }
  }
  const last = trail.at(-1)
  return { labels, field: last && 'name' in last ? field : undefined }
}

const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)
