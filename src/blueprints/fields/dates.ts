import { z } from 'zod'
import { message } from '../../platform/texts.ts'
import type { RuleErrors, FieldBase, StoredValue, WriteResult } from './field.ts'
import { formatOf, isUnit, round, type Step } from './moments.ts'
import { checkRules, wrongType } from './rules.ts'
import { textOf } from './stored.ts'

/** Shared by date and time. */

type StepSetting = number | Step['unit'] | { unit?: Step['unit'] | undefined; size?: number | undefined }

export const step = () =>
  z
    .custom<StepSetting>(
      isStep,
      'This must be a number, a unit (second, minute, hour, day, month, year), or a map of unit and size.',
    )
    .optional()

function isStep(setting: unknown): boolean {
  if (typeof setting === 'number') return Number.isInteger(setting) && setting > 0
  if (typeof setting === 'string') return isUnit(setting)
  const parts = z.strictObject({ unit: z.string().refine(isUnit).optional(), size: z.int().min(1).optional() })
  return parts.safeParse(setting).success
}

export function stepOf(setting: StepSetting | undefined, fallback: Step): Step {
  if (typeof setting === 'number') return { unit: fallback.unit, size: setting }
  if (typeof setting === 'string') return { unit: setting, size: 1 }
  return setting ? { unit: setting.unit ?? fallback.unit, size: setting.size ?? 1 } : fallback
}

/** The step of a date field: with a time of day, the step of the time applies if the date has none of its own. */
export function stepOfDate(setting: StepSetting | undefined, time: boolean | { step?: StepSetting | undefined }): Step {
  if (time === false) return stepOf(setting, { unit: 'day', size: 1 })
  return stepOf(setting ?? (time === true ? undefined : time.step), { unit: 'minute', size: 5 })
}

export const format = () =>
  z
    .string()
    .refine(
      pattern => formatOf(pattern) !== undefined,
      'This must be made of Y m n M F d j H G h g i s a A, each part once; letters that stand for themselves need a \\.',
    )

interface MomentOptions {
  rule: 'date' | 'time'
  parse: (text: string) => number | undefined
  /** Formats a value for the API. */
  show: (moment: number) => string
  format: string
  step: Step
  min: string | undefined
  max: string | undefined
}

interface Moments {
  read(stored: StoredValue | undefined): string
  write(sent: unknown): WriteResult
  check(value: string, field: FieldBase, isActive: boolean): RuleErrors
}

/** Reads and writes the values of one field: in its format or as people type them, rounded to its step. */
export function createMoments({ rule, parse, show, step: steps, ...rest }: MomentOptions): Moments {
  const stored = formatOf(rest.format)
  const isDefaultFormat = /^(?:Y-m-d(?: H:i:s)?|H:i:s)$/.test(rest.format)
  const [min, max] = [rest.min, rest.max].map(limit => (limit === undefined ? undefined : parse(limit.trim())))

  function find(text: string): number | undefined {
    const moment = (isDefaultFormat ? undefined : stored?.read(text)) ?? parse(text)
    return moment === undefined ? undefined : round(moment, steps)
  }

  return {
    read(text) {
      const moment = find(textOf(text))
      return moment === undefined ? '' : show(moment)
    },
    write(sent) {
      if (typeof sent !== 'string') return wrongType('text')
      const text = sent.trim()
      const moment = find(text)
      if (text !== '' && moment === undefined) return { errors: { [rule]: message(`validation.${rule}`) } }
      return { stored: moment === undefined ? '' : (stored?.write(moment) ?? show(moment)) }
    },
    check: (value, field, isActive) =>
      checkRules(field, isActive, value, value === '', () => {
        const moment = parse(value)
        if (moment === undefined) return { [rule]: message(`validation.${rule}`) }
        const isWithin = (min === undefined || moment >= min) && (max === undefined || moment <= max)
        return isWithin ? {} : { minMax: rangeError(rest.min, rest.max) }
      }),
  }
}

function rangeError(min: string | undefined, max: string | undefined) {
  if (min !== undefined && max !== undefined) return message('validation.between', { min, max })
  return min === undefined ? message('validation.latest', { max: max ?? '' }) : message('validation.earliest', { min })
}
