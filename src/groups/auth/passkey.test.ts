import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  addOwner,
  beginLogin,
  type Ceremony,
  createAuthenticator,
  loginBy,
  register,
} from '../../../test/authenticator.ts'
import { addUser, createTestApp, password, type TestApp } from '../../../test/harness.ts'
import {
  eventsOf,
  everythingIn,
  newIp,
  postLogin,
  refusal,
  sessionCookie,
  sessionsOf,
  withoutStore,
} from '../../../test/sign-in.ts'
import { endEpoch } from '../../access/session/sessions.ts'
import { maxFailures, policies } from '../../platform/throttle/policies.ts'
import { deleteUser, disableUser } from '../users/users.ts'
import { operatorContext } from '../../cli/site.ts'
import { rounds } from '../../../test/slow.ts'

const minutes = 60_000
const site = await createTestApp()

const wrong = { status: 401, key: 'error.access.login', details: {} }
const wrongCode = (restart: boolean) => ({
  status: 401,
  key: 'error.access.code',
  details: { restart, challengeDestroyed: restart },
})

const passkeyRow = ({ app }: TestApp, id: string) =>
  app.store.db.selectFrom('passkeys').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

// ---- beginning

test('J01: the first step returns a WebAuthn challenge and names no account', async () => {
  await addOwner(site)
  const browser = site.browser({ ip: newIp() })
  const answer = await postLogin(browser, { method: 'passkey' })
  expect(answer.statusCode).toBe(202)
  expect(answer.json()).toEqual({
    code: 202,
    status: 'challenge',
    challenge: {
      id: expect.stringMatching(/^[\w-]{43}$/),
      kind: 'passkey',
      methods: ['passkey'],
      expiresIn: 300,
      attemptsLeft: 5,
      publicKey: {
        challenge: expect.stringMatching(/^[\w-]{43}$/), // 32 bytes
        rpId: 'localhost',
        timeout: 300_000,
        userVerification: 'required',
        allowCredentials: [],
      },
    },
  })
  expect(answer.headers['set-cookie']).toBeUndefined()
  expect(browser.cookies.size).toBe(0)
})

test('J01: every WebAuthn challenge is new and differs from the handle', async () => {
  const challenges = [await beginLogin(site), await beginLogin(site), await beginLogin(site)]
  const texts = challenges.flatMap(({ challenge, publicKey }) => [challenge, publicKey.challenge])
  expect(new Set(texts).size).toBe(6)
})

test('J01: the first step writes its challenge and its throttle charge, and nothing else', async () => {
  const otherSite = await createTestApp()
  const before = await everythingIn(otherSite)
  await beginLogin(otherSite)
  const after = await everythingIn(otherSite)
  expect(after['challenges']).toHaveLength(1)
  expect(after['throttle']).toHaveLength(1)
  expect({ ...after, challenges: [], throttle: [] }).toEqual(before)
})

test('J01: an address is throttled after sixty first steps', async () => {
  const otherSite = await createTestApp()
  await otherSite.storage.stopClock()
  const browser = otherSite.browser({ ip: '192.0.2.7' })
  for (let count = 0; count < policies.passkey.limit; count++)
    expect((await postLogin(browser, { method: 'passkey' })).statusCode).toBe(202)
  const refused = await postLogin(browser, { method: 'passkey' })
  expect(refusal(refused)).toMatchObject({ status: 429, key: 'error.auth.throttled' })
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect((await otherSite.app.store.db.selectFrom('challenges').selectAll().execute()).length).toBe(
    policies.passkey.limit,
  )
  await postLogin(browser, { method: 'passkey' })
  expect((await eventsOf(otherSite, 'auth.login.throttled')).map(event => event.count)).toEqual([2])
  await beginLogin(otherSite)
  await otherSite.storage.moveClock(5 * minutes)
  expect((await postLogin(browser, { method: 'passkey' })).statusCode).toBe(202)
})

test.each([
  ['an address', { email: 'ada@example.org' }, 'email'],
  ['a password', { password }, 'password'],
  ['a user', { user: 'ada' }, 'user'],
  ['a list of passkeys', { allowCredentials: [] }, 'allowCredentials'],
  ['a long that is a text', { long: 'true' }, 'long'],
  ['a challenge and no signature', { challenge: 'x' }, 'credential'],
  ['an invalid signature', { challenge: 'x', credential: {} }, 'credential.id'],
  ['a signature that is a text', { challenge: 'x', credential: 'x' }, 'credential'],
])('J03: a first step with %s is refused', async (_, extra, field) => {
  const before = await everythingIn(site)
  const refused = refusal(await postLogin(site.browser({ ip: newIp() }), { method: 'passkey', ...extra }))
  expect(refused).toMatchObject({ status: 400, key: 'error.validation' })
  expect(Object.keys(refused.details)).toContain(field)
  expect(await everythingIn(site)).toEqual(before)
})

