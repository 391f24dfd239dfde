import { z } from 'zod'
import { fieldType } from './field.ts'
import { checkReferences, pickerSettings, readReferences, writeReferences } from './pickers.ts'

export const users = fieldType({
  settings: () => z.strictObject(pickerSettings()),
  storedAs: 'list',
  read: stored => readReferences(stored),
  write: writeReferences,
  check: (value, field, isActive = true) => checkReferences(value, field, isActive),
})
