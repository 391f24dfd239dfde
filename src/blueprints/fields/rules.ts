import { message } from '../../platform/texts.ts'
import type { RuleErrors, FieldBase } from './field.ts'
import { type ValidatedField, checksOf, patternProblem } from './checks.ts'
import { lengthOf } from './validators.ts'

/**
 * The rules that a value breaks. An empty value can only break `required`; all other rules apply to non-empty values,
 * with `validate` of the blueprint last.
 */
export function checkRules(
  field: FieldBase & ValidatedField,
  isActive: boolean,
  value: unknown,
  isEmpty: boolean,
  rules: () => RuleErrors = () => ({}),
): RuleErrors {
  if (isEmpty) return isActive && field.required ? { required: message('validation.required') } : {}
  const errors = rules()
  for (const { rule, problem } of checksOf(field)) {
    const error = problem(value)
    if (error) errors[rule] = error
  }
  return errors
}

/** The same for lists: a `min` makes the field required. */
export function checkListRules(
  field: FieldBase & ValidatedField & { min?: number | undefined; max?: number | undefined },
  isActive: boolean,
  list: readonly unknown[],
  rules: () => RuleErrors = () => ({}),
): RuleErrors {
  const [min, max] = [isActive ? (field.min ?? 0) : 0, field.max]
  if (list.length === 0)
    return isActive && (field.required || min > 0) ? { required: message('validation.required') } : {}
  return checkRules(field, isActive, list, false, () => ({ ...checkCount(list, min, max), ...rules() }))
}

function checkCount(list: readonly unknown[], min: number, max: number | undefined): RuleErrors {
  return {
    ...(list.length < min && { min: message('validation.count.min', { min: String(min) }) }),
    ...(max !== undefined && list.length > max && { max: message('validation.count.max', { max: String(max) }) }),
  }
}

interface Lengths {
  minlength?: number | undefined
  maxlength?: number | undefined
}

export function checkLength(text: string, { minlength = 0, maxlength = Infinity }: Lengths): RuleErrors {
  // A character outside the basic plane has two code units but counts once. Count only where that can change the
  // result.
  const [maxCount, minCount] = [text.length, Math.ceil(text.length / 2)]
  if (minCount >= minlength && maxCount <= maxlength) return {}
  const length = lengthOf(text)
  return {
    ...(length < minlength && { minlength: message('validation.minlength', { min: String(minlength) }) }),
    ...(length > maxlength && { maxlength: message('validation.maxlength', { max: String(maxlength) }) }),
  }
}

export function checkPattern(text: string, source: string | undefined): RuleErrors {
  const problem = source === undefined ? undefined : patternProblem(text, source)
  return problem ? { pattern: problem } : {}
}

export const tooManyParts = (): { errors: RuleErrors } => ({ errors: { max: message('validation.tooManyParts') } })

export const wrongType = (kind: 'text' | 'number' | 'boolean' | 'object' | 'list'): { errors: RuleErrors } => ({
  errors: { type: message('validation.type', { kind: message(`kind.${kind}`) }) },
})
