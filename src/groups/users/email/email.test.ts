import { expect, test } from 'vitest'
import { addUser, createTestStorage, createTestApp, password, type TestApp } from '../../../../test/harness.ts'
import {
  describeRole,
  lastMail,
  mailsTo,
  createSignedInUser,
  signIn,
  statusOf,
  withMail,
} from '../../../../test/signed-in-user.ts'
import { eventsOf, everythingIn, getWith, newIp, postLogin, refusal, userRow } from '../../../../test/sign-in.ts'

const minutes = 60_000
const site = await createTestApp({ settings: withMail })
const silent = await createTestApp()

let count = 0
const address = () => `new${++count}@example.org`
const login = (email: string, other: TestApp = site) => postLogin(other.browser({ ip: newIp() }), { email, password })

test('the own address changes when the link sent to the new one is confirmed', async () => {
  const one = await createSignedInUser(site)
  const email = address()
  const answer = await one.call('PATCH', 'account/email', { email })
  expect(answer.statusCode).toBe(202)
  expect(answer.json()).toEqual({ code: 202, status: 'challenge', challenge: { kind: 'email', expiresIn: 86_400 } })
  expect((await userRow(site, one.id)).email, 'nothing has changed yet').toBe(one.email)
  expect(await mailsTo(site, one.email)).toEqual([])
  const { token } = await lastMail(site, email, 'emailConfirm')
  expect(answer.body).not.toContain(token)

  const confirmed = await one.call('PUT', 'account/email', { token })
  expect(confirmed.json()).toMatchObject({ code: 200, type: 'model', data: { id: one.id, email } })
  expect(await userRow(site, one.id)).toMatchObject({ email, email_key: email })
  for (const to of [one.email, email]) expect(await lastMail(site, to, 'emailChanged')).toEqual({ email })
  expect((await login(one.email)).statusCode).toBe(401)
  expect((await login(email)).statusCode).toBe(200)
  const events = (await eventsOf(site)).filter(
    event => event.actor_id === one.id && event.event.startsWith('auth.email'),
  )
  expect(events.map(({ event }) => event)).toEqual(['auth.email.requested', 'auth.email.changed'])
})

test('G18: a new address ends all sessions, including this one', async () => {
  const one = await createSignedInUser(site)
  const other = await signIn(site, one.email)
  const email = address()
  const token = one.token()!
  await one.call('PATCH', 'account/email', { email })
  for (const session of [one, other]) expect(await statusOf(session)).toBe(200)
  await one.call('PUT', 'account/email', { token: (await lastMail(site, email, 'emailConfirm')).token })
  expect(one.token(), 'the cookie is deleted, too').toBeUndefined()
  expect((await getWith(site, token)).statusCode).toBe(401)
  expect(await statusOf(other)).toBe(401)
})

test('the link works once, for its own account, and only the newest one', async () => {
  const [one, two] = [await createSignedInUser(site), await createSignedInUser(site)]
  const [first, second] = [address(), address()]
  await one.call('PATCH', 'account/email', { email: first })
  await one.call('PATCH', 'account/email', { email: second })
  const [old, token] = [
    (await lastMail(site, first, 'emailConfirm')).token,
    (await lastMail(site, second, 'emailConfirm')).token,
  ]
  for (const [who, code] of [
    [one, old],
    [two, token],
    [one, 'x'],
    [one, 'A'.repeat(43)],
  ] as const)
    expect(refusal(await who.call('PUT', 'account/email', { token: code }))).toMatchObject({
      status: 401,
      key: 'error.access.code',
    })
  expect((await one.call('PUT', 'account/email', { token })).statusCode).toBe(200)
  const again = await signIn(site, second)
  expect((await again.call('PUT', 'account/email', { token })).statusCode).toBe(401)
})

test('the link expires after a day, and requires a fresh sign-in like the request', async () => {
  const other = await createTestApp({ settings: withMail })
  const one = await createSignedInUser(other)
  const email = address()
  await other.storage.moveClock(16 * minutes)
  expect(refusal(await one.call('PATCH', 'account/email', { email }))).toMatchObject({ key: 'error.auth.fresh' })
  await one.confirm()
  await one.call('PATCH', 'account/email', { email })
  const { token } = await lastMail(other, email, 'emailConfirm')
  await other.storage.moveClock(16 * minutes)
  expect(refusal(await one.call('PUT', 'account/email', { token }))).toMatchObject({ key: 'error.auth.fresh' })
  await other.storage.moveClock(24 * 60 * minutes)
  const later = await signIn(other, one.email)
  expect(refusal(await later.call('PUT', 'account/email', { token }))).toMatchObject({ key: 'error.access.code' })
})

test('an address that was taken meanwhile is not assigned twice', async () => {
  const [one, two] = [await createSignedInUser(site), await createSignedInUser(site)]
  const email = address()
  const tokens: string[] = []
  for (const who of [one, two]) {
    expect((await who.call('PATCH', 'account/email', { email })).statusCode).toBe(202)
    tokens.push((await lastMail(site, email, 'emailConfirm')).token)
  }
  const [first, second] = tokens
  expect((await one.call('PUT', 'account/email', { token: first })).statusCode).toBe(200)
  expect(refusal(await two.call('PUT', 'account/email', { token: second }))).toMatchObject({
    key: 'error.user.duplicate',
  })
  expect((await userRow(site, two.id)).email).toBe(two.email)
})

