import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addUser, createTestApp, password, type TestApp, totpCode } from '../../../test/harness.ts'
import {
  countHashes,
  deviceCookie,
  eventsOf,
  eventually,
  newIp,
  postLogin,
  postLogout,
  refusal,
  replacing,
  sessionCookie,
  userRow,
} from '../../../test/sign-in.ts'
import { createHashQueue } from '../../app.ts'
import { maxFailures } from '../../platform/throttle/policies.ts'
import { randomToken } from '../../platform/lib/id.ts'
import { setPassword } from '../users/users.ts'
import { sweep } from './sweep.ts'
import { operatorContext } from '../../cli/site.ts'
import { isFirstEngine, rounds, isSlow } from '../../../test/slow.ts'

const seconds = 1000
const minutes = 60 * seconds
const hours = 60 * minutes

const site = await createTestApp()

/** The status of one attempt, by default from an unused IP address. */
async function attempt(
  other: TestApp,
  email: string,
  {
    typed = 'wrong',
    ip = newIp(),
    headers = {},
  }: { typed?: string; ip?: string; headers?: Record<string, string> } = {},
): Promise<number> {
  return (await postLogin(other.browser({ ip, headers }), { email, password: typed })).statusCode
}

const unknownEmail = () => `${randomToken()}@example.org`
const buckets = async (other: TestApp) => other.app.store.db.selectFrom('throttle').selectAll().execute()

/** Uses up the five free attempts of an address. */
async function exhaust(other: TestApp, email: string): Promise<void> {
  for (let round = 0; round < 5; round++) expect(await attempt(other, email)).toBe(401)
}

/**
 * Attempts until the first refusal: as many as the limit. The clock stands still, so that none is refilled meanwhile.
 */
async function expectLimit(other: TestApp, limit: number, ip: (round: number) => string) {
  await other.storage.stopClock()
  let checked = 0
  while ((await attempt(other, unknownEmail(), { ip: ip(checked) })) === 401) checked++
  expect(checked).toBe(limit)
}

// ---- by address

test('H01: an address is throttled after thirty attempts for thirty accounts', async () => {
  const otherSite = await createTestApp()
  await expectLimit(otherSite, 30, () => '203.0.113.5')
  expect(await attempt(otherSite, unknownEmail(), { ip: '203.0.113.6' }), 'another address is not throttled').toBe(401)
  await otherSite.storage.moveClock(10 * seconds)
  expect(
    await attempt(otherSite, unknownEmail(), { ip: '203.0.113.5' }),
    'one attempt is refilled every ten seconds',
  ).toBe(401)
  expect(await attempt(otherSite, unknownEmail(), { ip: '203.0.113.5' })).toBe(429)
  await otherSite.storage.moveClock(5 * minutes)
  await expectLimit(otherSite, 30, () => '203.0.113.5')
})

test.runIf(isFirstEngine)('H01: a success is not charged to its address', async () => {
  const otherSite = await createTestApp()
  const { email } = await addUser(otherSite)
  for (let round = 0; round < 40; round++) {
    expect(await attempt(otherSite, email, { typed: password, ip: '203.0.113.5' })).toBe(200)
  }
  for (let round = 0; round < 30; round++)
    expect(await attempt(otherSite, unknownEmail(), { ip: '203.0.113.5' })).toBe(401)
})

test.runIf(isFirstEngine)(
  'H02: a network is throttled after two hundred attempts, whatever the addresses',
  async () => {
    const otherSite = await createTestApp()
    await expectLimit(otherSite, 200, round => `203.0.113.${round % 256}`)
    expect(await attempt(otherSite, unknownEmail(), { ip: '203.0.114.1' })).toBe(401)
    await otherSite.storage.moveClock(3 * seconds)
    expect(await attempt(otherSite, unknownEmail(), { ip: '203.0.113.250' })).toBe(401)
  },
)

test('H03: a refused attempt is charged to no bucket', async () => {
  const otherSite = await createTestApp()
  const { email } = await addUser(otherSite)
  await exhaust(otherSite, email)
  const before = await buckets(otherSite)
  expect(await attempt(otherSite, email, { ip: '203.0.113.5' })).toBe(429)
  expect(await buckets(otherSite)).toEqual(before)
})

