import { describe, expect, test } from 'vitest'
import { addUser, createTestApp, password } from '../../../test/harness.ts'
import { cookieName } from './cookies.ts'
import { passesCsrfCheck, isUnsafe, type OriginCheck } from './origin.ts'

const trustedOrigins = new Set(['https://example.org', 'https://panel.example.org'])
const base: OriginCheck = {
  method: 'POST',
  site: undefined,
  mode: undefined,
  dest: undefined,
  origin: undefined,
  trustedOrigins,
  bearer: false,
  cookie: false,
  csrfToken: false,
  withoutCsrfToken: false,
}
const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PATCH', 'DELETE']
const sites = [undefined, 'same-origin', 'same-site', 'cross-site', 'none', 'garbage']
const origins = [
  undefined,
  'https://example.org',
  'https://panel.example.org',
  'https://EXAMPLE.org',
  'http://example.org',
  'https://example.org:444',
  'https://evil.example',
  'null',
]
const booleans = [false, true]

/** Written from the text of the design, not from the code: one line for each of its lines. */
function oracle({ method, site, mode, origin, bearer, cookie, csrfToken, withoutCsrfToken }: OriginCheck): boolean {
  const ours = origin?.toLowerCase() === 'https://example.org' || origin === 'https://panel.example.org'
  if (bearer) return true
  if (['GET', 'HEAD', 'OPTIONS'].includes(method)) return !(site === 'cross-site' && mode === 'no-cors')
  switch (true) {
    case site === 'same-origin':
      return true
    case origin !== undefined:
      return ours
    case site !== undefined:
      return false
    case withoutCsrfToken:
      return true
    default:
      return cookie ? csrfToken : true
  }
}

/** Every combination, in the order of the lists. */
function* rows(): Generator<OriginCheck> {
  for (const method of methods)
    for (const site of sites)
      for (const origin of origins)
        for (const cookie of booleans)
          for (const bearer of booleans)
            for (const csrfToken of booleans) yield { ...base, method, site, origin, cookie, bearer, csrfToken }
}

describe('the policy as a pure function', () => {
  test('every combination of method, site, origin, cookie, bearer and token matches the specification', () => {
    const all = [...rows()]
    expect(all).toHaveLength(2304)
    const wrong = all.filter(row => passesCsrfCheck(row) !== oracle(row))
    expect(wrong).toEqual([])
    const allowed = all.filter(passesCsrfCheck).length
    expect(allowed).toBeGreaterThan(1152 + 576) // every safe one and every bearer, and some
    expect(allowed).toBeLessThan(2304)
  })

  test('the same for endpoints that need no CSRF token, and for reads in every fetch mode', () => {
    const more = [...rows()].flatMap(row => [
      { ...row, withoutCsrfToken: true },
      ...['no-cors', 'cors', 'navigate', 'same-origin', 'garbage'].map(mode => ({ ...row, mode })),
    ])
    expect(more.filter(row => passesCsrfCheck(row) !== oracle(row))).toEqual([])
  })

  test('everything but GET, HEAD and OPTIONS is unsafe, whatever its case', () => {
    expect(methods.filter(isUnsafe)).toEqual(['POST', 'PATCH', 'DELETE'])
    for (const method of ['PUT', 'TRACE', 'CONNECT', 'QUERY', 'get', 'Get', '', 'GET '])
      expect(isUnsafe(method)).toBe(true)
  })

  test('no response of the API can be embedded as an image, a script or a frame', () => {
    for (const dest of ['image', 'script', 'style', 'iframe', 'frame', 'object', 'embed', 'audio', 'worker', 'garbage'])
      expect([dest, passesCsrfCheck({ ...base, method: 'GET', dest })]).toEqual([dest, false])
    for (const dest of [undefined, 'empty', 'document'])
      expect([dest, passesCsrfCheck({ ...base, method: 'GET', dest })]).toEqual([dest, true])
  })
})

describe('F02: only Sec-Fetch-Site is sent', () => {
  test.each(['cross-site', 'same-site', 'none', 'garbage', '', 'Same-Origin', 'same-origin, cross-site'])(
    'F02: %j without Origin is refused, with and without a cookie and its token',
    site => {
      for (const cookie of booleans)
        for (const csrfToken of booleans)
          for (const withoutCsrfToken of booleans)
            expect(passesCsrfCheck({ ...base, site, cookie, csrfToken, withoutCsrfToken })).toBe(false)
    },
  )
})

