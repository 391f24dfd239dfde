import { z } from 'zod'
import { createMoments, format, step, stepOf } from './dates.ts'
import { type Field, fieldType } from './field.ts'
import { parseTime, showTime, timeOf } from './moments.ts'
import { perField } from './per-field.ts'
import { input } from './settings.ts'

const limit = () =>
  z
    .string()
    .refine(text => parseTime(text.trim()) !== undefined, 'This must be a time, such as 18:30.')
    .optional()

/** Settings of the time part of a date field. */
export const timeSettings = () => ({
  display: z.string().optional(),
  notation: z.union([z.literal(12), z.literal(24)]).default(24),
  step: step(),
})

const settings = () =>
  z.strictObject({
    ...input(),
    ...timeSettings(),
    format: format().default('H:i:s'),
    icon: input().icon.default('clock'),
    min: limit(),
    max: limit(),
  })

const momentsOf = perField((field: Field<z.output<ReturnType<typeof settings>>>) =>
  createMoments({
    rule: 'time',
    parse: parseTime,
    show: moment => showTime(timeOf(moment)),
    format: field.format,
    step: stepOf(field.step, { unit: 'minute', size: 5 }),
    min: field.min,
    max: field.max,
  }),
)

export const time = fieldType({
  settings,
  read: (stored, field) => momentsOf(field).read(stored),
  write: (sent, field) => momentsOf(field).write(sent),
  check: (value, field, isActive = true) => momentsOf(field).check(value, field, isActive),
})