// ---- by e-mail address

test.runIf(isFirstEngine)(
  'H04: every spelling of an address and every order of fields is charged to the same account',
  async () => {
    const otherSite = await createTestApp()
    const spellings = [
      'karla@example.org',
      'KARLA@Example.Org',
      ' karla@example.org\t',
      '\u212Aarla@example.org',
      'ｋａｒｌａ@example.org.',
    ]
    for (const email of spellings) expect(await attempt(otherSite, email)).toBe(401)
    expect(await attempt(otherSite, 'karla@example.org')).toBe(429)
    const reordered = { password: 'wrong', long: true, email: 'karla@EXAMPLE.org', method: 'password' }
    expect((await postLogin(otherSite.browser({ ip: newIp() }), reordered)).statusCode).toBe(429)
  },
)

test.runIf(isFirstEngine)('H04: all spellings of an address share one bucket', async () => {
  const otherSite = await createTestApp()
  await exhaust(otherSite, 'mallory@example.org')
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { minLength: 19, maxLength: 19 }), async upper => {
      const email = Array.from('mallory@example.org', (letter, at) => (upper[at] ? letter.toUpperCase() : letter)).join(
        '',
      )
      expect(await attempt(otherSite, email)).toBe(429)
    }),
    { numRuns: rounds(10, 30) },
  )
})

test.each(['an account', 'no account'])('H05: an address with %s is throttled after five attempts', async kind => {
  const otherSite = await createTestApp()
  const { email } = await addUser(otherSite)
  const typed = kind === 'an account' ? email : unknownEmail()
  await exhaust(otherSite, typed)
  expect(
    await countHashes(otherSite, async () => expect(await attempt(otherSite, typed, { typed: password })).toBe(429)),
  ).toBe(0)
})

test.runIf(isFirstEngine)('H06: during a wait attempts are neither checked nor do they prolong it', async () => {
  const otherSite = await createTestApp()
  const { email, id } = await addUser(otherSite)
  await exhaust(otherSite, email)
  await otherSite.storage.moveClock(25 * seconds)
  for (let round = 0; round < 20; round++) expect(await attempt(otherSite, email, { typed: password })).toBe(429)
  expect((await userRow(otherSite, id)).password_fail_streak).toBe(5)
  await otherSite.storage.moveClock(6 * seconds)
  expect(await attempt(otherSite, email, { typed: password })).toBe(200)
})

test('H07: waits double up to one hour', async () => {
  const otherSite = await createTestApp()
  const email = unknownEmail()
  await exhaust(otherSite, email)
  for (const wait of [0.5, 1, 2, 4, 8, 16, 32, 60, 60, 60]) {
    await otherSite.storage.moveClock(wait * minutes - 5 * seconds)
    expect(await attempt(otherSite, email), `just before ${wait} minutes`).toBe(429)
    await otherSite.storage.moveClock(5 * seconds)
    expect(await attempt(otherSite, email), `after ${wait} minutes`).toBe(401)
    expect(await attempt(otherSite, email)).toBe(429)
  }
})

test.runIf(isFirstEngine)('H07: after a day without attempts the waits are reset', async () => {
  const otherSite = await createTestApp()
  const email = unknownEmail()
  await exhaust(otherSite, email)
  await otherSite.storage.moveClock(hours)
  expect(await attempt(otherSite, email)).toBe(401)
  await otherSite.storage.moveClock(24 * hours + minutes)
  await exhaust(otherSite, email)
  expect(await attempt(otherSite, email)).toBe(429)
})

test.runIf(isFirstEngine)('H07: after less than a day they are not', async () => {
  const otherSite = await createTestApp()
  const email = unknownEmail()
  await exhaust(otherSite, email)
  await otherSite.storage.moveClock(23 * hours)
  expect(await attempt(otherSite, email)).toBe(401)
  expect(await attempt(otherSite, email)).toBe(429)
})