describe('F04: only Origin is sent', () => {
  test.each([
    'https://evil',
    'https://evil.example',
    'null',
    'https://example.org.evil',
    'https://example.org:444',
    'https://example.org:443',
    'http://example.org',
    'https://example.org/',
    'https://example.org/path',
    'https://example.org?x',
    'https://example.org#x',
    'https://user@example.org',
    'https://example.org\\@evil.example',
    ' https://example.org',
    'https://example.org https://evil.example',
    'https://example.org, https://evil.example',
    'https://sub.example.org',
    'https://example.org.',
    'https://еxample.org', // a Cyrillic letter
    'https:example.org',
    '//example.org',
    'example.org',
    '*',
    '',
    '__proto__',
  ])('F04: %j is refused', origin => {
    for (const cookie of booleans)
      for (const csrfToken of booleans) expect(passesCsrfCheck({ ...base, origin, cookie, csrfToken })).toBe(false)
  })

  test.each(['https://example.org', 'https://EXAMPLE.org', 'HTTPS://Example.Org', 'https://panel.example.org'])(
    'F04: %j is our origin: host names are case-insensitive',
    origin => expect(passesCsrfCheck({ ...base, origin })).toBe(true),
  )
})

describe('through HTTP', async () => {
  const site = await createTestApp({ settings: { auth: { throttle: false } } })
  const { email } = await addUser(site)
  const here = 'http://127.0.0.1:4080'
  const login = async (headers: Record<string, string>) => {
    const browser = site.browser()
    const payload = JSON.stringify({ email, password })
    const sent = { 'content-type': 'application/json', ...headers }
    return browser.send({ method: 'POST', url: '/api/auth/login', headers: sent, payload })
  }

  test.each([
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-site' }],
    [{ 'sec-fetch-site': 'none' }],
    [{ 'sec-fetch-site': 'garbage' }],
    [{ origin: 'https://evil.example' }],
    [{ origin: 'null' }],
    [{ origin: `${here}/` }],
    [{ origin: here.replace('4080', '4081') }],
    [{ origin: here.replace('http:', 'https:') }],
    [{ 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
  ])('F02, F04: a login with %j is refused: no session, no hash, no throttle charge', async headers => {
    const answer = await login(headers)
    expect(answer.statusCode).toBe(403)
    expect(answer.json()).toMatchObject({ key: 'error.auth.origin' })
    expect(answer.headers).not.toHaveProperty('set-cookie')
    const db = site.app.store.db
    const left = [
      ...(await db.selectFrom('sessions').selectAll().execute()),
      ...(await db.selectFrom('throttle').selectAll().execute()),
      ...(await db.selectFrom('audit_events').selectAll().execute()),
    ]
    expect(left).toEqual([])
  })

  test('F24: a login without these headers, or from one of our own origins, is accepted', async () => {
    for (const headers of [
      {},
      { origin: here },
      { origin: 'http://localhost:4080' },
      { origin: 'http://[::1]:4080' },
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'same-origin', origin: here },
      { 'sec-fetch-site': 'same-site', origin: here },
    ])
      expect([headers, (await login(headers)).statusCode]).toEqual([headers, 200])
  })

  test('F25: a script with the cookie of an ended session can sign in; with an active session it needs the CSRF token', async () => {
    const script = site.browser() // says nothing about where it comes from
    const again = async () => {
      const payload = JSON.stringify({ email, password })
      const headers = { 'content-type': 'application/json' }
      return (await script.send({ method: 'POST', url: '/api/auth/login', headers, payload })).statusCode
    }
    expect(await again()).toBe(200)
    expect(await again(), 'the session is valid').toBe(403)
    await site.app.store.db.deleteFrom('sessions').execute()
    expect(await again(), 'ended').toBe(200)
    await site.storage.moveClock(13 * 60 * 60_000)
    expect(await again(), 'expired').toBe(200)
    for (const value of ['', 'nonsense', 'A'.repeat(43)]) {
      script.cookies.set(cookieName(site.app.config, 'session'), value)
      expect(await again(), `a cookie that never was one: ${value}`).toBe(200)
    }
  })

  test('a cross-site logout is refused and the cookie stays', async () => {
    const browser = site.browser()
    await browser.client.auth.login({ email, password })
    const headers = { 'sec-fetch-site': 'cross-site' }
    const answer = await browser.send({ method: 'POST', url: '/api/auth/logout', headers })
    expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([403, undefined])
    expect(await browser.client.auth.get()).toMatchObject({ data: { email } })
  })
})
