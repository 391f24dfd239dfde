import { z } from 'zod'
import { fieldType } from './field.ts'
import { readLine, writeLine } from './single-line.ts'
import { checkLength, checkRules } from './rules.ts'
import { flag, font, input, length } from './settings.ts'

export const textarea = fieldType({
  settings: () =>
    z.strictObject({
      ...input(),
      ...length(),
      buttons: z.union([z.boolean(), z.array(z.string())]).default(true),
      counter: flag(true),
      files: z.union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())]).default([]),
      font: font(),
      size: z.string().optional(),
      spellcheck: flag(true),
      uploads: z.union([z.string(), z.literal(false), z.record(z.string(), z.unknown())]).optional(),
    }),
  read: readLine,
  write: writeLine,
  check: (value, field, isActive = true) =>
    checkRules(field, isActive, value, value === '', () => checkLength(value, field)),
})