test('an administrator changes the address of another account at once, and both mailboxes are notified', async () => {
  const [admin, one] = [await createSignedInUser(site), await createSignedInUser(site)]
  const email = address()
  const answer = await admin.call('PATCH', `${one.id}/email`, { email })
  expect(answer.json()).toMatchObject({ code: 200, data: { id: one.id, email } })
  expect([await statusOf(admin), await statusOf(one)]).toEqual([200, 401])
  for (const to of [one.email, email]) expect(await lastMail(site, to, 'emailChanged')).toEqual({ email })
  expect(refusal(await admin.call('PUT', `${one.id}/email`, { token: 'x' }))).toMatchObject({ key: 'error.permission' })
})

test('without mail the own address changes at once', async () => {
  const one = await createSignedInUser(silent)
  const email = address()
  const answer = await one.call('PATCH', 'account/email', { email })
  expect(answer.json()).toMatchObject({ code: 200, data: { email } })
  expect(one.token()).toBeUndefined()
  expect((await login(email, silent)).statusCode).toBe(200)
})

test('the current address changes nothing', async () => {
  const one = await createSignedInUser(silent)
  expect((await one.call('PATCH', 'account/email', { email: one.email })).statusCode).toBe(200)
  expect(await statusOf(one)).toBe(200)
})

test.each(['ada', '', 'a@b@c', 'ada@example.org\nBcc: evil@example.org', `${'x'.repeat(250)}@example.org`])(
  'C08: %j is not an address',
  async email => {
    const one = await createSignedInUser(site)
    const before = await everythingIn(site)
    expect(refusal(await one.call('PATCH', 'account/email', { email }))).toMatchObject({
      status: 400,
      key: 'error.user.email.invalid',
    })
    expect(await everythingIn(site)).toEqual(before)
  },
)

test('C15: an existing address in any spelling is refused', async () => {
  const admin = await createSignedInUser(site)
  const [one, two] = [await addUser(site, { email: 'kelvin@example.org' }), await addUser(site)]
  for (const email of [one.email, 'KELVIN@example.org', '\u212aelvin@EXAMPLE.ORG'])
    expect(refusal(await admin.call('PATCH', `${two.id}/email`, { email }))).toMatchObject({
      status: 400,
      key: 'error.user.duplicate',
    })
  expect(refusal(await admin.call('PATCH', 'account/email', { email: one.email }))).toMatchObject({
    key: 'error.user.duplicate',
  })
})

test('C15: of two concurrent requests for one address one succeeds', async () => {
  const admin = await createSignedInUser(site)
  for (let round = 0; round < 10; round++) {
    const [one, two] = [await addUser(site), await addUser(site)]
    const email = address()
    const answers = await Promise.all([
      admin.call('PATCH', `${one.id}/email`, { email }),
      admin.call('PATCH', `${two.id}/email`, { email: email.toUpperCase() }),
    ])
    expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 400])
  }
})

// ---- mails to the old and the new address

const blindSettings = 'title: Blind\npermissions:\n  access:\n    users: false\n'

async function placeForBlind() {
  const storage = await createTestStorage()
  describeRole(storage, 'blind', blindSettings)
  return storage
}

test('an account may request five new addresses an hour', async () => {
  const other = await createTestApp({ settings: withMail })
  const one = await createSignedInUser(other)
  const requestChange = (email = address()) => one.call('PATCH', 'account/email', { email })
  for (let round = 0; round < 5; round++) expect((await requestChange()).statusCode).toBe(202)
  const email = address()
  expect(refusal(await requestChange(email))).toMatchObject({ status: 429, key: 'error.auth.throttled' })
  expect(await mailsTo(other, email)).toEqual([])
  const two = await createSignedInUser(other)
  expect((await two.call('PATCH', 'account/email', { email })).statusCode, 'other accounts are not throttled').toBe(202)
  await other.storage.moveClock(13 * minutes)
  expect((await requestChange()).statusCode).toBe(202)
})

test('without access to accounts it is not revealed whether an address exists', async () => {
  const other = await createTestApp({ settings: withMail, storage: await placeForBlind() })
  const [blind, owner] = [await createSignedInUser(other, { role: 'blind' }), await addUser(other)]
  const [toUsed, toUnused] = [
    await blind.call('PATCH', 'account/email', { email: owner.email }),
    await blind.call('PATCH', 'account/email', { email: address() }),
  ]
  expect([toUsed.statusCode, toUsed.body]).toEqual([202, toUnused.body])
  expect(await mailsTo(other, owner.email), 'nothing goes to the owner').toEqual([])
  const admin = await createSignedInUser(other)
  expect(refusal(await admin.call('PATCH', 'account/email', { email: owner.email }))).toMatchObject({
    key: 'error.user.duplicate',
  })
})

test('the mail limit of an address is the same for existing and unknown ones', async () => {
  const other = await createTestApp({ settings: withMail, storage: await placeForBlind() })
  const owner = await addUser(other)
  for (const email of [owner.email, address()]) {
    const statuses: number[] = []
    for (let round = 0; round < 4; round++) {
      const blind = await createSignedInUser(other, { role: 'blind' })
      const answer = await blind.call('PATCH', 'account/email', { email })
      statuses.push(answer.statusCode)
      if (answer.statusCode !== 202) expect(refusal(answer)).toMatchObject({ key: 'error.user.mail.often' })
    }
    expect(statuses).toEqual([202, 202, 202, 429])
  }
})

test('without mail an address can be tried five times an hour', async () => {
  const other = await createTestApp({ storage: await placeForBlind() })
  const [blind, owner] = [await createSignedInUser(other, { role: 'blind' }), await addUser(other)]
  const requestChange = () => blind.call('PATCH', 'account/email', { email: owner.email })
  for (let round = 0; round < 5; round++)
    expect(refusal(await requestChange())).toMatchObject({ key: 'error.user.duplicate' })
  expect(refusal(await requestChange())).toMatchObject({ status: 429, key: 'error.auth.throttled' })
})