test('H08: a success resets the waits of its address', async () => {
  const otherSite = await createTestApp()
  const { email } = await addUser(otherSite)
  for (let round = 0; round < 3; round++) {
    for (let tries = 0; tries < 4; tries++) expect(await attempt(otherSite, email)).toBe(401)
    expect(await attempt(otherSite, email, { typed: password })).toBe(200)
  }
  await exhaust(otherSite, email)
  await otherSite.storage.moveClock(30 * seconds)
  expect(await attempt(otherSite, email, { typed: password })).toBe(200)
  await exhaust(otherSite, email)
})

// ---- clocks

test('H27: a clock that was months ahead does not throttle for months', async () => {
  const otherSite = await createTestApp()
  const [ip, { email }] = [newIp(), await addUser(otherSite)]
  await otherSite.storage.moveClock(180 * 24 * hours)
  for (let round = 0; round < 8; round++) await attempt(otherSite, email, { ip })
  for (let round = 0; round < 30; round++) await attempt(otherSite, unknownEmail(), { ip })
  expect(await attempt(otherSite, email, { ip, typed: password })).toBe(429)
  await otherSite.storage.moveClock(-180 * 24 * hours)
  expect(await attempt(otherSite, email, { ip, typed: password })).toBe(200)
  // The limit of the address is not reset by it: one attempt of its burst is left, as before.
  expect(await attempt(otherSite, unknownEmail(), { ip })).toBe(401)
  expect(await attempt(otherSite, unknownEmail(), { ip })).toBe(429)
})

// ---- known devices

/** A browser that has signed in to the account, and out again. */
async function knownDevice(other: TestApp, email: string): Promise<string> {
  const browser = other.browser({ ip: newIp() })
  await browser.client.auth.login({ email, password })
  await browser.client.auth.logout()
  return browser.cookies.get(deviceCookie)!
}

const withDevice = (device: string) => ({ headers: { cookie: `${deviceCookie}=${device}` } })

test('H09: other clients cannot lock out a known device', async () => {
  const otherSite = await createTestApp()
  const { email } = await addUser(otherSite)
  const device = await knownDevice(otherSite, email)
  await exhaust(otherSite, email)
  expect(await attempt(otherSite, email, { typed: password })).toBe(429)
  expect(await attempt(otherSite, email, { typed: password, ...withDevice(device) })).toBe(200)
})

test('H09: a known device is throttled after ten wrong passwords in a quarter of an hour', async () => {
  const otherSite = await createTestApp()
  const { email } = await addUser(otherSite)
  const device = await knownDevice(otherSite, email)
  for (let round = 0; round < 10; round++) expect(await attempt(otherSite, email, withDevice(device))).toBe(401)
  expect(await attempt(otherSite, email, { typed: password, ...withDevice(device) })).toBe(429)
  expect(await attempt(otherSite, email, { typed: password }), 'other browsers are not throttled').toBe(200)
  await otherSite.storage.moveClock(90 * seconds)
  expect(await attempt(otherSite, email, { typed: password, ...withDevice(device) })).toBe(200)
})

test.runIf(isFirstEngine)('H10: a device is known only to the accounts that signed in from it', async () => {
  const otherSite = await createTestApp()
  const [one, two] = [await addUser(otherSite), await addUser(otherSite)]
  const [own, foreign] = [await knownDevice(otherSite, one.email), await knownDevice(otherSite, two.email)]
  await exhaust(otherSite, one.email)
  for (const device of [foreign, randomToken(), own.slice(0, -1), `${own}A`, own.toLowerCase(), '']) {
    expect(await attempt(otherSite, one.email, { typed: password, ...withDevice(device) }), `as ${device}`).toBe(429)
  }
  await otherSite.app.store.db.deleteFrom('devices').where('user_id', '=', one.id).execute()
  expect(await attempt(otherSite, one.email, { typed: password, ...withDevice(own) }), 'revoked').toBe(429)
})

test.runIf(isFirstEngine)('H11: the devices table does not contain valid cookies', async () => {
  const otherSite = await createTestApp()
  const { email } = await addUser(otherSite)
  await knownDevice(otherSite, email)
  await exhaust(otherSite, email)
  for (const { device_mac: device } of await otherSite.app.store.db.selectFrom('devices').selectAll().execute()) {
    expect(await attempt(otherSite, email, { typed: password, ...withDevice(device) })).toBe(429)
  }
})

