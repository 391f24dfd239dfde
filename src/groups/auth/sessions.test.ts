import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { addUser, createTestStorage, createTestApp, password, type TestApp, totpCode } from '../../../test/harness.ts'
import { isFirstEngine, rounds } from '../../../test/slow.ts'
import {
  countHashes,
  eventsOf,
  everythingIn,
  getWith,
  newIp,
  postLogin,
  postLogout,
  refusal,
  sessionCookie,
  sessionsOf,
  statementsOf,
  userRow,
  withoutStore,
} from '../../../test/sign-in.ts'
import { removeTotp } from '../../access/factors/totp.ts'
import { randomToken, isToken } from '../../platform/lib/id.ts'
import { endAllEpochs, endEpoch } from '../../access/session/sessions.ts'
import { deleteUser, disableUser, enableUser, setPassword } from '../users/users.ts'
import { operatorContext } from '../../cli/site.ts'
import { addToken, removeToken } from '../../../test/tokens.ts'

const minutes = 60_000
const hours = 60 * minutes
const days = 24 * hours

const site = await createTestApp()

/** A browser that is signed in. */
async function signedIn(other: TestApp = site, { long = false, ...account }: { long?: boolean; role?: string } = {}) {
  const user = await addUser(other, account)
  const browser = other.browser({ ip: newIp() })
  const result = await browser.client.auth.login({ email: user.email, password, long })
  if (!('session' in result)) throw new Error('no session')
  return { ...user, browser, session: result.session, csrf: result.csrf, token: browser.cookies.get(sessionCookie)! }
}

const statusOf = async (token: string, other = site) => (await getWith(other, token)).statusCode
const reasonOf = async (token: string, other = site) => {
  const { status, details } = refusal(await getWith(other, token))
  return [status, details['reason']]
}

// ---- tokens

test('G01: the session shows the current user of the store', async () => {
  const { id, email, browser, session } = await signedIn()
  await site.app.store.db.updateTable('users').set({ name: 'Ada', language: 'de' }).where('id', '=', id).execute()
  const answer = await browser.client.auth.get()
  expect(answer).toMatchObject({ data: { id, email, name: 'Ada', language: 'de' }, session: { id: session.id } })
  await site.app.store.db.updateTable('users').set({ role: 'editor' }).where('id', '=', id).execute()
  const after = await browser.client.auth.get()
  expect(after.data.role).toMatchObject({ name: 'editor' })
  const { access, ...others } = after.data.permissions
  expect(access).toMatchObject({ panel: true, users: false })
  expect(Object.values(others).flatMap(group => Object.values(group))).not.toContain(true)
})

test.runIf(isFirstEngine)('G02: tokens have 256 random bits', () => {
  const count = 10_000
  const tokens = Array.from({ length: count }, randomToken)
  expect(new Set(tokens).size).toBe(count)
  expect(tokens.every(token => token.length === 43 && isToken(token))).toBe(true)
  const bytes = Array.from({ length: 256 }, () => 0)
  for (const token of tokens) for (const byte of Buffer.from(token, 'base64url')) bytes[byte]!++
  const expected = (count * 32) / 256
  const chi = bytes.reduce((sum, observed) => sum + (observed - expected) ** 2 / expected, 0)
  expect(chi).toBeLessThan(400) // 255 degrees of freedom: exceeded once in a hundred million runs
})

test('G02: no stored value works as a session', async () => {
  const { token, csrf } = await signedIn()
  const dump: string[] = []
  for (const table of ['sessions', 'devices', 'challenges', 'throttle', 'audit_events', 'users'] as const) {
    for (const row of await site.app.store.db.selectFrom(table).selectAll().execute()) dump.push(...texts(row))
  }
  expect(dump).not.toContain(token)
  expect(dump).not.toContain(csrf)
  for (const text of dump.filter(isToken)) expect(await statusOf(text)).toBe(401)
})

const texts = (row: object) => Object.values(row).filter(value => typeof value === 'string')

test.runIf(isFirstEngine)('G04: a session is read from its cookie only', async () => {
  const { token } = await signedIn()
  const browser = site.browser({ ip: newIp() })
  const attempts = [
    { headers: { 'x-session': token } },
    { headers: { authorization: `Session ${token}` } },
    { headers: { authorization: token } },
    { headers: { authorization: `Bearer ${token}` } },
    { headers: { cookie: `quoin=${token}` } },
    { headers: { cookie: `Quoin_Insecure=${token}` } },
    { headers: { cookie: `__Host-Http-quoin=${token}` } },
  ]
  for (const options of attempts) {
    expect((await browser.send({ url: '/api/auth', ...options })).statusCode, `by ${JSON.stringify(options)}`).toBe(401)
  }
  expect((await browser.send({ url: `/api/auth?session=${token}` })).statusCode).toBe(401)
  expect((await postLogin(browser, { method: 'reauth', password, session: token })).statusCode).toBe(400)
})

test('G05: signing in again ends the previous session of the browser', async () => {
  const { email, id, browser, token } = await signedIn()
  await browser.client.auth.login({ email, password })
  const next = browser.cookies.get(sessionCookie)!
  expect(next).not.toBe(token)
  expect(await statusOf(token)).toBe(401)
  expect(await statusOf(next)).toBe(200)
  expect(await sessionsOf(site, id)).toHaveLength(1)
})

test('G06: signing in to another account ends the first session', async () => {
  const first = await signedIn()
  const second = await addUser(site)
  const result = await first.browser.client.auth.login({ email: second.email, password })
  expect(result).toMatchObject({ user: { id: second.id } })
  expect(JSON.stringify(result)).not.toContain(first.id)
  expect(await statusOf(first.token)).toBe(401)
  expect(await sessionsOf(site, first.id)).toHaveLength(0)
  expect(await first.browser.client.auth.get()).toMatchObject({ data: { id: second.id } })
})

test('G07: a planted token does not become the session', async () => {
  const { email } = await addUser(site)
  const planted = randomToken()
  const browser = site.browser({ ip: newIp() })
  browser.cookies.set(sessionCookie, planted)
  expect((await postLogin(browser, { email, password })).statusCode).toBe(200)
  expect(browser.cookies.get(sessionCookie)).not.toBe(planted)
  expect(await statusOf(planted)).toBe(401)
})

