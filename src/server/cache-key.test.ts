import { globSync, readFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeAll, expect, test } from 'vitest'
import { addUser, createTestApp, engine, password, type TestApp } from '../../test/harness.ts'
import { createTokenClient } from '../../test/pages.ts'
import { rounds } from '../../test/slow.ts'
import { addToken } from '../../test/tokens.ts'
import { api } from '../api.ts'
import { headerRoles } from './cache-key.ts'
import { listEndpoints } from '../http/endpoint.ts'

/** `site.request` injects requests into Fastify, behind the response cache: only those over a connection reach the cache. */
const site = await createTestApp({
  quiet: true,
  settings: { api: { public: true, cors: ['https://app.example'], anonymousPerMinute: 1_000_000 } },
})
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const ports = new Map<TestApp, Promise<number>>()

type Headers = Record<string, string>

const volatile = new Set(['x-request-id', 'date', 'connection', 'keep-alive', 'transfer-encoding', 'content-length'])
const stable = (headers: object) => Object.fromEntries(Object.entries(headers).filter(([name]) => !volatile.has(name)))

async function requestOverHttp(path: string, headers: Headers, app = site) {
  if (!ports.has(app)) ports.set(app, app.listen())
  const port = await ports.get(app)!
  const message = await new Promise<IncomingMessage>((resolve, reject) =>
    request({ host: '127.0.0.1', port, path, headers: { host: hostOf(app), ...headers }, agent }, resolve)
      .on('error', reject)
      .end(),
  )
  return { status: message.statusCode!, headers: stable(message.headers), body: await text(message) }
}

async function requestUncached(path: string, headers: Headers, app = site) {
  const answer = await app.request({ url: path, headers: { host: hostOf(app), ...headers } })
  return { status: answer.statusCode, headers: stable(answer.headers), body: answer.body }
}

const hostOf = ({ app }: TestApp) => new URL(app.config.url).host

let callers: Record<'session' | 'other session' | 'token' | 'reader' | 'anonymous', Headers>

async function signIn(app: TestApp): Promise<Headers> {
  const { email } = await addUser(app)
  const browser = app.browser()
  await browser.client.auth.login({ email, password })
  return { cookie: [...browser.cookies].map(pair => pair.join('=')).join('; ') }
}

beforeAll(async () => {
  const admin = await createTokenClient(site)
  for (const code of ['en', 'de']) await admin.done('POST', 'languages', { code, name: code })
  await admin.done('POST', 'site/children', { slug: 'a', title: 'One', content: { text: 'one' }, draft: false })
  await admin.done('PATCH', 'pages/a/title?language=de', { title: 'Eins' })
  const tokenOf = async (scope: string) => {
    const { token } = await addToken(site.app, { userId: admin.id, name: scope, scopes: [scope] })
    return { authorization: `Bearer ${token}` }
  }
  callers = {
    session: await signIn(site),
    'other session': await signIn(site),
    token: await tokenOf('*'),
    reader: await tokenOf('published'),
    anonymous: {},
  }
  // The first use of a token is stored, which is a commit: it would clear the cache during the tests.
  for (const caller of Object.values(callers)) await requestUncached('/api/site', caller)
})

const paths = ['/api/auth', '/api/pages/a', '/api/site/children?limit=20', '/api/site/search?q=one', '/api/languages']

/** Headers that browsers, proxies and clients send, and that must not change an answer. */
const headersWithoutRole = [
  'user-agent', 'accept-encoding', 'referer', 'cache-control', 'pragma', 'priority', 'dnt', 'sec-ch-ua', 'sec-gpc',
  'sec-fetch-user', 'if-modified-since', 'if-match', 'if-range', 'range', 'x-real-ip', 'forwarded', 'via', 'traceparent',
  'x-http-method-override', 'x-method', 'last-event-id', 'x-forwarded-for', 'x-forwarded-host', 'x-requested-with', 'te',
  'from', 'origin-agent-cluster', 'access-control-request-method', 'accept-charset',
] // prettier-ignore

const pick = <Value>(values: readonly Value[]) => values[Math.floor(Math.random() * values.length)]!

const randomValue = () => pick(['1', '*', 'none', 'DELETE', 'bytes=0-1', '"1"', 'de', Math.random().toString(36)])

function randomHeaders(): Headers {
  const chosen = Array.from({ length: 1 + Math.floor(Math.random() * 5) }, () =>
    Math.random() < 0.5 ? pick(headersWithoutRole) : `x-${Math.random().toString(36).slice(2)}`,
  )
  return Object.fromEntries(chosen.map(name => [name, randomValue()]))
}

/** Adds a cookie that is not ours, before or after the others. */
const withCookie = (headers: Headers): Headers => {
  const cookie = pick([
    ['theme=dark', headers['cookie']],
    [headers['cookie'], `visits=${Math.random()}`],
  ])
  return { ...headers, cookie: cookie.filter(one => one !== undefined).join('; ') }
}

test('no header without a role changes an answer, whether it is cached or not', async () => {
  for (let round = 0; round < rounds(1, 100); round++)
    for (const path of paths)
      for (const caller of Object.values(callers)) {
        const plain = await requestUncached(path, caller)
        // Only errors depend on these headers: they do not change a successful answer.
        const forErrors: Headers =
          plain.status === 200 ? { accept: pick(['text/html', '*/*']), 'accept-language': 'de' } : {}
        const headers = { ...withCookie(caller), ...randomHeaders(), ...forErrors }
        expect([headers, await requestUncached(path, headers)]).toEqual([headers, plain])
        expect([headers, await requestOverHttp(path, headers)]).toEqual([headers, plain])
        expect([headers, await requestOverHttp(path, caller)]).toEqual([headers, plain])
      }
})

