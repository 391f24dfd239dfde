import { createLruCache } from '../../platform/lib/lru-cache.ts'

/**
 * Dates and times as people type them. A moment is a local time in ms since 1970: the fields have no time zone, and an
 * offset at the end of a text is ignored. A time without a date is on 1970-01-01.
 */
type Moment = number

// ---- parsing

interface Parts {
  year?: number | undefined
  month?: number | undefined
  day?: number | undefined
  hour?: number | undefined
  minute?: number | undefined
  second?: number | undefined
  /** `am` or `pm` */
  half?: string
}

const months = 'January February March April May June July August September October November December'.split(' ')

const dates = [
  /^(?<year>\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})/,
  /^(?<year>\d{4})\/(?<month>\d{1,2})\/(?<day>\d{1,2})/,
  /^(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})/,
  /^(?<day>\d{1,2})\.? (?<name>[a-z]{3,9})\.? (?<year>\d{4})/i,
  /^(?<name>[a-z]{3,9})\.? (?<day>\d{1,2}),? (?<year>\d{4})/i,
]

const times = [
  /^(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:\.\d{1,9})?)?(?: ?(?<half>[ap]m))?/i,
  /^(?<hour>\d{1,2}) ?(?<half>[ap]m)/i,
]

const offset = /^ ?(?:z|utc|[+-]\d{2}:?\d{2})$/i

/** The format that we write ourselves. Most stored values have it, and this is the fast path for them. */
const ownDate = /^(\d{4})-(\d\d)-(\d\d)(?: (\d\d):(\d\d):(\d\d))?$/
const ownTime = /^(\d\d):(\d\d):(\d\d)$/

/** Undefined if it is not a date. The time may follow after a space or a `T`. */
export function parseDate(text: string): Moment | undefined {
  const own = ownDate.exec(text)?.map(Number)
  if (own)
    return toMoment({
      year: own[1],
      month: own[2],
      day: own[3],
      hour: own[4] || 0,
      minute: own[5] || 0,
      second: own[6] || 0,
    })
  for (const form of dates) {
    const found = form.exec(text)
    if (!found) continue
    const rest = text.slice(found[0].length).replace(/^(?:t|,? )(?=\d)/i, ' ')
    if (rest === '') return toMoment(partsOf(found))
    const time = rest.startsWith(' ') ? readTime(rest.slice(1)) : undefined
    return time && toMoment({ ...partsOf(found), ...time })
  }
  return undefined
}

/** Undefined if it is not a time of day. A date before it is ignored. */
export function parseTime(text: string): Moment | undefined {
  const own = ownTime.exec(text)?.map(Number)
  if (own) return toMoment({ hour: own[1], minute: own[2], second: own[3] })
  const time = readTime(text)
  if (time) return toMoment(time)
  const moment = parseDate(text)
  return moment === undefined ? undefined : timeOf(moment)
}

function readTime(text: string): Parts | undefined {
  for (const form of times) {
    const found = form.exec(text)
    const rest = found ? text.slice(found[0].length) : 'no time'
    if (found && (rest === '' || offset.test(rest))) return partsOf(found)
  }
  return undefined
}

function partsOf({ groups }: RegExpExecArray): Parts {
  const parts: Record<string, number | string> = {}
  for (const [name, value] of Object.entries(groups ?? {})) {
    if (value === undefined) continue
    if (name === 'name') parts['month'] = monthOf(value)
    else parts[name] = name === 'half' ? value.toLowerCase() : Number(value)
  }
  return parts
}

function monthOf(name: string): number {
  return months.findIndex(month => month.toLowerCase().startsWith(name.slice(0, 3).toLowerCase())) + 1
}

/** Undefined for a date or time that does not exist. */
function toMoment({
  year = 1970,
  month = 1,
  day = 1,
  hour = 0,
  minute = 0,
  second = 0,
  half,
}: Parts): Moment | undefined {
  if (half !== undefined && (hour < 1 || hour > 12)) return undefined
  const hours = half === undefined ? hour : (hour % 12) + (half === 'pm' ? 12 : 0)
  if (hours > 23 || minute > 59 || second > 59) return undefined
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  return date.setUTCHours(hours, minute, second)
}

const dayLength = 86_400_000

export const timeOf = (moment: Moment): Moment => ((moment % dayLength) + dayLength) % dayLength

// ---- formatting

/** `2026-05-31 18:30:00` */
export const showDate = (moment: Moment): string => new Date(moment).toISOString().slice(0, 19).replace('T', ' ')

/** `18:30:00` */
export const showTime = (moment: Moment): string => new Date(moment).toISOString().slice(11, 19)

// ---- steps

const units = ['second', 'minute', 'hour', 'day', 'month', 'year'] as const

