import { z } from 'zod'
import { createMoments, format, step, stepOfDate } from './dates.ts'
import { type Field, fieldType } from './field.ts'
import { parseDate, showDate } from './moments.ts'
import { perField } from './per-field.ts'
import { flag, input } from './settings.ts'
import { timeSettings } from './time.ts'

const limit = () =>
  z
    .string()
    .refine(text => parseDate(text.trim()) !== undefined, 'This must be a date, such as 2026-05-31.')
    .optional()

const settings = () =>
  z.strictObject({
    ...input(),
    calendar: flag(true),
    display: z.string().default('YYYY-MM-DD'),
    format: format().optional(),
    icon: input().icon.default('calendar'),
    min: limit(),
    max: limit(),
    step: step(),
    /** Whether the field also has a time of day. */
    time: z.union([z.boolean(), z.strictObject(timeSettings())]).default(false),
  })

const momentsOf = perField(({ time, step: stepSetting, ...field }: Field<z.output<ReturnType<typeof settings>>>) =>
  createMoments({
    rule: 'date',
    parse: parseDate,
    show: showDate,
    format: field.format ?? (time === false ? 'Y-m-d' : 'Y-m-d H:i:s'),
    step: stepOfDate(stepSetting, time),
    min: field.min,
    max: field.max,
  }),
)

export const date = fieldType({
  settings,
  read: (stored, field) => momentsOf(field).read(stored),
  write: (sent, field) => momentsOf(field).write(sent),
  check: (value, field, isActive = true) => momentsOf(field).check(value, field, isActive),
})