test.runIf(engine === 'sqlite')('a request with random headers without a role is answered from the cache', async () => {
  const { store } = site.app
  const read = store.read.bind(store)
  for (const [name, caller] of Object.entries(callers)) {
    for (let count = 0; count < 2; count++) await requestOverHttp('/api/pages/a', caller) // cached from the second one on
    let reads = 0
    store.read = query => {
      reads++
      return read(query)
    }
    for (let round = 0; round < 3; round++)
      await requestOverHttp('/api/pages/a', { ...withCookie(caller), ...randomHeaders() })
    store.read = read
    expect([name, reads]).toEqual([name, 0])
  }
})

/** Headers with a role: each of these values must lead to another cache entry, or to none. */
const headersWithRole: [path: string, headers: Headers][] = [
  ['/api/pages/a', { host: 'evil.example' }],
  ['/api/pages/a', { origin: 'https://app.example' }],
  ['/api/pages/a', { 'sec-fetch-dest': 'image' }],
  ['/api/pages/a', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
  ['/api/pages/a', { 'x-language': 'de' }],
  ['/api/pages/a', { authorization: 'Bearer nonsense' }],
  ['/api/pages/a', { authorization: 'Basic eDp5' }],
  ['/api/pages/a', { cookie: 'quoin_insecure=nonsense' }],
  ['/api/pages/a', { 'x-csrf': 'nonsense' }],
  ['/api/pages/a', { 'content-type': 'text/html', 'content-length': '0' }],
  ['/api/auth', { accept: 'application/problem+json' }],
  ['/api/auth', { 'accept-language': 'de' }],
]

test.each(headersWithRole)('%s with %o is answered as without a cache', async (path, headers) => {
  for (const caller of [callers.session, callers.token, callers.anonymous]) {
    const sent = { ...caller, ...headers }
    const [plain, other] = [await requestUncached(path, caller), await requestUncached(path, sent)]
    for (let round = 0; round < 2; round++) {
      expect(await requestOverHttp(path, caller)).toEqual(plain)
      expect(await requestOverHttp(path, sent)).toEqual(other)
    }
  }
})

const differs = async ([path, headers]: [string, Headers]) => {
  const compared = Object.values(callers).map(async caller => {
    const [one, other] = [await requestUncached(path, caller), await requestUncached(path, { ...caller, ...headers })]
    return JSON.stringify(one) !== JSON.stringify(other)
  })
  return (await Promise.all(compared)).includes(true)
}

test('each of these headers but `content-type`, which bypasses the cache, changes an answer', async () => {
  const found = await Promise.all(headersWithRole.map(differs))
  const unchanged = headersWithRole.filter((_, index) => !found[index])
  expect(unchanged.map(([, headers]) => Object.keys(headers)[0])).toEqual(['content-type'])
})

test('two session cookies, and a header twice, are refused and not answered from the cache', async () => {
  const [one, other] = [callers.session['cookie']!, callers['other session']['cookie']!]
  await requestOverHttp('/api/auth', callers.session)
  expect((await requestOverHttp('/api/auth', { cookie: `${one}; ${other}` })).status).toBe(401)
  expect((await requestOverHttp('/api/auth', { cookie: `${other}; ${one}` })).status).toBe(401)
  const twice = { ...callers.session, origin: ['https://app.example', 'https://app.example'] } as unknown as Headers
  expect((await requestOverHttp('/api/auth', twice)).status).toBe(400)
})

test('with HTTPS, a proxy that reports HTTP is refused', async () => {
  const secure = await createTestApp({
    quiet: true,
    settings: { url: 'https://example.org', trustedProxies: ['127.0.0.1'], api: { public: true } },
  })
  for (let round = 0; round < 2; round++)
    for (const [protocol, status] of [
      ['https', 200],
      ['http', 403],
      ['https, http', 403],
    ] as const)
      expect([
        protocol,
        (await requestOverHttp('/api/site', { 'x-forwarded-proto': protocol }, secure)).status,
      ]).toEqual([protocol, status])
})

/** Read only in requests of endpoints that are not cacheable, or to be logged and stored. */
const withoutInfluence = new Set([
  'accept-encoding', // files of the panel, the OpenAPI document
  'access-control-request-method', // OPTIONS
  'if-match', // changes
  'if-range', 'range', // files
  'last-event-id', // event streams
  'referer', // changes
  'user-agent', // sessions, audit events
  'x-http-method-override', // POST
]) // prettier-ignore

test('every request header that the server reads has a role, or does not change cacheable answers', () => {
  const root = join(import.meta.dirname, '..')
  const sources = globSync('**/*.ts', { cwd: root })
  const read = new Set<string>()
  for (const file of sources.filter(name => !name.endsWith('.test.ts')))
    for (const [, quoted, plain] of readFileSync(join(root, file), 'utf8').matchAll(
      /(?:exchange|request|source|raw|\b)\.?headers(?:\?\.)?(?:\['([a-z-]+)'\]|\.(accept|origin|cookie|host)\b)/g,
    ))
      read.add((quoted ?? plain)!)
  const ofAnswers = new Set(['clear-site-data', 'etag', 'retry-after'])
  expect(
    [...read].filter(name => !(name in headerRoles) && !withoutInfluence.has(name) && !ofAnswers.has(name)),
  ).toEqual([])
  for (const name of ['host', 'authorization', 'x-language', 'accept-language']) expect(read).toContain(name)
})

test('no endpoint with an event stream is cacheable: its answer depends on Accept', () => {
  for (const [name, { cacheable, stream }] of listEndpoints(api))
    expect([name, cacheable && stream]).toEqual([name, undefined])
})
