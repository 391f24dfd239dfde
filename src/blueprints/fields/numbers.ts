import { z } from 'zod'
import { message } from '../../platform/texts.ts'
import type { RuleErrors, FieldBase, StoredValue, WriteResult } from './field.ts'
import { checkRules, wrongType } from './rules.ts'
import { input } from './settings.ts'
import { textOf } from './stored.ts'

/** Settings that number and range share. */
export const numberSettings = () => ({
  ...input(),
  min: z.number().optional(),
  max: z.number().optional(),
  step: z.union([z.number(), z.literal('any'), z.literal('')]).default(''),
})

/** Empty, or a number. A text that begins with a number counts as that number, any other as 0. */
export function readNumber(stored: StoredValue | undefined): number | '' {
  const text = textOf(stored)
  if (text === '') return ''
  const number = Number.parseFloat(text.replace(',', '.'))
  return Number.isFinite(number) ? number + 0 : 0
}

export function writeNumber(sent: unknown): WriteResult {
  if (typeof sent === 'number' && Number.isFinite(sent)) return { stored: sent + 0 }
  const text = typeof sent === 'string' ? sent.trim().replace(',', '.') : 'no number'
  if (text === '') return { stored: '' }
  const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(number) ? { stored: number + 0 } : wrongType('number')
}

interface Limits {
  min?: number | undefined
  max?: number | undefined
}

export function checkNumber(value: number | '', field: FieldBase & Limits, isActive: boolean): RuleErrors {
  const { min = -Infinity, max = Infinity } = field
  return checkRules(field, isActive, value, value === '', () => ({
    ...(Number(value) < min && { min: message('validation.min', { min: String(min) }) }),
    ...(Number(value) > max && { max: message('validation.max', { max: String(max) }) }),
  }))
}