test('J03: a signature needs its challenge, and cannot set the session length', async () => {
  const { key } = await addOwner(site)
  const { browser, challenge, publicKey } = await beginLogin(site)
  const credential = key.get(publicKey)
  for (const body of [{ credential }, { challenge, credential, long: true }, { challenge, credential, password }]) {
    const answer = await postLogin(browser, { method: 'passkey', ...body })
    expect(refusal(answer)).toMatchObject({ status: 400, key: 'error.validation' })
  }
  expect((await postLogin(browser, { method: 'passkey', challenge, credential })).statusCode).toBe(200)
})

// ---- signing in

test.each(['ES256', 'RS256', 'EdDSA'] as const)(
  'J02: a passkey with %s signs in without a password',
  async algorithm => {
    const { id, email, key, passkey } = await addOwner(site, { algorithm })
    const { browser, publicKey, send } = await beginLogin(site)
    const answer = await send(key.get(publicKey))
    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toMatchObject({
      status: 'ok',
      user: { id, email },
      session: { aal: 2, amr: ['passkey'], long: false },
    })
    expect((await browser.client.auth.get()).session).toMatchObject({ aal: 2, amr: ['passkey'] })
    expect(await passkeyRow(site, passkey)).toMatchObject({ counter: 2, last_used_at: expect.any(Number) })
    const [event] = (await eventsOf(site, 'auth.login.ok')).filter(row => row.subject_id === id).slice(-1)
    expect(JSON.parse(event!.detail)).toEqual({ amr: 'passkey', aal: 2, long: false, knownBrowser: false })
  },
)

test('J02: a long session counts as one factor, also with a passkey', async () => {
  const { key } = await addOwner(site)
  const { publicKey, send } = await beginLogin(site, { long: true })
  const answer = await send(key.get(publicKey))
  expect(answer.json()).toMatchObject({ session: { aal: 1, amr: ['passkey'], long: true } })
  expect(answer.cookies.find(cookie => cookie.name === sessionCookie)?.maxAge).toBeGreaterThan(0)
})

test('J02: each of several passkeys signs in, synced or not', async () => {
  const { browser, key, id } = await addOwner(site)
  const second = createAuthenticator({ syncs: true })
  await register(browser, second)
  for (const one of [key, second, second, key])
    expect((await loginBy(site, one)).json()).toMatchObject({ user: { id } })
})

test('J02: signing in replaces the previous session of the browser', async () => {
  const { key, browser, id } = await addOwner(site)
  const { publicKey, send } = await beginLogin(site, { browser })
  expect((await send(key.get(publicKey))).statusCode).toBe(200)
  expect(await sessionsOf(site, id)).toHaveLength(1)
})

test('H09, H14: throttling and a disabled password do not block a passkey', async () => {
  const { key, email, id } = await addOwner(site)
  for (let count = 0; count < 6; count++) await postLogin(site.browser({ ip: newIp() }), { email, password: 'wrong' })
  expect((await postLogin(site.browser({ ip: newIp() }), { email, password })).statusCode).toBe(429)
  expect((await loginBy(site, key)).statusCode).toBe(200)
  const off = { password_disabled_at: 1, password_fail_streak: maxFailures }
  await site.app.store.db.updateTable('users').set(off).where('id', '=', id).execute()
  expect((await loginBy(site, key)).statusCode).toBe(200)
})

test('J04: a challenge works once', async () => {
  const { key, id } = await addOwner(site)
  const { publicKey, send } = await beginLogin(site)
  const before = (await sessionsOf(site, id)).length
  const credential = key.get(publicKey)
  expect((await send(credential)).statusCode).toBe(200)
  expect(refusal(await send(credential)), 'a replay').toEqual(wrongCode(true))
  expect(refusal(await send(key.get(publicKey))), 'a new signature').toEqual(wrongCode(true))
  expect(await sessionsOf(site, id)).toHaveLength(before + 1)
})

test('J04: a challenge works for five minutes', async () => {
  const otherSite = await createTestApp()
  const { key } = await addOwner(otherSite)
  const [early, late] = [await beginLogin(otherSite), await beginLogin(otherSite)]
  await otherSite.storage.moveClock(5 * minutes - 5000)
  expect((await early.send(key.get(early.publicKey))).statusCode).toBe(200)
  await otherSite.storage.moveClock(6000)
  expect(refusal(await late.send(key.get(late.publicKey)))).toEqual(wrongCode(true))
})

