import { z } from 'zod'
import { message } from '../../platform/texts.ts'
import type { RuleErrors, FieldBase, StoredValue, WriteResult } from './field.ts'
import { isDangerousLink } from './links.ts'
import { checkLength, checkPattern, checkRules, wrongType } from './rules.ts'
import { flag, font, input, length, pattern } from './settings.ts'
import { textOf } from './stored.ts'

/** Settings that text, email, url, tel and slug share. */
export const lineSettings = () => ({
  ...input(),
  ...length(),
  autocomplete: z.string().optional(),
  counter: flag(true),
  font: font(),
  pattern: pattern(),
  spellcheck: flag(false),
})

export const readLine = (stored: StoredValue | undefined): string => textOf(stored)

export const writeLine = (sent: unknown): WriteResult =>
  typeof sent === 'string' ? { stored: sent.trim() } : wrongType('text')

/** A link. One with a dangerous scheme such as `javascript:` is neither shown nor accepted. */
export const readLink = (stored: StoredValue | undefined): string => {
  const link = textOf(stored)
  return isDangerousLink(link) ? '' : link
}

export const writeLink = (sent: unknown): WriteResult =>
  typeof sent === 'string' && isDangerousLink(sent) ? { errors: { link: message('validation.link') } } : writeLine(sent)

interface Lengths {
  minlength?: number | undefined
  maxlength?: number | undefined
  pattern?: string | undefined
}

export function checkLine(
  value: string,
  field: FieldBase & Lengths,
  isActive: boolean,
  rules: () => RuleErrors = () => ({}),
): RuleErrors {
  return checkRules(field, isActive, value, value === '', () => ({
    ...checkLength(value, field),
    ...checkPattern(value, field.pattern),
    ...rules(),
  }))
}
