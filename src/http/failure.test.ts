import { expect, test } from 'vitest'
import { errors, fail, type ErrorKey } from '../platform/errors.ts'
import { type Data, message } from '../platform/texts.ts'
import { failure } from './failure.ts'

test('an error is sent in the error format of Kirby by default', () => {
  const { status, headers, body } = failure(fail('user.notFound', { name: 'Ada' }), undefined)
  expect(status).toBe(404)
  expect(headers).toEqual({ 'content-type': 'application/json; charset=utf-8' })
  expect(JSON.parse(body)).toEqual({
    status: 'error',
    message: 'There is no account “Ada”.',
    code: 404,
    key: 'error.user.notFound',
    details: {},
  })
})

test('A26: an error is sent as problem details (RFC 9457) on request', () => {
  const error = fail('validation').with({ details: { title: { label: 'title' } }, problem: { restart: true } })
  const { status, headers, body } = failure(error, 'text/html, application/problem+json;q=0.5')
  expect([status, headers['content-type']]).toEqual([400, 'application/problem+json; charset=utf-8'])
  expect(JSON.parse(body)).toEqual({
    type: 'urn:quoin:error.validation',
    title: 'Bad Request',
    status: 400,
    detail: 'Something in the request is missing or invalid.',
    key: 'error.validation',
    details: { title: { label: 'title' } },
    restart: true,
  })
})

test.each([undefined, '', '*/*', 'application/json', 'text/html', 'application/problem', 'application/problem+xml'])(
  'A26: Accept %j does not request problem details',
  accept => {
    expect(failure(fail('notFound'), accept).headers['content-type']).toBe('application/json; charset=utf-8')
  },
)

test('A25: every 401 has WWW-Authenticate, never Basic; no other status does', () => {
  for (const key of Object.keys(errors) as ErrorKey[]) {
    const { status, headers } = failure(fail(key as 'notFound'), undefined)
    expect([key, headers['www-authenticate']]).toEqual([key, status === 401 ? 'Bearer realm="quoin"' : undefined])
  }
})

test('an error has its own headers, and missing placeholders are dropped', () => {
  const busy = failure(fail('busy').with({ headers: { 'retry-after': '2' } }), undefined)
  expect(busy.headers).toMatchObject({ 'retry-after': '2', 'content-type': 'application/json; charset=utf-8' })
  for (const key of Object.keys(errors) as ErrorKey[]) {
    const { message: text } = JSON.parse(failure(fail(key as 'notFound'), undefined).body) as { message: string }
    expect(text).not.toMatch(/[{]\w+[}]|undefined/)
  }
})

test('slashes and non-ASCII letters are not escaped', () => {
  expect(failure(fail('user.notFound', { name: 'Zoë/日本' }), undefined).body).toContain('Zoë/日本')
})

// ---- in another language

const shouting = {
  language: 'xx',
  translate: (key: string, data: Data) => [key.toUpperCase(), ...Object.values(data).map(String)].join(' '),
}

test('all messages are translated, at any depth', () => {
  const details = { title: { label: 'title', message: { min: message('validation.min', { min: '3' }) }, rows: [{}] } }
  const list = { list: [message('kind.text'), 'as it is', null, 7], ...details }
  const error = fail('user.notFound', { name: 'Ada' }).with({ details: list, problem: { why: message('kind.list') } })
  const envelope = failure(error, undefined, shouting)
  expect(JSON.parse(envelope.body)).toEqual({
    status: 'error',
    message: 'ERROR.USER.NOTFOUND Ada',
    code: 404,
    key: 'error.user.notFound',
    details: {
      list: ['KIND.TEXT', 'as it is', null, 7],
      title: { label: 'title', message: { min: 'VALIDATION.MIN 3' }, rows: [{}] },
    },
  })
  expect(envelope.headers['content-language']).toBe('xx')
  const problem = JSON.parse(failure(error, 'application/problem+json', shouting).body) as object
  expect(problem).toMatchObject({ title: 'Not Found', detail: 'ERROR.USER.NOTFOUND Ada', why: 'KIND.LIST' })
})

test('an error is serialised once per language', () => {
  const error = fail('auth')
  const [english, other] = [failure(error, undefined), failure(error, undefined, shouting)]
  expect([english.body, other.body]).toEqual([
    expect.stringContaining('Please sign in.'),
    expect.stringContaining('ERROR.AUTH'),
  ])
  expect(failure(error, undefined)).toBe(english)
  expect(failure(error, undefined, shouting)).toBe(other)
  expect(english.headers).not.toHaveProperty('content-language')
})

test('without a language messages are English', () => {
  const details = { count: message('validation.type', { kind: message('kind.int') }) }
  const { body } = failure(fail('validation').with({ details }), undefined)
  expect(JSON.parse(body)).toMatchObject({ details: { count: 'This must be a whole number.' } })
})
