import { expect, test } from 'vitest'
import { field } from '../../../test/fields.ts'
import { fieldTypes } from './index.ts'
import { formatOf, parseDate, parseTime, round, showDate, showTime } from './moments.ts'

const { date, time } = fieldTypes as Record<'date' | 'time', (typeof fieldTypes)[string]>
const day = field('date')
const dayAndTime = field('date', { time: true })
const clock = field('time')

test.each([
  ['2024-05-06', '2024-05-06 00:00:00'],
  ['2024-5-6', '2024-05-06 00:00:00'],
  ['2024/05/06', '2024-05-06 00:00:00'],
  ['06.05.2024', '2024-05-06 00:00:00'],
  ['6 May 2024', '2024-05-06 00:00:00'],
  ['6. May 2024 7pm', '2024-05-06 19:00:00'],
  ['Sept. 3, 2024', '2024-09-03 00:00:00'],
  ['2024-05-06 07:08', '2024-05-06 07:08:00'],
  ['2024-05-06T07:08:09', '2024-05-06 07:08:09'],
  ['2024-05-06T07:08:09.123Z', '2024-05-06 07:08:09'],
  ['2024-05-06 07:08:09+02:00', '2024-05-06 07:08:09'],
  ['2024-02-29', '2024-02-29 00:00:00'],
  ['0001-01-01', '0001-01-01 00:00:00'],
])('%s is a date', (text, shown) => {
  expect(showDate(parseDate(text)!)).toBe(shown)
})

test.each(['2024-13-45', '2023-02-29', '2024-05-06 25:00', '2024-05-06x', '2024-05-06 soon', '31.04.2024', '6 Foo 2024', '20240506', 'now', '', '2024'])(
  '"%s" is not a date',
  text => {
    expect(parseDate(text)).toBeUndefined()
  },
) // prettier-ignore

test.each([
  ['18:30', '18:30:00'],
  ['7:03pm', '19:03:00'],
  ['7 AM', '07:00:00'],
  ['12am', '00:00:00'],
  ['12:30 pm', '12:30:00'],
  ['2024-05-06 07:08:09', '07:08:09'],
])('%s is a time', (text, shown) => {
  expect(showTime(parseTime(text)!)).toBe(shown)
})

test.each(['25:99', '13pm', '0am', '18', 'noon', '', '24:00'])('"%s" is not a time', text => {
  expect(parseTime(text)).toBeUndefined()
})

test('a date is stored as a day, with its time only if configured', () => {
  expect(date.write('2025-01-31', day)).toEqual({ stored: '2025-01-31' })
  expect(date.write('2025-01-31 10:12:00', dayAndTime)).toEqual({ stored: '2025-01-31 10:10:00' })
  expect(date.read('2025-01-31', day)).toBe('2025-01-31 00:00:00')
  expect(time.write('08:20', clock)).toEqual({ stored: '08:20:00' })
})

test('dates are rounded to the step, also when read', () => {
  const quarter = field('time', { step: 15 })
  expect(time.read('12:07:00', quarter)).toBe('12:00:00')
  expect(time.read('12:08', quarter)).toBe('12:15:00')
  expect(time.read('23:58', clock)).toBe('00:00:00')
  expect(date.read('2024-12-31 23:58', dayAndTime)).toBe('2025-01-01 00:00:00')
  expect(date.read('2024-05-06 07:08:00', field('date', { time: { step: 30 } }))).toBe('2024-05-06 07:00:00')
  expect(date.read('2024-05-20', field('date', { step: 'month' }))).toBe('2024-06-01 00:00:00')
  expect(date.read('2024-05-20', field('date', { step: { unit: 'year' } }))).toBe('2024-01-01 00:00:00')
  expect(showDate(round(parseDate('9999-12-31 23:59:59')!, { unit: 'hour', size: 1 }))).toBe('9999-12-31 00:00:00')
})

test('a format of the blueprint is used to store, and accepted when sent', () => {
  const german = field('date', { format: 'j. F Y' })
  expect(date.write('2024-05-06', german)).toEqual({ stored: '6. May 2024' })
  expect(date.read('6. May 2024', german)).toBe('2024-05-06 00:00:00')
  const slashes = field('date', { format: 'd/m/Y H:i', time: true })
  expect(date.write('06/05/2024 07:10', slashes)).toEqual({ stored: '06/05/2024 07:10' })
  expect(date.read('06/05/2024 07:10', slashes)).toBe('2024-05-06 07:10:00')
  const twelve = field('time', { format: 'g:i A' })
  expect(time.write('19:05', twelve)).toEqual({ stored: '7:05 PM' })
  expect(time.read('7:05 PM', twelve)).toBe('19:05:00')
})

test('a format has known letters, each part once; other letters need a backslash', () => {
  const format = formatOf('Y-m-d\\TH:i:s')!
  expect(format.write(0)).toBe('1970-01-01T00:00:00')
  expect(format.read('1970-01-01T00:00:00')).toBe(0)
  expect(formatOf('M d, y')).toBeUndefined()
  expect(formatOf('Y Y')).toBeUndefined()
  expect(() => field('date', { format: 'l' })).toThrow(/must be made of/)
})

test('an invalid date is refused when sent, and empty when stored', () => {
  expect(date.write('soon', day)).toHaveProperty('errors.date')
  expect(time.write('25:99', clock)).toHaveProperty('errors.time')
  expect(date.write(5, day)).toHaveProperty('errors.type')
  expect(date.read('soon', day)).toBe('')
  expect(date.write('', day)).toEqual({ stored: '' })
})

const say = (settings: object, value: string, type: 'date' | 'time' = 'date') =>
  JSON.parse(JSON.stringify(fieldTypes[type]!.check(value, field(type, { ...settings })))) as unknown

test('an error names both limits, or the one that is set', () => {
  const both = { min: '2020-01-01', max: '2029-12-31' }
  expect(say(both, '2019-12-31 00:00:00')).toEqual({ minMax: 'This must be between 2020-01-01 and 2029-12-31.' })
  expect(say(both, '2029-12-31 00:00:00')).toEqual({})
  expect(say({ min: '2020-01-01' }, '2019-12-31 00:00:00')).toEqual({ minMax: 'This must not be before 2020-01-01.' })
  expect(say({ max: '22:00' }, '23:00:00', 'time')).toEqual({ minMax: 'This must not be after 22:00.' })
  expect(say({ min: '06:00', max: '22:00' }, '05:55:00', 'time')).toEqual({
    minMax: 'This must be between 06:00 and 22:00.',
  })
  expect(() => field('date', { min: 'yesterday' })).toThrow(/must be a date/)
  expect(() => field('time', { max: 'noon' })).toThrow(/must be a time/)
})

test('a step is a number, a unit or both', () => {
  for (const step of [15, 'hour', { unit: 'minute', size: 30 }, { size: 2 }])
    expect(field('time', { step })).toHaveProperty('step')
  for (const step of [0, 1.5, 'week', { unit: 'week' }, { size: 0 }, [], true])
    expect(() => field('time', { step })).toThrow(/unit and size/)
})
