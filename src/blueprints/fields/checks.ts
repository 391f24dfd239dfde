import { type Message, message } from '../../platform/texts.ts'
import { compilePattern } from './pattern.ts'
import { perField } from './per-field.ts'
import { isList, isMap } from './stored.ts'
import { bareSource, type Validator, type ValidatorName, validators } from './validators.ts'

/** The setting `validate` of a field: the validators it names, their arguments, and the error messages. */

const first = (args: readonly unknown[]) => String(args[0])
const optionsIn = (args: readonly unknown[]) => args.flat().join(', ')

const messages: Record<ValidatorName, (args: readonly unknown[]) => Message> = {
  accepted: () => message('validation.accepted'),
  alpha: () => message('validation.alpha'),
  alphanum: () => message('validation.alphanum'),
  between: args => message('validation.between', { min: first(args), max: String(args[1]) }),
  contains: args => message('validation.contains', { text: first(args) }),
  date: () => message('validation.date'),
  denied: () => message('validation.denied'),
  different: args => message('validation.different', { text: first(args) }),
  email: () => message('validation.email'),
  empty: () => message('validation.blank'),
  endsWith: args => message('validation.endsWith', { text: first(args) }),
  filename: () => message('validation.filename'),
  in: args => message('validation.options', { options: optionsIn(args) }),
  integer: () => message('validation.type', { kind: message('kind.int') }),
  ip: () => message('validation.ip'),
  json: () => message('validation.json'),
  less: args => message('validation.less', { max: first(args) }),
  match: () => message('validation.pattern'),
  max: args => message('validation.max', { max: first(args) }),
  min: args => message('validation.min', { min: first(args) }),
  maxLength: args => message('validation.maxlength', { max: first(args) }),
  minLength: args => message('validation.minlength', { min: first(args) }),
  maxWords: args => message('validation.maxWords', { max: first(args) }),
  minWords: args => message('validation.minWords', { min: first(args) }),
  more: args => message('validation.more', { min: first(args) }),
  notContains: args => message('validation.notContains', { text: first(args) }),
  notEmpty: () => message('validation.empty'),
  notIn: args => message('validation.notIn', { options: optionsIn(args) }),
  num: () => message('validation.type', { kind: message('kind.number') }),
  required: () => message('validation.required'),
  same: args => message('validation.same', { text: first(args) }),
  size: args => message('validation.size', { size: first(args) }),
  startsWith: args => message('validation.startsWith', { text: first(args) }),
  tel: () => message('validation.tel'),
  time: () => message('validation.time'),
  url: () => message('validation.url'),
  uuid: () => message('validation.uuid'),
}

interface Check {
  /** The name that the blueprint uses. */
  rule: string
  problem: (value: unknown) => Message | undefined
}

const byName = new Map<string, ValidatorName>()

/** Names are case-insensitive: `minlength` and `minLength` are the same. */
function findValidator(rule: string): ValidatorName | undefined {
  if (byName.size === 0)
    for (const name of Object.keys(validators)) byName.set(name.toLowerCase(), name as ValidatorName)
  return byName.get(rule.toLowerCase())
}

/** `alpha`, `[alpha, email]`, `{ alpha: true, minLength: 3, between: [1, 5] }`; rules set to false are skipped. */
function rulesIn(validate: unknown): [rule: string, args: readonly unknown[]][] | undefined {
  if (typeof validate === 'string') return [[validate, []]]
  if (isList(validate))
    return validate.every(rule => typeof rule === 'string') ? validate.map(rule => [rule, []]) : undefined
  if (!isMap(validate)) return undefined
  return Object.entries(validate)
    .filter(([rule, args]) => args !== false || takesBoolean(rule))
    .map(([rule, args]) => [rule, isList(args) ? args : args === true && !takesBoolean(rule) ? [] : [args]])
}

const takesBoolean = (rule: string) => /^(?:same|different|in|notin)$/i.test(rule)

/** Whether this is a valid value of the setting `validate`. */
export function areChecks(validate: unknown): boolean {
  return (
    rulesIn(validate)?.every(([rule, args]) => {
      const name = findValidator(rule)
      return name !== undefined && (name !== 'match' || compilePattern(bareSource(first(args))) !== undefined)
    }) === true
  )
}

const matchProblem = (text: string, args: readonly unknown[]) => patternProblem(text, bareSource(first(args)))

/** A text that cannot be checked in time is not called a mismatch: some expressions backtrack almost forever. */
export function patternProblem(text: string, source: string): Message | undefined {
  const pattern = compilePattern(source)
  if (!pattern) return undefined
  const matches = pattern.test(text)
  if (matches === undefined) return message('validation.unchecked')
  return matches ? undefined : message('validation.pattern')
}

const noChecks: readonly Check[] = []

export interface ValidatedField {
  validate?: unknown
}

const compile = perField(({ validate }: ValidatedField): readonly Check[] =>
  (rulesIn(validate) ?? []).flatMap(([rule, args]) => {
    const name = findValidator(rule)
    if (name === undefined) return []
    const holds: Validator = validators[name]
    const text = messages[name](args)
    if (name === 'match')
      return { rule, problem: value => (typeof value === 'string' ? matchProblem(value, args) : text) }
    return { rule, problem: value => (holds(value, ...args) ? undefined : text) }
  }),
)

export function checksOf(field: ValidatedField): readonly Check[] {
  return field.validate === undefined ? noChecks : compile(field)
}
