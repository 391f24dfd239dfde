import { expect, test } from 'vitest'
import { checkHeaders, isPlainJson, securityHeaders, bodyFormatOf } from './guard.ts'

const single = ['Host', 'Authorization', 'Content-Type', 'Content-Length', 'Origin', 'Sec-Fetch-Site', 'X-CSRF']

test.each(single)('A17, A18: %s may occur once, ignoring case', name => {
  expect(checkHeaders([name, 'a', 'Accept', 'b'])).toBeUndefined()
  for (const second of [name, name.toLowerCase(), name.toUpperCase()]) {
    const refused = checkHeaders([name, 'swordfish', 'Accept', 'b', second, 'swordfish'])
    expect(refused).toMatchObject({ key: 'request.malformed', status: 400 })
    expect(refused?.message).toContain(name.toLowerCase())
    expect(refused?.message).not.toContain('swordfish')
  }
})

test('all unique headers may occur together, and others repeatedly', () => {
  expect(checkHeaders(single.flatMap(name => [name, 'x']))).toBeUndefined()
  expect(checkHeaders(['Accept', 'a', 'Accept', 'b', 'X-Forwarded-For', 'c', 'X-Forwarded-For', 'd'])).toBeUndefined()
  expect(
    checkHeaders(['Hos', 'a', 'Hos', 'b', 'Cookie', 'c', 'Cookie', 'd', 'Oregon', 'a', 'Oregon', 'b']),
  ).toBeUndefined()
  expect(checkHeaders([])).toBeUndefined()
})

test('headers are counted by name, not by value', () => {
  expect(checkHeaders(['Accept', 'Origin', 'Host', 'Host', 'X', 'Origin'])).toBeUndefined()
})

test('100 headers are accepted', () => {
  expect(checkHeaders(Array.from({ length: 200 }, () => 'x'))).toBeUndefined()
  expect(checkHeaders(Array.from({ length: 202 }, () => 'x'))).toMatchObject({
    key: 'request.headersTooLarge',
    status: 431,
  })
})

test.each([
  'application/json',
  'application/json;charset=utf-8',
  'application/json; charset=UTF-8',
  'APPLICATION/JSON ; charset="utf-8"',
])('A07: %j is JSON', type => {
  expect(isPlainJson(type, undefined)).toBe(true)
  expect(isPlainJson(type, 'identity')).toBe(true)
  for (const encoding of ['gzip', 'br', 'identity, gzip', '']) expect(isPlainJson(type, encoding)).toBe(false)
})

test.each([
  undefined,
  '',
  'text/plain',
  'text/json',
  'application/jsonx',
  'application/json+x',
  'application/problem+json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=application/json',
  'text/plain; application/json',
  'application/json, text/plain',
  'application/json; charset=latin1',
  'application/json; charset=utf-16',
  'application/json; charset=utf-8; charset=latin1',
  'application/json; boundary=x',
  'application/json;',
  'application/json\n',
  ' application/json',
])('A07: %j is not JSON', type => {
  expect(isPlainJson(type, undefined)).toBe(false)
})

test.each([
  [undefined, 'json'],
  ['text/plain', 'json'],
  ['Text/Plain;charset=UTF-8', 'json'],
  ['application/json', 'json'],
  ['application/x-www-form-urlencoded', 'form'],
  ['application/x-www-form-urlencoded; charset=utf-8', 'form'],
  ['', undefined],
  ['text/plain; charset=utf-16', undefined],
  ['text/plain; boundary=x', undefined],
  ['text/html', undefined],
  ['multipart/form-data; boundary=x', undefined],
  ['application/x-www-form-urlencoded, application/json', undefined],
])('a body of the type %j is parsed as %s', (type, writing) => {
  expect(bodyFormatOf(type, undefined)).toBe(writing)
  expect(bodyFormatOf(type, 'identity')).toBe(writing)
  expect(bodyFormatOf(type, 'gzip')).toBeUndefined()
})

const headers = (secure: boolean, hstsIncludeSubDomains = false) =>
  securityHeaders({ secure, http: { hstsIncludeSubDomains } })

test('only a site on HTTPS sends HSTS', () => {
  expect(headers(false, true)).not.toHaveProperty('strict-transport-security')
  expect(headers(true)).toEqual({ ...headers(false), 'strict-transport-security': 'max-age=31536000' })
  expect(headers(true, true)).toEqual({
    ...headers(false),
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
  })
})