test.runIf(isFirstEngine)('H12: after a password change no device is known until it signs in again', async () => {
  const otherSite = await createTestApp()
  const { email, id } = await addUser(otherSite)
  const device = await knownDevice(otherSite, email)
  await setPassword(operatorContext(otherSite.app), { id }, 'a new password, long enough')
  await exhaust(otherSite, email)
  const login = () => attempt(otherSite, email, { typed: 'a new password, long enough', ...withDevice(device) })
  expect(await login()).toBe(429)
  await otherSite.storage.moveClock(30 * seconds)
  expect(await login()).toBe(200)
  await exhaust(otherSite, email)
  expect(await attempt(otherSite, email)).toBe(429)
  expect(await login()).toBe(200)
})

// ---- a hundred failures

test('H13: a hundred wrong passwords in a row disable the password, not the account', async () => {
  const otherSite = await createTestApp({ settings: { auth: { throttle: false } } })
  const { email, id } = await addUser(otherSite)
  const browser = otherSite.browser({ ip: newIp() })
  await browser.client.auth.login({ email, password })
  for (let tries = 1; tries <= maxFailures; tries++) {
    expect(await attempt(otherSite, email)).toBe(401)
    if (tries === maxFailures - 1) expect((await userRow(otherSite, id)).password_disabled_at).toBeNull()
  }
  expect(await userRow(otherSite, id)).toMatchObject({ password_fail_streak: 100, status: 'active' })
  const refused = await postLogin(otherSite.browser({ ip: newIp() }), { email, password })
  expect(refusal(refused)).toEqual({ status: 401, key: 'error.access.login', details: {} })
  expect((await browser.send({ url: '/api/auth' })).statusCode, 'sessions stay valid').toBe(200)
  expect(await attempt(otherSite, email)).toBe(401)
  const events = await eventsOf(otherSite, 'auth.password.disabled')
  expect(events).toHaveLength(1)
  expect(events[0]).toMatchObject({ subject_id: id })
})

test.runIf(isSlow)('H13: with the waits a hundred failures take days', async () => {
  const otherSite = await createTestApp()
  const { email, id } = await addUser(otherSite)
  const start = otherSite.storage.clock()
  for (let tries = 0; tries < maxFailures; tries++) {
    while ((await attempt(otherSite, email)) === 429) {
      const [{ wait } = { wait: 0 }] = (await buckets(otherSite))
        .filter(bucket => bucket.blocked_until > 0)
        .map(bucket => ({ wait: bucket.blocked_until - otherSite.storage.clock() }))
      await otherSite.storage.moveClock(Math.max(wait, 1))
    }
  }
  expect((await userRow(otherSite, id)).password_disabled_at).not.toBeNull()
  expect(otherSite.storage.clock() - start).toBeGreaterThan(3 * 24 * hours)
})

test.runIf(isFirstEngine)('H14: a new password enables it again', async () => {
  const otherSite = await createTestApp({ settings: { auth: { throttle: false } } })
  const { email, id } = await addUser(otherSite)
  for (let tries = 0; tries < maxFailures; tries++) await attempt(otherSite, email)
  expect(await attempt(otherSite, email, { typed: password })).toBe(401)
  await setPassword(operatorContext(otherSite.app), { id }, 'a new password, long enough')
  expect(await attempt(otherSite, email, { typed: 'a new password, long enough' })).toBe(200)
})

test.runIf(isSlow)('H15: ninety-nine failures, a success, and ninety-nine more do not disable it', async () => {
  const otherSite = await createTestApp({ settings: { auth: { throttle: false } } })
  const { email, id } = await addUser(otherSite)
  for (let round = 0; round < 2; round++) {
    for (let tries = 0; tries < maxFailures - 1; tries++) await attempt(otherSite, email)
    expect(await attempt(otherSite, email, { typed: password })).toBe(200)
  }
  expect(await userRow(otherSite, id)).toMatchObject({ password_fail_streak: 0, password_disabled_at: null })
})

test.runIf(isFirstEngine)('H15: the correct password of a disabled account is no failure', async () => {
  const { email, id } = await addUser(site, { status: 'disabled' })
  expect(await attempt(site, email, { typed: password })).toBe(401)
  expect((await userRow(site, id)).password_fail_streak).toBe(0)
})