test('J04: a signature is valid only for its challenge', async () => {
  const { key } = await addOwner(site)
  const [one, two] = [await beginLogin(site), await beginLogin(site)]
  expect(refusal(await two.send(key.get(one.publicKey)))).toEqual(wrong)
  expect((await one.send(key.get(one.publicKey))).statusCode).toBe(200)
})

test('J04: challenges of other kinds and invalid handles are refused', async () => {
  const { key, browser } = await addOwner(site)
  const { publicKey } = await beginLogin(site)
  const registration = await browser.client.users.passkeys.begin({ id: 'account' })
  for (const challenge of [registration.challenge, browser.cookies.get(sessionCookie), publicKey.challenge, 'x']) {
    const body = { method: 'passkey', challenge, credential: key.get(publicKey) }
    expect(refusal(await postLogin(site.browser({ ip: newIp() }), body))).toEqual(wrongCode(true))
  }
})

// ---- failing

const misleading: [string, Ceremony][] = [
  ['another origin', { origin: 'https://evil.example' }],
  ['the origin of a sub-domain', { origin: 'http://sub.localhost:4080' }],
  ['a frame', { crossOrigin: true }],
  ['another relying party', { rpId: 'evil.example' }],
  ['a registration', { type: 'webauthn.create' }],
  ['nobody at the authenticator', { present: false }],
  ['an owner who was not verified', { verified: false }],
  ['a copy of a key that has none', { synced: true }],
  ['a key that has become one for many devices', { syncable: true }],
  ['bytes at the end', { trailing: Buffer.alloc(3) }],
  ['a broken signature', { spoil: signature => signature.fill(7, 10, 20) }],
  ['an empty list as client data', { clientData: '[]' }],
]

test.each(misleading)('J05, J07: %s does not sign in', async (_, ceremony) => {
  const { key, id, passkey } = await addOwner(site)
  const [sessions, row] = [await sessionsOf(site, id), await passkeyRow(site, passkey)]
  const answer = await loginBy(site, key, ceremony)
  expect(refusal(answer)).toEqual(wrong)
  expect(answer.headers['set-cookie']).toBeUndefined()
  expect(await sessionsOf(site, id)).toEqual(sessions)
  expect(await passkeyRow(site, passkey), 'an invalid signature stores nothing').toEqual(row)
})

test('J08: a counter that does not increase reveals a copied device-bound key', async () => {
  const { key, id, passkey } = await addOwner(site, { counter: 10 })
  expect((await loginBy(site, key, { counter: 20 })).statusCode).toBe(200)
  for (const counter of [20, 19, 1, 0]) expect(refusal(await loginBy(site, key, { counter }))).toEqual(wrong)
  expect((await passkeyRow(site, passkey)).counter).toBe(20)
  const signals = (await eventsOf(site, 'auth.passkey.counter-signal')).filter(event => event.subject_id === id)
  expect(signals.map(event => JSON.parse(event.detail) as unknown)).toEqual(
    [20, 19, 1, 0].map(() => ({ accepted: false })),
  )
  expect((await loginBy(site, key, { counter: 21 })).statusCode, 'the owner can still sign in').toBe(200)
})

test('J08: counters of synced keys are ignored, and a change to synced is recorded', async () => {
  const { key, id, passkey } = await addOwner(site, { syncs: true })
  const signals = async () =>
    (await eventsOf(site, 'auth.passkey.counter-signal')).filter(event => event.subject_id === id)
  expect((await loginBy(site, key)).statusCode).toBe(200)
  expect((await loginBy(site, key)).statusCode).toBe(200)
  expect(await signals()).toEqual([])
  expect((await loginBy(site, key, { counter: 5 })).statusCode).toBe(200)
  expect((await loginBy(site, key, { counter: 0 })).statusCode, 'zero after five').toBe(200)
  expect((await signals()).map(event => JSON.parse(event.detail) as unknown)).toEqual([{ accepted: true }])
  expect((await passkeyRow(site, passkey)).counter).toBe(0)
})

test('J08: a device-bound key without a counter is accepted', async () => {
  const { key } = await addOwner(site, { counter: 0 })
  expect((await loginBy(site, key, { counter: 0 })).statusCode).toBe(200)
  expect((await loginBy(site, key, { counter: 0 })).statusCode).toBe(200)
})

test('J08: the synced state is the last reported one', async () => {
  const { key, passkey } = await addOwner(site, { syncs: true })
  expect(await passkeyRow(site, passkey)).toMatchObject({ syncable: 1, synced: 1 })
  expect((await loginBy(site, key, { synced: false })).statusCode).toBe(200)
  expect(await passkeyRow(site, passkey)).toMatchObject({ syncable: 1, synced: 0 })
})