test.runIf(isFirstEngine)('G08: secrets of different kinds are not interchangeable', async () => {
  const { email } = await addUser(site, { totp: true })
  const { token: session, id } = await signedIn()
  const { client } = site.browser({ ip: newIp() })
  const first = await client.auth.login({ email, password })
  if (first.code !== 202) throw new Error('no challenge')
  const { token: apiToken } = await addToken(site.app, { userId: id, name: 'x', scopes: ['*'] })
  for (const wrong of [first.challenge.id, apiToken]) expect(await statusOf(wrong)).toBe(401)
  const asChallenge = await postLogin(site.browser(), { method: 'code', challenge: session, code: '123456' })
  expect(refusal(asChallenge)).toMatchObject({ status: 401, key: 'error.access.code' })
  const asBearer = { url: '/api/auth', headers: { authorization: `Bearer ${first.challenge.id}` } }
  expect((await site.browser().send(asBearer)).statusCode).toBe(401)
})

test.runIf(isFirstEngine)('G09: any other text than the token is refused', async () => {
  const { token } = await signedIn()
  const bits = Array.from({ length: 43 * 8 }, (_, at) => {
    const bytes = Buffer.from(token)
    bytes[at >> 3]! ^= 1 << (at & 7)
    return bytes.toString('latin1')
  })
  const wrong = [
    ...bits,
    ...Array.from({ length: 43 }, (_, at) => token.slice(0, at)),
    `${token}A`,
    `${token}=`,
    `"${token}"`,
    `${token} x`,
    token.replace(/./g, letter => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase())),
    encodeURIComponent(`${token}%`),
    token.replace(/./g, letter => `%${letter.charCodeAt(0).toString(16)}`),
  ]
  for (const text of wrong) {
    const answer = await getWith(site, text)
    expect(answer.statusCode, `as ${text}`).toBe(401)
    expect(refusal(answer).details['reason']).toBeUndefined()
  }
  expect(await statusOf(token)).toBe(200)
})

test.runIf(isFirstEngine)('G09: no cookie header causes a 500', async () => {
  const { token } = await signedIn()
  const piece = fc.oneof(fc.string(), fc.constantFrom(token, sessionCookie, '=', ';', '"', ' ', ',', '%00'))
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async pieces => {
      const cookie = pieces.join('').replaceAll(/[^\t\u0020-\u007e\u0080-\u00ff]/g, '')
      const answer = await site.browser({ ip: newIp() }).send({ url: '/api/auth', headers: { cookie } })
      expect([200, 401]).toContain(answer.statusCode)
    }),
    { numRuns: rounds(60, 300) },
  )
})

test.runIf(isFirstEngine)('G23: two cookies of the same name are ignored and logged', async () => {
  const [one, two] = [await signedIn(), await signedIn()]
  site.logged.length = 0
  const cookie = `${sessionCookie}=${one.token}; ${sessionCookie}=${two.token}`
  const answer = await site.browser().send({ url: '/api/auth', headers: { cookie } })
  expect(answer.statusCode).toBe(401)
  expect(site.logged.filter(line => line['event'] === 'auth.cookie.duplicate')).toHaveLength(1)
  expect(JSON.stringify(site.logged)).not.toContain(one.token)
})

test('G27: a row with the plain hash of a token does not work', async () => {
  const { id, session } = await signedIn()
  const token = randomToken()
  const [row] = await site.app.store.db.selectFrom('sessions').selectAll().where('id', '=', session.id).execute()
  for (const [name, encoding] of [
    ['a', 'base64url'],
    ['b', 'hex'],
  ] as const) {
    const forged = createHash('sha256').update(token).digest(encoding)
    await site.app.store.db
      .insertInto('sessions')
      .values({ ...row!, id: `forged-${name}`, token_mac: forged })
      .execute()
  }
  expect(await statusOf(token)).toBe(401)
  await endEpochOf(id)
})

const endEpochOf = (id: string) => site.app.store.write(tx => endEpoch(operatorContext(site.app), tx, id, 'test'))

// ---- time

test('G10: a session ends after an hour without a request, not after 59 minutes', async () => {
  const otherSite = await createTestApp()
  const { token } = await signedIn(otherSite)
  await otherSite.storage.moveClock(59 * minutes)
  expect(await statusOf(token, otherSite)).toBe(200)
  await otherSite.storage.moveClock(60 * minutes)
  expect(await reasonOf(token, otherSite)).toEqual([401, 'expired'])
})

test('G11: activity cannot extend a session beyond twelve hours', async () => {
  const otherSite = await createTestApp()
  const { token } = await signedIn(otherSite)
  for (let passed = 50; passed < 12 * 60; passed += 50) {
    await otherSite.storage.moveClock(50 * minutes)
    expect(await statusOf(token, otherSite), `after ${passed} minutes`).toBe(200)
  }
  const answer = (await getWith(otherSite, token)).json<{ session: { idleExpiresAt: string; expiresAt: string } }>()
  expect(answer.session.idleExpiresAt).toBe(answer.session.expiresAt)
  await otherSite.storage.moveClock(21 * minutes)
  expect(await reasonOf(token, otherSite)).toEqual([401, 'expired'])
})

test('G12: activity is written at most once a minute', async () => {
  const otherSite = await createTestApp()
  const { token } = await signedIn(otherSite)
  const writes = async () => {
    const statements = await statementsOf(otherSite, () => getWith(otherSite, token))
    return statements.filter(text => text.startsWith('update')).length
  }
  expect(await writes()).toBe(0)
  await otherSite.storage.moveClock(61_000)
  expect(await writes()).toBe(1)
  expect(await writes()).toBe(0)
  await otherSite.storage.moveClock(30_000)
  expect(await writes()).toBe(0)
  await otherSite.storage.moveClock(31_000)
  expect(await writes()).toBe(1)
})

test('G13: a long session survives almost fourteen days without requests, not fifteen', async () => {
  const otherSite = await createTestApp()
  const [kept, lost] = [await signedIn(otherSite, { long: true }), await signedIn(otherSite, { long: true })]
  await otherSite.storage.moveClock(14 * days - hours)
  expect((await kept.browser.client.auth.get()).session).toMatchObject({ long: true })
  await otherSite.storage.moveClock(hours + minutes)
  expect(await reasonOf(lost.token, otherSite)).toEqual([401, 'expired'])
  expect((await kept.browser.client.auth.get()).session).toMatchObject({ long: true })
  await otherSite.storage.moveClock(13 * days)
  await kept.browser.client.auth.get()
  await otherSite.storage.moveClock(3 * days)
  await expect(kept.browser.client.auth.get()).rejects.toMatchObject({ status: 401, details: { reason: 'expired' } })
})

// ---- the end of sessions

test('G14: a saved cookie is invalid after the logout', async () => {
  const { browser, token, id } = await signedIn()
  expect(await browser.client.auth.logout()).toEqual({ status: 'ok', message: 'ok', code: 200 })
  expect(browser.cookies.has(sessionCookie)).toBe(false)
  expect(await reasonOf(token)).toEqual([401, undefined])
  expect(await sessionsOf(site, id)).toHaveLength(0)
  const events = (await eventsOf(site, 'auth.logout')).filter(event => event.subject_id === id)
  expect(events).toHaveLength(1)
})

