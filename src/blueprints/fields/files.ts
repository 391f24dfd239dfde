import { z } from 'zod'
import { fieldType } from './field.ts'
import { checkReferences, pickerSettings, readReferences, writeReferences } from './pickers.ts'

export const files = fieldType({
  settings: () =>
    z.strictObject({
      ...pickerSettings(),
      parent: z.string().optional(),
      uploads: z.union([z.string(), z.boolean(), z.record(z.string(), z.unknown())]).optional(),
    }),
  storedAs: 'list',
  read: stored => readReferences(stored),
  write: writeReferences,
  check: (value, field, isActive = true) => checkReferences(value, field, isActive),
})
