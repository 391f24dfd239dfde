import { z } from 'zod'
import { message } from '../../platform/texts.ts'
import { fieldType } from './field.ts'
import { checkLine, lineSettings, readLink, writeLink } from './single-line.ts'
import { isUrl } from './validators.ts'

export const url = fieldType({
  settings: () =>
    z.strictObject({
      ...lineSettings(),
      autocomplete: z.string().default('url'),
      icon: lineSettings().icon.default('url'),
    }),
  read: readLink,
  write: writeLink,
  check: (value, field, isActive = true) =>
    checkLine(value, field, isActive, () => (isUrl(value) ? {} : { url: message('validation.url') })),
})