test.runIf(isFirstEngine)('G15: logout succeeds with any cookie', async () => {
  const expired = await signedIn()
  await site.app.store.db.updateTable('sessions').set({ idle_until: 1 }).where('user_id', '=', expired.id).execute()
  const gone = await signedIn()
  await endEpochOf(gone.id)
  for (const cookie of [
    '',
    `${sessionCookie}=${expired.token}`,
    `${sessionCookie}=${gone.token}`,
    `${sessionCookie}=x`,
  ]) {
    for (let twice = 0; twice < 2; twice++) {
      const answer = await postLogout(site.browser(), { headers: cookie ? { cookie } : {} })
      expect(answer.statusCode).toBe(200)
      expect(answer.headers['set-cookie']).toContain('quoin_insecure=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0')
    }
  }
  expect(await sessionsOf(site, expired.id)).toHaveLength(0)
})

test.runIf(isFirstEngine)(
  'G28: logout clears the cache and the session cookie, but not the device cookie and the storage',
  async () => {
    const { browser } = await signedIn()
    await browser.client.auth.logout()
    expect(browser.last.headers['clear-site-data']).toBe('"cache"')
    const cookies = [browser.last.headers['set-cookie']].flat()
    expect(cookies).toEqual(['quoin_insecure=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0'])
  },
)

test.each([
  ['no body', undefined, 200],
  ['an empty object', '{}', 200],
  ['a list', '[]', 400],
  ['an unknown field', '{"all":true}', 400],
  ['null', 'null', 400],
  ['broken JSON', '{', 400],
  ['9 KB', `{"x":"${'x'.repeat(9000)}"}`, 413],
])('B22: logout with %s', async (_, payload, status) => {
  const { browser, token } = await signedIn()
  const headers = payload === undefined ? {} : { 'content-type': 'application/json' }
  const answer = await postLogout(browser, { ...(payload !== undefined && { payload }), headers })
  expect(answer.statusCode).toBe(status)
  expect(browser.cookies.has(sessionCookie), 'the cookie is deleted in any case').toBe(false)
  expect(await statusOf(token)).toBe(status === 200 ? 401 : 200)
})

test.runIf(isFirstEngine)('B22: logout sent as a form is refused and clears the cookie', async () => {
  const { browser } = await signedIn()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  expect((await postLogout(browser, { payload: 'a=b', headers })).statusCode).toBe(415)
  expect(browser.cookies.has(sessionCookie)).toBe(false)
})

test.runIf(isFirstEngine)('B22: logout accepts no query', async () => {
  const { browser } = await signedIn()
  expect((await postLogout(browser, { url: '/api/auth/logout?all=1' })).statusCode).toBe(400)
})

test('G15: without a store logout fails and still clears the cookie', async () => {
  const { browser, token } = await signedIn()
  const answer = await withoutStore(site, () => postLogout(browser))
  expect(refusal(answer)).toMatchObject({ status: 503, key: 'error.unavailable' })
  expect(answer.headers['retry-after']).toBe('2')
  expect(browser.cookies.has(sessionCookie)).toBe(false)
  expect(await statusOf(token), 'the row exists until it expires').toBe(200)
})

test('G16: a new password ends all sessions', async () => {
  const { id, email, token } = await signedIn()
  const second = site.browser({ ip: newIp() })
  await second.client.auth.login({ email, password })
  await setPassword(operatorContext(site.app), { id }, 'a new password, long enough')
  for (const old of [token, second.cookies.get(sessionCookie)!]) expect(await statusOf(old)).toBe(401)
  await expect(second.client.auth.login({ email, password })).rejects.toMatchObject({ key: 'error.access.login' })
  const again = await second.client.auth.login({ email, password: 'a new password, long enough' })
  expect(again).toMatchObject({ code: 200 })
})

test('G17: raising the epoch of an account, for example for a removed factor, ends only its sessions', async () => {
  const [one, other] = [await signedIn(), await signedIn()]
  await site.app.store.write(async tx => {
    await removeTotp(operatorContext(site.app), tx, one.id)
    await endEpoch(operatorContext(site.app), tx, one.id, 'factor')
  })
  expect(await statusOf(one.token)).toBe(401)
  expect(await statusOf(other.token)).toBe(200)
})

test('G17: a session of a previous epoch is invalid even if its row exists', async () => {
  const { id, token } = await signedIn()
  await site.app.store.db.updateTable('users').set({ auth_epoch: 2 }).where('id', '=', id).execute()
  expect(await reasonOf(token)).toEqual([401, 'ended'])
})

test('G18: disabled and deleted accounts lose access with their next request', async () => {
  const [disabled, deleted] = [await signedIn(), await signedIn()]
  await disableUser(operatorContext(site.app), { id: disabled.id })
  await deleteUser(operatorContext(site.app), { id: deleted.id })
  expect(await statusOf(disabled.token)).toBe(401)
  expect(await statusOf(deleted.token)).toBe(401)
  await enableUser(operatorContext(site.app), { id: disabled.id })
  expect(await statusOf(disabled.token), 'an old session stays invalid').toBe(401)
})

test('G18: the status is checked even if the session still exists', async () => {
  const { id, token } = await signedIn()
  await site.app.store.db.updateTable('users').set({ status: 'disabled' }).where('id', '=', id).execute()
  expect(await reasonOf(token)).toEqual([401, 'ended'])
})

test('N03: revoking all ends the sessions of all accounts', async () => {
  const otherSite = await createTestApp()
  const people = [await signedIn(otherSite), await signedIn(otherSite)]
  expect(await endAllEpochs(operatorContext(otherSite.app))).toEqual({ sessions: 2, tokens: 0 })
  for (const { token } of people) expect(await statusOf(token, otherSite)).toBe(401)
})

// ---- cookies

test.runIf(isFirstEngine)('G20: the cookies of a site on HTTPS', async () => {
  const otherSite = await createTestApp({ settings: { url: 'https://cms.example', trustedProxies: ['192.0.2.0/24'] } })
  const { email } = await addUser(otherSite)
  const browser = otherSite.browser()
  await browser.client.auth.login({ email, password })
  const [session, device] = [browser.last.headers['set-cookie']].flat()
  expect(session).toMatch(/^__Host-Http-quoin=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict$/)
  expect(device).toMatch(
    /^__Host-Http-quoindev=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=34560000$/,
  )
  await browser.client.auth.login({ email, password, long: true })
  expect([browser.last.headers['set-cookie']].flat()).toEqual([
    expect.stringMatching(/^__Host-Http-quoin=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=2592000$/),
  ])
  await browser.client.auth.logout()
  expect([browser.last.headers['set-cookie']].flat()).toEqual([
    '__Host-Http-quoin=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0',
    'quoin_insecure=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0',
  ])
})