test('J10: unknown, deleted and foreign passkeys and disabled accounts get the same error', async () => {
  const [disabled, deleted, removed, invited, right] = [
    await addOwner(site),
    await addOwner(site),
    await addOwner(site),
    await addOwner(site),
    await addOwner(site),
  ]
  await disableUser(operatorContext(site.app), { id: disabled.id })
  await deleteUser(operatorContext(site.app), { id: deleted.id })
  await removed.browser.client.users.passkeys.remove({ id: 'account', passkey: removed.passkey })
  await site.app.store.db.updateTable('users').set({ status: 'invited' }).where('id', '=', invited.id).execute()
  const other = createAuthenticator()
  const answers = [
    await loginBy(site, disabled.key),
    await loginBy(site, deleted.key),
    await loginBy(site, removed.key),
    await loginBy(site, invited.key),
    await loginBy(site, other, { userHandle: Buffer.from(right.id).toString('base64url') }),
    await loginBy(site, other, { id: right.key.id, userHandle: Buffer.from(right.id).toString('base64url') }),
    await loginBy(site, right.key, { userHandle: Buffer.from(invited.id).toString('base64url') }),
    await loginBy(site, right.key, { userHandle: null }),
    await loginBy(site, right.key, { spoil: signature => signature.fill(0) }),
    await postLogin(site.browser({ ip: newIp() }), { email: 'nobody@example.org', password }),
  ]
  const shown = answers.map(({ statusCode, headers, body }) => ({
    statusCode,
    headers: { ...headers, date: '', 'x-request-id': '' },
    body,
  }))
  expect(refusal(answers[0]!)).toEqual(wrong)
  for (const one of shown) expect(one).toEqual(shown[0])
  expect((await loginBy(site, right.key)).statusCode).toBe(200)
})

test('J10: failures are counted by account, or by network for unknown ones', async () => {
  const otherSite = await createTestApp()
  const { key, id } = await addOwner(otherSite)
  const ip = '192.0.2.99'
  await otherSite.storage.moveClock(65_000 - (otherSite.storage.clock() % 60_000)) // early in a minute
  for (const one of [key, createAuthenticator(), key, createAuthenticator()]) {
    const { publicKey, send } = await beginLogin(otherSite, { browser: otherSite.browser({ ip }) })
    await send(one.get(publicKey, { verified: false }))
  }
  const rows = await eventsOf(otherSite, 'auth.login.fail')
  expect(rows.map(row => [row.subject_id, row.count, row.detail])).toEqual([
    [id, 2, '{"method":"passkey"}'],
    [null, 2, '{"method":"passkey"}'],
  ])
})

test('five wrong signatures end a challenge', async () => {
  const { key } = await addOwner(site)
  const { publicKey, send } = await beginLogin(site)
  for (let count = 0; count < 5; count++)
    expect(refusal(await send(key.get(publicKey, { verified: false })))).toEqual(wrong)
  expect(refusal(await send(key.get(publicKey)))).toEqual(wrongCode(true))
})

test('H01: wrong signatures are charged to the address, correct ones are not', async () => {
  const otherSite = await createTestApp()
  await otherSite.storage.stopClock()
  const { key } = await addOwner(otherSite)
  const ip = newIp()
  const attempt = async (ceremony: Ceremony = {}) => {
    const { publicKey, send } = await beginLogin(otherSite, { browser: otherSite.browser({ ip }) })
    return (await send(key.get(publicKey, ceremony))).statusCode
  }
  for (let count = 0; count < 3; count++) expect(await attempt()).toBe(200)
  for (let count = 0; count < policies.ip.limit; count++) expect(await attempt({ verified: false })).toBe(401)
  expect(await attempt({ verified: false })).toBe(429)
  expect(await attempt(), 'a correct one is not checked either').toBe(429)
  expect((await loginBy(otherSite, key)).statusCode, 'from another network').toBe(200)
})

test('I13: an outage during verification is not charged', async () => {
  const { key, passkey } = await addOwner(site)
  const { publicKey, send } = await beginLogin(site)
  const credential = key.get(publicKey)
  const before = [await everythingIn(site), await passkeyRow(site, passkey)]
  const lost = await withoutStore(site, () => send(credential), { late: true })
  expect(lost.statusCode).toBe(503)
  expect(lost.headers['set-cookie']).toBeUndefined()
  expect([await everythingIn(site), await passkeyRow(site, passkey)]).toEqual(before)
  expect((await send(credential)).statusCode).toBe(200)
})