// ---- the client address

const proxied = await createTestApp({ settings: { trustedProxies: ['198.51.100.0/24', '2001:db8:ffff::/48'] } })

test.runIf(isFirstEngine)('H18: without a trusted proxy X-Forwarded-For is ignored', async () => {
  const otherSite = await createTestApp()
  for (let round = 0; round < 30; round++) {
    const headers = { 'x-forwarded-for': `10.9.${round}.1`, forwarded: `for=10.8.${round}.1`, 'x-real-ip': '10.7.7.7' }
    expect(await attempt(otherSite, unknownEmail(), { ip: '203.0.113.5', headers })).toBe(401)
  }
  const headers = { 'x-forwarded-for': '10.9.99.1' }
  expect(await attempt(otherSite, unknownEmail(), { ip: '203.0.113.5', headers })).toBe(429)
})

const from = (forwarded: string) => ({ ip: '198.51.100.1', headers: { 'x-forwarded-for': forwarded } })

test.runIf(isFirstEngine)('H19: behind a trusted proxy the nearest untrusted address is used', async () => {
  for (let round = 0; round < 30; round++) {
    const forged = `10.6.${round}.1, 192.0.2.77, 198.51.100.9`
    expect(await attempt(proxied, unknownEmail(), from(forged))).toBe(401)
  }
  expect(await attempt(proxied, unknownEmail(), from('192.0.2.77'))).toBe(429)
  expect(await attempt(proxied, unknownEmail(), from('1.2.3.4, 192.0.2.77'))).toBe(429)
  expect(await attempt(proxied, unknownEmail(), from('192.0.2.78'))).toBe(401)
  expect(await attempt(proxied, unknownEmail(), { ip: '192.0.2.77' }), 'directly, too').toBe(429)
})

test.each([
  ['a port', '192.0.2.50:1234', '192.0.2.0/24'],
  ['brackets', '[2001:db8:1:2::5]', '20010db80001'],
  ['brackets and a port', '[2001:db8:1:2::5]:443', '20010db80001'],
  ['a mapped address', '::ffff:192.0.2.50', '192.0.2.0/24'],
  ['a zone', '2001:db8:1:2::5%eth0', '20010db80001'],
  ['a word', 'unknown', '198.51.100.0/24'],
  ['nothing', '', '198.51.100.0/24'],
  ['commas', ',,,', '198.51.100.0/24'],
  ['a number', '3232235777', '198.51.100.0/24'],
  ['too many bytes', '192.0.2.256', '198.51.100.0/24'],
  ['10 KB', 'x'.repeat(10_000), '198.51.100.0/24'],
  ['10 KB of addresses', '192.0.2.50, '.repeat(800).slice(0, -2), '192.0.2.0/24'],
])('H20: X-Forwarded-For with %s is used or ignored', async (_, forwarded, network) => {
  const email = unknownEmail()
  const headers = { 'x-forwarded-for': forwarded }
  expect(await attempt(proxied, email, { ip: '198.51.100.1', headers })).toBe(401)
  const [event] = (await eventsOf(proxied, 'auth.login.fail')).slice(-1)
  expect(event!.ip_prefix).toContain(network)
})

test.runIf(isFirstEngine)('H20: no header causes a 500', async () => {
  const otherSite = await createTestApp({
    settings: { trustedProxies: ['0.0.0.0/0', '::/0'], auth: { throttle: false } },
  })
  const hop = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.string(),
    fc.constantFrom('unknown', '[::1', '::ffff:1.2.3', '1.2.3.4:x'),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(hop, { maxLength: 6 }), async hops => {
      const forwarded = hops.join(',').replaceAll(/[^\t\u0020-\u007e]/g, '')
      expect(await attempt(otherSite, unknownEmail(), { headers: { 'x-forwarded-for': forwarded } })).toBe(401)
    }),
    { numRuns: rounds(40, 200) },
  )
})

test.runIf(isFirstEngine)('H21: an IPv6 customer has one bucket for all addresses', async () => {
  const otherSite = await createTestApp()
  await expectLimit(otherSite, 30, round => `2001:db8:1:2:${(round * 2099).toString(16)}::${round}`)
  expect(await attempt(otherSite, unknownEmail(), { ip: '2001:db8:1:3::1' })).toBe(401)
})

