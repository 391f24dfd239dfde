import { z } from 'zod'
import { toSlug } from '../../lib/slug.ts'
import { fieldType } from './field.ts'
import { checkLine, lineSettings } from './single-line.ts'
import { wrongType } from './rules.ts'
import { textOf } from './stored.ts'

const converters = {
  lower: (text: string) => text.toLowerCase(),
  upper: (text: string) => text.toUpperCase(),
  ucfirst: (text: string) => text.replace(/^./su, letter => letter.toUpperCase()),
  slug: toSlug,
}

type Converter = keyof typeof converters

const convert = (text: string, converter: Converter | undefined) =>
  converter === undefined ? text : converters[converter](text)

export const text = fieldType({
  settings: () =>
    z.strictObject({
      ...lineSettings(),
      converter: z.enum(Object.keys(converters) as Converter[]).optional(),
    }),
  read: (stored, { converter }) => convert(textOf(stored), converter),
  write: (sent, { converter }) =>
    typeof sent === 'string' ? { stored: convert(sent.trim(), converter) } : wrongType('text'),
  check: (value, field, asked = true) => checkLine(value, field, asked),
})