// ---- damaged ones

test('J12: a credential id of the maximum length registers and signs in', async () => {
  const { key } = await addOwner(site, { idLength: 1023, algorithm: 'RS256' })
  expect((await loginBy(site, key)).statusCode).toBe(200)
})

const long = (length: number) => Buffer.alloc(length).toString('base64url')

test('J12: a longer one is refused before any lookup', async () => {
  const { key } = await addOwner(site)
  const { publicKey, send } = await beginLogin(site)
  const right = key.get(publicKey)
  const before = await everythingIn(site)
  for (const credential of [
    { ...right, id: long(1024) },
    { ...right, rawId: long(1024) },
    { ...right, response: { ...right.response, authenticatorData: long(1000) } },
    { ...right, response: { ...right.response, signature: long(1500) } },
    { ...right, response: { ...right.response, clientDataJSON: long(2000) } },
    { ...right, response: { ...right.response, userHandle: long(67) } },
    { ...right, response: { ...right.response, more: 'x' } },
    { ...right, more: 'x' },
    { ...right, type: 'password' },
    { ...right, id: `${right.id}=` },
  ]) {
    expect(refusal(await send(credential))).toMatchObject({ status: 400, key: 'error.validation' })
  }
  expect((await send({ ...right, authenticatorAttachment: 'x'.repeat(9000) })).statusCode).toBe(413)
  expect((await send({ ...right, clientExtensionResults: { a: { b: { c: 1 } } } })).statusCode, 'too deep').toBe(400)
  expect(await everythingIn(site)).toEqual(before)
  expect((await send({ ...right, rawId: 'AAAA' })).statusCode, 'two ids').toBe(401)
  expect((await send(right)).statusCode).toBe(200)
})

const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map(value => Buffer.from(value).toString('base64url'))

test('J12: any invalid credential is refused without an error', async () => {
  const otherSite = await createTestApp({ settings: { auth: { throttle: false } } })
  const { key, id } = await addOwner(otherSite)
  const sessions = (await sessionsOf(otherSite, id)).length
  const junk = fc.oneof(fc.jsonValue({ maxDepth: 1 }), bytes(60), fc.string())
  const damage = fc.oneof(
    fc.record({ part: fc.constantFrom('id', 'rawId', 'type', 'response', 'clientExtensionResults'), value: junk }),
    fc.record({
      part: fc.constantFrom('clientDataJSON', 'authenticatorData', 'signature', 'userHandle'),
      value: fc.oneof(junk, bytes(700)),
    }),
    fc.record({
      part: fc.constantFrom('clientDataJSON', 'authenticatorData', 'signature'),
      flip: fc.nat(1000),
    }),
  )
  await fc.assert(
    fc.asyncProperty(damage, async ({ part, ...change }) => {
      const { publicKey, send } = await beginLogin(otherSite)
      const right = key.get(publicKey)
      const inner = right.response as Record<string, unknown>
      const target = part in inner ? inner : (right as Record<string, unknown>)
      const before = JSON.stringify(target[part])
      if ('flip' in change) {
        const buffer = Buffer.from(target[part] as string, 'base64url')
        buffer[change.flip % buffer.length]! ^= 1 << (change.flip % 8)
        target[part] = buffer.toString('base64url')
      } else target[part] = change.value
      const unchanged = JSON.stringify(target[part]) === before || part === 'clientExtensionResults'
      const { statusCode } = await send(right)
      expect(unchanged ? [200, 400] : [400, 401]).toContain(statusCode)
    }),
    { numRuns: rounds(60, 300) },
  )
  expect((await sessionsOf(otherSite, id)).length).toBeGreaterThanOrEqual(sessions)
  expect(otherSite.logged.filter(line => Number(line['level']) >= 50)).toEqual([])
})

// ---- at once

test('J13: of many concurrent second steps one signs in', async () => {
  const otherSite = await createTestApp({ settings: { auth: { throttle: false } } })
  const { key, id } = await addOwner(otherSite, { syncs: true })
  for (let round = 0; round < 20; round++) {
    const { publicKey, send } = await beginLogin(otherSite)
    const before = new Set((await sessionsOf(otherSite, id)).map(session => session.id))
    const credential = key.get(publicKey)
    const answers = await Promise.all(Array.from({ length: 6 }, () => send(credential)))
    expect(answers.map(answer => answer.statusCode === 200).filter(Boolean)).toHaveLength(1)
    expect(answers.every(answer => [200, 401].includes(answer.statusCode))).toBe(true)
    const fresh = (await sessionsOf(otherSite, id)).filter(session => !before.has(session.id))
    expect(fresh).toHaveLength(1)
  }
})