test.runIf(isSlow)('H21: the networks of one provider share a larger bucket', async () => {
  const otherSite = await createTestApp()
  await expectLimit(otherSite, 200, round => `2001:db8:1:${round.toString(16)}::1`)
  expect(await attempt(otherSite, unknownEmail(), { ip: '2001:db8:2:1::1' })).toBe(401)
})

test.runIf(isFirstEngine)('H21: an IPv4 address written as IPv6 is the same address', async () => {
  const otherSite = await createTestApp()
  for (let round = 0; round < 30; round++)
    expect(await attempt(otherSite, unknownEmail(), { ip: '203.0.113.5' })).toBe(401)
  expect(await attempt(otherSite, unknownEmail(), { ip: '::ffff:203.0.113.5' })).toBe(429)
})

// ---- refusals

test.runIf(isFirstEngine)('H22: the headers of a refusal have a coarse wait and are consistent', async () => {
  const otherSite = await createTestApp()
  const email = unknownEmail()
  await exhaust(otherSite, email)
  const waits = [30, 60, 120, 240, 480, 960, 1920, 3600, 3600]
  for (const wait of waits) {
    const { headers, statusCode } = await postLogin(otherSite.browser({ ip: newIp() }), { email, password })
    expect(statusCode).toBe(429)
    expect(headers).toMatchObject({
      'retry-after': String(wait),
      'ratelimit-policy': '"login";q=5;w=900',
      ratelimit: `"login";r=0;t=${wait}`,
    })
    await otherSite.storage.moveClock(wait * seconds)
    expect(await attempt(otherSite, email)).toBe(401)
  }
})

test.runIf(isFirstEngine)('H22: the wait is never reported as zero, nor exactly', async () => {
  const otherSite = await createTestApp()
  const email = unknownEmail()
  await exhaust(otherSite, email)
  for (const [passed, retryAfter] of [
    [0, '30'],
    [15, '30'],
    [11, '5'],
    [3, '5'],
  ] as const) {
    await otherSite.storage.moveClock(passed * seconds)
    const answer = await postLogin(otherSite.browser({ ip: newIp() }), { email, password })
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, retryAfter])
  }
})

test.runIf(isFirstEngine)('H23: other responses do not reveal how many attempts are left', async () => {
  const { email } = await addUser(site)
  for (const typed of ['wrong', password]) {
    const { headers } = await postLogin(site.browser({ ip: newIp() }), { email, password: typed })
    for (const name of ['retry-after', 'ratelimit', 'ratelimit-policy', 'x-ratelimit-remaining']) {
      expect(headers).not.toHaveProperty(name)
    }
  }
})

test.runIf(isFirstEngine)('H24: a refusal is the same for every reason and every account', async () => {
  const otherSite = await createTestApp()
  const { email } = await addUser(otherSite)
  const device = await knownDevice(otherSite, email)
  const unknown = unknownEmail()
  await exhaust(otherSite, email)
  await exhaust(otherSite, unknown)
  for (let round = 0; round < 30; round++) await attempt(otherSite, unknownEmail(), { ip: '203.0.113.5' })
  for (let round = 0; round < 10; round++) await attempt(otherSite, email, withDevice(device))
  const accept = { accept: 'application/problem+json' }
  const bodies = new Set<string>()
  for (const [who, options] of [
    [email, {}],
    [unknown, {}],
  ] as const) {
    const answer = await postLogin(
      otherSite.browser({ ip: newIp(), ...options }),
      { email: who, password },
      { headers: accept },
    )
    expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(answer.json()).toMatchObject({
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      status: 429,
      key: 'error.auth.throttled',
      'violated-policies': ['login'],
    })
    bodies.add(answer.body)
  }
  expect(bodies.size).toBe(1)
  const policiesOf = async (browser: ReturnType<TestApp['browser']>) =>
    (await postLogin(browser, { email, password }, { headers: accept })).json<Record<string, unknown>>()[
      'violated-policies'
    ]
  expect(await policiesOf(otherSite.browser({ ip: '203.0.113.5' }))).toEqual(['login'])
  expect(await policiesOf(otherSite.browser({ ip: newIp(), ...withDevice(device) }))).toEqual(['login'])
})

