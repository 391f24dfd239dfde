/** What no client should send, to every endpoint there is, whoever wrote it: a clear answer each time, and nothing changes. */
import type { InjectOptions, LightMyRequestResponse as Answer } from 'fastify'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../src/api.ts'
import { type AnyEndpoint, list } from '../src/http/endpoint.ts'
import { dump } from './dump.ts'
import { addUser, createTestApp, password } from './harness.ts'
import { bodiesOf, urlOf } from './samples.ts'
import { newIp, postLogin, sessionCookie } from './sign-in.ts'

/** Not throttled, so that every request goes as far as it can. */
const site = await createTestApp({ settings: { auth: { throttle: false } } })
const endpoints = [...list(api)]
const changing = endpoints.filter(([, { method }]) => method !== 'GET')

async function signedIn(): Promise<Record<string, string>> {
  const { email } = await addUser(site)
  const browser = site.browser({ ip: newIp() })
  const { csrf } = (await postLogin(browser, { email, password })).json<{ csrf: string }>()
  return { cookie: `${sessionCookie}=${browser.cookies.get(sessionCookie)!}`, 'x-csrf': csrf }
}

const session = await signedIn()

function send({ method }: AnyEndpoint, url: string, options: InjectOptions = {}): Promise<Answer> {
  return site.request({
    method,
    url,
    remoteAddress: '192.0.2.9',
    ...options,
    headers: {
      host: new URL(site.app.config.url).host,
      'sec-fetch-site': 'same-origin',
      ...(options.payload !== undefined && { 'content-type': 'application/json' }),
      ...session,
      ...options.headers,
    },
  })
}

interface Failure {
  status: string
  code: number
  key: string
  message: string
  details: Record<string, unknown>
}

/** An error in our form; `request` is told if it is none. */
function failureOf(answer: Answer, request: unknown): Failure {
  const failure = answer.json<Failure>()
  const good = {
    status: 'error',
    code: expect.toSatisfy((code: number) => code === answer.statusCode && code >= 400 && code < 500) as number,
    key: expect.stringMatching(/^error\.\w/) as string,
    message: expect.stringMatching(/\w/) as string,
    details: expect.any(Object) as object,
  }
  expect([request, failure]).toEqual([request, good])
  return failure
}

/** Nothing is stored by any of it: not even an event, for nothing has happened. */
async function changingNothing(work: () => Promise<void>): Promise<void> {
  const before = await dump(site)
  await work()
  expect(await dump(site)).toEqual(before)
}

// ---- bodies that do not fit

type Path = (string | number)[]

/** Every place in a value, from the outside in. */
function places(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const inner = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return [path, ...inner.flatMap(([key, one]) => places(one, [...path, key as string]))]
}

/** The same value with something else in that place; `undefined` leaves it out. */
function put(value: unknown, [key, ...rest]: Path, other: unknown): unknown {
  if (key === undefined) return other
  if (Array.isArray(value)) return value.map((one, index) => (index === key ? put(one, rest, other) : (one as unknown)))
  const object = value as Record<string, unknown>
  return { ...object, [key]: put(object[key], rest, other) }
}

/** One of every type, of the usual size and larger than anybody needs. */
const anything: unknown[] = [
  undefined, null, '', 'x', 0, -1, 1.5, 1e300, true, false, [], ['x'], [null], [[]], {}, { unheard: 1 },
  'x'.repeat(20_000), Array.from({ length: 2000 }, (_, index) => `x${index}`),
] // prettier-ignore

interface Bad {
  path: Path
  body: unknown
}

function* badBodies(sample: unknown): Generator<Bad> {
  for (const path of places(sample)) {
    for (const other of anything) yield { path, body: put(sample, path, other) }
    const inside = path.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], sample)
    if (typeof inside === 'object' && inside !== null && !Array.isArray(inside))
      yield { path: [...path, 'unheard'], body: put(sample, path, { ...inside, unheard: 1 }) }
  }
}

const noBody = z.strictObject({}).optional()

/** What is wrong is named by the place where it is, the thing it is in, or what is in it. */
function isNamed(details: Record<string, unknown>, path: Path): boolean {
  const place = path.join('.')
  // The method of a login says which form the rest has: without it the rest is wrong.
  if (place === '' || place === 'method') return Object.keys(details).length > 0
  return Object.keys(details).some(
    name => name === place || place.startsWith(`${name}.`) || name.startsWith(`${place}.`) || name === 'body',
  )
}

