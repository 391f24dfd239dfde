import fc from 'fast-check'
import { expect, test } from 'vitest'
import { merge, parse, plain, toNode } from './source.ts'
import { rounds } from '../../test/slow.ts'

function read(text: string) {
  const problems: string[] = []
  const node = parse('f.yml', text, ({ line, column }, message) => void problems.push(`${line}:${column} ${message}`))
  return { value: node && plain(node), problems }
}

test('every value has a source position; in a map that of its key', () => {
  const node = parse('f.yml', 'a: 1\nlist:\n  - x\n  - y: 2\n', () => {})!
  const entries = node.value as Map<string, typeof node>
  expect(entries.get('a')!.at).toEqual({ file: 'f.yml', line: 1, column: 1 })
  const [, second] = entries.get('list')!.value as (typeof node)[]
  expect(second!.at).toEqual({ file: 'f.yml', line: 4, column: 5 })
})

test.each([
  [
    'plain values',
    'a: 1\nb: 1.5\nc: true\nd: ~\ne: text\nf: "1"',
    { a: 1, b: 1.5, c: true, d: null, e: 'text', f: '1' },
  ],
  [
    'dates, times and endless numbers stay texts',
    'a: 2020-01-31\nb: 22:00\nc: .inf\nd: .nan',
    { a: '2020-01-31', b: '22:00', c: '.inf', d: '.nan' },
  ],
  ['older words for true and false stay texts', 'a: yes\nb: off', { a: 'yes', b: 'off' }],
  ['names are texts', '1: a\ntrue: b\n"x y": c', { 1: 'a', true: 'b', 'x y': 'c' }],
  [
    'long texts have no line break at their end',
    'a: |\n  one\n  two\nb: >\n  one\n  two\n',
    { a: 'one\ntwo', b: 'one two' },
  ],
  ['what is used twice', 'a: &it {x: 1}\nb: *it', { a: { x: 1 }, b: { x: 1 } }],
  ['what is taken over', 'a: &it {x: 1, y: 2}\nb: {<<: *it, x: 3}', { a: { x: 1, y: 2 }, b: { x: 3, y: 2 } }],
  ['nothing at all', '# only a remark', null],
  ['tags of other programs are not obeyed', 'a: !!js/function "x"', { a: 'x' }],
  ['a member of JavaScript is a name like any other', 'constructor: 1\ntoString: 2', { constructor: 1, toString: 2 }],
])('%s', (_, text, value) => {
  expect(read(text).value).toEqual(value)
})

test.each([
  ['a name used twice counts once', 'a: 1\nb: 2\na: 3', { a: 1, b: 2 }, /^3:1 "a" stands here a second time/],
  ['__proto__ is no name', 'a: 1\n__proto__: {b: 2}', { a: 1 }, /^2:1 "__proto__" cannot be used/],
  ['a list is no name', '[a]: 1\nb: 2', { b: 2 }, /^1:1 a name must be a plain text/],
  ['nothing is no name', '~: 1\nb: 2', { b: 2 }, /^1:1 a name must be a plain text/],
  ['a tab is no indentation', 'a:\n\tb: 1', undefined, /^2:1 this is not YAML: Tabs/],
  ['half a list', 'a: [1, 2', undefined, /^1:9 this is not YAML/],
  ['two documents', 'a: 1\n---\nb: 2', undefined, /^2:1 this is not YAML/],
  ['an alias for nothing', 'a: *b', undefined, /^1:1 "\*b" stands for nothing/],
  ['an alias inside of what it stands for', 'a: &b [*b]', undefined, /^1:8 "\*b" stands for nothing/],
])('%s', (_, text, value, problem) => {
  const found = read(text)
  expect(found.value).toEqual(value)
  expect(found.problems[0]).toMatch(problem)
})

test('aliases cannot expand a small text to a large tree', () => {
  const levels = Array.from(
    { length: 20 },
    (_, level) => `a${level + 1}: &a${level + 1} [${Array(10).fill(`*a${level}`).join(', ')}]`,
  )
  const { value, problems } = read(['a0: &a0 [x, x]', ...levels].join('\n'))
  expect(value).toBeUndefined()
  expect(problems).toEqual([expect.stringContaining('more than 20000 values')])
})

test.each([
  ['lists in lists', '['.repeat(5000)],
  ['lists in lines', '- '.repeat(5000)],
  ['maps in maps', '{a: '.repeat(5000)],
  ['indentation', Array.from({ length: 300 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
])('%s: their number is limited', (_, text) => {
  const { value, problems } = read(text)
  expect(value).toBeUndefined()
  expect(problems.length).toBeGreaterThan(0)
  expect(problems.length).toBeLessThanOrEqual(5)
})

test('no text throws', () => {
  const piece = fc.constantFrom(
    'a',
    'b: ',
    '- ',
    '\n',
    '  ',
    '\t',
    '&x ',
    '*x',
    '!',
    '!!str ',
    '|\n',
    '>',
    '{',
    '}',
    '[',
    ']',
    ',',
    '"',
    "'",
    '#',
    '%',
    '---\n',
    '...\n',
    '<<: ',
    '? ',
    '\0',
    '\r',
    '﻿',
    '1',
  )
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(piece, { maxLength: 40 }).map(pieces => pieces.join('')),
  )
  fc.assert(
    fc.property(text, source => {
      const { value, problems } = read(source)
      if (value === undefined) expect(problems.length).toBeGreaterThan(0)
      for (const problem of problems) expect(problem).toMatch(/^[1-9]\d*:[1-9]\d* \S/)
    }),
    { numRuns: rounds(100, 500) },
  )
})

test('merging merges maps and replaces all other values', () => {
  const at = { file: '', line: 1, column: 1 }
  const merged = merge(
    toNode({ a: { x: 1, y: 2 }, list: [1, 2], kept: true }, at),
    toNode({ a: { y: 3, z: 4 }, list: [5], new: null }, at),
  )
  expect(plain(merged)).toEqual({ a: { x: 1, y: 3, z: 4 }, list: [5], kept: true, new: null })
})