test('J13: a passkey that is being removed signs in before the removal or not at all', async () => {
  const otherSite = await createTestApp({ settings: { auth: { throttle: false } } })
  const { browser, id } = await addOwner(otherSite)
  for (let round = 0; round < 10; round++) {
    const key = createAuthenticator()
    const passkey = (await register(browser, key)).id
    const { publicKey, send } = await beginLogin(otherSite)
    const [answer] = await Promise.all([
      send(key.get(publicKey)),
      browser.client.users.passkeys.remove({ id, passkey }, { endOthers: true }),
    ])
    expect([200, 401]).toContain(answer.statusCode)
    expect((await loginBy(otherSite, key)).statusCode).toBe(401)
    expect(await sessionsOf(otherSite, id), 'and its session is over').toHaveLength(1)
  }
})

// ---- after the password

/** The first step of an account with a passkey. */
async function challengeFor(email: string, other: TestApp = site) {
  const browser = other.browser({ ip: newIp() })
  const answer = await browser.client.auth.login({ email, password })
  if (answer.code !== 202) throw new Error('no challenge')
  const { id: challenge, publicKey, methods } = answer.challenge
  const send = (credential: unknown) => postLogin(browser, { method: 'passkey', challenge, credential })
  return { browser, challenge, publicKey: publicKey!, methods, send, answer }
}

test('I01: a password alone does not sign in to an account with a passkey', async () => {
  const { email, key, id, browser } = await addOwner(site)
  const second = createAuthenticator()
  await register(browser, second)
  const before = (await sessionsOf(site, id)).length
  const { answer, publicKey, send } = await challengeFor(email)
  expect(answer.challenge).toEqual({
    id: expect.stringMatching(/^[\w-]{43}$/),
    kind: 'second-factor',
    methods: ['passkey'],
    expiresIn: 300,
    attemptsLeft: 5,
    publicKey: {
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      rpId: 'localhost',
      timeout: 300_000,
      userVerification: 'preferred',
      allowCredentials: [key, second].map(one => ({
        type: 'public-key',
        id: one.id,
        transports: ['hybrid', 'internal'],
      })),
    },
  })
  expect(await sessionsOf(site, id)).toHaveLength(before)
  const done = await send(second.get(publicKey))
  expect(done.json()).toMatchObject({ code: 200, session: { aal: 2, amr: ['pwd', 'passkey'] } })
})

test('I01: an authenticator app and recovery codes are offered as alternatives', async () => {
  const { email, key, recovery, id } = await addUserWithAll()
  const { methods, publicKey, send } = await challengeFor(email)
  expect(methods).toEqual(['code', 'passkey', 'recovery'])
  expect((await send(key.get(publicKey))).json()).toMatchObject({ session: { amr: ['pwd', 'passkey'] } })
  const { challenge, browser } = await challengeFor(email)
  const byCode = await postLogin(browser, { method: 'recovery', challenge, code: recovery[0] })
  expect(byCode.json()).toMatchObject({ session: { amr: ['pwd', 'recovery'] } })
  const ok = (await eventsOf(site, 'auth.mfa.ok')).filter(event => event.subject_id === id)
  expect(ok).toHaveLength(1)
})

/** An account with every kind of factor. */
async function addUserWithAll() {
  const account = await addUser(site, { totp: true })
  const browser = site.browser({ ip: newIp() })
  const first = await browser.client.auth.login({ email: account.email, password })
  if (first.code !== 202) throw new Error('no challenge')
  const { id: challenge } = first.challenge
  await browser.client.auth.login({ method: 'recovery', challenge, code: account.recovery[9]! })
  const key = createAuthenticator()
  await register(browser, key)
  return { ...account, key, browser }
}

test('I21: a code sent with the password is ignored without an authenticator app', async () => {
  const { email } = await addOwner(site)
  const answer = await postLogin(site.browser({ ip: newIp() }), { email, password, code: '123456' })
  expect(answer.statusCode).toBe(202)
  expect(answer.json()).toMatchObject({ challenge: { methods: ['passkey'] } })
})

test('I22: a long session stays long after the passkey', async () => {
  const { email, key } = await addOwner(site)
  const browser = site.browser({ ip: newIp() })
  const first = await browser.client.auth.login({ email, password, long: true })
  if (first.code !== 202) throw new Error('no challenge')
  const credential = key.get(first.challenge.publicKey!)
  const answer = await postLogin(browser, { method: 'passkey', challenge: first.challenge.id, credential })
  expect(answer.json()).toMatchObject({ session: { aal: 1, amr: ['pwd', 'passkey'], long: true } })
})

