import { z } from 'zod'
import { message } from '../../platform/texts.ts'
import { isBroken } from './broken.ts'
import { spendParts } from './budget.ts'
import { type BrokenValue, type Fields, type FieldType, fieldType, type Stored } from './field.ts'
import { storedUnlessChanged } from './merge.ts'
import { nested } from './nested.ts'
import { checkRules, tooManyParts, wrongType } from './rules.ts'
import { saved, text } from './settings.ts'
import { isList, isMap, textOf } from './stored.ts'
import { brokenStays } from './values.ts'
import { parseStructured } from './yaml.ts'

type Value = Readonly<Record<string, unknown>> | ''

/** Several fields as one value. */
export const object: FieldType<never, Value> = fieldType({
  settings: () => z.strictObject({ ...saved(), empty: text().optional() }),
  nested: ['fields'],
  storedAs: 'map',
  read(stored, { fields }) {
    const value = mapIn(stored)
    return isMap(value) && !isBroken(value) ? nested.read(fields, value as Record<string, Stored>) : value
  },
  write(sent, { fields }, before) {
    const value = typeof sent === 'string' ? mapIn(sent) : sent
    const previous = mapIn(before)
    if (isBroken(previous)) return brokenStays()
    if (value === '') return { stored: previous === '' ? (before ?? '') : emptied(fields, previous) }
    if (!isMap(value) || isBroken(value)) return wrongType('object')
    if (previous === '' && !spendParts(1 + fields.size)) return tooManyParts()
    const written = nested.write(fields, value, previous === '' ? undefined : previous)
    if ('wrong' in written) return { broken: { object: message('validation.object', { ...written.wrong }) } }
    return { stored: storedUnlessChanged(written.stored, previous, before) }
  },
  check: (value, field, isActive = true) =>
    checkRules(field, isActive, value, value === '' || Object.keys(value).length === 0, () => {
      const wrong = value === '' ? undefined : nested.firstWrong(field.fields, value)
      return wrong ? { object: message('validation.object', { ...wrong }) } : {}
    }),
  inside: (value, { fields }) => (value === '' ? [] : nested.inside(fields, value)),
})

/** Emptying an object keeps the values of its disabled fields. */
function emptied(fields: Fields, previous: unknown): Stored {
  const written = isMap(previous) ? nested.write(fields, {}, previous) : undefined
  return written && 'stored' in written && Object.keys(written.stored).length > 0 ? written.stored : ''
}

/** Empty, or a map; a list or text becomes a map with indexes as names. */
function mapIn(stored: Stored | undefined): Readonly<Record<string, Stored>> | BrokenValue | '' {
  if (stored === undefined || stored === null || (typeof stored === 'string' && stored.trim() === '')) return ''
  const value = typeof stored === 'string' ? parseStructured(stored) : stored
  if (isBroken(value)) return value
  if (isMap(value)) return value
  if (value === null) return ''
  return Object.fromEntries((isList(value) ? value : [textOf(value)]).entries())
}
