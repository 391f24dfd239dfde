import { z } from 'zod'
import { checkChoice, choiceSettings, readChoice, writeChoice } from './choices.ts'
import { fieldType } from './field.ts'

export const radio = fieldType({
  settings: () => z.strictObject({ ...choiceSettings(), columns: z.int().min(1).default(1) }),
  read: readChoice,
  write: writeChoice,
  check: (value, field, isActive = true) => checkChoice(value, field, isActive),
})
