import { z } from 'zod'
import { message } from '../../texts.ts'
import { type Fields, type FieldType, fieldType, type FindType, type Stored } from './field.ts'
import { createNested, type Nested } from './nested.ts'
import { judge, wrongType } from './rules.ts'
import { saved, text } from './settings.ts'
import { isList, isMap, textOf } from './stored.ts'
import { parseYaml } from './yaml.ts'

type Value = Readonly<Record<string, unknown>> | ''

/** Several fields as one. */
export function object(findType: FindType): FieldType<never, Value> {
  const nested = createNested(findType)
  return fieldType({
    settings: () => z.strictObject({ ...saved(), empty: text().optional() }),
    nested: ['fields'],
    read(stored, { fields }): Value {
      const value = typeof stored === 'string' ? mapIn(stored, 'stored') : stored
      return isMap(value) ? nested.read(fields, value as Record<string, Stored>) : ''
    },
    write(sent, { fields }, before) {
      const value = typeof sent === 'string' ? mapIn(sent, 'sent') : sent
      const kept = typeof before === 'string' ? mapIn(before, 'stored') : before
      if (value === '') return { stored: emptied(nested, fields, kept) }
      if (!isMap(value)) return wrongType('object')
      const written = nested.write(fields, value, kept)
      return 'wrong' in written ? { broken: { object: message('validation.object', { ...written.wrong }) } } : written
    },
    check: (value, field, asked = true) =>
      judge(field, asked, value, value === '' || Object.keys(value).length === 0, () => {
        const wrong = value === '' ? undefined : nested.firstWrong(field.fields, value)
        return wrong ? { object: message('validation.object', { ...wrong }) } : {}
      }),
    inside: (value, { fields }) => (value === '' ? [] : nested.inside(fields, value)),
  })
}

/** What is disabled in it stays. */
function emptied(nested: Nested, fields: Fields, kept: unknown): Stored {
  const written = isMap(kept) ? nested.write(fields, {}, kept) : undefined
  return written && 'stored' in written && Object.keys(written.stored).length > 0 ? written.stored : ''
}

/** YAML as a map: what is none has its parts by number. */
function mapIn(yaml: string, from: 'stored' | 'sent'): unknown {
  if (yaml.trim() === '') return ''
  const value = parseYaml(yaml, from)
  if (value === undefined || isMap(value)) return value
  return Object.fromEntries((isList(value) ? value : [textOf(value)]).entries())
}
