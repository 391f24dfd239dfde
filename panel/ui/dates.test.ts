import { expect, test } from 'vitest'
import { datePattern, formatDateValue, formatTimeValue, movedDate, movedTime, readDate, readTime, timePattern, weekdays, weeksOf } from './dates.ts' // prettier-ignore

test('patterns follow the language', () => {
  expect(['en', 'de', 'nl', 'ja'].map(datePattern)).toEqual(['MM/DD/YYYY', 'DD.MM.YYYY', 'DD-MM-YYYY', 'YYYY/MM/DD'])
  expect(datePattern('ar')).toBe('DD/MM/YYYY')
  expect([timePattern('en'), timePattern('de'), timePattern('de', 12), timePattern('en', 24, true)]).toEqual([
    'h:mm a',
    'HH:mm',
    'h:mm a',
    'HH:mm:ss',
  ])
})

const date = (pattern: string, locale: string) => formatDateValue('2026-03-05', pattern, locale)

test('values are shown by the pattern, with the names of the language', () => {
  expect(date('DD.MM.YYYY', 'de')).toBe('05.03.2026')
  expect(date('D. MMMM YYYY', 'de')).toBe('5. März 2026')
  expect(date('MMM D, YY', 'en')).toBe('Mar 5, 26')
  expect(date('[on] YYYY-MM-DD', 'en')).toBe('on 2026-03-05')
  expect(formatDateValue('', 'DD.MM.YYYY', 'de')).toBe('')
  expect(formatTimeValue('18:05:00', 'h:mm a', 'en')).toBe('6:05 PM')
  expect(formatTimeValue('18:05:07', 'HH:mm:ss', 'de')).toBe('18:05:07')
})

test.each([
  ['5.3.2026', 'DD.MM.YYYY', 'de', '2026-03-05'],
  ['5. März 2026', 'DD.MM.YYYY', 'de', '2026-03-05'],
  ['5 mar 26', 'DD.MM.YYYY', 'de', '2026-03-05'],
  ['3/5/2026', 'MM/DD/YYYY', 'en', '2026-03-05'],
  ['March 5, 2026', 'MM/DD/YYYY', 'en', '2026-03-05'],
  ['2026-03-05', 'MM/DD/YYYY', 'en', '2026-03-05'],
  ['٥/٣/٢٠٢٦', 'DD/MM/YYYY', 'ar', '2026-03-05'],
  ['31.2.2026', 'DD.MM.YYYY', 'de', undefined],
  ['soon', 'DD.MM.YYYY', 'de', undefined],
  ['', 'DD.MM.YYYY', 'de', undefined],
])('%s is parsed by %s in %s as %s', (typed, pattern, locale, value) => {
  expect(readDate(typed, pattern, locale)).toBe(value)
})

test.each([
  ['8', '08:00:00'],
  ['815', '08:15:00'],
  ['08.15', '08:15:00'],
  ['8:15 pm', '20:15:00'],
  ['12 AM', '00:00:00'],
  ['23:59:58', '23:59:58'],
  ['24:00', undefined],
  ['noon', undefined],
])('the time %s is parsed as %s', (typed, value) => {
  expect(readTime(typed, 'en')).toBe(value)
})

test.each([
  ['10:08', 5, '10:10:00', '10:05:00'],
  ['10:02', 5, '10:05:00', '10:00:00'],
  ['10:05', 5, '10:10:00', '10:00:00'],
  ['23:58', 5, '00:00:00', '23:55:00'],
  ['00:00', 7, '00:07:00', '23:55:00'],
  ['12:00:30', 0.25, '12:00:45', '12:00:15'],
])('from %s, steps of %d minutes lead to %s and %s', (value, minutes, next, previous) => {
  expect([movedTime(value, minutes * 60, 1), movedTime(value, minutes * 60, -1)]).toEqual([next, previous])
})

test('calendars start with the first weekday of the language', () => {
  expect([weekdays('en')[0]!.long, weekdays('de')[0]!.long]).toEqual(['Sunday', 'Montag'])
  expect(weeksOf('2026-11-15', 'de')[0]![0]).toBe('2026-10-26')
  expect(weeksOf('2026-02-10', 'en')).toHaveLength(4)
  expect([movedDate('2026-01-31', 0, 1), movedDate('2026-03-01', -1), movedDate('2026-12-31', 1)]).toEqual([
    '2026-02-28',
    '2026-02-28',
    '2027-01-01',
  ])
})