test.runIf(isFirstEngine)('G20: the cookies of a site below a path are limited to it', async () => {
  const settings = { url: 'https://cms.example/cms', trustedProxies: ['192.0.2.0/24'] }
  const otherSite = await createTestApp({ settings })
  const { email } = await addUser(otherSite)
  const browser = otherSite.browser()
  await browser.client.auth.login({ email, password })
  expect([browser.last.headers['set-cookie']].flat()[0]).toMatch(
    /^__Http-quoin=[\w-]{43}; Path=\/cms; Secure; HttpOnly; SameSite=Strict$/,
  )
})

test.runIf(isFirstEngine)('F10: every cookie has an explicit SameSite attribute', async () => {
  const { browser } = await signedIn(site, { long: true })
  const set = () => [browser.last.headers['set-cookie']].flat()
  expect(set()).toHaveLength(2)
  for (const cookie of set()) expect(cookie).toContain('; HttpOnly; SameSite=Strict')
  await browser.client.auth.logout()
  for (const cookie of set()) expect(cookie).toContain('; HttpOnly; SameSite=Strict')
})

test.runIf(isFirstEngine)('F21: hundreds of reads change nothing', async () => {
  const otherSite = await createTestApp()
  const { token } = await signedIn(otherSite)
  const before = await everythingIn(otherSite)
  const request = fc.record({
    method: fc.constantFrom('GET' as const, 'HEAD' as const, 'OPTIONS' as const),
    path: fc.constantFrom(
      '/api/auth',
      '/api/auth/login',
      '/api/auth/logout',
      '/api',
      '/',
      '/openapi.json',
      '/health/ready',
    ),
    query: fc
      .array(fc.tuple(fc.string(), fc.string()), { maxLength: 3 })
      .map(pairs => new URLSearchParams(pairs).toString()),
    cookie: fc.constantFrom(token, randomToken(), 'x'),
    bearer: fc.constantFrom(undefined, undefined, 'Bearer x', 'Basic eDp4'),
  })
  const browser = otherSite.browser({ ip: newIp() })
  await fc.assert(
    fc.asyncProperty(request, async ({ method, path, query, cookie, bearer }) => {
      const headers = { cookie: `${sessionCookie}=${cookie}`, ...(bearer !== undefined && { authorization: bearer }) }
      expect((await browser.send({ method, url: `${path}?${query}`, headers })).statusCode).toBeLessThan(500)
    }),
    { numRuns: rounds(50, 1000) },
  )
  expect(await everythingIn(otherSite)).toEqual(before)
})

test.runIf(isFirstEngine)(
  'G24: behind a proxy without X-Forwarded-Proto the cookie is secure all the same',
  async () => {
    const otherSite = await createTestApp({
      settings: { url: 'https://cms.example', trustedProxies: ['192.0.2.0/24'] },
    })
    const { email } = await addUser(otherSite)
    const browser = otherSite.browser()
    expect((await postLogin(browser, { email, password })).statusCode).toBe(200)
    for (const cookie of [browser.last.headers['set-cookie']].flat()) expect(cookie).toContain('; Secure;')
  },
)

test.runIf(isFirstEngine)('G25: the token is in the cookie and not in the response', async () => {
  const { browser, token } = await signedIn()
  expect((await postLogin(browser, { method: 'reauth', password })).body).not.toContain(token)
  const next = browser.cookies.get(sessionCookie)!
  expect(browser.last.body).not.toContain(next)
  expect((await browser.send({ url: '/api/auth' })).body).not.toContain(next)
})

test.runIf(isFirstEngine)('G26: a cookie is far below the limit of browsers', async () => {
  const { browser } = await signedIn()
  for (const [name, value] of browser.cookies) expect(name.length + value.length).toBeLessThan(100)
})

// ---- long sessions

test('G29: a long session rotates its token once a day', async () => {
  const otherSite = await createTestApp()
  const { browser, token, csrf } = await signedIn(otherSite, { long: true })
  await otherSite.storage.moveClock(23 * hours)
  await browser.client.auth.get()
  expect(browser.last.headers['set-cookie']).toBeUndefined()
  await otherSite.storage.moveClock(hours + minutes)
  const answer = await browser.client.auth.get()
  const next = browser.cookies.get(sessionCookie)!
  expect(next).not.toBe(token)
  expect(isToken(next)).toBe(true)
  expect(answer.csrf).not.toBe(csrf)
  expect([browser.last.headers['set-cookie']].flat()[0]).toContain('; Max-Age=2592000')
  expect(await browser.client.auth.get()).toMatchObject({ csrf: answer.csrf })
  expect(browser.last.headers['set-cookie']).toBeUndefined()
  await otherSite.storage.moveClock(2 * minutes)
  expect(await reasonOf(token, otherSite), 'the former token').toEqual([401, 'ended'])
  expect(await statusOf(next, otherSite)).toBe(200)
})

test('G29: of many concurrent requests one rotates, and all get the same token', async () => {
  const otherSite = await createTestApp()
  const { token } = await signedIn(otherSite, { long: true })
  await otherSite.storage.moveClock(25 * hours)
  const answers = await Promise.all(Array.from({ length: 10 }, () => getWith(otherSite, token)))
  const cookies = new Set(answers.flatMap(answer => answer.cookies.map(cookie => cookie.value)))
  expect(answers.map(answer => answer.statusCode)).toEqual(Array.from({ length: 10 }, () => 200))
  expect(cookies.size).toBe(1)
  expect(await statusOf([...cookies][0]!, otherSite)).toBe(200)
})

test('G29: a normal session keeps its token', async () => {
  const otherSite = await createTestApp({ settings: { auth: { session: { idle: 2 * 86_400, absolute: 3 * 86_400 } } } })
  const { browser } = await signedIn(otherSite)
  await otherSite.storage.moveClock(25 * hours)
  await browser.client.auth.get()
  expect(browser.last.headers['set-cookie']).toBeUndefined()
})

test('G31: if the response with the new token is lost, the old token gets it again', async () => {
  const otherSite = await createTestApp()
  const { token } = await signedIn(otherSite, { long: true })
  await otherSite.storage.moveClock(25 * hours)
  const lost = await getWith(otherSite, token)
  await otherSite.storage.moveClock(50_000)
  const again = await getWith(otherSite, token)
  expect(again.statusCode).toBe(200)
  expect(again.cookies[0]!.value).toBe(lost.cookies[0]!.value)
  expect(again.json<{ csrf: string }>().csrf).toBe(lost.json<{ csrf: string }>().csrf)
  await otherSite.storage.moveClock(11_000)
  expect(await statusOf(token, otherSite)).toBe(401)
  expect(await statusOf(again.cookies[0]!.value, otherSite)).toBe(200)
})

