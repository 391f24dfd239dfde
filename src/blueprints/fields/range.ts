import { z } from 'zod'
import { checkNumber, numberSettings, readNumber, writeNumber } from './numbers.ts'
import { fieldType } from './field.ts'
import { textSetting } from './settings.ts'

export const range = fieldType({
  settings: () =>
    z.strictObject({
      ...numberSettings(),
      max: z.number().default(100),
      tooltip: z
        .union([z.boolean(), z.strictObject({ before: textSetting().optional(), after: textSetting().optional() })])
        .default(true),
    }),
  read: stored => readNumber(stored),
  write: writeNumber,
  check: (value, field, isActive = true) => checkNumber(value, field, isActive),
})
