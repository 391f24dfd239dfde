import { z } from 'zod'
import { message } from '../../platform/texts.ts'
import { fieldType } from './field.ts'
import { checkRules, wrongType } from './rules.ts'
import { input, textSetting } from './settings.ts'
import { textOf } from './stored.ts'

const yes = new Set<unknown>([true, 'true', 1, '1', 'on'])
const no = new Set<unknown>([false, 'false', 0, '0', 'off'])

export const toggle = fieldType({
  settings: () =>
    z.strictObject({ ...input(), text: z.union([textSetting(), z.array(textSetting()).length(2)]).optional() }),
  read(stored, field) {
    const word = textOf(stored)
    return yes.has(word === '' ? field.default : word)
  },
  write: sent =>
    yes.has(sent) || no.has(sent)
      ? { stored: yes.has(sent) }
      : { errors: { boolean: wrongType('boolean').errors['type']! } },
  check: (value, field, isActive = true) =>
    field.required && !value
      ? isActive
        ? { required: message('validation.accepted') }
        : {}
      : checkRules(field, isActive, value, false),
})
