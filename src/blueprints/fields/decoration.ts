import { z } from 'zod'
import { type FieldType, fieldType } from './field.ts'

/** A field that only decorates a form: nothing is stored, and a value sent for it is ignored. */
export function decoration(settings: () => z.core.$ZodShape): FieldType<Record<string, unknown>, null> {
  return fieldType({
    saved: false,
    settings: () => z.strictObject(settings()),
    read: () => null,
    write: () => ({ stored: '' }),
    check: () => ({}),
  })
}
