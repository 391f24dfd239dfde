import { z } from 'zod'
import { fieldType } from './field.ts'
import { checkLine, lineSettings, readLine, writeLine } from './single-line.ts'

/** The panel converts input to a slug; the API accepts the value unchanged. */
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
  check: (value, field, isActive = true) => checkLine(value, field, isActive),
})
