import { z } from 'zod'
import { fieldType } from './field.ts'
import { writeLine } from './single-line.ts'
import { checkRules } from './rules.ts'
import { saved } from './settings.ts'
import { textOf } from './stored.ts'

export const hidden = fieldType({
  settings: () => z.strictObject(saved()),
  read: stored => textOf(stored) || null,
  write: writeLine,
  check: (value, field, isActive = true) => checkRules(field, isActive, value, value === null),
})
