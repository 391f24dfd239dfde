import { z } from 'zod'
import { fieldType } from './field.ts'
import { checkLine, lineSettings, readLine, writeLine } from './single-line.ts'

/** Telephone numbers are written in many ways, so any text is accepted. */
export const tel = fieldType({
  settings: () =>
    z.strictObject({
      ...lineSettings(),
      autocomplete: z.string().default('tel'),
      icon: lineSettings().icon.default('phone'),
    }),
  read: readLine,
  write: writeLine,
  check: (value, field, isActive = true) => checkLine(value, field, isActive),
})
