import { expect, test } from 'vitest'
import { cpuTime } from '../../../test/cpu-time.ts'
import { field, fields } from '../../../test/fields.ts'
import { withBudget } from './budget.ts'
import { fieldTypes } from './index.ts'
import { compilePattern, fits, tryAll } from './pattern.ts'

const rulesOf = (pattern: string, value: string) =>
  Object.keys(fieldTypes['text']!.check(value, field('text', { pattern })))

test('a pattern fits anywhere in the text, in small letters and in capitals', () => {
  expect(rulesOf('b[0-9]', 'aB1c')).toEqual([])
  expect(rulesOf('^[A-Z]{2}[0-9]+$', 'ab12')).toEqual([])
  expect(rulesOf('^[A-Z]{2}[0-9]+$', 'a12')).toEqual(['pattern'])
  expect(rulesOf('^.$', '🌊')).toEqual([])
})

test('a pattern that cannot be compiled is not accepted from a blueprint', () => {
  expect(compilePattern('(')).toBeUndefined()
  expect(compilePattern('a++')).toBeUndefined()
  expect(compilePattern('[\\w-\\d]'), 'what only older rules allow is allowed').toBeDefined()
  expect(() => field('text', { pattern: '(' })).toThrow(/regular expression/)
})

const endless = `${'a'.repeat(40)}!`

test('a pattern that would take years is stopped, and others go on working', () => {
  const pattern = compilePattern('^(a+)+$')!
  const before = cpuTime()
  expect(fits(pattern, endless)).toBeUndefined()
  expect(cpuTime() - before).toBeLessThan(10_000)
  expect(fits(pattern, 'aaa')).toBe(true)
})

const said = (settings: Record<string, unknown>) =>
  JSON.parse(JSON.stringify(fieldTypes['text']!.check(endless, field('text', settings)))) as unknown

test('what could not be checked is not said to be wrong', () => {
  const unchecked = 'This could not be checked in time. Please try a shorter text.'
  expect(said({ pattern: '^(a+)+$' })).toEqual({ pattern: unchecked })
  expect(said({ validate: { match: '/^(a+)+$/' } })).toEqual({ match: unchecked })
})

test('many texts are tried in one go, those after one that takes too long as well', () => {
  const pattern = compilePattern('^([a-z]+)+$')!
  withBudget(({ answers }) => {
    tryAll(pattern, ['abc', endless, 'abc', '12', 'x'.repeat(10_001)])
    expect([...answers.get(pattern)!]).toEqual([
      ['abc', true],
      [endless, undefined],
      ['12', false],
    ])
  })
})

test('the time for all patterns together is limited', () => {
  const before = cpuTime()
  const texts = Array.from({ length: 1000 }, (_, index) => `${'a'.repeat(40)}${index}`)
  const rows = texts.map(code => ({ code }))
  const structure = field('structure', { fields: fields({ code: ['text', { pattern: '^(a+)+$' }] }) })
  expect(fieldTypes['structure']!.check(rows, structure)).toHaveProperty('structure')
  expect(cpuTime() - before).toBeLessThan(5000)
})

test('thousands of rows with a pattern that has to be watched are checked in time', () => {
  const slugs = { slug: ['text', { pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$' }] } as const
  const rows = Array.from({ length: 10_000 }, (_, index) => ({ slug: `row-${index}-of-many` }))
  const structure = field('structure', { fields: fields(slugs) })
  expect(fieldTypes['structure']!.check(rows, structure)).toEqual({})
})

/** Whether it runs where it can be stopped is seen by what it leaves behind. */
const isWatched = (source: string, text: string) =>
  withBudget(({ answers }) => {
    fits(compilePattern(source)!, text)
    return answers.size > 0
  })

test('only patterns that can take long are watched', () => {
  const quick = [
    '^[A-Z]{2}[0-9]+$',
    'b[0-9]',
    '^(?:red|green|blue)$',
    '^\\d{3}-(\\d{4})?$',
    '^[^@]+@[^@]+\\.[a-z]{2,}$',
    '[(+*]',
    '\\(\\+',
    '\\p{L}+',
  ]
  for (const source of quick) expect([source, isWatched(source, 'some text')]).toEqual([source, false])
  const slow = [
    '(a+)+',
    '(a|a)*',
    '(a+){20}',
    '(a?){20}',
    '(a)\\1',
    '^(?=a)',
    '((a|b)c)*',
    '(?:(?:a*))*',
    '(a{2,3})+',
    '(?<x>a)',
  ]
  for (const source of slow) expect([source, isWatched(source, 'some text')]).toEqual([source, true])
  expect(isWatched('a?'.repeat(30) + 'a{30}', 'aaa'), 'many choices').toBe(true)
  expect(isWatched('(?:a|b)'.repeat(30), 'aaa'), 'many branches').toBe(true)
  expect(isWatched('a*a*a*b', 'a'.repeat(1000)), 'a long text').toBe(true)
})

test('a text that is very long does not fit', () => {
  expect(fits(compilePattern('a')!, 'a'.repeat(10_000))).toBe(true)
  expect(fits(compilePattern('a')!, 'a'.repeat(10_001))).toBe(false)
})
