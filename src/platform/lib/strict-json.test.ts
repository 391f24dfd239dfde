import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JsonProblem, parseStrictJson } from './strict-json.ts'
import { rounds } from '../../../test/slow.ts'

const wide = { depth: 1000, members: 1_000_000 }
const parse = (text: string, limits = wide) => parseStrictJson(Buffer.from(text), limits)

describe('valid JSON', () => {
  const forbidden = new Set(['__proto__', 'constructor', 'prototype'])
  const { document } = fc.letrec(again => ({
    document: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, true, false),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string({ unit: 'binary' }).filter(text => text.isWellFormed()),
      fc.array(again('document'), { maxLength: 5 }),
      fc.dictionary(
        fc.oneof(fc.string(), fc.constantFrom('a', 'a"b', 'a\\', '{', ',', '')).filter(key => !forbidden.has(key)),
        again('document'),
        { maxKeys: 5 },
      ),
    ),
  }))

  test('every document is parsed like JSON.parse, for any indentation and escaping', () => {
    fc.assert(
      fc.property(document, fc.constantFrom(undefined, 1, 4, '\t'), fc.boolean(), (value, indent, escaped) => {
        const plain = JSON.stringify(value, undefined, indent)
        const text = escaped
          ? plain.replaceAll(/[^\0-\x7f]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
          : plain
        expect(parse(text)).toEqual(JSON.parse(text))
      }),
      { numRuns: rounds(100, 500) },
    )
  })

  test('no document is accepted that JSON.parse refuses', () => {
    const token = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      'a',
      '1',
      '"a"',
      'true',
      ' ',
      '\n',
      '\\u0061',
      '-',
      'e',
    )
    fc.assert(
      fc.property(
        fc.array(token, { maxLength: 12 }).map(parts => parts.join('')),
        text => {
          let expected: unknown
          let valid = true
          try {
            expected = JSON.parse(text)
          } catch {
            valid = false
          }
          if (!valid) expect(() => parse(text)).toThrow(JsonProblem)
          else if (!/"a".*"a"|u0061/s.test(text)) expect(parse(text)).toEqual(expected)
        },
      ),
      { numRuns: rounds(400, 2000) },
    )
  })
})

test('arbitrary bytes give a document or a JsonProblem, never another error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), bytes => {
      try {
        parseStrictJson(bytes, { depth: 4, members: 16 })
      } catch (error) {
        expect(error).toBeInstanceOf(JsonProblem)
      }
    }),
    { numRuns: rounds(50, 1000) },
  )
})

test.each([
  '',
  ' ',
  '{',
  '{"a":1',
  '{"a":1,}',
  '[1,]',
  "{'a':1}",
  '{a:1}',
  'NaN',
  'Infinity',
  '01',
  '.5',
  '+1',
  '1.',
  '"',
  '"a',
  '"\\x"',
  '"\\u12"',
  '"a\nb"',
  '// x\n1',
  '/* x */ 1',
  '1 2',
  '{} {}',
  '[]]',
  'nul',
  '\u00a01',
  '"\t"',
])('B02: %j is not JSON', text => {
  expect(() => parse(text)).toThrow(JsonProblem)
})

test.each([
  '{"a":1,"a":2}',
  '{"email":"a","em\\u0061il":"b"}',
  '{"a":{"b":1,"b":1}}',
  '[{"a":1,"a":1}]',
  '{"a":[1,{"x":0}],"a":2}',
  '{"":1,"":2}',
  '{"a":"}","a":1}',
  '{"a\\"":1,"a\\u0022":2}',
])('B03: %s has a duplicate key', text => {
  expect(() => parse(text)).toThrow('duplicate')
})

test('B03: the same key in different objects, or a value that looks like a key, is no duplicate', () => {
  for (const text of [
    '{"a":{"a":{"a":1}}}',
    '[{"a":1},{"a":2}]',
    '{"a":"b","b":"a"}',
    '{"a":["a","a"]}',
    '{"a":"a","A":1}',
  ])
    expect(parse(text)).toEqual(JSON.parse(text))
})

test.each(['__proto__', 'constructor', 'prototype'])(
  'B04: the key %s is refused at any depth and in any spelling',
  key => {
    const escaped = key
      .split('')
      .map(letter => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join('')
    for (const name of [key, escaped, key.replace('o', '\\u006f')])
      for (const text of [`{"${name}":1}`, `{"a":{"${name}":{}}}`, `[[{"x":1,"${name}":1}]]`])
        expect(() => parse(text)).toThrow('forbidden')
    expect(parse(`["${key}",{"a":"${key}"}]`)).toEqual([key, { a: key }])
    expect(({} as { role?: string }).role).toBeUndefined()
  },
)

test('B10: depth and members are limited, and refusing is fast', () => {
  expect(parse('[[[[]]]]', { depth: 4, members: 16 })).toEqual([[[[]]]])
  expect(() => parse('[[[[[]]]]]', { depth: 4, members: 16 })).toThrow('depth')
  expect(() => parse('['.repeat(10_000))).toThrow(JsonProblem)
  expect(() => parse('{"a":'.repeat(5), { depth: 4, members: 16 })).toThrow('depth')
  expect(parse('[1,2,3]', { depth: 4, members: 2 })).toEqual([1, 2, 3])
  expect(() => parse('[1,2,3,4]', { depth: 4, members: 2 })).toThrow('members')
  expect(() => parse('{"a":[1,2],"b":[3,4]}', { depth: 4, members: 2 })).toThrow('members')
  expect(() => parse(`[${'[[]],'.repeat(25_000)}1]`)).toThrow('members')
  expect(parse('[",,,,","[[[[[["]', { depth: 1, members: 1 })).toEqual([',,,,', '[[[[[['])
})

test('B14: a lone surrogate is refused, a pair is accepted', () => {
  for (const text of ['"\\ud800"', '"\\udc00"', '"\\udc00\\ud800"', '{"\\ud800":1}', '["a\\ud83dx"]'])
    expect(() => parse(text)).toThrow('unicode')
  expect(parse('"\\ud83d\\ude00 😀"')).toBe('😀 😀')
})

test('invalid UTF-8 and a byte order mark are refused', () => {
  for (const bytes of [
    [0x22, 0xff, 0x22],
    [0x22, 0xc0, 0x80, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
    [0x22, 0xe2, 0x82, 0x22],
    [0xff, 0xfe, 0x31, 0x00],
  ])
    expect(() => parseStrictJson(Uint8Array.from(bytes), wide)).toThrow('utf8')
  expect(() => parse('\ufeff1')).toThrow('mark')
  expect(parse('"\ufeff"')).toBe('\ufeff')
})

test('errors do not repeat the input', () => {
  for (const text of ['{"swordfish":1,"swordfish":2}', '{"swordfish', '"swordfish\\ud800"', 'swordfish']) {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('sword') as string }) as Error,
    )
  }
})
