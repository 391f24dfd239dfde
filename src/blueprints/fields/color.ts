import { z } from 'zod'
import { message } from '../../platform/texts.ts'
import { fieldType } from './field.ts'
import { options } from './options.ts'
import { checkRules } from './rules.ts'
import { flag, input } from './settings.ts'
import { writeLine } from './single-line.ts'
import { textOf } from './stored.ts'

const number = '[+-]?(?:\\d{1,6}(?:\\.\\d{1,6})?|\\.\\d{1,6})'
const component = `${number}%?`
const angle = `${number}(?:deg|rad|turn|grad)?`
const alphaPart = `(?:\\s*[,/]\\s*${component})?`
const [comma, space] = ['\\s*,\\s*', '\\s+']

/** Arguments are separated by commas or, in the modern syntax, by spaces. */
const functionPattern = (name: string, firstComponent: string) =>
  new RegExp(
    `^${name}a?\\(\\s*(?:${[comma, space].map(divider => [firstComponent, component, component].join(divider)).join('|')})${alphaPart}\\s*\\)$`,
    'i',
  )

const formats = {
  hex: { pattern: /^#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/i, example: '#ff8800' },
  rgb: { pattern: functionPattern('rgb', component), example: 'rgb(255, 136, 0)' },
  hsl: { pattern: functionPattern('hsl', angle), example: 'hsl(32, 100%, 50%)' },
}

export const color = fieldType({
  settings: () =>
    z.strictObject({
      ...input(),
      /** Has no effect: any colour may be transparent. Existing blueprints have it. */
      alpha: flag(false),
      format: z.enum(['hex', 'rgb', 'hsl']).default('hex'),
      /** `mode` and `options` change only the input: every colour in the format is accepted. */
      mode: z.enum(['picker', 'input', 'options']).default('picker'),
      options: options(),
    }),
  read: stored => textOf(stored) || null,
  write: writeLine,
  check(value, field, isActive = true) {
    const { pattern, example } = formats[field.format]
    return checkRules(field, isActive, value, value === null, () =>
      pattern.test(value ?? '') ? {} : { color: message('validation.color', { example }) },
    )
  },
})
