import { z } from 'zod'
import { toSlug } from '../../platform/lib/slug.ts'
import { fieldType } from './field.ts'
import { checkLine, lineSettings } from './single-line.ts'
import { wrongType } from './rules.ts'
import { textOf } from './stored.ts'

const converters = {
  lower: (text: string, _rules?: Converted['slugs']) => text.toLowerCase(),
  upper: (text: string) => text.toUpperCase(),
  ucfirst: (text: string) => text.replace(/^./su, letter => letter.toUpperCase()),
  slug: toSlug,
}

type Converter = keyof typeof converters

interface Converted {
  converter?: Converter | undefined
  /** Replacements of characters in slugs, in the content language. */
  slugs?: Readonly<Record<string, string>>
}

const convert = (text: string, { converter, slugs }: Converted) =>
  converter === undefined ? text : converters[converter](text, slugs)

export const text = fieldType({
  settings: () =>
    z.strictObject({
      ...lineSettings(),
      converter: z.enum(Object.keys(converters) as Converter[]).optional(),
    }),
  read: (stored, field) => convert(textOf(stored), field),
  write: (sent, field) => (typeof sent === 'string' ? { stored: convert(sent.trim(), field) } : wrongType('text')),
  check: (value, field, isActive = true) => checkLine(value, field, isActive),
})
