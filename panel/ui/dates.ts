/** Formats and parses dates and times with patterns such as `DD.MM.YYYY` or `h:mm a`, in one language. */

export interface DateParts {
  year: number
  month: number
  day: number
}

interface TimeParts {
  hour: number
  minute: number
  second: number
}

const token = /\[([^\]]*)\]|YYYY|YY|MMMM|MMM|MM|M|DD|D|HH|H|hh|h|mm|m|ss|s|A|a/g

/** Always the Gregorian calendar and Latin digits, like the stored value, regardless of the default of the language. */
const plain = (locale: string) => `${locale}-u-ca-gregory-nu-latn`

const formatters = new Map<string, Intl.DateTimeFormat>()
function formatter(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = locale + JSON.stringify(options)
  const format = formatters.get(key) ?? new Intl.DateTimeFormat(plain(locale), { ...options, timeZone: 'UTC' })
  formatters.set(key, format)
  return format
}

const dateOf = ({ year, month, day }: DateParts): Date => {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date
}

/** `DD.MM.YYYY` in German, `MM/DD/YYYY` in English. */
export function datePattern(locale: string): string {
  const names: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = { year: 'YYYY', month: 'MM', day: 'DD' }
  return formatter(locale, { year: 'numeric', month: '2-digit', day: '2-digit' })
    .formatToParts(dateOf({ year: 2026, month: 11, day: 15 }))
    .map(({ type, value }) => names[type] ?? value.replaceAll(/[\u200E\u200F]/g, ''))
    .join('')
}

/** `HH:mm` or `h:mm a`. Without a notation, that of the language. */
export function timePattern(locale: string, notation?: 12 | 24, seconds = false): string {
  const twelve =
    notation === undefined ? formatter(locale, { hour: 'numeric' }).resolvedOptions().hour12 : notation === 12
  return `${twelve ? 'h' : 'HH'}:mm${seconds ? ':ss' : ''}${twelve ? ' a' : ''}`
}

const pad = (number: number, length = 2) => String(number).padStart(length, '0')

const monthName = (locale: string, month: number, style: 'long' | 'short') =>
  formatter(locale, { month: style, day: 'numeric' })
    .formatToParts(dateOf({ year: 2026, month, day: 1 }))
    .find(({ type }) => type === 'month')!.value

function dayPeriod(locale: string, hour: number): string {
  const parts = formatter(locale, { hour: 'numeric', hour12: true }).formatToParts(Date.UTC(2026, 0, 1, hour))
  return parts.find(({ type }) => type === 'dayPeriod')?.value ?? (hour < 12 ? 'AM' : 'PM')
}

/** Formats a value with a pattern. Empty for an empty value. */
export function formatDateValue(value: string, pattern: string, locale: string): string {
  const parts = partsOfDate(value)
  if (!parts) return ''
  const { year, month, day } = parts
  return pattern.replaceAll(token, (name, literal?: string) => {
    if (literal !== undefined) return literal
    if (name === 'YYYY') return pad(year, 4)
    if (name === 'YY') return pad(year % 100)
    if (name === 'MMMM') return monthName(locale, month, 'long')
    if (name === 'MMM') return monthName(locale, month, 'short')
    if (name === 'MM') return pad(month)
    if (name === 'M') return String(month)
    if (name === 'DD') return pad(day)
    return name === 'D' ? String(day) : name
  })
}

export function formatTimeValue(value: string, pattern: string, locale: string): string {
  const parts = partsOfTime(value)
  if (!parts) return ''
  const { hour, minute, second } = parts
  return pattern.replaceAll(token, (name, literal?: string) => {
    if (literal !== undefined) return literal
    if (name === 'HH') return pad(hour)
    if (name === 'H') return String(hour)
    if (name === 'hh') return pad(hour % 12 || 12)
    if (name === 'h') return String(hour % 12 || 12)
    if (name === 'mm') return pad(minute)
    if (name === 'm') return String(minute)
    if (name === 'ss') return pad(second)
    if (name === 's') return String(second)
    if (name === 'A') return dayPeriod(locale, hour).toLocaleUpperCase(locale)
    return name === 'a' ? dayPeriod(locale, hour) : name
  })
}

