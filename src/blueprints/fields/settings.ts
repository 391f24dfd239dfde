import { z } from 'zod'
import { asMessage } from '../../platform/texts.ts'
import { compilePattern } from './pattern.ts'
import { areChecks } from './checks.ts'

/** Schemas that the field types share for their settings. */

/** A text of the interface: one for every language, or by language. */
export const textSetting = () =>
  z.union([z.string().transform(asMessage), z.number().transform(String), z.record(z.string(), z.string())], {
    error: 'This must be a text, or texts by language.',
  })

export const flag = (defaultValue: boolean) => z.boolean().default(defaultValue)
const count = () => z.int().min(0)

/** Settings that every field with a stored value accepts. */
export const saved = () => ({
  autofocus: flag(false),
  validate: z
    .custom<string | readonly unknown[] | Readonly<Record<string, unknown>>>(
      areChecks,
      'This must name checks that exist: a text, a list of texts, or a map of names to arguments.',
    )
    .optional(),
})

/** Settings of fields with an input element. */
export const input = () => ({
  ...saved(),
  before: textSetting().optional(),
  after: textSetting().optional(),
  icon: z.union([z.string(), z.literal(false)]).optional(),
  placeholder: textSetting().optional(),
})

export const length = () => ({ minlength: count().optional(), maxlength: count().optional() })

export const font = () => z.enum(['sans-serif', 'monospace']).default('sans-serif')

export const pattern = () =>
  z
    .string()
    .refine(source => compilePattern(source) !== undefined, 'This is not a regular expression.')
    .optional()

/** How many entries a list may have. */
export const counts = () => ({ min: count().optional(), max: count().optional() })
