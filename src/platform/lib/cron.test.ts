import { expect, test } from 'vitest'
import { isTimeZone, nextTime, parseCron } from './cron.ts'

const iso = (time: number | undefined) => (time === undefined ? undefined : new Date(time).toISOString())

/** The next runs after a time. */
function runs(text: string, timeZone: string, after: string, count = 1): (string | undefined)[] {
  const cron = parseCron(text)
  if (typeof cron === 'string') throw new Error(cron)
  const found: (string | undefined)[] = []
  let time: number | undefined = Date.parse(after)
  for (let round = 0; round < count && time !== undefined; round++) {
    time = nextTime(cron, timeZone, time)
    found.push(iso(time)?.replace(':00.000Z', 'Z'))
  }
  return found
}

test.each<[text: string, after: string, next: string]>([
  ['* * * * *', '2026-03-01T10:00:00Z', '2026-03-01T10:01Z'],
  ['* * * * *', '2026-03-01T10:00:59.999Z', '2026-03-01T10:01Z'],
  ['0 3 * * *', '2026-03-01T02:59:59Z', '2026-03-01T03:00Z'],
  ['0 3 * * *', '2026-03-01T03:00:00Z', '2026-03-02T03:00Z'],
  ['*/15 * * * *', '2026-03-01T10:46:00Z', '2026-03-01T11:00Z'],
  ['5/20 * * * *', '2026-03-01T10:26:00Z', '2026-03-01T10:45Z'],
  ['30 9-17/4 * * *', '2026-03-01T10:00:00Z', '2026-03-01T13:30Z'],
  ['0 0 1 * *', '2026-12-01T00:00:00Z', '2027-01-01T00:00Z'],
  ['0 0 31 * *', '2026-01-31T00:00:00Z', '2026-03-31T00:00Z'],
  ['0 0 29 2 *', '2026-03-01T00:00:00Z', '2028-02-29T00:00Z'],
  ['0 0 29 feb *', '2096-03-01T00:00:00Z', '2104-02-29T00:00Z'],
  ['0 8 * * mon-fri', '2026-11-20T09:00:00Z', '2026-11-23T08:00Z'],
  ['0 8 * * 7', '2026-11-20T09:00:00Z', '2026-11-22T08:00Z'],
  ['0 8 * * SUN', '2026-11-20T09:00:00Z', '2026-11-22T08:00Z'],
  ['0 0 13 * 5', '2026-11-18T00:00:00Z', '2026-11-20T00:00Z'], // either: the next Friday
  ['0 0 13 * 5', '2026-12-11T00:00:00Z', '2026-12-13T00:00Z'], // either: the 13th
  ['0 0 */2 * 5', '2026-11-18T00:00:00Z', '2026-11-27T00:00Z'], // both: a Friday with an odd date
  ['0,30 12 * jan,jul *', '2026-02-01T00:00:00Z', '2026-07-01T12:00Z'],
  ['59 23 31 12 *', '2026-12-31T23:59:00Z', '2027-12-31T23:59Z'],
])('%s after %s is %s', (text, after, next) => {
  expect(runs(text, 'UTC', after)).toEqual([next])
})

