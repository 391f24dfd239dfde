import { z } from 'zod'
import { message } from '../../platform/texts.ts'
import { fieldType } from './field.ts'
import { checkRules, wrongType } from './rules.ts'
import { input, textSetting } from './settings.ts'
import { textOf } from './stored.ts'

const trueValues = new Set<unknown>([true, 'true', 1, '1', 'on'])
const falseValues = new Set<unknown>([false, 'false', 0, '0', 'off'])

export const toggle = fieldType({
  settings: () =>
    z.strictObject({ ...input(), text: z.union([textSetting(), z.array(textSetting()).length(2)]).optional() }),
  read(stored, field) {
    const text = textOf(stored)
    return trueValues.has(text === '' ? field.default : text)
  },
  write: sent =>
    trueValues.has(sent) || falseValues.has(sent)
      ? { stored: trueValues.has(sent) }
      : { errors: { boolean: wrongType('boolean').errors['type']! } },
  check: (value, field, isActive = true) =>
    field.required && !value
      ? isActive
        ? { required: message('validation.accepted') }
        : {}
      : checkRules(field, isActive, value, false),
})
