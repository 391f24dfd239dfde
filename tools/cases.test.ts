import { expect, test } from 'vitest'
import { cases, isFresh, testsById, untested } from './cases.ts'

test('the table of cases is fresh: node tools/cases.ts', () => {
  expect(isFresh()).toBe(true)
})

test('every case has a test, or a reason why it has none', () => {
  const tests = testsById()
  expect(tests.size).toBeGreaterThan(100)
  expect(Object.keys(cases).filter(id => !tests.has(id) && untested[id] === undefined)).toEqual([])
  expect(Object.keys(untested).filter(id => tests.has(id))).toEqual([])
})

test('every id in a title belongs to a case', () => {
  expect([...testsById().keys()].filter(id => cases[id] === undefined)).toEqual([])
})