test.each<[what: string, text: string, timeZone: string, after: string, next: string[]]>([
  // Berlin: 02:00 → 03:00 on 29 March 2026, 03:00 → 02:00 on 25 October 2026
  ['in winter', '0 3 * * *', 'Europe/Berlin', '2026-01-10T12:00:00Z', ['2026-01-11T02:00Z']],
  ['in summer', '0 3 * * *', 'Europe/Berlin', '2026-07-10T12:00:00Z', ['2026-07-11T01:00Z']],
  [
    'a skipped time runs once, an hour later',
    '30 2 * * *',
    'Europe/Berlin',
    '2026-03-28T00:00:00Z',
    ['2026-03-28T01:30Z', '2026-03-29T01:30Z', '2026-03-30T00:30Z'],
  ],
  [
    'a repeated time runs once',
    '30 2 * * *',
    'Europe/Berlin',
    '2026-10-24T12:00:00Z',
    ['2026-10-25T00:30Z', '2026-10-26T01:30Z'],
  ],
  [
    'every half hour goes on while the clock is set back',
    '*/30 * * * *',
    'Europe/Berlin',
    '2026-10-25T00:00:00Z',
    ['2026-10-25T00:30Z', '2026-10-25T01:00Z', '2026-10-25T01:30Z', '2026-10-25T02:00Z'],
  ],
  [
    'every half hour goes on while the clock is set forward',
    '*/30 * * * *',
    'Europe/Berlin',
    '2026-03-29T00:00:00Z',
    ['2026-03-29T00:30Z', '2026-03-29T01:00Z', '2026-03-29T01:30Z', '2026-03-29T02:00Z'],
  ],
  [
    'two times that coincide on the day of the change run once',
    '30 2,3 * * *',
    'Europe/Berlin',
    '2026-03-29T00:00:00Z',
    ['2026-03-29T01:30Z', '2026-03-30T00:30Z'],
  ],
  [
    'midnight is skipped',
    '0 0 * * *',
    'Africa/Cairo',
    '2026-04-23T12:00:00Z',
    ['2026-04-23T22:00Z', '2026-04-24T21:00Z'],
  ],
  ['a shift of half an hour', '15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T00:00:00Z', ['2026-10-03T15:45Z']],
  ['far ahead of UTC', '0 0 1 * *', 'Pacific/Kiritimati', '2026-01-31T09:59:00Z', ['2026-01-31T10:00Z']],
  ['far behind UTC', '0 23 31 12 *', 'Pacific/Pago_Pago', '2026-12-31T12:00:00Z', ['2027-01-01T10:00Z']],
])('%s: %s in %s', (_, text, timeZone, after, next) => {
  expect(runs(text, timeZone, after, next.length)).toEqual(next)
})

test('a daily job runs 365 times a year, also where the clock changes', () => {
  for (const zone of ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Santiago']) {
    const cron = parseCron('30 2 * * *')
    if (typeof cron === 'string') throw new Error(cron)
    let time = Date.parse('2026-01-01T12:00:00Z')
    for (let count = 0; count < 365; count++) time = nextTime(cron, zone, time)!
    expect(iso(time)?.slice(0, 10), `in ${zone}`).toMatch(/^(2026-12-31|2027-01-01)$/)
  }
})

test.each([
  ['', 'must have five parts'],
  ['0 3 * *', 'must have five parts'],
  ['0 0 3 * * *', 'must have five parts'],
  ['@daily', 'must have five parts'],
  ['60 * * * *', '"60" is not a minute from 0 to 59'],
  ['* 24 * * *', '"24" is not an hour from 0 to 23'],
  ['* * 0 * *', '"0" is not a day of the month from 1 to 31'],
  ['* * * 13 *', '"13" is not a month from 1 to 12'],
  ['* * * * 8', '"8" is not a day of the week from 0 to 7'],
  ['* * * * fri-mon', '"fri-mon" is not a day of the week'],
  ['*/0 * * * *', '"*/0" is not a minute'],
  ['1-2-3 * * * *', '"1-2-3" is not a minute'],
  ['-1 * * * *', '"-1" is not a minute'],
  ['1, * * * *', '"" is not a minute'],
  ['1.5 * * * *', '"1.5" is not a minute'],
  ['* * 31 2 *', 'never occurs: that day is not in those months'],
  ['* * 30-31 feb *', 'never occurs: that day is not in those months'],
])('%j is refused', (text, problem) => {
  expect(parseCron(text)).toContain(problem)
})

test('time zones are those of the platform', () => {
  expect(['UTC', 'Europe/Berlin', 'Berlin', '', '+02:00'].map(isTimeZone)).toEqual([true, true, false, false, true])
})
