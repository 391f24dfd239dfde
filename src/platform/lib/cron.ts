/**
 * Times in the syntax of cron: minute, hour, day of the month, month, day of the week. Each is `*`, a number, a name
 * (`mon`, `jan`), a range (`9-17`), one of these with a step (`0-59/15`), or several of them separated by commas.
 */
export interface Cron {
  readonly minutes: readonly number[]
  readonly hours: readonly number[]
  readonly days: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  readonly weekdays: ReadonlySet<number>
  /** The hour begins with `*`: it is about the time between two runs, not about the time of the day. */
  readonly isEveryHour: boolean
  /** If both the day of the month and the day of the week are restricted, one of them is enough. */
  readonly isEitherDay: boolean
}

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const weekdayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

interface Field {
  /** With its article, for messages. */
  shown: string
  min: number
  max: number
  names?: readonly string[]
}

const fields: readonly Field[] = [
  { shown: 'a minute', min: 0, max: 59 },
  { shown: 'an hour', min: 0, max: 23 },
  { shown: 'a day of the month', min: 1, max: 31 },
  { shown: 'a month', min: 1, max: 12, names: monthNames },
  { shown: 'a day of the week', min: 0, max: 7, names: weekdayNames }, // 0 and 7 are Sunday
]

/** The times, or what is wrong with the text. */
export function parseCron(text: string): Cron | string {
  const parts = text.trim().toLowerCase().split(/\s+/)
  if (parts.length !== fields.length) return `"${text}" must have five parts such as "0 3 * * *"`
  const values: number[][] = []
  for (const [at, part] of parts.entries()) {
    const found = valuesOf(part, fields[at]!)
    if (typeof found === 'string') return `"${text}": ${found}`
    values.push(found)
  }
  const [minutes, hours, days, months, weekdays] = values as [number[], number[], number[], number[], number[]]
  const cron: Cron = {
    minutes,
    hours,
    days: new Set(days),
    months: new Set(months),
    weekdays: new Set(weekdays.map(day => day % 7)),
    isEveryHour: parts[1]!.startsWith('*'),
    isEitherDay: isRestricted(parts[2]!) && isRestricted(parts[4]!),
  }
  return nextTime(cron, 'UTC', 0) === undefined ? `"${text}" never occurs: that day is not in those months` : cron
}

const isRestricted = (part: string) => !part.startsWith('*')

/** In ascending order, or what is wrong. */
function valuesOf(part: string, field: Field): number[] | string {
  const { shown, min, max } = field
  const found = new Set<number>()
  for (const piece of part.split(',')) {
    const [, range = '', step = '1'] = /^([^/]+)(?:\/(\d{1,2}))?$/.exec(piece) ?? []
    const [from = '', to, more] = range.split('-')
    const isAll = range === '*'
    const first = isAll ? min : numberOf(from, field)
    // `5/15` is short for `5-59/15`.
    const last = isAll || (to === undefined && piece.includes('/')) ? max : numberOf(to ?? from, field)
    if (
      first === undefined ||
      last === undefined ||
      more !== undefined ||
      step === '0' ||
      step === '00' ||
      first > last
    )
      return `"${piece}" is not ${shown} from ${min} to ${max}`
    for (let value = first; value <= last; value += Number(step)) found.add(value)
  }
  return [...found].toSorted((one, other) => one - other)
}

function numberOf(text: string, { min, max, names = [] }: Field): number | undefined {
  const named = names.indexOf(text)
  if (named >= 0) return named + min
  const number = /^\d{1,2}$/.test(text) ? Number(text) : -1
  return number >= min && number <= max ? number : undefined
}

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

// ---- the next time

const minute = 60_000
const day = 24 * 60 * minute
/** 29 February is missing for eight years around 2100. */
const maxDays = 8 * 366 + 2

/**
 * The first time after `after`, in ms since 1970; undefined if there is none in eight years. A time of the day that the
 * clock skips, when summer time begins, comes later by the skipped time. One that it shows twice counts the first time;
 * with `*` as hour, both times.
 */
export function nextTime(cron: Cron, timeZone: string, after: number): number | undefined {
  const offset = offsetIn(timeZone)
  // The clock on the wall as if it showed UTC. The day before, too: what is skipped may come on the next day.
  const today = Math.floor((after + offset(after)) / day) * day
  for (let at = -1; at <= maxDays; at++) {
    const date = today + at * day
    if (!isOn(cron, new Date(date))) continue
    const next = nextOn(cron, date, after, offset)
    if (next !== undefined) return next
  }
  return undefined
}

function isOn({ days, months, weekdays, isEitherDay }: Cron, date: Date): boolean {
  if (!months.has(date.getUTCMonth() + 1)) return false
  const [isDay, isWeekday] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())]
  return isEitherDay ? isDay || isWeekday : isDay && isWeekday
}

/** The first time of a day. Most days have one offset, and need no further look-up of the time zone. */
function nextOn(cron: Cron, date: number, after: number, offset: (time: number) => number): number | undefined {
  const offsets = [...new Set([offset(date - day), offset(date + 2 * day)])]
  const [smallest, largest] = [Math.min(...offsets), Math.max(...offsets)]
  let first: number | undefined
  for (const hour of cron.hours)
    for (const part of cron.minutes) {
      const shown = date + (hour * 60 + part) * minute
      if (shown - smallest <= after) continue
      if (first !== undefined && shown - largest >= first) return first
      const times = offsets.length === 1 ? [shown - smallest] : timesOf(cron, shown, offsets, offset)
      for (const time of times) if (time > after && (first === undefined || time < first)) first = time
    }
  return first
}

/** When the clock shows this. */
function timesOf(
  { isEveryHour }: Cron,
  shown: number,
  offsets: readonly number[],
  offset: (time: number) => number,
): number[] {
  const times = offsets
    .map(before => shown - before)
    .filter(time => time + offset(time) === shown)
    .toSorted((one, other) => one - other)
  if (times.length === 0) return [shown - Math.min(...offsets)]
  return isEveryHour ? times : [times[0]!]
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** How far the clock of a time zone is ahead of UTC, in ms, at a time. */
function offsetIn(timeZone: string): (time: number) => number {
  if (timeZone === 'UTC') return () => 0
  let format = formats.get(timeZone)
  if (!format) {
    const numeric = 'numeric'
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
    })
    formats.set(timeZone, format)
  }
  const found = format
  return time => {
    const part = Object.fromEntries(found.formatToParts(time).map(({ type, value }) => [type, Number(value)]))
    const shown = Date.UTC(part['year']!, part['month']! - 1, part['day'], part['hour'], part['minute'])
    return shown - Math.floor(time / minute) * minute
  }
}