test('J07: after the password user presence is required, but no verification', async () => {
  const { email, key } = await addOwner(site)
  const { publicKey, send } = await challengeFor(email)
  expect(refusal(await send(key.get(publicKey, { present: false, verified: false })))).toEqual(wrongCode(false))
  const answer = await send(key.get(publicKey, { verified: false, userHandle: null }))
  expect(answer.json()).toMatchObject({ session: { aal: 2, amr: ['pwd', 'passkey'] } })
})

test.each(misleading.filter(([what]) => what !== 'an owner who was not verified'))(
  'J05, J07: %s is no second factor',
  async (_, ceremony) => {
    const { email, key } = await addOwner(site)
    const { publicKey, send } = await challengeFor(email)
    expect(refusal(await send(key.get(publicKey, ceremony)))).toEqual(wrongCode(false))
    expect((await send(key.get(publicKey))).statusCode).toBe(200)
  },
)

test('J08: a copied key is detected after the password, too', async () => {
  const { email, key, id } = await addOwner(site, { counter: 9 })
  const { publicKey, send } = await challengeFor(email)
  expect(refusal(await send(key.get(publicKey, { counter: 9 })))).toEqual(wrongCode(false))
  const signals = (await eventsOf(site, 'auth.passkey.counter-signal')).filter(event => event.subject_id === id)
  expect(signals).toHaveLength(1)
  expect((await send(key.get(publicKey))).statusCode).toBe(200)
})

test('I16: the passkey of another account is no second factor', async () => {
  const [one, two] = [await addOwner(site), await addOwner(site)]
  const { publicKey, send } = await challengeFor(one.email)
  expect(refusal(await send(two.key.get(publicKey)))).toEqual(wrongCode(false))
  const asOne = { userHandle: Buffer.from(one.id).toString('base64url') }
  expect(refusal(await send(two.key.get(publicKey, asOne)))).toEqual(wrongCode(false))
  expect(refusal(await send(two.key.get(publicKey, { ...asOne, id: one.key.id })))).toEqual(wrongCode(false))
})

test('I15: WebAuthn challenges of different steps are not interchangeable', async () => {
  const { email, key } = await addOwner(site)
  const [first, second] = [await beginLogin(site), await challengeFor(email)]
  expect(refusal(await first.send(key.get(second.publicKey)))).toEqual(wrong)
  expect(refusal(await second.send(key.get(first.publicKey)))).toEqual(wrongCode(false))
  const code = { method: 'code', challenge: first.challenge, code: '123456' }
  expect(refusal(await postLogin(first.browser, code))).toEqual(wrongCode(true))
})

test('I06, I07: wrong signatures end the challenge and are charged to the account', async () => {
  const otherSite = await createTestApp()
  const { email, key } = await addOwner(otherSite)
  for (let round = 0; round < 2; round++) {
    const { publicKey, send } = await challengeFor(email, otherSite)
    for (const restart of [false, false, false, false, true])
      expect(refusal(await send(key.get(publicKey, { present: false })))).toEqual(wrongCode(restart))
    expect(refusal(await send(key.get(publicKey)))).toEqual(wrongCode(true))
  }
  const { publicKey, send } = await challengeFor(email, otherSite)
  expect((await send(key.get(publicKey))).statusCode).toBe(429)
  expect((await loginBy(otherSite, key)).statusCode, 'the passkey alone still signs in').toBe(200)
})

test.each<[string, (owner: Awaited<ReturnType<typeof addOwner>>) => Promise<unknown>]>([
  ['removed', ({ browser, passkey }) => browser.client.users.passkeys.remove({ id: 'account', passkey })],
  ['ended with its epoch', ({ id }) => site.app.store.write(tx => endEpoch(operatorContext(site.app), tx, id, 'test'))],
  ['disabled with its account', ({ id }) => disableUser(operatorContext(site.app), { id })],
])('I18: a passkey %s between the steps does not sign in', async (_, change) => {
  const owner = await addOwner(site)
  const { publicKey, send } = await challengeFor(owner.email)
  await change(owner)
  expect(refusal(await send(owner.key.get(publicKey)))).toEqual(wrongCode(true))
})

test('I18: when the last factor is removed the password is enough again', async () => {
  const { email, browser, passkey } = await addOwner(site)
  await browser.client.users.passkeys.remove({ id: 'account', passkey })
  const answer = await postLogin(site.browser({ ip: newIp() }), { email, password })
  expect(answer.json()).toMatchObject({ code: 200, session: { amr: ['pwd'] } })
})

