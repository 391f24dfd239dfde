import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type FlatQuery, nestQuery } from './query.ts'

/** As the server hands it over: `Object.create(null)`, so that `__proto__` is a name like any other. */
const nest = (pairs: [string, string | string[]][]) => {
  const flat = Object.create(null) as FlatQuery
  for (const [name, value] of pairs) flat[name] = value
  return { ...nestQuery(flat) }
}

test('plain names stay unchanged', () => {
  expect(
    nest([
      ['view', 'compact'],
      ['page', ['1', '2']],
    ]),
  ).toEqual({ view: 'compact', page: ['1', '2'] })
  expect(nest([])).toEqual({})
})

test('brackets make lists, also with one value', () => {
  expect(nest([['select[]', ['a', 'b']]])).toEqual({ select: ['a', 'b'] })
  expect(nest([['select[]', 'a']])).toEqual({ select: ['a'] })
})

test('names in brackets make groups', () => {
  expect(
    nest([
      ['select[role]', 'compact'],
      ['select[parent]', 'default'],
    ]),
  ).toEqual({
    select: { role: 'compact', parent: 'default' },
  })
  expect(nest([['select[role][]', ['name', 'title']]])).toEqual({ select: { role: ['name', 'title'] } })
  expect(nest([['select[role][]', 'name']])).toEqual({ select: { role: ['name'] } })
})

test.each([
  'select[',
  'select]',
  '[]',
  '[a]',
  'a[b',
  'a]b[',
  'a[b]c',
  'a[[b]]',
  'a[b][c]',
  'a[b][][]',
  'a[][b]',
  'a[][]',
  '',
])('%j is an ordinary name', name => {
  expect(nest([[name, 'x']])).toEqual({ [name]: 'x' })
})

test('B04: no name reaches a prototype', () => {
  nest([
    ['__proto__', 'x'],
    ['__proto__[role]', 'admin'],
    ['constructor[prototype]', 'x'],
    ['select[__proto__]', 'admin'],
    ['select[__proto__][]', 'admin'],
    ['select[constructor]', 'admin'],
  ])
  expect(({} as { role?: string }).role).toBeUndefined()
  expect(Object.getPrototypeOf(nestQuery({}))).toBeNull()
})

test('any names are parsed without errors or invented values', () => {
  const name = fc.oneof(
    fc.string(),
    fc.array(fc.constantFrom('a', 'select', '[', ']', '[]', '__proto__', 'constructor')).map(parts => parts.join('')),
  )
  const value = fc.oneof(fc.string(), fc.array(fc.string(), { minLength: 1 }))
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value), { maxLength: 10 }), pairs => {
      const sent = new Set(pairs.flatMap(([, values]) => values))
      const leaves = (node: unknown): unknown[] =>
        typeof node === 'object' && node !== null ? Object.values(node).flatMap(leaves) : [node]
      for (const leaf of leaves(nest(pairs))) expect(sent).toContain(leaf)
    }),
  )
})
