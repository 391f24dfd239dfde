import { isIP } from 'node:net'
import { parseEmail } from '../../platform/lib/email.ts'
import { parseDate, parseTime } from './moments.ts'
import { compilePattern } from './pattern.ts'
import { isList, isMap } from './stored.ts'

export type Validator = (value: unknown, ...args: readonly unknown[]) => boolean

const isText = (value: unknown): value is string => typeof value === 'string'
const isOneOf = (value: unknown, values: readonly unknown[]) => values.some(one => isSame(value, one))
/** `1` and `'1'` are equal here: authors of blueprints do not distinguish them. */
const isSame = (value: unknown, other: unknown) =>
  value === other || (!isList(value) && !isMap(value) && String(value) === textOf(other))

/** Not `String`, which throws for a map with a value named `toString`. */
const textOf = (value: unknown) => (isList(value) || isMap(value) ? JSON.stringify(value) : String(value))
const numberOf = (value: unknown) => Number(textOf(value))

/** In code points, which is close to what people count as characters. */
export function lengthOf(text: string): number {
  let length = 0
  for (const _ of text) length++
  return length
}

/** The size of a value: a number itself, a text by its characters, a list by its entries. */
function sizeOf(value: unknown): number {
  if (typeof value === 'number') return value
  if (isText(value)) return isNumber(value) ? Number(value) : lengthOf(value.trim())
  if (isList(value)) return value.length
  return isMap(value) ? Object.keys(value).length : Number.NaN
}

const isNumber = (text: string) => /^[+-]?\d+(?:\.\d+)?$/.test(text)
const countWords = (value: unknown) => (isText(value) ? (value.match(/\S+/g)?.length ?? 0) : Number.NaN)
const isEmpty = (value: unknown) =>
  value === '' || value === null || value === undefined || (isList(value) && value.length === 0)

/** The validators that `validate` can name. They are pure and accept any value. */
export const validators = {
  accepted: value => isOneOf(value, [true, 1, 'on', 'yes']),
  alpha: value => isText(value) && /^\p{L}[\p{L}\p{M}]*$/u.test(value),
  alphanum: value => isText(value) && /^[\p{L}\p{N}][\p{L}\p{M}\p{N}]*$/u.test(value),
  between: (value, min, max) => sizeOf(value) >= numberOf(min) && sizeOf(value) <= numberOf(max),
  contains,
  date: (value, operator, other) => isText(value) && compare(parseDate(value.trim()), operator, other, parseDate),
  denied: value => isOneOf(value, [false, 0, 'off', 'no']),
  different: (value, other) => !isSame(value, other),
  email: value => isText(value) && isEmail(value),
  empty: isEmpty,
  endsWith: (value, part) => isText(value) && value.endsWith(textOf(part)),
  filename: value => isText(value) && /^[a-z0-9@._-]{2,255}$/i.test(value) && !/^\.+$/.test(value),
  in: (value, ...options) => isOneOf(value, options.flat()),
  integer: value => (isText(value) ? /^[+-]?\d+$/.test(value) : Number.isInteger(value)),
  ip: value => isText(value) && isIP(value) !== 0,
  json: value => isText(value) && isJson(value),
  less: (value, max) => sizeOf(value) < numberOf(max),
  match: (value, source) => isText(value) && matches(value, textOf(source)),
  max: (value, max) => sizeOf(value) <= numberOf(max),
  min: (value, min) => sizeOf(value) >= numberOf(min),
  maxLength: (value, max) => isText(value) && lengthOf(value.trim()) <= numberOf(max),
  minLength: (value, min) => isText(value) && lengthOf(value.trim()) >= numberOf(min),
  maxWords: (value, max) => countWords(value) <= numberOf(max),
  minWords: (value, min) => countWords(value) >= numberOf(min),
  more: (value, min) => sizeOf(value) > numberOf(min),
  notContains: (value, part) => !contains(value, part),
  notEmpty: value => !isEmpty(value),
  notIn: (value, ...options) => !isOneOf(value, options.flat()),
  num: value => (isText(value) ? isNumber(value) : Number.isFinite(value)),
  required: value => !isEmpty(value),
  same: (value, other) => isSame(value, other),
  size: (value, size) => sizeOf(value) === numberOf(size),
  startsWith: (value, part) => isText(value) && value.startsWith(textOf(part)),
  tel: value => isText(value) && /^\+?\d{1,40}$/.test(value),
  time: (value, operator, other) => isText(value) && compare(parseTime(value.trim()), operator, other, parseTime),
  url: value => isText(value) && isUrl(value),
  uuid: value => isText(value) && /^(?:(?:page|file|user):\/\/[\w-]{1,64}|site:\/\/)$/.test(value),
} satisfies Record<string, Validator>

export type ValidatorName = keyof typeof validators

function contains(value: unknown, part: unknown): boolean {
  return isList(value) ? isOneOf(part, value) : isText(value) && value.includes(textOf(part))
}

const operators: Record<string, (a: number, b: number) => boolean> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
}

function compare(
  moment: number | undefined,
  operator: unknown,
  other: unknown,
  parse: (text: string) => number | undefined,
): boolean {
  if (moment === undefined) return false
  const holds = operators[textOf(operator)]
  const limit = holds && parse(textOf(other))
  return !holds || (limit !== undefined && holds(moment, limit))
}

export function isEmail(text: string): boolean {
  const email = parseEmail(text)
  return email !== undefined && email.key.includes('.', email.key.indexOf('@'))
}

const addressPattern = /^(?:https?|ftp):\/\/(?:[^\s/?#@]*@)?([^\s/?#@:]+)(?::\d{1,5})?(?:[/?#]\S*)?$/i
const privateNetworks = /^(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254)\./

/** An absolute http, https or ftp URL whose host is public or `localhost`. */
export function isUrl(text: string): boolean {
  const host = text.length > 4000 ? undefined : addressPattern.exec(text)?.[1]
  if (host === undefined) return false
  if (/^[\d.]+$/.test(host)) return isIP(host) === 4 && !privateNetworks.test(host)
  return host.toLowerCase() === 'localhost' || isHostName(host)
}

function isHostName(host: string): boolean {
  const labels = host.split('.')
  return (
    labels.length > 1 &&
    lengthOf(labels.at(-1)!) > 1 &&
    labels.every(label => label.length < 64 && /^[\p{L}\p{M}\p{N}_-]+$/u.test(label) && !/^-|-$/.test(label))
  )
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Accepts `/^a/i` as well as `^a`. */
function matches(text: string, source: string): boolean {
  return compilePattern(bareSource(source))?.test(text) === true
}

export const bareSource = (source: string): string => /^\/(.*)\/[a-z]*$/s.exec(source)?.[1] ?? source
