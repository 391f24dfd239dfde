import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isBroken } from './broken.ts'
import { isForbiddenName, toStored } from './stored.ts'
import { parseStructured, toText } from './yaml.ts'

const storable = fc
  .jsonValue({ maxDepth: 4 })
  .map(value => toStored(value))
  .filter(value => value !== undefined)

test('a value stored as YAML is read unchanged', () => {
  fc.assert(
    fc.property(storable, stored => {
      const wrapped = { value: stored }
      expect(parseStructured(toText(wrapped))).toEqual(wrapped)
    }),
  )
})

test('texts that look like other types stay texts', () => {
  const texts = ['yes', 'no', 'on', '12', '01067', '1.10', '~', 'null', 'true', '2024-01-02', '12:30:00', '', ' a ']
  const more = [
    'a\n',
    'a\n\n',
    '\n',
    '\r\n',
    '- a',
    'a: b',
    '# a',
    '@a',
    '%a',
    '!a',
    '&a',
    '*a',
    '|',
    '>',
    '\u0085',
    '\0',
  ]
  for (const text of [...texts, ...more]) expect(parseStructured(toText([text]))).toEqual([text])
})

test('hand-written YAML is read without guessing', () => {
  expect(parseStructured('zip: 01067\nprice: 1.10\ncountry: no\nsince: 2001-02-03\n')).toEqual({
    zip: '01067',
    price: '1.10',
    country: 'no',
    since: '2001-02-03',
  })
  expect(parseStructured('a: 3\nb: -0.5\nc: true\nd: ~\ne: null\nf:\ng: 1e+21')).toEqual({
    a: 3,
    b: -0.5,
    c: true,
    d: null,
    e: null,
    f: null,
    g: 1e21,
  })
  expect(parseStructured('- \n  what: Rope\n  qty: 3\n- \n  what: Lamp\n')).toEqual([
    { what: 'Rope', qty: 3 },
    { what: 'Lamp' },
  ])
})

test('lists and maps are stored in block style', () => {
  expect(toText(['a', 'b'])).toBe('- a\n- b')
  expect(toText({ street: 'Quay 3', text: 'one\ntwo', none: [] })).toBe(
    'street: Quay 3\ntext: |-\n  one\n  two\nnone: []',
  )
})

test('large values are stored as JSON, which is also YAML and fast to parse', () => {
  const large = Array.from({ length: 1000 }, (_, row) => ({ row, text: `${row}`, more: ['a', null, true, 1.5] }))
  expect(toText(large)).toBe(JSON.stringify(large))
  expect(parseStructured(toText(large))).toEqual(large)
})

test('arbitrary text is parsed or refused, and never throws', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      expect(() => parseStructured(text)).not.toThrow()
    }),
  )
  const bomb = `a: &a [x,x,x,x,x,x,x,x]\n${'bcdefghi'.replaceAll(/./g, l => `${l}: &${l} [${'*a,'.repeat(200)}]\n`)}`
  for (const text of ['[', '{', 'a: b: c', '- @x', '\t- x', '*x', bomb, '['.repeat(3000), `x: ${'y'.repeat(300_000)}`])
    expect(isBroken(parseStructured(text))).toBe(true)
})

test('keys that reach a prototype are not read', () => {
  const value = parseStructured('__proto__: {a: 1}\nconstructor: x\nb: {prototype: 1, c: 2}') as Record<string, unknown>
  expect(Object.keys(value)).toEqual(['b'])
  expect(value['b']).toEqual({ c: 2 })
  expect(['__proto__', 'constructor', 'prototype'].every(isForbiddenName)).toBe(true)
})

test('only JSON of limited depth without forbidden keys can be stored', () => {
  expect(toStored(JSON.parse('{"a":{"__proto__":1}}'))).toBeUndefined()
  expect(toStored(JSON.parse(`${'['.repeat(20)}1${']'.repeat(20)}`))).toBeDefined()
  expect(toStored(JSON.parse(`${'['.repeat(5000)}1${']'.repeat(5000)}`))).toBeUndefined()
  expect(toStored([undefined])).toBeUndefined()
  expect(toStored(Number.NaN)).toBeUndefined()
  expect(toStored(-0)).toBe(0)
})
