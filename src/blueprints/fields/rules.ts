import { message } from '../../platform/texts.ts'
import type { Broken, FieldBase } from './field.ts'
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
  rules: () => Broken = () => ({}),
): Broken {
  if (isEmpty) return isActive && field.required ? { required: message('validation.required') } : {}
  const broken = rules()
  for (const { rule, problem } of checksOf(field)) {
    const wrong = problem(value)
    if (wrong) broken[rule] = wrong
  }
  return broken
}

/** The same for lists: a `min` makes the field required. */
export function checkListRules(
  field: FieldBase & ValidatedField & { min?: number | undefined; max?: number | undefined },
  isActive: boolean,
  list: readonly unknown[],
  rules: () => Broken = () => ({}),
): Broken {
  const [min, max] = [isActive ? (field.min ?? 0) : 0, field.max]
  if (list.length === 0)
    return isActive && (field.required || min > 0) ? { required: message('validation.required') } : {}
  return checkRules(field, isActive, list, false, () => ({ ...checkCount(list, min, max), ...rules() }))
}

function checkCount(list: readonly unknown[], min: number, max: number | undefined): Broken {
  return {
    ...(list.length < min && { min: message('validation.count.min', { min: String(min) }) }),
    ...(max !== undefined && list.length > max && { max: message('validation.count.max', { max: String(max) }) }),
  }
}

interface Lengths {
  minlength?: number | undefined
  maxlength?: number | undefined
}

export function checkLength(text: string, { minlength = 0, maxlength = Infinity }: Lengths): Broken {
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

export function checkPattern(text: string, source: string | undefined): Broken {
  const problem = source === undefined ? undefined : patternProblem(text, source)
  return problem ? { pattern: problem } : {}
}

export const tooManyParts = (): { broken: Broken } => ({ broken: { max: message('validation.tooManyParts') } })

export const wrongType = (kind: 'text' | 'number' | 'boolean' | 'object' | 'list'): { broken: Broken } => ({
  broken: { type: message('validation.type', { kind: message(`kind.${kind}`) }) },
})
