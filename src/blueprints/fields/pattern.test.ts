import { expect, test } from 'vitest'
import { cpuTime } from '../../../test/cpu-time.ts'
import { field, fields } from '../../../test/fields.ts'
import { withBudget } from './budget.ts'
import { fieldTypes } from './index.ts'
import { compilePattern } from './pattern.ts'

const rulesOf = (pattern: string, value: string) =>
  Object.keys(fieldTypes['text']!.check(value, field('text', { pattern })))
const matches = (pattern: string, text: string) => compilePattern(pattern)!.test(text)

test('a pattern matches anywhere in the text, case-insensitively', () => {
  expect(rulesOf('b[0-9]', 'aB1c')).toEqual([])
  expect(rulesOf('^[A-Z]{2}[0-9]+$', 'ab12')).toEqual([])
  expect(rulesOf('^[A-Z]{2}[0-9]+$', 'a12')).toEqual(['pattern'])
  expect(rulesOf('^.$', '🌊')).toEqual([])
})

test('an invalid pattern is refused in a blueprint', () => {
  expect(compilePattern('(')).toBeUndefined()
  expect(compilePattern('a++')).toBeUndefined()
  expect(compilePattern('(?P<a>b)'), 'what only RE2 allows').toBeUndefined()
  expect(compilePattern('[\\w-\\d]'), 'what only older rules allow is allowed').toBeDefined()
  expect(() => field('text', { pattern: '(' })).toThrow(/regular expression/)
})

const texts = ['', 'a', 'ab', 'AB12', 'foo bar', 'x\u00a0y', 'ä', 'Σ', 'ς', 'ſ', '🌊', 'a\nb', 'aa', '2026-11-16', 'a-b-c', 'a@b.de', '+49', '[x]', '\u2028'] // prettier-ignore
test.each([
  '^[a-z0-9]+(?:-[a-z0-9]+)*$',
  '^[^@]+@[^@]+\\.[a-z]{2,}$',
  '\\p{L}+',
  '^\\p{Lu}',
  '^\\w+$',
  '\\W',
  '\\bfoo\\b',
  '[^]',
  '^\\d{4}-\\d\\d-\\d\\d$',
  '\\u{1F30A}',
  '\\u00e4',
  '[\\u00e0-\\u00ff]',
  '(?<year>\\d+)',
  '(?<=foo )bar',
  '^\\+?\\d+$',
  '[[\\]]',
  's',
  '^(?=.*\\d)(?=.*[a-z]).{3,}$',
  '^(.)\\1$',
  '\\p{Script=Greek}',
])('the pattern matches like JavaScript: %s', source => {
  for (const text of texts) expect([text, matches(source, text)]).toEqual([text, new RegExp(source, 'iu').test(text)])
})

test('non-ASCII whitespace and line breaks are ordinary characters', () => {
  expect(matches('^\\S+$', 'x\u00a0y')).toBe(true)
  expect(matches('^x\\sy$', 'x y')).toBe(true)
  expect(matches('^.$', '\u2028')).toBe(true)
  expect(matches('^.$', '\n')).toBe(false)
})

test('matching takes linear time, whatever the pattern', () => {
  const before = cpuTime()
  for (const source of ['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '(.*)*x', 'a*a*a*a*b', '^([a-z]+)+$'])
    expect([source, matches(source, `${'a'.repeat(9999)}!`)]).toEqual([source, false])
  expect(cpuTime() - before).toBeLessThan(500)
})

const endless = `${'a'.repeat(40)}!`
const backtracks = '^(?=a)(a+)+$'

test('a slow pattern with lookaheads is stopped, and others still work', () => {
  const before = cpuTime()
  expect(matches(backtracks, endless)).toBeUndefined()
  expect(cpuTime() - before).toBeLessThan(500)
  expect(matches(backtracks, 'aaa')).toBe(true)
})

const errorsWith = (settings: Record<string, unknown>) =>
  JSON.parse(JSON.stringify(fieldTypes['text']!.check(endless, field('text', settings)))) as unknown

test('a value that could not be checked gets no error', () => {
  const unchecked = 'This could not be checked in time. Please try a shorter text.'
  expect(errorsWith({ pattern: backtracks })).toEqual({ pattern: unchecked })
  expect(errorsWith({ validate: { match: `/${backtracks}/` } })).toEqual({ match: unchecked })
  withBudget(budget => {
    budget.isLenient = true
    expect(errorsWith({ pattern: backtracks })).toEqual({})
  })
})

const checkRows = (pattern: string, rows: readonly { code: string }[]) =>
  fieldTypes['structure']!.check(rows, field('structure', { fields: fields({ code: ['text', { pattern }] }) }))

test('the time for all patterns of a request is limited', () => {
  const before = cpuTime()
  const rows = Array.from({ length: 1000 }, (_, index) => ({ code: `${'a'.repeat(40)}${index}` }))
  expect(checkRows(backtracks, rows)).toHaveProperty('structure')
  expect(cpuTime() - before).toBeLessThan(500)
})

test('thousands of rows are checked in time', () => {
  const rows = Array.from({ length: 10_000 }, (_, index) => ({ code: `row-${index}-of-many` }))
  expect(checkRows('^[a-z0-9]+(?:-[a-z0-9]+)*$', rows)).toEqual({})
})

test('a very long text does not match', () => {
  expect(matches('a', 'a'.repeat(10_000))).toBe(true)
  expect(matches('a', 'a'.repeat(10_001))).toBe(false)
  expect(matches('(?=a)', 'a'.repeat(10_001))).toBe(false)
})