test.each(changing)('%s refuses what does not fit, names it, and changes nothing', async (_, endpoint) => {
  const schema = endpoint.body ?? noBody
  const bad = new Map<string, Bad>()
  for (const sample of bodiesOf(endpoint))
    for (const one of badBodies(sample ?? {}))
      if (!schema.safeParse(one.body).success) bad.set(JSON.stringify(one.body) ?? '', one)
  expect(bad.size).toBeGreaterThanOrEqual(10)
  await changingNothing(async () => {
    for (const [payload, { path, body }] of bad) {
      const answer = await send(endpoint, urlOf(endpoint, 'account'), body === undefined ? {} : { payload })
      const { code, key, details } = failureOf(answer, body)
      if (code === 413) continue // small bodies only
      const clearer = endpoint.invalid !== undefined && key !== 'error.validation'
      expect([body, code, clearer || (key === 'error.validation' && isNamed(details, path)), details]).toEqual([
        body,
        400,
        true,
        details,
      ])
    }
  })
})

/** Where any name is taken: only blueprints know those of content, and nobody looks at what extensions of browsers say. */
const open: Record<string, string[]> = {
  'users.create': ['content.unheard'],
  'users.update': ['unheard'],
  'users.passkeys.create': ['credential.clientExtensionResults.unheard'],
}

test.each(changing)('%s takes no other fields than its own, and no text without an end', (name, endpoint) => {
  const schema = endpoint.body ?? noBody
  const taken = new Set<string>()
  for (const sample of bodiesOf(endpoint)) {
    for (const { path, body } of badBodies(sample ?? {})) {
      const [key] = path.slice(-1)
      const isLong = JSON.stringify(body ?? '').length > 20_000
      if ((key === 'unheard' || isLong) && schema.safeParse(body).success) taken.add(path.join('.'))
    }
  }
  expect([...taken]).toEqual(open[name] ?? [])
})

// ---- bodies that cannot be read

const deep = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`

/** `"a":1` → the good body with this in front of all else. */
const withMember = (good: string, member: string) => (good === '{}' ? `{${member}}` : `{${member},${good.slice(1)}`)

const unreadable: Record<string, (good: string) => string | Buffer> = {
  'cut off': good => good.slice(0, -1),
  'with something behind it': good => `${good}}`,
  'in single quotes': () => "{'a':1}",
  'without quotes': () => '{a:1}',
  'a form': () => 'a=1&b=2',
  'a page': () => '<html></html>',
  blank: () => '  ',
  'with a byte order mark': good => `\ufeff${good}`,
  'in UTF-16': good => Buffer.from(good, 'utf16le'),
  'not in UTF-8': good => Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc3, 0x28]), Buffer.from(`"}${good}`)]),
  'with half a character': good => withMember(good, '"a":"\\ud800"'),
  'with half a character as a name': good => withMember(good, '"\\udc00":1'),
  'with a key twice': good => withMember(good, '"a":1,"a":2'),
  'with __proto__': good => withMember(good, '"__proto__":{"admin":true}'),
  'with an escaped __proto__': good => withMember(good, '"__pr\\u006fto__":{}'),
  'with constructor': good => withMember(good, '"constructor":{"prototype":{}}'),
  'with a prototype further in': good => withMember(good, '"a":{"prototype":1}'),
  'too deep': good => withMember(good, `"a":${deep(100)}`),
  'far too deep': () => deep(3000),
  'with too many members': good => withMember(good, `"a":[${'1,'.repeat(100_001)}1]`),
  'with a number that is none': good => withMember(good, '"a":NaN'),
  'with a comment': good => `/* x */${good}`,
}

test.each(changing)('%s refuses what cannot be read, and changes nothing', async (_, endpoint) => {
  const good = JSON.stringify(bodiesOf(endpoint)[0] ?? {})
  await changingNothing(async () => {
    for (const [what, write] of Object.entries(unreadable)) {
      const { code, key } = failureOf(await send(endpoint, urlOf(endpoint, 'account'), { payload: write(good) }), what)
      expect([what, code, key]).toEqual([
        what,
        expect.any(Number),
        expect.stringMatching(/^error\.request\.(malformed|tooLarge)$/),
      ])
    }
  })
})

const types = [
  'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/json', 'application/xml',
  'application/json; charset=latin1', 'application/jsonx', 'application/merge-patch+json', '*/*', 'x', '',
] // prettier-ignore

test.each(changing)('%s takes nothing but JSON, and not more of it than it needs', async (_, endpoint) => {
  const payload = JSON.stringify(bodiesOf(endpoint)[0] ?? {})
  const url = urlOf(endpoint, 'account')
  await changingNothing(async () => {
    for (const type of types) {
      const { code, key } = failureOf(await send(endpoint, url, { payload, headers: { 'content-type': type } }), type)
      expect([type, code, key]).toEqual([type, 415, 'error.request.mediaType'])
    }
    for (const encoding of ['gzip', 'br', 'x'])
      expect(
        failureOf(await send(endpoint, url, { payload, headers: { 'content-encoding': encoding } }), encoding).code,
      ).toBe(415)
    const tooLarge = `{"a":"${'x'.repeat(endpoint.bodyLimit ?? 1024 * 1024)}"}`
    expect(failureOf(await send(endpoint, url, { payload: tooLarge }), 'too large').code).toBe(413)
  })
})