test('G31: logout with the previous token ends the rotated session', async () => {
  const otherSite = await createTestApp()
  const { token } = await signedIn(otherSite, { long: true })
  await otherSite.storage.moveClock(25 * hours)
  const next = (await getWith(otherSite, token)).cookies[0]!.value
  await postLogout(otherSite.browser(), { headers: { cookie: `${sessionCookie}=${token}` } })
  expect(await statusOf(next, otherSite)).toBe(401)
})

test('G31: signing in with the previous token replaces the rotated session', async () => {
  const otherSite = await createTestApp()
  const { token, email, id } = await signedIn(otherSite, { long: true })
  await otherSite.storage.moveClock(25 * hours)
  const next = (await getWith(otherSite, token)).cookies[0]!.value
  await postLogin(otherSite.browser(), { email, password }, { headers: { cookie: `${sessionCookie}=${token}` } })
  expect(await statusOf(next, otherSite)).toBe(401)
  expect(await sessionsOf(otherSite, id)).toHaveLength(1)
})

// ---- keys

const key = (name: string) => `${name}:${randomToken()}`
const ring = (name: string) => ({ session: [key(name)], pepper: [key(name)], vault: [key(name)] })

test('G33: sessions stay valid while their key is in the key ring, and end with it', async () => {
  const storage = await createTestStorage()
  const [old, fresh, pepper, vault] = [key('old'), key('new'), key('p'), key('v')]
  const secrets = (...session: string[]) => ({ secrets: { session, pepper: [pepper], vault: [vault] } })
  const before = await createTestApp({ storage, settings: secrets(old) })
  const { token, csrf, email } = await signedIn(before)
  const during = await createTestApp({ storage, settings: secrets(fresh, old) })
  expect(await statusOf(token, during)).toBe(200)
  const cookie = `${sessionCookie}=${token}`
  const reauth = {
    method: 'POST',
    url: '/api/auth/login',
    payload: JSON.stringify({ email, password: 'wrong' }),
  } as const
  const headers = { cookie, 'x-csrf': csrf, 'content-type': 'application/json' }
  expect((await during.browser().send({ ...reauth, headers })).statusCode, 'its CSRF token is valid, too').toBe(401)
  const later = await signedIn(during)
  const after = await createTestApp({ storage, settings: secrets(fresh) })
  expect(await reasonOf(token, after)).toEqual([401, undefined])
  expect(await statusOf(later.token, after)).toBe(200)
})

test('G33: a challenge can be finished after a key rotation', async () => {
  const storage = await createTestStorage()
  const [old, fresh, pepper, vault] = [key('old'), key('new'), key('p'), key('v')]
  const secrets = (...session: string[]) => ({ secrets: { session, pepper: [pepper], vault: [vault] } })
  const before = await createTestApp({ storage, settings: secrets(old) })
  const { email, secret } = await addUser(before, { totp: true })
  const first = await before.browser().client.auth.login({ email, password })
  if (first.code !== 202) throw new Error('no challenge')
  const during = await createTestApp({ storage, settings: secrets(fresh, old) })
  const code = await totpCode(storage, secret)
  const second = await during.browser().client.auth.login({ method: 'code', challenge: first.challenge.id, code })
  expect(second).toMatchObject({ code: 200 })
})

test('G33: an app with other keys does not open the store', async () => {
  const storage = await createTestStorage()
  await createTestApp({ storage, settings: { secrets: ring('one') } })
  await expect(createTestApp({ storage, settings: { secrets: ring('two') } })).rejects.toThrow(/are not the ones/)
  await expect(createTestApp({ storage, settings: { secrets: ring('one') } })).rejects.toThrow(/are not the ones/)
})

// ---- how many

test.each([
  ['an administrator', 'admin', 3],
  ['another account', 'editor', 5],
])('L10: %s has a limited number of sessions; the least recently used one is deleted', async (_, role, cap) => {
  const otherSite = await createTestApp({ settings: { auth: { session: { perAdmin: 3, perUser: 5 } } } })
  const { id, email, token: first } = await signedIn(otherSite, { role })
  const tokens = [first]
  while (tokens.length < cap) {
    await otherSite.storage.moveClock(minutes)
    const browser = otherSite.browser({ ip: newIp() })
    await browser.client.auth.login({ email, password })
    tokens.push(browser.cookies.get(sessionCookie)!)
  }
  await otherSite.storage.moveClock(2 * minutes)
  expect(await statusOf(first, otherSite), 'the oldest was used just now').toBe(200)
  await otherSite.browser({ ip: newIp() }).client.auth.login({ email, password })
  expect(await sessionsOf(otherSite, id)).toHaveLength(cap)
  expect(await statusOf(first, otherSite)).toBe(200)
  expect(await statusOf(tokens[1]!, otherSite)).toBe(401)
  const evicted = await eventsOf(otherSite, 'auth.session.evicted')
  expect(evicted).toHaveLength(1)
  expect(evicted[0]).toMatchObject({ subject_id: id })
})

test('L10: a session that replaces its own deletes no other', async () => {
  const otherSite = await createTestApp({ settings: { auth: { session: { perAdmin: 1 } } } })
  const { browser, email } = await signedIn(otherSite)
  await browser.client.auth.login({ email, password })
  await browser.client.auth.login({ email, password })
  expect(await eventsOf(otherSite, 'auth.session.evicted')).toHaveLength(0)
})

// ---- reauthentication

test('G12: reauthentication restarts both timers under a new token', async () => {
  const otherSite = await createTestApp()
  await otherSite.storage.stopClock() // the times of a session come from more than one reading of the clock
  const { browser, token, session } = await signedIn(otherSite)
  await otherSite.storage.moveClock(50 * minutes)
  const result = await browser.client.auth.login({ method: 'reauth', password })
  if (!('session' in result)) throw new Error('no session')
  expect(result.session.id).not.toBe(session.id)
  expect(Date.parse(result.session.authenticatedAt) - Date.parse(session.authenticatedAt)).toBeGreaterThan(49 * minutes)
  expect(Date.parse(result.session.expiresAt) - Date.parse(session.expiresAt)).toBeGreaterThan(49 * minutes)
  expect(Date.parse(result.session.idleExpiresAt) - Date.parse(result.session.authenticatedAt)).toBe(hours)
  expect(browser.cookies.get(sessionCookie)).not.toBe(token)
  expect(await statusOf(token, otherSite)).toBe(401)
  expect(await eventsOf(otherSite, 'auth.reauth.ok')).toHaveLength(1)
})

