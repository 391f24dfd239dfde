import { z } from 'zod'
import { checkChoice, choiceSettings, readChoice, writeChoice } from './choices.ts'
import { fieldType } from './field.ts'
import { textSetting } from './settings.ts'

export const select = fieldType({
  settings: () =>
    z.strictObject({
      ...choiceSettings(),
      /** `all`: values that are not offered are accepted, too. */
      accept: z.enum(['all', 'options']).default('options'),
      placeholder: textSetting().default('—'),
    }),
  read: readChoice,
  write: writeChoice,
  check: (value, field, isActive = true) => checkChoice(value, field, isActive),
})
