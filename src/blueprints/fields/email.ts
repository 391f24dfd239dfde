import { z } from 'zod'
import { message } from '../../platform/texts.ts'
import { fieldType } from './field.ts'
import { checkLine, lineSettings, readLine, writeLine } from './single-line.ts'
import { isEmail } from './validators.ts'

export const email = fieldType({
  settings: () =>
    z.strictObject({
      ...lineSettings(),
      autocomplete: z.string().default('email'),
      icon: lineSettings().icon.default('email'),
    }),
  read: readLine,
  write: writeLine,
  check: (value, field, isActive = true) =>
    checkLine(value, field, isActive, () => (isEmail(value) ? {} : { email: message('validation.email') })),
})