test.runIf(isFirstEngine)('H24: an error in the format of Kirby contains the wait', async () => {
  const email = unknownEmail()
  await exhaust(site, email)
  const browser = site.browser({ ip: newIp() })
  await expect(browser.client.auth.login({ email, password })).rejects.toMatchObject({
    status: 429,
    key: 'error.auth.throttled',
    retryAfter: 30,
    message: 'Too many attempts. Please try again in 30 seconds.',
  })
})

test.runIf(isFirstEngine)('H25: a login after twelve failures can succeed', async () => {
  const otherSite = await createTestApp({ settings: { auth: { throttle: false } } })
  const { email } = await addUser(otherSite)
  for (let round = 0; round < 12; round++) await attempt(otherSite, email)
  expect(await attempt(otherSite, email, { typed: password })).toBe(200)
})

test('H26: two instances and a restart share the same limits', async () => {
  const firstSite = await createTestApp()
  const secondSite = await createTestApp({ storage: firstSite.storage })
  const email = unknownEmail()
  for (let round = 0; round < 4; round++) expect(await attempt(round % 2 ? firstSite : secondSite, email)).toBe(401)
  await secondSite.close()
  const three = await createTestApp({ storage: firstSite.storage })
  expect(await attempt(three, email)).toBe(401)
  for (const other of [firstSite, three]) expect(await attempt(other, email)).toBe(429)
})

// ---- requests that are not attempts

test.runIf(isFirstEngine)('the table contains neither addresses nor accounts', async () => {
  const otherSite = await createTestApp()
  const { email, id } = await addUser(otherSite)
  await attempt(otherSite, email, { ip: '203.0.113.5' })
  const rows = await buckets(otherSite)
  expect(rows).toHaveLength(3)
  const dump = JSON.stringify(rows)
  for (const text of [email, id, '203.0.113']) expect(dump).not.toContain(`"${text}`)
  for (const { bucket, ...others } of rows) {
    expect(bucket, 'only a keyed hash').toMatch(/^[\w-]{43}$/)
    expect(Object.values(others).every(value => typeof value === 'number')).toBe(true)
  }
})

test.runIf(isFirstEngine)('GET and logout are neither throttled nor charged', async () => {
  const otherSite = await createTestApp()
  const browser = otherSite.browser({ ip: '203.0.113.5' })
  for (let round = 0; round < 35; round++) {
    expect(
      (await browser.send({ url: '/api/auth', headers: { cookie: `${sessionCookie}=${randomToken()}` } })).statusCode,
    ).toBe(401)
    expect((await postLogout(browser)).statusCode).toBe(200)
  }
  expect(await buckets(otherSite)).toEqual([])
})

test.runIf(isFirstEngine)('second steps are charged to the address, too, and refunded on success', async () => {
  const otherSite = await createTestApp()
  const { email, secret } = await addUser(otherSite, { totp: true })
  const browser = otherSite.browser({ ip: '203.0.113.5' })
  for (let round = 0; round < 29; round++) await attempt(otherSite, unknownEmail(), { ip: '203.0.113.5' })
  const first = await browser.client.auth.login({ email, password })
  if (first.code !== 202) throw new Error('no challenge')
  const code = (text: string) => postLogin(browser, { method: 'code', challenge: first.challenge.id, code: text })
  expect((await code('abc')).statusCode).toBe(401)
  expect((await code('abc')).statusCode).toBe(429)
  await otherSite.storage.moveClock(10 * seconds)
  expect((await code(await totpCode(otherSite.storage, secret))).statusCode).toBe(200)
  expect(await attempt(otherSite, unknownEmail(), { ip: '203.0.113.5' })).toBe(401)
})

const broken = () => ({ run: () => Promise.reject(new Error('no memory')) })

