import fc from 'fast-check'
import { expect, test } from 'vitest'
import { field } from '../../../test/fields.ts'
import { areChecks, checksOf } from './checks.ts'
import { fieldTypes } from './index.ts'
import { isEmail, isUrl, type Validator, type ValidatorName, validators } from './validators.ts'
import { rounds } from '../../../test/slow.ts'

type Cases = Record<ValidatorName, { args?: unknown[]; valid: unknown[]; invalid: unknown[] }>

const cases: Cases = {
  accepted: { valid: [true, 'true', 1, '1', 'on', 'yes'], invalid: [false, 'no', 0, '', 'maybe', null, [], {}] },
  alpha: { valid: ['abc', 'Äöü', '日本'], invalid: ['a1', 'a b', '', '1', 5, null] },
  alphanum: { valid: ['a1', 'Ä9', '42'], invalid: ['a b', 'a-b', '', null] },
  between: { args: [2, 4], valid: [2, 4, '3', 'abc', [1, 2]], invalid: [1, 5, 'a', 'abcde', [1], null, {}] },
  contains: { args: ['sea'], valid: ['the sea', ['sea', 'sky']], invalid: ['the sky', ['seal'], 5, null] },
  date: { valid: ['2024-05-06', '6 May 2024', '2024-05-06 07:00'], invalid: ['2024-13-45', 'soon', 20240506, null] },
  denied: { valid: [false, 'false', 0, '0', 'off', 'no'], invalid: [true, 'yes', '', null] },
  different: { args: ['a'], valid: ['b', '', 1, null], invalid: ['a'] },
  email: { valid: ['a@b.example', 'ä@münchen.example'], invalid: ['a', 'a@b', '@b.example', 'a b@c.example', 5, null] },
  empty: { valid: ['', null, [], undefined], invalid: ['a', 0, false, ['']] },
  endsWith: { args: ['.jpg'], valid: ['a.jpg'], invalid: ['a.png', 5, null] },
  filename: { valid: ['a.jpg', 'A_b-c@2x.png'], invalid: ['a b.jpg', '../x', '..', 'a', '', null] },
  in: { args: [['a', 1]], valid: ['a', 1, '1'], invalid: ['b', '', null, ['a']] },
  integer: { valid: [5, '5', '-5', 5.0], invalid: [5.5, '5.5', '', 'a', null] },
  ip: { valid: ['192.0.2.1', '2001:db8::1'], invalid: ['300.1.1.1', 'a', '', null] },
  json: { valid: ['{"a":1}', '5', 'null'], invalid: ['{a}', '', null, {}] },
  less: { args: [3], valid: [2, '2', 'ab', [1]], invalid: [3, 'abc', [1, 2, 3], null] },
  match: { args: ['/^[a-z]+[0-9]$/'], valid: ['ab1', 'AB1'], invalid: ['ab', '1ab', 5, null] },
  max: { args: [3], valid: [3, 'abc', [1, 2, 3]], invalid: [4, 'abcd', null] },
  min: { args: [3], valid: [3, 'abc', [1, 2, 3]], invalid: [2, 'ab', null] },
  maxLength: { args: [2], valid: ['', 'ab', '🌊🌊', '12'], invalid: ['abc', '123', 5, null] },
  minLength: { args: [2], valid: ['ab', '🌊🌊', '12'], invalid: ['a', '🌊', '', 5, null] },
  maxWords: { args: [2], valid: ['', 'one two'], invalid: ['one two three', 5, null] },
  minWords: { args: [2], valid: ['one two', ' one  two '], invalid: ['one', '', 5, null] },
  more: { args: [3], valid: [4, 'abcd'], invalid: [3, 'abc', null] },
  notContains: { args: ['sea'], valid: ['sky', ['seal'], 5, null], invalid: ['the sea', ['sea']] },
  notEmpty: { valid: ['a', 0, false], invalid: ['', null, []] },
  notIn: { args: ['a', 'b'], valid: ['c', '', null], invalid: ['a', 'b'] },
  num: { valid: [1, -1.5, '1', '-1.5'], invalid: ['', 'a', '1,5', Number.NaN, null] },
  required: { valid: ['a', 0, false], invalid: ['', null, []] },
  same: { args: ['a'], valid: ['a'], invalid: ['b', '', null] },
  size: { args: [3], valid: [3, '3', 'abc', [1, 2, 3], { a: 1, b: 2, c: 3 }], invalid: [2, 'ab', null] },
  startsWith: { args: ['sea'], valid: ['seal'], invalid: ['the sea', 5, null] },
  tel: { valid: ['+4930123', '0123'], invalid: ['+49 30', '', '12a', 5, null] },
  time: { valid: ['18:30', '7pm', '07:03:00'], invalid: ['25:99', 'noon', 18, null] },
  url: { valid: ['https://example.org', 'ftp://a.example/b?c#d'], invalid: ['example.org', '', 5, null] },
  uuid: { valid: ['page://abc123', 'file://x', 'user://y', 'site://'], invalid: ['page://', 'abc', 'http://x', null] },
}

