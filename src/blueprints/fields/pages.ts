import { z } from 'zod'
import { fieldType } from './field.ts'
import { checkReferences, pickerSettings, readReferences, writeReferences } from './pickers.ts'
import { flag } from './settings.ts'

export const pages = fieldType({
  settings: () => z.strictObject({ ...pickerSettings(), subpages: flag(true) }),
  storedAs: 'list',
  read: stored => readReferences(stored),
  write: writeReferences,
  check: (value, field, isActive = true) => checkReferences(value, field, isActive),
})
