import { z } from 'zod'
import { fieldType } from './field.ts'
import { checkLine, lineSettings, readLine, writeLine } from './single-line.ts'

/** People write telephone numbers in many ways: any text is one. */
export const tel = fieldType({
  settings: () =>
    z.strictObject({
      ...lineSettings(),
      autocomplete: z.string().default('tel'),
      icon: lineSettings().icon.default('phone'),
    }),
  read: readLine,
  write: writeLine,
  check: (value, field, asked = true) => checkLine(value, field, asked),
})
