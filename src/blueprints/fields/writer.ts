import { z } from 'zod'
import { fieldType } from './field.ts'
import { textIn } from './html.ts'
import { offeredMarks, readRichText, writeRichText } from './rich-text.ts'
import { checkLength, checkRules } from './rules.ts'
import { flag, input, length } from './settings.ts'

export const writer = fieldType({
  settings: () =>
    z.strictObject({
      ...input(),
      ...length(),
      counter: flag(true),
      headings: z.array(z.int().min(1).max(6)).default([1, 2, 3, 4, 5, 6]),
      inline: flag(false),
      marks: offeredMarks().optional(),
      nodes: offeredMarks().optional(),
      spellcheck: flag(true),
      toolbar: z.record(z.string(), z.unknown()).optional(),
    }),
  read: stored => readRichText(stored),
  write: writeRichText,
  check: (value, field, isActive = true) =>
    checkRules(field, isActive, value, value === '', () => checkLength(textIn(value), field)),
})