test('G12: a long session stays long after reauthentication', async () => {
  const { browser } = await signedIn(site, { long: true })
  expect(await browser.client.auth.login({ method: 'reauth', password })).toMatchObject({ session: { long: true } })
  expect([browser.last.headers['set-cookie']].flat()[0]).toContain('Max-Age=2592000')
})

test('G05: reauthentication needs a valid session and its password', async () => {
  const newBrowser = site.browser({ ip: newIp() })
  const unauthenticated = await postLogin(newBrowser, { method: 'reauth', password })
  expect(refusal(unauthenticated)).toMatchObject({ status: 401, key: 'error.auth' })
  const { browser, token, id } = await signedIn()
  const wrong = await postLogin(browser, { method: 'reauth', password: 'wrong' })
  expect(refusal(wrong)).toEqual({ status: 401, key: 'error.access.login', details: {} })
  expect(await statusOf(token), 'a malformed request does not sign out').toBe(200)
  expect((await userRow(site, id)).password_fail_streak).toBe(1)
  await endEpochOf(id)
  expect(refusal(await postLogin(browser, { method: 'reauth', password }))).toMatchObject({ key: 'error.auth' })
})

test('G05: reauthentication with a second factor keeps the old session until the second step', async () => {
  const { email, secret, recovery } = await addUser(site, { totp: true })
  const browser = site.browser({ ip: newIp() })
  const code = await totpCode(site.storage, secret)
  expect(await browser.client.auth.login({ email, password, code })).toMatchObject({ code: 200 })
  const token = browser.cookies.get(sessionCookie)!
  const first = await browser.client.auth.login({ method: 'reauth', password })
  if (first.code !== 202) throw new Error('no challenge')
  expect(await statusOf(token)).toBe(200)
  const next = { method: 'recovery', challenge: first.challenge.id, code: recovery[0]! } as const
  expect(await browser.client.auth.login(next)).toMatchObject({ code: 200, session: { amr: ['pwd', 'recovery'] } })
  expect(await statusOf(token)).toBe(401)
})

test('I15: a reauthentication challenge can be finished in its own session only', async () => {
  const { email, secret, recovery } = await addUser(site, { totp: true })
  const browser = site.browser({ ip: newIp() })
  await browser.client.auth.login({ email, password, code: await totpCode(site.storage, secret) })
  const first = await browser.client.auth.login({ method: 'reauth', password })
  if (first.code !== 202) throw new Error('no challenge')
  const next = { method: 'recovery', challenge: first.challenge.id, code: recovery[0]! }
  const elsewhere = await postLogin(site.browser({ ip: newIp() }), next)
  expect(refusal(elsewhere)).toMatchObject({ status: 401, key: 'error.access.code', details: { restart: true } })
  expect((await postLogin(browser, next)).statusCode).toBe(200)
})

test('a session that must change its password shows that', async () => {
  const { email } = await addUser(site, { mustChangePassword: true })
  const { client } = site.browser({ ip: newIp() })
  expect(await client.auth.login({ email, password })).toMatchObject({ session: { mustChangePassword: true } })
  expect(await client.auth.get()).toMatchObject({ session: { mustChangePassword: true } })
})

test.runIf(isFirstEngine)('H10: an unknown device cookie is replaced', async () => {
  const { email } = await addUser(site)
  const browser = site.browser({ ip: newIp() })
  const planted = randomToken()
  browser.cookies.set('quoin_insecure_dev', planted)
  await browser.client.auth.login({ email, password })
  const own = browser.cookies.get('quoin_insecure_dev')
  expect(own).not.toBe(planted)
  await browser.client.auth.login({ email, password })
  expect(browser.cookies.get('quoin_insecure_dev'), 'but one of ours is kept').toBe(own)
})

// ---- API tokens

test.runIf(isFirstEngine).each(['Bearer', 'bearer ', 'Bearer\tquoin_x', 'Bearer quoin_'])(
  'N15: %j with a valid cookie is an invalid token, not a session',
  async authorization => {
    const { browser } = await signedIn()
    expect((await browser.send({ url: '/api/auth', headers: { authorization } })).statusCode).toBe(401)
  },
)

test('an account that must change its password must do so with a token, too', async () => {
  const { id } = await addUser(site, { mustChangePassword: true })
  const { token } = await addToken(site.app, { userId: id, name: 'ci', scopes: ['*'] })
  expect((await bearer(token)).statusCode, 'GET /api/auth always answers').toBe(200)
})

const bearer = (token: string, other = site, headers = {}) =>
  other.browser({ ip: newIp() }).send({ url: '/api/auth', headers: { authorization: `Bearer ${token}`, ...headers } })

test('N13: an API token shows its owner, without a session', async () => {
  const { id } = await addUser(site)
  const { token } = await addToken(site.app, { userId: id, name: 'ci', scopes: ['*'] })
  expect(token).toMatch(/^quoin_[0-9A-HJKMNP-TV-Z]{32}$/)
  const answer = await bearer(token)
  expect(answer.statusCode).toBe(200)
  const body = answer.json<Record<string, unknown>>()
  expect(body).toMatchObject({ data: { id } })
  expect(body).not.toHaveProperty('session')
  expect(body).not.toHaveProperty('csrf')
  expect(answer.headers['set-cookie']).toBeUndefined()
  for (const scheme of ['bearer', 'BEARER']) {
    const headers = { authorization: `${scheme} ${token}` }
    expect((await site.browser().send({ url: '/api/auth', headers })).statusCode).toBe(200)
  }
})

test('N13: a token is looked up by its keyed hash only', async () => {
  const { id } = await addUser(site)
  const { token } = await addToken(site.app, { userId: id, name: 'ci', scopes: ['*'] })
  const rows = await site.app.store.db.selectFrom('api_tokens').selectAll().execute()
  expect(JSON.stringify(rows)).not.toContain(token.slice(12))
  for (const text of rows.flatMap(texts)) expect((await bearer(text)).statusCode).toBe(401)
})

test.runIf(isFirstEngine)('N13: a mistyped token is refused without reading the store', async () => {
  const { id } = await addUser(site)
  const { token } = await addToken(site.app, { userId: id, name: 'ci', scopes: ['*'] })
  const slip = token.replace(/.$/, last => (last === '0' ? '1' : '0'))
  const statements = await statementsOf(site, async () => {
    for (const wrong of [slip, token.toLowerCase(), token.slice(0, -1), `${token}0`, 'quoin_', '', '\u00e9']) {
      expect((await bearer(wrong)).statusCode).toBe(401)
    }
  })
  expect(statements).toEqual([])
})

