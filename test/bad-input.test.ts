/** Invalid requests to every endpoint: each gets a clear error, and nothing changes. */
import http from 'node:http'
import type { InjectOptions, LightMyRequestResponse as Answer } from 'fastify'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../src/api.ts'
import { type AnyEndpoint, listEndpoints } from '../src/http/endpoint.ts'
import { chunks } from '../src/platform/lib/chunks.ts'
import { dump } from './dump.ts'
import { addUser, createTestStorage, createTestApp, password } from './harness.ts'
import { multipartBody, multipartContentType } from './files.ts'
import { bodiesOf, describeModels, createModels, type Path, places, put, sentTo, urlOf } from './samples.ts'
import { newIp, postLogin, sessionCookie } from './sign-in.ts'
import { isSlow, quarter } from './slow.ts'
import { addToken } from './tokens.ts'

/** Not throttled, so that every request goes as far as it can. */
const home = await createTestStorage()
describeModels(home)
const site = await createTestApp({ storage: home, settings: { auth: { throttle: false } } })
const endpoints = [...listEndpoints(api)]
const changing = endpoints.filter(([, { method, upload }]) => method !== 'GET' && !upload)
/** Endpoints that are declared once and mounted for several nouns are tested once. */
const isTestedOnce = ([name]: (typeof endpoints)[number]) => !/^(site|users)\.(files|changes|history)\./.test(name)
const half = <Value>(all: readonly Value[]): readonly Value[] =>
  isSlow ? all : all.slice(0, Math.ceil(all.length / 2))
const uploading = endpoints.filter(([, { upload }]) => upload)
/** All values in the slow run, otherwise a different quarter for each endpoint. */
const some = <Value>(all: readonly Value[], endpoint: string): readonly Value[] =>
  quarter(all, value => `${endpoint} ${JSON.stringify(value)}`)

async function signedIn(): Promise<Record<string, string>> {
  const { email } = await addUser(site)
  const browser = site.browser({ ip: newIp() })
  const { csrf } = (await postLogin(browser, { email, password })).json<{ csrf: string }>()
  return { cookie: `${sessionCookie}=${browser.cookies.get(sessionCookie)!}`, 'x-csrf': csrf }
}

const session = await signedIn()
const models = await createModels(site, () => true, session)
/** The caller's own account, a page and the site, with their files and content. */
const ours = { ...models, user: 'account' }

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

/** A valid request. */
function sendGood(endpoint: AnyEndpoint, url: string, headers: Record<string, string> = {}): Promise<Answer> {
  const sent = sentTo(endpoint, bodiesOf(endpoint)[0])
  return send(endpoint, url, { ...sent, headers: { ...sent.headers, ...headers } })
}

interface Failure {
  status: string
  code: number
  key: string
  message: string
  details: Record<string, unknown>
}

/** Expects an error in the documented form; `request` is in the message of the failure. */
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

/** Invalid requests store nothing, not even an event. */
async function changingNothing(
  work: () => Promise<void>,
  but?: (row: Record<string, unknown>) => boolean,
): Promise<void> {
  const before = await dump(site, but)
  await work()
  expect(await dump(site, but)).toEqual(before)
}

// ---- bodies that do not fit

/** A value of every type, of normal and of excessive size. */
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

/** The error names the invalid property, its parent, or one of its children. */
function isNamed(details: Record<string, unknown>, path: Path): boolean {
  const place = path.join('.')
  // The `method` of a login determines its schema: without it all other properties are invalid.
  if (place === '' || place === 'method') return Object.keys(details).length > 0
  return Object.keys(details).some(
    name => name === place || place.startsWith(`${name}.`) || name.startsWith(`${place}.`) || name === 'body',
  )
}

/** Each rule is checked in one place, so equal schemas are tested once. */
const withDistinctBodies = [...new Map(changing.map(entry => [entry[1].body ?? entry[0], entry])).values()]