/** `YYYY-MM-DD`. */
function partsOfDate(value: string): DateParts | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value)?.map(Number) ?? []
  return year === undefined || month === undefined || day === undefined ? undefined : existing({ year, month, day })
}

/** `HH:mm` or `HH:mm:ss`. */
function partsOfTime(value: string): TimeParts | undefined {
  const [, hour, minute, second] = /^(\d{2}):(\d{2})(?::(\d{2}))?$/.exec(value) ?? []
  return hour === undefined ? undefined : { hour: Number(hour), minute: Number(minute), second: Number(second ?? 0) }
}

const dateValue = ({ year, month, day }: DateParts): string => `${pad(year, 4)}-${pad(month)}-${pad(day)}`

function existing(parts: DateParts): DateParts | undefined {
  const date = dateOf(parts)
  return date.getUTCMonth() === parts.month - 1 && date.getUTCDate() === parts.day ? parts : undefined
}

/** Adds days or months. A day that the month does not have becomes its last day. */
export function movedDate(value: string, days: number, months = 0): string {
  const parts = partsOfDate(value)
  if (!parts) return value
  const first = dateOf({ ...parts, month: parts.month + months, day: 1 })
  const last = dateOf({ year: first.getUTCFullYear(), month: first.getUTCMonth() + 2, day: 0 }).getUTCDate()
  const date = new Date(first)
  date.setUTCDate((months === 0 ? parts.day : Math.min(parts.day, last)) + days)
  const year = date.getUTCFullYear()
  return year < 1 || year > 9999 ? value : date.toISOString().slice(0, 10)
}

const secondsPerDay = 86_400

/** The next or the previous multiple of a step in seconds, as `HH:mm:ss`. Continues at the other end of the day. */
export function movedTime(value: string, step: number, direction: 1 | -1): string {
  const { hour = 0, minute = 0, second = 0 } = partsOfTime(value) ?? {}
  const steps = (hour * 3600 + minute * 60 + second) / step
  const next = (direction === 1 ? Math.floor(steps) + 1 : Math.ceil(steps) - 1) * step
  const last = (Math.ceil(secondsPerDay / step) - 1) * step
  const seconds = next < 0 ? last : next > last ? 0 : next
  return new Date(seconds * 1000).toISOString().slice(11, 19)
}

export function today(): string {
  const now = new Date()
  return dateValue({ year: now.getFullYear(), month: now.getMonth() + 1, day: now.getDate() })
}

// ---- parsing

/** Converts digits of other scripts to Latin digits. */
const latinDigits = (text: string) =>
  text.replaceAll(/[٠-٩۰-۹]/g, digit => String((digit.codePointAt(0)! - (digit < '۰' ? 0x06_60 : 0x06_f0)) % 10))

const normalised = (text: string) =>
  text
    .normalize('NFD')
    .replaceAll(/[\p{M}.]/gu, '')
    .toLocaleLowerCase()

/** Parses numbers in the order of the pattern, names of months, or `YYYY-MM-DD`. Undefined if it is not a date. */
export function readDate(typed: string, pattern: string, locale: string): string | undefined {
  const text = latinDigits(typed.trim())
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text)?.map(Number)
  if (iso) return valueOf({ year: iso[1]!, month: iso[2]!, day: iso[3]! })
  const named = monthIn(text, locale)
  const numbers = (named ? text.replace(named.word, ' ') : text).match(/\d+/g)?.map(Number) ?? []
  const order = [...pattern.matchAll(token)].map(([name]) => name[0]!).filter(name => 'YMD'.includes(name))
  const names = order.filter(name => !named || name !== 'M')
  // Without a year, the current one is assumed.
  const expected = numbers.length === names.length ? names : names.filter(name => name !== 'Y')
  if (numbers.length === 0 || numbers.length !== expected.length) return undefined
  const found = Object.fromEntries(expected.map((name, index) => [name, numbers[index]!]))
  const year = found['Y'] ?? new Date().getFullYear()
  return valueOf({ year: year < 100 ? 2000 + year : year, month: named?.month ?? found['M']!, day: found['D'] ?? 1 })
}