test.each(Object.keys(cases) as ValidatorName[])('%s', name => {
  const { args = [], valid, invalid } = cases[name]
  const holds: Validator = validators[name]
  for (const value of valid) expect(holds(value, ...args), `${JSON.stringify(value)} fits`).toBe(true)
  for (const value of invalid) expect(holds(value, ...args), `${JSON.stringify(value)} does not fit`).toBe(false)
})

test('every validator is tested, and none throws', () => {
  expect(Object.keys(cases)).toEqual(Object.keys(validators))
  fc.assert(
    fc.property(fc.jsonValue(), fc.array(fc.jsonValue(), { maxLength: 2 }), (value, args) => {
      for (const [name, holds] of Object.entries(validators) as [string, Validator][])
        expect(typeof holds(value, ...args), `for ${name}`).toBe('boolean')
    }),
    {
      numRuns: rounds(10, 50),
      examples: [
        [[[{ toString: '' }]], []],
        [['text'], [{ toString: '' }]],
      ],
    },
  )
})

test('dates and times can be compared', () => {
  expect(validators.date('2024-05-06', '>', '2024-01-01')).toBe(true)
  expect(validators.date('2024-05-06', '<=', '2024-01-01')).toBe(false)
  expect(validators.date('2024-05-06', '==', 'no date')).toBe(false)
  expect(validators.time('18:30', '!=', '18:31')).toBe(true)
})

test.each([
  ['http://example.org', true],
  ['https://user:secret@sub.example.org:8080/a/b?c=d#e', true],
  ['https://münchen.example/straße', true],
  ['http://localhost:3000', true],
  ['https://93.184.216.34/', true],
  ['https://10.0.0.1/', false],
  ['https://192.168.1.1', false],
  ['https://172.16.0.1', false],
  ['https://172.32.0.1', true],
  ['https://169.254.1.1', false],
  ['https://999.1.1.1', false],
  ['https://1', false],
  ['javascript:alert(1)', false],
  ['https://exa mple.org', false],
  ['https://-a.example', false],
  ['https://example', false],
  ['https://example.o', false],
  ['https://', false],
  [`https://example.org/${'a'.repeat(5000)}`, false],
])('%s is a URL: %s', (text, expected) => {
  expect(isUrl(text)).toBe(expected)
})

test('an email address needs a public host', () => {
  expect(isEmail('a@b.example')).toBe(true)
  expect(isEmail('a.b@c')).toBe(false)
})

// ---- `validate` of a blueprint

const rulesOf = (validate: unknown, value: unknown) =>
  Object.keys(fieldTypes['text']!.check(value, field('text', { validate })))

test('a blueprint names one check, several, or checks with arguments', () => {
  expect(rulesOf('alpha', '1')).toEqual(['alpha'])
  expect(rulesOf(['alpha', 'email'], '1')).toEqual(['alpha', 'email'])
  expect(rulesOf({ alpha: true, minLength: 2 }, '1')).toEqual(['alpha', 'minLength'])
  expect(rulesOf({ between: [2, 3] }, 'abcd')).toEqual(['between'])
  expect(rulesOf({ in: ['a', 'b'] }, 'c')).toEqual(['in'])
  expect(rulesOf({ alpha: false, email: false }, '1')).toEqual([])
  expect(rulesOf({ minlength: 2 }, '1'), 'however it is written').toEqual(['minlength'])
})

test('an empty value is not validated', () => {
  expect(rulesOf(['alpha', 'email'], '')).toEqual([])
})

test('unknown and invalid checks are refused in a blueprint', () => {
  for (const validate of ['alpha', ['alpha', 'email'], {}, { match: '/^a$/' }]) expect(areChecks(validate)).toBe(true)
  for (const validate of ['alphabet', ['alpha', 5], { nothing: true }, { match: '/(/' }, 5, null, undefined])
    expect(areChecks(validate)).toBe(false)
  expect(() => field('text', { validate: 'alphabet' })).toThrow(/checks that exist/)
})

test('every check has a message', () => {
  const texts = Object.keys(validators).map(rule => {
    const [check] = checksOf({ validate: { [rule]: ['3', '5'] } })
    const problem = ['x', '3', '', 99].map(value => check!.problem(value)).find(text => text !== undefined)
    return `${rule}: ${String(problem)}`
  })
  expect(texts.filter(text => /undefined|[{}]|validation\./.test(text))).toEqual([])
  expect(texts).toHaveLength(Object.keys(validators).length)
})
