import fc from 'fast-check'
import { expect, test } from 'vitest'
import { field } from '../../../test/fields.ts'
import { areChecks, checksOf } from './checks.ts'
import { fieldTypes } from './index.ts'
import { isEmail, isUrl, type Validator, type ValidatorName, validators } from './validators.ts'
import { rounds } from '../../../test/slow.ts'

type Cases = Record<ValidatorName, { args?: unknown[]; fits: unknown[]; not: unknown[] }>

const cases: Cases = {
  accepted: { fits: [true, 'true', 1, '1', 'on', 'yes'], not: [false, 'no', 0, '', 'maybe', null, [], {}] },
  alpha: { fits: ['abc', 'Äöü', '日本'], not: ['a1', 'a b', '', '1', 5, null] },
  alphanum: { fits: ['a1', 'Ä9', '42'], not: ['a b', 'a-b', '', null] },
  between: { args: [2, 4], fits: [2, 4, '3', 'abc', [1, 2]], not: [1, 5, 'a', 'abcde', [1], null, {}] },
  contains: { args: ['sea'], fits: ['the sea', ['sea', 'sky']], not: ['the sky', ['seal'], 5, null] },
  date: { fits: ['2024-05-06', '6 May 2024', '2024-05-06 07:00'], not: ['2024-13-45', 'soon', 20240506, null] },
  denied: { fits: [false, 'false', 0, '0', 'off', 'no'], not: [true, 'yes', '', null] },
  different: { args: ['a'], fits: ['b', '', 1, null], not: ['a'] },
  email: { fits: ['a@b.example', 'ä@münchen.example'], not: ['a', 'a@b', '@b.example', 'a b@c.example', 5, null] },
  empty: { fits: ['', null, [], undefined], not: ['a', 0, false, ['']] },
  endsWith: { args: ['.jpg'], fits: ['a.jpg'], not: ['a.png', 5, null] },
  filename: { fits: ['a.jpg', 'A_b-c@2x.png'], not: ['a b.jpg', '../x', '..', 'a', '', null] },
  in: { args: [['a', 1]], fits: ['a', 1, '1'], not: ['b', '', null, ['a']] },
  integer: { fits: [5, '5', '-5', 5.0], not: [5.5, '5.5', '', 'a', null] },
  ip: { fits: ['192.0.2.1', '2001:db8::1'], not: ['300.1.1.1', 'a', '', null] },
  json: { fits: ['{"a":1}', '5', 'null'], not: ['{a}', '', null, {}] },
  less: { args: [3], fits: [2, '2', 'ab', [1]], not: [3, 'abc', [1, 2, 3], null] },
  match: { args: ['/^[a-z]+[0-9]$/'], fits: ['ab1', 'AB1'], not: ['ab', '1ab', 5, null] },
  max: { args: [3], fits: [3, 'abc', [1, 2, 3]], not: [4, 'abcd', null] },
  min: { args: [3], fits: [3, 'abc', [1, 2, 3]], not: [2, 'ab', null] },
  maxLength: { args: [2], fits: ['', 'ab', '🌊🌊', '12'], not: ['abc', '123', 5, null] },
  minLength: { args: [2], fits: ['ab', '🌊🌊', '12'], not: ['a', '🌊', '', 5, null] },
  maxWords: { args: [2], fits: ['', 'one two'], not: ['one two three', 5, null] },
  minWords: { args: [2], fits: ['one two', ' one  two '], not: ['one', '', 5, null] },
  more: { args: [3], fits: [4, 'abcd'], not: [3, 'abc', null] },
  notContains: { args: ['sea'], fits: ['sky', ['seal'], 5, null], not: ['the sea', ['sea']] },
  notEmpty: { fits: ['a', 0, false], not: ['', null, []] },
  notIn: { args: ['a', 'b'], fits: ['c', '', null], not: ['a', 'b'] },
  num: { fits: [1, -1.5, '1', '-1.5'], not: ['', 'a', '1,5', Number.NaN, null] },
  required: { fits: ['a', 0, false], not: ['', null, []] },
  same: { args: ['a'], fits: ['a'], not: ['b', '', null] },
  size: { args: [3], fits: [3, '3', 'abc', [1, 2, 3], { a: 1, b: 2, c: 3 }], not: [2, 'ab', null] },
  startsWith: { args: ['sea'], fits: ['seal'], not: ['the sea', 5, null] },
  tel: { fits: ['+4930123', '0123'], not: ['+49 30', '', '12a', 5, null] },
  time: { fits: ['18:30', '7pm', '07:03:00'], not: ['25:99', 'noon', 18, null] },
  url: { fits: ['https://example.org', 'ftp://a.example/b?c#d'], not: ['example.org', '', 5, null] },
  uuid: { fits: ['page://abc123', 'file://x', 'user://y', 'site://'], not: ['page://', 'abc', 'http://x', null] },
}

test.each(Object.keys(cases) as ValidatorName[])('%s', name => {
  const { args = [], fits, not } = cases[name]
  const holds: Validator = validators[name]
  for (const value of fits) expect(holds(value, ...args), `${JSON.stringify(value)} fits`).toBe(true)
  for (const value of not) expect(holds(value, ...args), `${JSON.stringify(value)} does not fit`).toBe(false)
})

test('every validator is tested, and none throws', () => {
  expect(Object.keys(cases)).toEqual(Object.keys(validators))
  fc.assert(
    fc.property(fc.jsonValue(), fc.array(fc.jsonValue(), { maxLength: 2 }), (value, args) => {
      for (const [name, holds] of Object.entries(validators) as [string, Validator][])
        expect(typeof holds(value, ...args), `for ${name}`).toBe('boolean')
    }),
    { numRuns: rounds(10, 50) },
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