// ---- addresses

const strangeNames = ['%00', 'a%00b', '%ff', '%', '%zz', '%F0%9F%A6%8A', "'%20or%20''='", '..%2f..', 'x'.repeat(900), '__proto__', 'constructor', '-1', '%0a', '%u0041', 'a%2fb', '%EF%BB%BF'] // prettier-ignore

test.each(endpoints.filter(([, { path }]) => path.includes(':')))(
  '%s finds nothing under names that nothing has',
  async (_, endpoint) => {
    const payload = endpoint.body && JSON.stringify(bodiesOf(endpoint)[0])
    await changingNothing(async () => {
      const parts = `/api${endpoint.path}`.split('/')
      for (const [index] of parts.entries().filter(([, part]) => part.startsWith(':')))
        for (const name of strangeNames) {
          const url = urlOf(endpoint, 'account').split('/').with(index, name).join('/')
          const answer = await send(endpoint, url, payload === undefined ? {} : { payload })
          expect([name, failureOf(answer, url).code]).toEqual([
            name,
            expect.toSatisfy(code => code === 400 || code === 404),
          ])
        }
    })
  },
)

test.each(endpoints)('%s takes no other query parameters than its own', async (_, endpoint) => {
  const payload = endpoint.body && JSON.stringify(bodiesOf(endpoint)[0])
  const known = endpoint.query instanceof z.ZodObject ? Object.keys(endpoint.query.shape) : []
  const queries = [
    'unheard=1', 'unheard', '=1', '__proto__=1', '__proto__[admin]=1', 'constructor[prototype]=1', 'unheard[a][b]=1', 'a[]=1',
    ...known.flatMap(name => [`${name}[a][b][c]=1`, `${name}=1&${name}=2&unheard=1`]),
  ] // prettier-ignore
  await changingNothing(async () => {
    for (const query of queries) {
      const answer = await send(
        endpoint,
        `${urlOf(endpoint, 'account')}?${query}`,
        payload === undefined ? {} : { payload },
      )
      const { code, key, details } = failureOf(answer, query)
      expect([query, code, key, Object.keys(details).length > 0]).toEqual([query, 400, 'error.validation', true])
    }
  })
})

// ---- what fits, and is strange

const strangeTexts = [
  '\u0000', 'a\u0000b', '\u001f\u2028\u202e', '\u{1f98a}'.repeat(20), "'; drop table users; --", '\\', '\\u0000', '%s${1}', '../..',
] // prettier-ignore

test.each(changing)('%s is not upset by texts that fit', async (_, endpoint) => {
  const { id } = await addUser(site)
  let headers = await signedIn()
  for (const sample of bodiesOf(endpoint)) {
    for (const path of places(sample ?? {})) {
      for (const text of strangeTexts) {
        const body = put(sample, path, text)
        if (path.length === 0 || !endpoint.body?.safeParse(body).success) continue
        for (const user of endpoint.path.includes('/users/:id') ? [id, 'account'] : ['']) {
          const answer = await send(endpoint, urlOf(endpoint, user), { payload: JSON.stringify(body), headers })
          expect([body, answer.statusCode < 500 || answer.body]).toEqual([body, true])
          if (answer.statusCode === 401) headers = await signedIn() // it ended its own session
        }
      }
    }
  }
})

test.each(endpoints.filter(([, { query }]) => query !== undefined))(
  '%s is not upset by strange queries',
  async (_, endpoint) => {
    const payload = endpoint.body && JSON.stringify(bodiesOf(endpoint)[0])
    const names = Object.keys((endpoint.query as z.ZodObject).shape)
    const few = names.includes('limit') ? { limit: '2' } : {}
    for (const name of names) {
      const keys = [name, `${name}[]`, `${name}[role]`]
      const texts = [...strangeTexts.slice(2), '', '-1', '1e400', 'any', 'x'.repeat(3000)]
      const urls = keys.flatMap(key =>
        texts.map(text => `${urlOf(endpoint, 'account')}?${new URLSearchParams({ ...few, [key]: text }).toString()}`),
      )
      const answers = await Promise.all(urls.map(url => send(endpoint, url, payload === undefined ? {} : { payload })))
      const failed = answers.flatMap(({ statusCode, body }, index) => (statusCode < 500 ? [] : [[urls[index], body]]))
      expect(failed).toEqual([])
    }
  },
)
