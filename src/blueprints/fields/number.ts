import { z } from 'zod'
import { checkNumber, numberSettings, readNumber, writeNumber } from './numbers.ts'
import { fieldType } from './field.ts'

export const number = fieldType({
  settings: () => z.strictObject(numberSettings()),
  read: stored => readNumber(stored),
  write: writeNumber,
  check: (value, field, isActive = true) => checkNumber(value, field, isActive),
})