test('N14: a token has the permissions that both its owner and its scopes have', async () => {
  const admin = await addUser(site)
  const rights = async (scopes: string[], owner: string) => {
    const { token } = await addToken(site.app, { userId: owner, name: 'x', scopes })
    const { data } = (await bearer(token)).json<{ data: { permissions: Record<string, Record<string, boolean>> } }>()
    return Object.entries(data.permissions).flatMap(([category, actions]) =>
      Object.entries(actions).flatMap(([action, allowed]) => (allowed ? [`${category}.${action}`] : [])),
    )
  }
  expect(await rights(['pages.read', 'site.*'], admin.id)).toEqual(['pages.read', 'site.changeTitle', 'site.update'])
  expect(await rights([], admin.id)).toEqual([])
  expect(await rights(['pages'], admin.id)).toEqual([])
  expect(await rights(['*'], admin.id)).toContain('users.delete')
  const editor = await addUser(site, { role: 'editor' })
  expect(await rights(['*'], editor.id)).toEqual(['access.account', 'access.panel'])
})

test('N14: a token ends when it expires, is revoked, or its owner is demoted, disabled or deleted', async () => {
  const otherSite = await createTestApp()
  const { id } = await addUser(otherSite)
  await addUser(otherSite) // another administrator
  const create = (options = {}) => addToken(otherSite.app, { userId: id, name: 'x', scopes: ['*'], ...options })
  const [short, revoked, living] = [await create({ lifetimeSeconds: 3600 }), await create(), await create()]
  for (const { token } of [short, revoked, living]) expect((await bearer(token, otherSite)).statusCode).toBe(200)
  await otherSite.storage.moveClock(hours)
  expect(await removeToken(otherSite.app, revoked.id)).toBe(true)
  expect(await removeToken(otherSite.app, revoked.id)).toBe(false)
  expect((await bearer(short.token, otherSite)).statusCode).toBe(401)
  expect((await bearer(revoked.token, otherSite)).statusCode).toBe(401)
  await otherSite.app.store.db.updateTable('users').set({ role: 'editor' }).where('id', '=', id).execute()
  expect((await bearer(living.token, otherSite)).body).toContain('"users":false')
  await disableUser(operatorContext(otherSite.app), { id })
  expect((await bearer(living.token, otherSite)).statusCode).toBe(401)
  await enableUser(operatorContext(otherSite.app), { id })
  expect((await bearer(living.token, otherSite)).statusCode, 'it stays invalid').toBe(401)
  const last = await addToken(otherSite.app, { userId: id, name: 'x', scopes: ['*'] })
  expect((await bearer(last.token, otherSite)).statusCode).toBe(200)
  await deleteUser(operatorContext(otherSite.app), { id })
  expect((await bearer(last.token, otherSite)).statusCode).toBe(401)
})

test('N14: an invalid bearer token is refused despite a valid cookie', async () => {
  const { token, id } = await signedIn()
  const { token: apiToken } = await addToken(site.app, { userId: id, name: 'x', scopes: ['*'] })
  const cookie = `${sessionCookie}=${token}`
  expect((await bearer(randomToken(), site, { cookie })).statusCode).toBe(401)
  const answer = await bearer(apiToken, site, { cookie })
  expect(answer.json()).not.toHaveProperty('session')
})

test.runIf(isFirstEngine)('N15: a token in the query, in a cookie or in the body is ignored', async () => {
  const { id } = await addUser(site)
  const { token } = await addToken(site.app, { userId: id, name: 'x', scopes: ['*'] })
  const browser = site.browser({ ip: newIp() })
  for (const url of [`/api/auth?token=${token}`, `/api/auth?access_token=${token}`, `/api/auth?select=${token}`]) {
    expect((await browser.send({ url })).statusCode).toBe(401)
  }
  expect(await statusOf(token)).toBe(401)
  expect((await browser.send({ url: '/api/auth', headers: { 'x-api-key': token } })).statusCode).toBe(401)
  expect((await postLogin(browser, { token })).statusCode).toBe(400)
})

test.runIf(isFirstEngine)('N15: login and logout refuse bearer tokens', async () => {
  const { browser, email, id, token: session } = await signedIn()
  const { token } = await addToken(site.app, { userId: id, name: 'x', scopes: ['*'] })
  for (const authorization of [`Bearer ${token}`, 'Bearer nonsense']) {
    const login = await postLogin(site.browser(), { email, password }, { headers: { authorization } })
    expect(refusal(login)).toMatchObject({ status: 400, key: 'error.auth.notSession' })
    expect(login.headers['set-cookie']).toBeUndefined()
    const logout = await postLogout(browser, {
      headers: { authorization, cookie: `${sessionCookie}=${session}` },
    })
    expect(refusal(logout)).toMatchObject({ status: 400, key: 'error.auth.notSession' })
  }
  expect(await statusOf(session)).toBe(200)
  expect((await bearer(token)).statusCode).toBe(200)
})

// ---- Basic

