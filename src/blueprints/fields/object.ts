import { z } from 'zod'
import { message } from '../../platform/texts.ts'
import { isBroken } from './broken.ts'
import { spendParts } from './budget.ts'
import { type BrokenValue, type Fields, type FieldType, fieldType, type StoredValue } from './field.ts'
import { storedUnlessChanged } from './merge.ts'
import { nested } from './nested.ts'
import { checkRules, tooManyParts, wrongType } from './rules.ts'
import { saved, textSetting } from './settings.ts'
import { isList, isMap, textOf } from './stored.ts'
import { refuseOverwritingBroken } from './values.ts'
import { parseStructured } from './yaml.ts'

type Value = Readonly<Record<string, unknown>> | ''

/** Several fields as one value. */
export const object: FieldType<never, Value> = fieldType({
  settings: () => z.strictObject({ ...saved(), empty: textSetting().optional() }),
  nested: ['fields'],
  storedAs: 'map',
  read(stored, { fields }) {
    const value = toMap(stored)
    return isMap(value) && !isBroken(value) ? nested.read(fields, value as Record<string, StoredValue>) : value
  },
  write(sent, { fields }, before) {
    const value = typeof sent === 'string' ? toMap(sent) : sent
    const previous = toMap(before)
    if (isBroken(previous)) return refuseOverwritingBroken()
    if (value === '') return { stored: previous === '' ? (before ?? '') : keepDisabledValues(fields, previous) }
    if (!isMap(value) || isBroken(value)) return wrongType('object')
    if (previous === '' && !spendParts(1 + fields.size)) return tooManyParts()
    const written = nested.write(fields, value, previous === '' ? undefined : previous)
    if ('error' in written) return { errors: { object: message('validation.object', { ...written.error }) } }
    return { stored: storedUnlessChanged(written.stored, previous, before) }
  },
  check: (value, field, isActive = true) =>
    checkRules(field, isActive, value, value === '' || Object.keys(value).length === 0, () => {
      const error = value === '' ? undefined : nested.firstError(field.fields, value)
      return error ? { object: message('validation.object', { ...error }) } : {}
    }),
  nestedErrors: (value, { fields }) => (value === '' ? [] : nested.nestedErrors(fields, value)),
})

/** Emptying an object keeps the values of its disabled fields. */
function keepDisabledValues(fields: Fields, previous: unknown): StoredValue {
  const written = isMap(previous) ? nested.write(fields, {}, previous) : undefined
  return written && 'stored' in written && Object.keys(written.stored).length > 0 ? written.stored : ''
}

/** Empty, or a map; a list or text becomes a map with indexes as names. */
function toMap(stored: StoredValue | undefined): Readonly<Record<string, StoredValue>> | BrokenValue | '' {
  if (stored === undefined || stored === null || (typeof stored === 'string' && stored.trim() === '')) return ''
  const value = typeof stored === 'string' ? parseStructured(stored) : stored
  if (isBroken(value)) return value
  if (isMap(value)) return value
  if (value === null) return ''
  return Object.fromEntries((isList(value) ? value : [textOf(value)]).entries())
}