export interface Step {
  unit: (typeof units)[number]
  size: number
}

export const isUnit = (unit: unknown): unit is Step['unit'] => units.includes(unit as Step['unit'])

const lengths: Record<string, number> = { second: 1000, minute: 60_000, hour: 3_600_000 }
const last = Date.UTC(9999, 11, 31)

/** Rounds to the nearest step; seconds, minutes and hours are counted from midnight. */
export function round(moment: Moment, { unit, size }: Step): Moment {
  const time = timeOf(moment)
  const midnight = moment - time
  const length = lengths[unit]
  if (length !== undefined) return within(midnight + Math.round(time / (length * size)) * length * size)
  const [before, after] = [startOf(midnight, unit, 0), startOf(midnight, unit, 1)]
  return within(moment - before < after - moment ? before : after)
}

function startOf(moment: Moment, unit: Step['unit'], step: number): Moment {
  const date = new Date(moment)
  if (unit === 'year') date.setUTCFullYear(date.getUTCFullYear() + step, 0, 1)
  else if (unit === 'month') date.setUTCMonth(date.getUTCMonth() + step, 1)
  else date.setUTCDate(date.getUTCDate() + step)
  return date.getTime()
}

/** Years have four digits in the stored texts. */
const within = (moment: Moment): Moment => (moment > last + dayLength - 1 ? last : moment)

// ---- formats

/** The letters of `format`, as in PHP: the expression that parses each of them, and how it is written. */
const letters: Record<string, { form: string; write(date: Date): string }> = {
  Y: { form: '(?<year>\\d{4})', write: date => pad(date.getUTCFullYear(), 4) },
  m: { form: '(?<month>\\d{2})', write: date => pad(date.getUTCMonth() + 1) },
  n: { form: '(?<month>\\d{1,2})', write: date => String(date.getUTCMonth() + 1) },
  M: { form: '(?<name>[A-Za-z]{3})', write: date => monthName(date).slice(0, 3) },
  F: { form: '(?<name>[A-Za-z]{3,9})', write: date => monthName(date) },
  d: { form: '(?<day>\\d{2})', write: date => pad(date.getUTCDate()) },
  j: { form: '(?<day>\\d{1,2})', write: date => String(date.getUTCDate()) },
  H: { form: '(?<hour>\\d{2})', write: date => pad(date.getUTCHours()) },
  G: { form: '(?<hour>\\d{1,2})', write: date => String(date.getUTCHours()) },
  h: { form: '(?<hour>\\d{2})', write: date => pad(twelfth(date)) },
  g: { form: '(?<hour>\\d{1,2})', write: date => String(twelfth(date)) },
  i: { form: '(?<minute>\\d{2})', write: date => pad(date.getUTCMinutes()) },
  s: { form: '(?<second>\\d{2})', write: date => pad(date.getUTCSeconds()) },
  a: { form: '(?<half>[AaPp][Mm])', write: date => (date.getUTCHours() < 12 ? 'am' : 'pm') },
  A: { form: '(?<half>[AaPp][Mm])', write: date => (date.getUTCHours() < 12 ? 'AM' : 'PM') },
}

const pad = (number: number, length = 2) => String(number).padStart(length, '0')
const twelfth = (date: Date) => date.getUTCHours() % 12 || 12
const monthName = (date: Date) => months[date.getUTCMonth()]!

export interface MomentFormat {
  read(text: string): Moment | undefined
  write(moment: Moment): string
}

const formats = createLruCache<MomentFormat | 'wrong'>(100)

/** `Y-m-d H:i` and so on. Undefined for a format with unknown letters, or with the same part twice. */
export function formatOf(pattern: string): MomentFormat | undefined {
  let format = formats.get(pattern)
  if (format === undefined) {
    format = compile(pattern) ?? 'wrong'
    formats.set(pattern, format)
  }
  return format === 'wrong' ? undefined : format
}

function compile(pattern: string): MomentFormat | undefined {
  const pieces = pattern.match(/\\.|[\s\S]/gu) ?? []
  if (pieces.some(piece => /^[A-Za-z]$/.test(piece) && !Object.hasOwn(letters, piece))) return undefined
  let form: RegExp
  try {
    form = new RegExp(`^${pieces.map(piece => letters[piece]?.form ?? RegExp.escape(literal(piece))).join('')}$`, 'u')
  } catch {
    return undefined // a part that occurs twice
  }
  return {
    read(text) {
      const found = form.exec(text)
      return found ? toMoment(partsOf(found)) : undefined
    },
    write(moment) {
      const date = new Date(moment)
      return pieces.map(piece => letters[piece]?.write(date) ?? literal(piece)).join('')
    },
  }
}

const literal = (piece: string) => (piece.startsWith('\\') ? piece.slice(1) : piece)