test('N16: Basic credentials of an account with a passkey are refused', async () => {
  const otherSite = await createTestApp({ settings: { api: { basicAuth: true, allowInsecure: true } } })
  const { email, browser, passkey } = await addOwner(otherSite)
  const authorization = `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}`
  const ask = () => otherSite.browser({ ip: newIp() }).send({ url: '/api/auth', headers: { authorization } })
  expect((await ask()).statusCode).toBe(403)
  await browser.client.users.passkeys.remove({ id: 'account', passkey })
  expect((await ask()).statusCode).toBe(200)
})

// ---- confirming a session

test('G07, G12: a passkey reauthenticates a session: new token, new timers', async () => {
  const otherSite = await createTestApp()
  const { key, browser, id } = await addOwner(otherSite)
  await otherSite.storage.moveClock(20 * minutes)
  expect((await browser.send({ url: '/api/auth' })).statusCode).toBe(200)
  const [former] = await sessionsOf(otherSite, id)
  const token = browser.cookies.get(sessionCookie)!
  const { challenge, publicKey } = await beginLogin(otherSite, { browser })
  const answer = await postLogin(browser, { method: 'reauth', challenge, credential: key.get(publicKey) })
  expect(answer.json()).toMatchObject({ code: 200, session: { aal: 2, amr: ['passkey'], long: false } })
  const [session, ...more] = await sessionsOf(otherSite, id)
  expect(more).toEqual([])
  expect(session!.id).not.toBe(former!.id)
  expect(session!.authenticated_at).toBeGreaterThan(former!.authenticated_at + 19 * minutes)
  expect(browser.cookies.get(sessionCookie)).not.toBe(token)
  expect((await eventsOf(otherSite, 'auth.reauth.ok')).map(event => event.subject_id)).toEqual([id])
})

test('a passkey of another account does not reauthenticate, and the session stays unchanged', async () => {
  const [one, two] = [await addOwner(site), await addOwner(site)]
  const before = await sessionsOf(site, one.id)
  const { challenge, publicKey } = await beginLogin(site, { browser: one.browser })
  const body = { method: 'reauth', challenge, credential: two.key.get(publicKey) }
  expect(refusal(await postLogin(one.browser, body))).toEqual(wrong)
  expect(await sessionsOf(site, one.id)).toEqual(before)
  expect((await one.browser.send({ url: '/api/auth' })).statusCode).toBe(200)
})

test('reauthentication needs a session', async () => {
  const { key, email } = await addOwner(site)
  const { browser, challenge, publicKey } = await beginLogin(site)
  const body = { method: 'reauth', challenge, credential: key.get(publicKey) }
  expect(refusal(await postLogin(browser, body))).toMatchObject({ status: 401, key: 'error.auth' })
  const second = await challengeFor(email)
  const asReauth = { method: 'reauth', challenge: second.challenge, credential: key.get(second.publicKey) }
  expect((await postLogin(second.browser, asReauth)).statusCode).toBe(401)
})

test('an account with a passkey reauthenticates with password and passkey', async () => {
  const { key, browser, id } = await addOwner(site)
  const first = await postLogin(browser, { method: 'reauth', password })
  expect(first.statusCode).toBe(202)
  const { challenge } = first.json<{ challenge: { id: string; publicKey: never } }>()
  const credential = key.get(challenge.publicKey)
  const elsewhere = await postLogin(site.browser({ ip: newIp() }), { method: 'passkey', challenge: challenge.id, credential }) // prettier-ignore
  expect(refusal(elsewhere), 'only in that session').toEqual(wrongCode(true))
  const done = await postLogin(browser, { method: 'passkey', challenge: challenge.id, credential })
  expect(done.json()).toMatchObject({ session: { amr: ['pwd', 'passkey'], aal: 2 } })
  expect(await sessionsOf(site, id)).toHaveLength(1)
})

test.each([
  ['neither', {}, 'password'],
  ['a code alone', { code: '123456' }, 'password'],
  ['both', { password, challenge: 'x', credential: 'right' }, 'password'],
  ['a challenge alone', { challenge: 'x' }, 'credential'],
])('B16: reauthentication needs a password or a signature, not %s', async (_, body, field) => {
  const { key, browser } = await addOwner(site)
  const { publicKey } = await beginLogin(site)
  const sent = 'credential' in body ? { ...body, credential: key.get(publicKey) } : body
  const refused = refusal(await postLogin(browser, { method: 'reauth', ...sent }))
  expect(refused).toMatchObject({ status: 400, key: 'error.validation' })
  expect(Object.keys(refused.details)).toEqual([field])
})
