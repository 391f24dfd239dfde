import { z } from 'zod'
import { fieldType } from './field.ts'
import { checkLine, lineSettings, readLine, writeLine } from './single-line.ts'

/** The panel makes slugs of what people type; what is sent is taken as it is. */
export const slug = fieldType({
  settings: () =>
    z.strictObject({
      ...lineSettings(),
      allow: z.string().default(''),
      icon: lineSettings().icon.default('url'),
      path: z.string().optional(),
      sync: z.string().optional(),
      wizard: z.union([z.boolean(), z.record(z.string(), z.unknown())]).default(false),
    }),
  read: readLine,
  write: writeLine,
  check: (value, field, asked = true) => checkLine(value, field, asked),
})
