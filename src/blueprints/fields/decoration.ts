import { z } from 'zod'
import { type FieldType, fieldType } from './field.ts'

/** What only decorates a form: nothing is stored, and what is sent for it is not looked at. */
export function decoration(own: () => z.core.$ZodShape): FieldType<Record<string, unknown>, null> {
  return fieldType({
    saved: false,
    settings: () => z.strictObject(own()),
    read: () => null,
    write: () => ({ stored: '' }),
    check: () => ({}),
  })
}