test('an attempt that could not be checked is refunded', async () => {
  const otherSite = await createTestApp()
  const { email } = await addUser(otherSite)
  await replacing(otherSite.app.hashing, broken, async () => {
    for (let round = 0; round < 7; round++) expect(await attempt(otherSite, email, { ip: '203.0.113.5' })).toBe(500)
  })
  await exhaust(otherSite, email)
  for (let round = 0; round < 30; round++)
    expect(await attempt(otherSite, unknownEmail(), { ip: '203.0.113.5' })).toBe(401)
})

test('sweeping deletes only buckets that no policy needs', async () => {
  const otherSite = await createTestApp()
  await exhaust(otherSite, 'old@example.org')
  await otherSite.storage.moveClock(24 * hours + minutes)
  await exhaust(otherSite, 'new@example.org')
  const before = (await buckets(otherSite)).length
  await sweep(otherSite.app)
  expect(before - (await buckets(otherSite)).length).toBe(1 + 5 * 2)
  expect(await attempt(otherSite, 'new@example.org')).toBe(429)
})

test.runIf(isFirstEngine)('with the throttle disabled nothing is counted', async () => {
  const otherSite = await createTestApp({ settings: { auth: { throttle: false } } })
  for (let round = 0; round < 35; round++)
    expect(await attempt(otherSite, 'a@example.org', { ip: '203.0.113.5' })).toBe(401)
  expect(await buckets(otherSite)).toEqual([])
})

// ---- the queue of hashes

/**
 * Occupies all slots until the returned function is called, so the test does not depend on the speed of the machine.
 */
function takeSlots({ app }: TestApp): () => void {
  app.hashing = createHashQueue(app.hashing.slots, 60_000)
  const { promise, resolve } = Promise.withResolvers<void>()
  for (let slot = 0; slot < app.hashing.slots; slot++) void app.hashing.run(`slot ${slot}`, () => promise)
  return resolve
}

test('M23: many users of one network can sign in at the same time', async () => {
  const otherSite = await createTestApp()
  const ip = newIp()
  const people = await Promise.all(Array.from({ length: 5 }, () => addUser(otherSite)))
  const free = takeSlots(otherSite)
  const attempts = people.map(({ email }) => attempt(otherSite, email, { typed: password, ip }))
  await eventually(
    async () => otherSite.app.hashing.waiting,
    waiting => waiting === people.length,
  )
  expect(await attempt(otherSite, people[0]!.email, { typed: password, ip }), 'one slot per account').toBe(503)
  free()
  expect(await Promise.all(attempts)).toEqual(people.map(() => 200))
})

test('M21: many unknown clients do not take the queue place of a known device', async () => {
  const otherSite = await createTestApp()
  const { email } = await addUser(otherSite)
  const device = await knownDevice(otherSite, email)
  const free = takeSlots(otherSite)
  const attempts: Promise<number>[] = []
  while (otherSite.app.hashing.hasRoom('one more')) {
    attempts.push(attempt(otherSite, unknownEmail()))
    const count = attempts.length
    await eventually(
      async () => otherSite.app.hashing.waiting,
      waiting => waiting === count,
    )
  }
  expect(await attempt(otherSite, email, { typed: password }), 'without the device').toBe(503)
  const fromKnownDevice = attempt(otherSite, email, { typed: password, ...withDevice(device) })
  await eventually(
    async () => otherSite.app.hashing.waiting,
    waiting => waiting === attempts.length + 1,
  )
  free()
  expect(await fromKnownDevice).toBe(200)
  await Promise.all(attempts)
})

test.runIf(isFirstEngine)('H28: a device cookie works only for the account it was created for', async () => {
  const otherSite = await createTestApp()
  const [mine, victim] = [await addUser(otherSite), await addUser(otherSite)]
  const planted = await knownDevice(otherSite, mine.email)
  const browser = otherSite.browser({ ip: newIp() })
  browser.cookies.set(deviceCookie, planted)
  await browser.client.auth.login({ email: victim.email, password })
  expect(browser.cookies.get(deviceCookie), 'the victim gets one of their own').not.toBe(planted)
  await exhaust(otherSite, victim.email)
  expect(await attempt(otherSite, victim.email, { typed: password, ...withDevice(planted) })).toBe(429)
  const own = browser.cookies.get(deviceCookie)!
  expect(await attempt(otherSite, victim.email, { typed: password, ...withDevice(own) })).toBe(200)
})