test.each(withDistinctBodies)(
  '%s refuses invalid bodies, names the error, and changes nothing',
  async (name, endpoint) => {
    const schema = endpoint.body ?? noBody
    const bad = new Map<string, Bad>()
    for (const sample of bodiesOf(endpoint))
      for (const one of badBodies(sample ?? {}))
        if (!schema.safeParse(one.body).success) bad.set(JSON.stringify(one.body) ?? '', one)
    expect(bad.size).toBeGreaterThanOrEqual(10)
    await changingNothing(async () => {
      for (const [payload, { path, body }] of some([...bad], name)) {
        const answer = await send(endpoint, urlOf(endpoint, ours), body === undefined ? {} : { payload })
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
  },
)

/**
 * Objects that accept any name: only blueprints know the names of content, client extension results of WebAuthn are ignored,
 * and the panel names settings.
 */
const anyNameAccepted: Record<string, string[]> = {
  'pages.children.create': ['content.unheard', 'num', 'parent', 'url'],
  'site.children.create': ['content.unheard', 'num', 'parent', 'url'],
  'users.create': ['content.unheard'],
  'users.passkeys.create': ['credential.clientExtensionResults.unheard'],
  'users.settings.change': ['unheard'],
}

test.each(changing)('%s refuses unknown fields and unlimited texts', (name, endpoint) => {
  const schema = endpoint.body ?? noBody
  const accepted = new Set<string>()
  for (const sample of bodiesOf(endpoint)) {
    for (const { path, body } of badBodies(sample ?? {})) {
      const [key] = path.slice(-1)
      const isLong = JSON.stringify(body ?? '').length > 20_000
      if ((key === 'unheard' || isLong) && schema.safeParse(body).success) accepted.add(path.join('.'))
    }
  }
  const isContent = /\.changes\.(save|publish)$|^(pages|site|users)(\.files)?\.update$/.test(name)
  const isOpen = isContent || endpoint.path.endsWith('/search') // with names that existing clients also send
  expect([...accepted]).toEqual(isOpen ? ['unheard'] : (anyNameAccepted[name] ?? []))
})

// ---- bodies that cannot be read

const deep = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`

/** `"a":1` → the valid body with this property first. */
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
  'far too deep': () => deep(10_000),
  'with too many members': good => withMember(good, `"a":[${'1,'.repeat(100_001)}1]`),
  'with an invalid number': good => withMember(good, '"a":NaN'),
  'with a comment': good => `/* x */${good}`,
}

test.each(changing.filter(isTestedOnce))(
  '%s refuses unreadable bodies, and changes nothing',
  async (name, endpoint) => {
    const good = JSON.stringify(bodiesOf(endpoint)[0] ?? {})
    await changingNothing(async () => {
      for (const [what, write] of some(Object.entries(unreadable), name)) {
        const { code, key } = failureOf(await send(endpoint, urlOf(endpoint, ours), { payload: write(good) }), what)
        expect([what, code, key]).toEqual([
          what,
          expect.any(Number),
          expect.stringMatching(/^error\.request\.(malformed|tooLarge)$/),
        ])
      }
    })
  },
)

const types = [
  'multipart/form-data; boundary=x', 'text/json', 'text/html', 'application/xml', 'application/json; charset=latin1',
  'text/plain; charset=utf-16', 'application/jsonx', 'application/merge-patch+json', '*/*', 'x', '',
] // prettier-ignore
/** Requests that pages of other sites can send without a preflight. Endpoints with a caller check the origin. */
const simple = ['text/plain', 'application/x-www-form-urlencoded']
const isStrict = ({ path }: AnyEndpoint) => /^\/(auth|system\/install)(\/|$)/.test(path)

test.each(changing.filter(isTestedOnce))(
  '%s refuses other media types and too large bodies',
  async (name, endpoint) => {
    const payload = JSON.stringify(bodiesOf(endpoint)[0] ?? {})
    const url = urlOf(endpoint, ours)
    await changingNothing(async () => {
      for (const type of some(isStrict(endpoint) ? [...types, ...simple] : types, name)) {
        const { code, key } = failureOf(await send(endpoint, url, { payload, headers: { 'content-type': type } }), type)
        expect([type, code, key]).toEqual([type, 415, 'error.request.mediaType'])
      }
      for (const origin of ['https://evil.example', 'null'])
        for (const type of simple) {
          const headers = { 'content-type': type, origin, 'sec-fetch-site': 'cross-site' }
          const { code, key } = failureOf(await send(endpoint, url, { payload, headers }), type)
          expect([type, code, key]).toEqual([type, 403, 'error.auth.origin'])
        }
      for (const encoding of ['gzip', 'br', 'x'])
        expect(
          failureOf(await send(endpoint, url, { payload, headers: { 'content-encoding': encoding } }), encoding).code,
        ).toBe(415)
      const tooLarge = `{"a":"${'x'.repeat(endpoint.bodyLimit ?? 1024 * 1024)}"}`
      expect(failureOf(await send(endpoint, url, { payload: tooLarge }), 'too large').code).toBe(413)
    })
  },
)

// ---- addresses

const strangeNames = ['%00', 'a%00b', '%ff', '%', '%zz', '%F0%9F%A6%8A', "'%20or%20''='", '..%2f..', 'x'.repeat(900), '__proto__', 'constructor', '-1', '%0a', '%u0041', 'a%2fb', '%EF%BB%BF', '%ED%A0%80', '..%5c..', '%2fetc%2fpasswd', '+', '%2b..%2b', '@', '@..', '1e3', '0'] // prettier-ignore

/** The same URL with one parameter replaced, for each parameter. */
function* renamed(endpoint: AnyEndpoint, names: readonly string[]): Generator<string> {
  const parts = `/api${endpoint.path}`.split('/')
  for (const [index] of parts.entries().filter(([, part]) => part.startsWith(':')))
    for (const name of names) yield urlOf(endpoint, ours).split('/').with(index, name).join('/')
}

const named = endpoints.filter(([, { path }]) => path.includes(':'))

test.each(named.filter(isTestedOnce))('%s finds nothing under unknown names', async (name, endpoint) => {
  await changingNothing(async () => {
    for (const url of renamed(endpoint, some(strangeNames, name)))
      expect([url, failureOf(await sendGood(endpoint, url), url).code]).toEqual([
        url,
        expect.toSatisfy(code => code === 400 || code === 404),
      ])
  })
})

const traversals = ['..', '%2e%2e', '.', '..%2f', '.%00.', '\\..']

/** URL libraries normalise paths, so these are sent over a raw connection. */
test('no name escapes its scope', async () => {
  const port = await site.listen()
  const { id } = await addUser(site, { hash: null })
  const { token } = await addToken(site.app, { userId: id, name: 'x', scopes: ['*'] })
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const ask = (endpoint: AnyEndpoint, path: string) =>
    new Promise<number>((resolve, reject) => {
      const { payload, headers } = sentTo(endpoint, bodiesOf(endpoint)[0])
      const size = payload && { 'content-length': Buffer.byteLength(payload) }
      const sent = { ...headers, ...size, authorization: `Bearer ${token}` }
      const { method } = endpoint
      const request = http.request({ host: '127.0.0.1', port, path, method, agent, headers: sent }, answer => {
        answer.resume().on('end', () => resolve(answer.statusCode!))
      })
      request.on('error', reject).end(payload)
    })
  await ask(api.auth.get, '/api/auth') // records the use of the token
  const work = async () => {
    for (const [name, endpoint] of named)
      for (const url of renamed(endpoint, some(traversals, name)))
        expect([name, url, await ask(endpoint, url)]).toEqual([
          name,
          url,
          expect.toSatisfy(code => code >= 400 && code < 500),
        ])
  }
  // A token may not do everything with its own account; the attempt is an event.
  await changingNothing(work, ({ event }) => event === 'auth.permission.denied')
  agent.destroy()
})

/** Reads ignore unknown parameters. */
const isRead = ({ method, path }: AnyEndpoint) => method === 'GET' || path.endsWith('/search')

test.each(endpoints.filter(isTestedOnce))('%s refuses unknown query parameters', async (name, endpoint) => {
  const known = endpoint.query instanceof z.ZodObject ? Object.keys(endpoint.query.shape) : []
  const queries = [
    'unheard=1', 'unheard', '=1', '__proto__=1', '__proto__[admin]=1', 'constructor[prototype]=1', 'unheard[a][b]=1', 'a[]=1',
    ...known.flatMap(key => [`${key}[a][b][c]=1`, `${key}=1&${key}=2&unheard=1`]),
  ] // prettier-ignore
  await changingNothing(async () => {
    for (const query of some(queries, name)) {
      const answer = await sendGood(endpoint, `${urlOf(endpoint, ours)}?${query}`)
      if (isRead(endpoint)) {
        expect([query, answer.statusCode < 500]).toEqual([query, true])
        continue
      }
      const { code, key, details } = failureOf(answer, query)
      expect([query, code, key, Object.keys(details).length > 0]).toEqual([query, 400, 'error.validation', true])
    }
  })
})

// ---- headers

/** Creating, sorting and scheduling have no previous revision to compare with. Releases take it in the body. */
const withoutRevision =
  /\.(children\.create|duplicate|files\.(upload|sort)|avatar\.\w+|preview\.\w+|comments\.\w+|review\.\w+|redirects\.\w+|releases\.\w+|trash\.\w+|library\.\w+)$|\.(query|find|presence|sortSection)$/

const guarded = endpoints.filter(
  ([name, { method, path }]) =>
    method !== 'GET' &&
    !withoutRevision.test(name) &&
    (/^.(pages|site).|^.site$/.test(path) || /^.users.:id(.(files|changes|history).*)?$/.test(path)) &&
    name !== 'users.delete',
)

const staleTags = ['"999999"', 'W/"999999"', '"999998", "999999"']
const strangeTags = ['', 'x', '1', 'W/1', '"1", x', '"-1"', '"1e3"', `"${'9'.repeat(400)}"`, '"\u00e9"', '"__proto__"']

test.each(guarded)('%s refuses outdated and malformed revisions', async (name, endpoint) => {
  const url = urlOf(endpoint, models)
  const work = async () => {
    for (const tag of some(staleTags, name)) {
      const { code, key } = failureOf(await sendGood(endpoint, url, { 'if-match': tag }), tag)
      expect([tag, code, key]).toEqual([tag, 412, 'error.content.changed'])
    }
    for (const tag of some(strangeTags, name)) {
      const { code, key } = failureOf(await sendGood(endpoint, url, { 'if-match': tag }), tag)
      expect([tag, code, key]).toEqual([tag, 400, 'error.validation'])
    }
  }
  // Bytes of refused uploads are swept later.
  await changingNothing(work, ({ unused_since: unused }) => typeof unused === 'number')
})

const strangeLanguages = [
  'xx',
  '../..',
  '__proto__',
  'constructor',
  "de'--",
  'x'.repeat(3000),
  '\u00e9',
  '*',
  'de,en',
  'DE ',
  '%00',
]

test.each(endpoints.filter(isTestedOnce))(
  '%s writes in no unknown language, and causes no error',
  async (name, endpoint) => {
    const url = urlOf(endpoint, ours)
    const isWritten = /^(pages|site|users)\.(.*\.)?(update|changeTitle|changeSlug|save|publish|discard)$/.test(name)
    const work = async () => {
      for (const code of some(strangeLanguages, name)) {
        const answer = await sendGood(endpoint, url, { 'x-language': code })
        if (isWritten) failureOf(answer, code)
        else expect([code, answer.statusCode < 500 || answer.body]).toEqual([code, true])
      }
    }
    if (isWritten || endpoint.method === 'GET') await changingNothing(work)
  },
)

// ---- forms

const one = { filename: 'x.png', bytes: 'x' }
const forms: Record<string, [payload: Buffer | string, type?: string]> = {
  'without anything': [multipartBody([])],
  'without a file': [multipartBody([], { template: 'note' })],
  'that is empty': [''],
  'with an unknown field': [multipartBody([one], { unheard: '1' })],
  'with a field called __proto__': [multipartBody([one], { __proto__x: '1', constructor: '1' })],
  'that is cut off': [multipartBody([one]).subarray(0, -20)],
  'without its boundary': [multipartBody([one]), 'multipart/form-data; boundary=another'],
  'with an invalid boundary': [multipartBody([one]), `multipart/form-data; boundary=${'x'.repeat(5000)}`],
  'that is JSON': ['{}'],
  'with too many files': [
    multipartBody(Array.from({ length: 21 }, (_, index) => ({ ...one, filename: `${index}.csv` }))),
  ],
  'with an invalid template': [multipartBody([one], { template: '../../etc' })],
  'with a file that is not what it says': [multipartBody([{ filename: 'x.png', bytes: '<?php echo 1 ?>' }])],
  'with a program': [multipartBody([{ filename: 'x.php', bytes: '<?php echo 1 ?>' }])],
  'with a page': [multipartBody([{ filename: 'x.csv', bytes: '<!doctype html><script>alert(1)</script>' }])],
  'with a file without a name': [multipartBody([{ filename: '', bytes: 'x' }])],
  'with a file without an end': [multipartBody([{ filename: '../../x', bytes: 'x' }])],
}

test.each(uploading)('%s accepts only valid upload forms, and keeps nothing of others', async (_, endpoint) => {
  const url = urlOf(endpoint, models)
  await changingNothing(async () => {
    const others = types.filter(type => !type.startsWith('multipart'))
    for (const type of ['application/json', 'multipart/form-data', 'multipart/mixed; boundary=x', ...others]) {
      const answer = await send(endpoint, url, { payload: multipartBody([one]), headers: { 'content-type': type } })
      const { code, key } = failureOf(answer, type)
      expect([type, code, key]).toEqual([type, 415, 'error.upload.mediaType'])
    }
    for (const [what, [payload, type = multipartContentType]] of Object.entries(forms)) {
      const { code } = failureOf(await send(endpoint, url, { payload, headers: { 'content-type': type } }), what)
      expect([what, code]).toEqual([what, expect.toSatisfy(status => [400, 413, 415].includes(status as number))])
    }
  })
})

/** Filenames as they are sent; the stored ones are plain. */
const strangeFiles = ['../../evil.csv', '..\\\\..\\\\evil.csv', '/etc/evil.csv', 'C:evil.csv', '.evil.csv', 'evil.csv/', 'a\tb.csv', 'con.csv', `${'x'.repeat(900)}.csv`, '\u{1f98a}.csv', '__proto__.csv', 'evil.csv::$DATA'] // prettier-ignore

test('a file is stored under a safe name, whatever was sent', async () => {
  const endpoint = api.site.files.upload as AnyEndpoint
  for (const filename of strangeFiles) {
    const payload = multipartBody([{ filename, bytes: `words of ${filename}` }])
    const answer = await send(endpoint, urlOf(endpoint, ours), {
      payload,
      headers: { 'content-type': multipartContentType },
    })
    expect([filename, answer.statusCode < 500 || answer.body]).toEqual([filename, true])
  }
  const stored = await site.app.store.db
    .selectFrom('files')
    .select('filename')
    .where('parent', '=', 'site://')
    .execute()
  for (const { filename } of stored) expect(filename).toMatch(/^[a-z0-9_@-][a-z0-9._@-]{0,199}$/)
})

// ---- valid but unusual values

const strangeTexts = [
  '\u0000', 'a\u0000b', '\u001f\u2028\u202e', '\u{1f98a}'.repeat(20), "'; drop table users; --", '\\', '\\u0000', '%s${1}', '../..',
] // prettier-ignore

test.each(changing.filter(isTestedOnce))('%s handles any valid text', async (name, endpoint) => {
  const { id } = await addUser(site)
  // Changes of an account may end its session.
  let headers = /^\/(auth|users)\b/.test(endpoint.path) ? await signedIn() : session
  for (const sample of bodiesOf(endpoint)) {
    for (const path of places(sample ?? {})) {
      for (const text of some(strangeTexts, `${name} ${path.join('.')}`)) {
        const body = put(sample, path, text)
        if (path.length === 0 || !endpoint.body?.safeParse(body).success) continue
        for (const user of endpoint.path.includes('/users/:id') ? [id, 'account'] : ['']) {
          const answer = await send(endpoint, urlOf(endpoint, { ...ours, user }), {
            payload: JSON.stringify(body),
            headers,
          })
          expect([body, answer.statusCode < 500 || answer.body]).toEqual([body, true])
          if (answer.statusCode === 401) headers = await signedIn() // it ended its own session
        }
      }
    }
  }
})

const fieldNames = ['text', 'related', 'pictures', 'people', 'more', 'parts']
const written = new Set(['pages.update', 'pages.changes.save', 'pages.files.update', 'users.update'])

test.each(changing.filter(([name]) => written.has(name)))(
  '%s handles any content, and so do its readers',
  async (_, endpoint) => {
    const path = urlOf(endpoint, await createModels(site, at => endpoint.path.startsWith(at), session))
    const model = path.replace(/\/changes\/\w+$/, '')
    for (const text of ['\u0000', "'; drop"]) {
      for (const value of [text, [text], [{ id: text, uuid: text, type: text, one: text, content: { text } }]]) {
        for (const name of fieldNames) {
          const answer = await send(endpoint, path, { payload: JSON.stringify({ [name]: value }) })
          expect([name, value, answer.statusCode < 500 || answer.body]).toEqual([name, value, true])
        }
      }
      for (const url of [`${model}?view=panel`, `${model}/changes`, `${model}/sections/words`])
        expect([text, url, (await send({ method: 'GET' } as AnyEndpoint, url)).statusCode]).toEqual([text, url, 200])
    }
  },
)

test.each(endpoints.filter(entry => isTestedOnce(entry) && entry[1].query !== undefined))(
  '%s handles unusual queries',
  async (endpointName, endpoint) => {
    const names = Object.keys((endpoint.query as z.ZodObject).shape)
    const few = names.includes('limit') ? { limit: '2' } : {}
    for (const name of names) {
      const texts = [...strangeTexts.slice(2), '', '-1', '1e400', 'any', 'x'.repeat(3000)]
      const given = [
        ...texts.map(text => [name, text]),
        ...[`${name}[]`, `${name}[role]`].flatMap(key => ['', 'any', '\u202e'].map(text => [key, text])),
      ] as [string, string][]
      // Half of them: many endpoints share the schema of their query.
      const urls = half(some(given, endpointName)).map(
        ([key, text]) => `${urlOf(endpoint, ours)}?${new URLSearchParams({ ...few, [key]: text }).toString()}`,
      )
      // Writes are sent one after the other: this test is not about races.
      const size = endpoint.method === 'GET' ? urls.length : 1
      for (const together of chunks(urls, size)) {
        const answers = await Promise.all(together.map(url => sendGood(endpoint, url)))
        const failed = answers.flatMap(({ statusCode, body }, index) =>
          statusCode < 500 ? [] : [[together[index], body]],
        )
        expect(failed).toEqual([])
      }
    }
  },
)