function valueOf(parts: DateParts): string | undefined {
  return parts.year <= 9999 && existing(parts) ? dateValue(parts) : undefined
}

function monthIn(text: string, locale: string): { month: number; word: string } | undefined {
  for (const [word] of text.matchAll(/\p{L}[\p{L}\p{M}.]+/gu)) {
    const searched = normalised(word)
    for (const language of [locale, 'en'])
      for (let month = 1; month <= 12; month += 1) {
        const names = [monthName(language, month, 'long'), monthName(language, month, 'short')].map(normalised)
        if (names.includes(searched) || (searched.length > 2 && names[0]!.startsWith(searched))) return { month, word }
      }
  }
  return undefined
}

/** Parses `8`, `8:15`, `0815` or `8.15 pm`. Undefined if it is not a time. */
export function readTime(typed: string, locale: string): string | undefined {
  const text = normalised(latinDigits(typed.trim()).replaceAll('.', ':'))
  const [, first = '', minutes, seconds] = /^\D*(\d{1,2}|\d{3,4})(?:\D?(\d{2}))?(?:\D?(\d{2}))?\D*$/.exec(text) ?? []
  if (first === '') return undefined
  const joined = first.length > 2
  const hours = Number(joined ? first.slice(0, -2) : first)
  const minute = Number(joined ? first.slice(-2) : (minutes ?? 0))
  const second = Number((joined ? minutes : seconds) ?? 0)
  const isAfter = text.includes('pm') || text.includes(normalised(dayPeriod(locale, 13)))
  const isBefore = text.includes('am') || text.includes(normalised(dayPeriod(locale, 1)))
  const hour = isAfter ? (hours % 12) + 12 : isBefore ? hours % 12 : hours
  if (hour > 23 || minute > 59 || second > 59) return undefined
  return [hour, minute, second].map(part => pad(part)).join(':')
}

// ---- calendars

/** The weeks of a month, starting with the first weekday of the language, including days of adjacent months. */
export function weeksOf(value: string, locale: string): string[][] {
  const parts = partsOfDate(value)!
  const first = dateValue({ ...parts, day: 1 })
  const leadingDays = (dateOf(partsOfDate(first)!).getUTCDay() - firstWeekday(locale) + 7) % 7
  const days = Array.from({ length: 42 }, (_, index) => movedDate(first, index - leadingDays))
  const weeks = Array.from({ length: 6 }, (_, week) => days.slice(week * 7, week * 7 + 7))
  return weeks.filter(week => week.some(day => day.slice(0, 7) === value.slice(0, 7)))
}

/** 0 is Sunday. */
function firstWeekday(locale: string): number {
  const info = new Intl.Locale(locale) as Intl.Locale & { getWeekInfo?: () => { firstDay: number } }
  return (info.getWeekInfo?.().firstDay ?? 1) % 7
}

/** `Su` and `Sunday`, starting with the first weekday of the language. */
export function weekdays(locale: string): { short: string; long: string }[] {
  // 1 February 2026 is a Sunday.
  const first = 1 + firstWeekday(locale)
  const dates = Array.from({ length: 7 }, (_, index) => dateOf({ year: 2026, month: 2, day: first + index }))
  const names = (weekday: 'long' | 'short' | 'narrow') => dates.map(date => formatter(locale, { weekday }).format(date))
  // In some languages, such as Arabic, the short names are whole words.
  const short = names('short')
  const shortNames = short.some(name => name.length > maxWeekday) ? names('narrow') : short
  return names('long').map((long, index) => ({ short: shortNames[index]!, long }))
}

/** Letters that fit above a day of the calendar. */
const maxWeekday = 4

export const monthTitle = (value: string, locale: string): string =>
  formatter(locale, { year: 'numeric', month: 'long' }).format(dateOf(partsOfDate(value)!))

export const fullDate = (value: string, locale: string): string =>
  formatter(locale, { dateStyle: 'full' }).format(dateOf(partsOfDate(value)!))
