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
  const user = await createSignedInUser(site)
  const email = address()
  const answer = await user.call('PATCH', 'account/email', { email })
  expect(answer.statusCode).toBe(202)
  expect(answer.json()).toEqual({ code: 202, status: 'challenge', challenge: { kind: 'email', expiresIn: 86_400 } })
  expect((await userRow(site, user.id)).email, 'nothing has changed yet').toBe(user.email)
  expect(await mailsTo(site, user.email)).toEqual([])
  const { token } = await lastMail(site, email, 'emailConfirm')
  expect(answer.body).not.toContain(token)

  const confirmed = await user.call('PUT', 'account/email', { token })
  expect(confirmed.json()).toMatchObject({ code: 200, type: 'model', data: { id: user.id, email } })
  expect(await userRow(site, user.id)).toMatchObject({ email, email_key: email })
  for (const to of [user.email, email]) expect(await lastMail(site, to, 'emailChanged')).toEqual({ email })
  expect((await login(user.email)).statusCode).toBe(401)
  expect((await login(email)).statusCode).toBe(200)
  const events = (await eventsOf(site)).filter(
    event => event.actor_id === user.id && event.event.startsWith('auth.email'),
  )
  expect(events.map(({ event }) => event)).toEqual(['auth.email.requested', 'auth.email.changed'])
})

test('G18: a new address ends all sessions, including this one', async () => {
  const user = await createSignedInUser(site)
  const otherSession = await signIn(site, user.email)
  const email = address()
  const token = user.token()!
  await user.call('PATCH', 'account/email', { email })
  for (const session of [user, otherSession]) expect(await statusOf(session)).toBe(200)
  await user.call('PUT', 'account/email', { token: (await lastMail(site, email, 'emailConfirm')).token })
  expect(user.token(), 'the cookie is deleted, too').toBeUndefined()
  expect((await getWith(site, token)).statusCode).toBe(401)
  expect(await statusOf(otherSession)).toBe(401)
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
  const otherSite = await createTestApp({ settings: withMail })
  const user = await createSignedInUser(otherSite)
  const email = address()
  await otherSite.storage.moveClock(16 * minutes)
  expect(refusal(await user.call('PATCH', 'account/email', { email }))).toMatchObject({ key: 'error.auth.fresh' })
  await user.confirm()
  await user.call('PATCH', 'account/email', { email })
  const { token } = await lastMail(otherSite, email, 'emailConfirm')
  await otherSite.storage.moveClock(16 * minutes)
  expect(refusal(await user.call('PUT', 'account/email', { token }))).toMatchObject({ key: 'error.auth.fresh' })
  await otherSite.storage.moveClock(24 * 60 * minutes)
  const later = await signIn(otherSite, user.email)
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
  const user = await createSignedInUser(silent)
  const email = address()
  const answer = await user.call('PATCH', 'account/email', { email })
  expect(answer.json()).toMatchObject({ code: 200, data: { email } })
  expect(user.token()).toBeUndefined()
  expect((await login(email, silent)).statusCode).toBe(200)
})

test('the current address changes nothing', async () => {
  const user = await createSignedInUser(silent)
  expect((await user.call('PATCH', 'account/email', { email: user.email })).statusCode).toBe(200)
  expect(await statusOf(user)).toBe(200)
})

test.each(['ada', '', 'a@b@c', 'ada@example.org\nBcc: evil@example.org', `${'x'.repeat(250)}@example.org`])(
  'C08: %j is not an address',
  async email => {
    const user = await createSignedInUser(site)
    const before = await everythingIn(site)
    expect(refusal(await user.call('PATCH', 'account/email', { email }))).toMatchObject({
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

const roleSettings = 'title: Without users\npermissions:\n  access:\n    users: false\n'

async function createStorageWithRole() {
  const storage = await createTestStorage()
  describeRole(storage, 'without-users', roleSettings)
  return storage
}

test('an account may request five new addresses an hour', async () => {
  const otherSite = await createTestApp({ settings: withMail })
  const user = await createSignedInUser(otherSite)
  const requestChange = (email = address()) => user.call('PATCH', 'account/email', { email })
  for (let round = 0; round < 5; round++) expect((await requestChange()).statusCode).toBe(202)
  const email = address()
  expect(refusal(await requestChange(email))).toMatchObject({ status: 429, key: 'error.auth.throttled' })
  expect(await mailsTo(otherSite, email)).toEqual([])
  const secondUser = await createSignedInUser(otherSite)
  expect(
    (await secondUser.call('PATCH', 'account/email', { email })).statusCode,
    'other accounts are not throttled',
  ).toBe(202)
  await otherSite.storage.moveClock(13 * minutes)
  expect((await requestChange()).statusCode).toBe(202)
})

test('without access to accounts it is not revealed whether an address exists', async () => {
  const otherSite = await createTestApp({ settings: withMail, storage: await createStorageWithRole() })
  const [withoutUsers, owner] = [
    await createSignedInUser(otherSite, { role: 'without-users' }),
    await addUser(otherSite),
  ]
  const [toUsed, toUnused] = [
    await withoutUsers.call('PATCH', 'account/email', { email: owner.email }),
    await withoutUsers.call('PATCH', 'account/email', { email: address() }),
  ]
  expect([toUsed.statusCode, toUsed.body]).toEqual([202, toUnused.body])
  expect(await mailsTo(otherSite, owner.email), 'nothing goes to the owner').toEqual([])
  const admin = await createSignedInUser(otherSite)
  expect(refusal(await admin.call('PATCH', 'account/email', { email: owner.email }))).toMatchObject({
    key: 'error.user.duplicate',
  })
})

test('the mail limit of an address is the same for existing and unknown ones', async () => {
  const otherSite = await createTestApp({ settings: withMail, storage: await createStorageWithRole() })
  const owner = await addUser(otherSite)
  for (const email of [owner.email, address()]) {
    const statuses: number[] = []
    for (let round = 0; round < 4; round++) {
      const withoutUsers = await createSignedInUser(otherSite, { role: 'without-users' })
      const answer = await withoutUsers.call('PATCH', 'account/email', { email })
      statuses.push(answer.statusCode)
      if (answer.statusCode !== 202) expect(refusal(answer)).toMatchObject({ key: 'error.user.mail.often' })
    }
    expect(statuses).toEqual([202, 202, 202, 429])
  }
})

test('without mail an address can be tried five times an hour', async () => {
  const otherSite = await createTestApp({ storage: await createStorageWithRole() })
  const [withoutUsers, owner] = [
    await createSignedInUser(otherSite, { role: 'without-users' }),
    await addUser(otherSite),
  ]
  const requestChange = () => withoutUsers.call('PATCH', 'account/email', { email: owner.email })
  for (let round = 0; round < 5; round++)
    expect(refusal(await requestChange())).toMatchObject({ key: 'error.user.duplicate' })
  expect(refusal(await requestChange())).toMatchObject({ status: 429, key: 'error.auth.throttled' })
})
