import { z } from 'zod'
import { checkChoice, choiceSettings, readChoice, writeChoice } from './choices.ts'
import { fieldType } from './field.ts'
import { flag } from './settings.ts'

export const toggles = fieldType({
  settings: () => z.strictObject({ ...choiceSettings(), grow: flag(true), labels: flag(true), reset: flag(true) }),
  read: readChoice,
  write: writeChoice,
  check: (value, field, isActive = true) => checkChoice(value, field, isActive),
})
