import { z } from 'zod'
import { fieldType } from './field.ts'
import { offeredMarks, readRichText, writeRichText } from './rich-text.ts'
import { checkRules } from './rules.ts'
import { input } from './settings.ts'

export const list = fieldType({
  settings: () => z.strictObject({ ...input(), marks: offeredMarks().default(true), nodes: offeredMarks().optional() }),
  read: stored => readRichText(stored),
  write: writeRichText,
  check: (value, field, isActive = true) => checkRules(field, isActive, value, value === ''),
})
