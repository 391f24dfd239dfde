import { expect, test } from 'vitest'
import { field } from '../../../test/fields.ts'
import { fieldTypes } from './index.ts'
import { compilePattern, fits } from './pattern.ts'

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

test('a pattern that would take years is stopped, and others go on working', () => {
  const pattern = compilePattern('^(a+)+$')!
  const before = performance.now()
  expect(fits(pattern, `${'a'.repeat(40)}!`)).toBe(false)
  expect(performance.now() - before).toBeLessThan(10_000)
  expect(fits(pattern, 'aaa')).toBe(true)
})

test('a text that is very long does not fit', () => {
  expect(fits(compilePattern('a')!, 'a'.repeat(10_000))).toBe(true)
  expect(fits(compilePattern('a')!, 'a'.repeat(10_001))).toBe(false)
})