const basic = (name: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`,
})

test.runIf(isFirstEngine)('N16: Basic credentials are ignored unless enabled', async () => {
  const { email } = await addUser(site)
  const browser = site.browser({ ip: newIp() })
  const hashes = await countHashes(site, async () => {
    const statements = await statementsOf(site, async () => {
      expect((await browser.send({ url: '/api/auth', headers: basic(email, password) })).statusCode).toBe(401)
    })
    expect(statements).toEqual([])
  })
  expect(hashes).toBe(0)
  const { token } = await signedIn()
  const headers = { ...basic(email, 'wrong'), cookie: `${sessionCookie}=${token}` }
  expect((await browser.send({ url: '/api/auth', headers })).statusCode, 'a proxy in front may use them').toBe(200)
})

const open = await createTestApp({ settings: { api: { basicAuth: true, allowInsecure: true } } })
const byBasic = (name: string, secret: string, other = open, ip = newIp()) =>
  other.browser({ ip }).send({ url: '/api/auth', headers: basic(name, secret) })

test('N16: if enabled they work like a login, without a session', async () => {
  const { email, id } = await addUser(open)
  const answer = await byBasic(email, password)
  expect(answer.statusCode).toBe(200)
  expect(answer.json()).toMatchObject({ data: { id } })
  expect(answer.json()).not.toHaveProperty('session')
  expect(answer.headers['set-cookie']).toBeUndefined()
  expect((await byBasic(id, password)).statusCode, 'with the id instead of the address').toBe(200)
  expect(refusal(await byBasic(email, 'wrong'))).toEqual({ status: 401, key: 'error.access.login', details: {} })
  expect((await byBasic(email, 'wrong')).headers['www-authenticate']).not.toContain('Basic')
})

test.runIf(isFirstEngine)('N16: over plain HTTP they are refused, unless that is allowed', async () => {
  const plain = await createTestApp({ settings: { api: { basicAuth: true } } })
  const { email } = await addUser(plain)
  const hashes = await countHashes(plain, async () => {
    expect(refusal(await byBasic(email, password, plain))).toMatchObject({ status: 403, key: 'error.permission' })
  })
  expect(hashes).toBe(0)
  const settings = { url: 'https://cms.example', trustedProxies: ['192.0.2.0/24'], api: { basicAuth: true } }
  const secure = await createTestApp({ settings })
  const user = await addUser(secure)
  expect((await byBasic(user.email, password, secure, '192.0.2.1')).statusCode).toBe(200)
})

test.runIf(isFirstEngine)('N16: Basic credentials do not replace a second factor', async () => {
  const { email } = await addUser(open, { totp: true })
  const refused = { status: 403, key: 'error.auth.needsToken' }
  expect(refusal(await byBasic(email, password))).toMatchObject(refused)
  expect(refusal(await byBasic(email, password)), 'also from the cache').toMatchObject(refused)
  expect(refusal(await byBasic(email, 'wrong'))).toMatchObject({ status: 401, key: 'error.access.login' })
})

test('N16: correct ones are cached without a second hash, but checked again', async () => {
  const { email, id } = await addUser(open)
  await addUser(open) // another administrator
  expect(await countHashes(open, () => byBasic(email, password))).toBe(1)
  expect(await countHashes(open, () => byBasic(email, password))).toBe(0)
  expect(await countHashes(open, () => byBasic(email, 'wrong'))).toBe(1)
  await open.app.store.db.updateTable('users').set({ name: 'New' }).where('id', '=', id).execute()
  expect((await byBasic(email, password)).json()).toMatchObject({ data: { name: 'New' } })
  await disableUser(operatorContext(open.app), { id })
  expect((await byBasic(email, password)).statusCode).toBe(401)
})

test('N16: a previous password is not cached as correct', async () => {
  const { email, id } = await addUser(open)
  expect((await byBasic(email, password)).statusCode).toBe(200)
  await setPassword(operatorContext(open.app), { id }, 'a new password, long enough')
  expect((await byBasic(email, password)).statusCode).toBe(401)
  expect((await byBasic(email, 'a new password, long enough')).statusCode).toBe(200)
})

test('N16: a disabled password is not cached as correct', async () => {
  const { email, id } = await addUser(open)
  expect((await byBasic(email, password)).statusCode).toBe(200)
  await open.app.store.db.updateTable('users').set({ password_disabled_at: 1 }).where('id', '=', id).execute()
  expect((await byBasic(email, password)).statusCode).toBe(401)
})

test.runIf(isFirstEngine)('N16: they are throttled like a login', async () => {
  const { email } = await addUser(open)
  for (let round = 0; round < 5; round++) expect((await byBasic(email, 'wrong')).statusCode).toBe(401)
  const refused = await byBasic(email, password)
  expect(refusal(refused)).toMatchObject({ status: 429, key: 'error.auth.throttled' })
  expect(refused.headers['retry-after']).toBe('30')
})

/** A client that polls, each time after the cache has expired. */
async function poll(email: string, ip: string, other = open): Promise<number> {
  const later = performance.now() + 61_000
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => later)
  try {
    return (await byBasic(email, password, other, ip)).statusCode
  } finally {
    clock.mockRestore()
  }
}

test('N22: wrong guesses of others do not lock out a known Basic client', async () => {
  const { email } = await addUser(open)
  const ip = newIp()
  expect(await poll(email, ip)).toBe(200)
  for (let round = 0; round < 5; round++) expect((await byBasic(email, 'wrong', open, ip)).statusCode).toBe(401)
  for (let round = 0; round < 5; round++) expect((await byBasic(email, 'wrong')).statusCode).toBe(401)
  expect((await byBasic(email, 'wrong')).statusCode, 'a guess').toBe(429)
  expect((await byBasic(email, 'wrong', open, ip)).statusCode, 'a guess from the network of the client').toBe(429)
  for (let round = 0; round < 5; round++) expect(await poll(email, ip)).toBe(200)
  expect(await poll(email, newIp()), 'wherever it comes from').toBe(200)
})

test('N22: the network of a Basic client is known to all processes', async () => {
  const { email } = await addUser(open)
  const ip = newIp()
  expect(await poll(email, ip)).toBe(200)
  for (let round = 0; round < 6; round++) await byBasic(email, 'wrong')
  const settings = { api: { basicAuth: true, allowInsecure: true } }
  const second = await createTestApp({ storage: open.storage, settings })
  expect(await poll(email, newIp(), second)).toBe(429)
  expect(await poll(email, ip, second)).toBe(200)
})

/** How many of 16 guesses in four minutes are checked, and how many failures are counted. */
async function guess(polling: boolean) {
  const { email, id } = await addUser(open)
  const ip = newIp()
  if (polling) expect(await poll(email, ip)).toBe(200)
  let checked = 0
  for (let round = 0; round < 16; round++) {
    if ((await byBasic(email, `guess ${round}`)).statusCode === 401) checked++
    if (polling) expect(await poll(email, ip)).toBe(200)
    await open.storage.moveClock(15_000)
  }
  const { password_fail_streak: streak } = await userRow(open, id)
  return { judged: checked, streak }
}

test('N22: a polling Basic client gives an attacker no additional attempts', async () => {
  const alone = await guess(false)
  expect(alone.judged).toBeLessThan(10)
  expect(await guess(true)).toEqual(alone)
})

test.each([
  ['no colon', Buffer.from('ada').toString('base64')],
  ['nothing', ''],
  ['no base64', '%%%%'],
  ['no UTF-8', Buffer.from([0xff, 0x3a, 0x61]).toString('base64')],
  ['a NUL in the name', Buffer.from('a\0b:x').toString('base64')],
  ['a NUL in the password', Buffer.from('ada@example.org:a\0b').toString('base64')],
  ['an empty name', Buffer.from(':x').toString('base64')],
  ['an empty password', Buffer.from('ada@example.org:').toString('base64')],
  ['a name of 8,000 letters', Buffer.from(`${'x'.repeat(8000)}:x`).toString('base64')],
  ['a quote', Buffer.from(`' or 1=1 --:x`).toString('base64')],
])('N16: %s is an ordinary failed login', async (_, value) => {
  const headers = { authorization: `Basic ${value}` }
  const answer = await open.browser({ ip: newIp() }).send({ url: '/api/auth', headers })
  expect(answer.statusCode).toBe(401)
})
