import { expect, test } from 'vitest'
import { addUser, createTestApp, password, type TestApp } from '../../../../test/harness.ts'
import { lastMail, mailsTo, createSignedInUser, signIn, statusOf, withMail } from '../../../../test/signed-in-user.ts'
import {
  countHashes,
  deviceCookie,
  eventsOf,
  everythingIn,
  getWith,
  newIp,
  postLogin,
  refusal,
  sessionsOf,
  userRow,
} from '../../../../test/sign-in.ts'

const minutes = 60_000
const next = 'quite another long password'
const site = await createTestApp({ settings: withMail })
const silent = await createTestApp()

const change = { currentPassword: password, password: next }
const login = (email: string, typed: string, other: TestApp = site) =>
  postLogin(other.browser({ ip: newIp() }), { email, password: typed })

// ---- of the own account

test('G16: a new password ends all other sessions and rotates the token of this one', async () => {
  const user = await createSignedInUser(site)
  const others = [await signIn(site, user.email), await signIn(site, user.email, { long: true })]
  const [token, before] = [user.token()!, (await userRow(site, user.id)).auth_epoch]
  const answer = await user.call('PATCH', 'account/password', change)
  expect(answer.json()).toMatchObject({
    code: 200,
    type: 'model',
    data: { id: user.id, email: user.email },
    csrf: expect.stringMatching(/^[\w-]{43}$/),
  })
  for (const other of others) expect(await statusOf(other)).toBe(401)
  expect((await getWith(site, token)).statusCode, 'the former token').toBe(401)
  expect(user.token()).not.toBe(token)
  expect(await statusOf(user)).toBe(200)
  expect((await user.call('DELETE', 'account/sessions')).statusCode, 'with the new CSRF token').toBe(200)
  expect((await userRow(site, user.id)).auth_epoch).toBe(before + 1)

  expect((await login(user.email, password)).statusCode).toBe(401)
  expect((await login(user.email, next)).statusCode).toBe(200)
  const changed = (await eventsOf(site, 'auth.password.changed')).filter(event => event.subject_id === user.id)
  expect(changed).toMatchObject([{ actor_id: user.id }])
  expect(await lastMail(site, user.email, 'passwordChanged')).toEqual({})
})

test('the timers of the session continue: this is no sign-in', async () => {
  const user = await createSignedInUser(site, { long: true })
  const [before] = await sessionsOf(site, user.id)
  await user.call('PATCH', 'account/password', change)
  const [after] = await sessionsOf(site, user.id)
  const { authenticated_at, absolute_until, long, id } = before!
  expect(after).toMatchObject({ authenticated_at, absolute_until, long, id })
  expect([user.browser.last.headers['set-cookie']].flat()[0]).toContain('Max-Age=2592000')
})

test('N05: the current password is required', async () => {
  const user = await createSignedInUser(site)
  const answer = await user.call('PATCH', 'account/password', { password: next })
  expect(refusal(answer)).toEqual({
    status: 400,
    key: 'error.validation',
    details: { currentPassword: { label: 'currentPassword', message: { required: expect.any(String) } } },
  })
  expect((await login(user.email, password)).statusCode).toBe(200)
})

test('N05: a wrong one is refused and counted like a wrong sign-in', async () => {
  const user = await createSignedInUser(site)
  user.browser.cookies.delete(deviceCookie)
  const wrong = { currentPassword: 'a wrong passphrase', password: next }
  for (let tries = 0; tries < 5; tries++) {
    expect(refusal(await user.call('PATCH', 'account/password', wrong))).toMatchObject({
      status: 401,
      key: 'error.access.login',
    })
  }
  expect(refusal(await user.call('PATCH', 'account/password', wrong))).toMatchObject({ key: 'error.auth.throttled' })
  expect((await userRow(site, user.id)).password_fail_streak).toBe(5)
  expect(refusal(await login(user.email, password)), 'the waits of the account').toMatchObject({ status: 429 })
  expect(await statusOf(user), 'the session stays valid').toBe(200)
})

test('N05: a known device is throttled separately', async () => {
  const user = await createSignedInUser(site)
  for (let tries = 0; tries < 7; tries++) {
    const wrong = { currentPassword: 'a wrong passphrase', password: next }
    expect((await user.call('PATCH', 'account/password', wrong)).statusCode).toBe(401)
  }
  expect((await login(user.email, password)).statusCode, 'from another network').toBe(200)
})

test('D15: the current password is not accepted as the new one', async () => {
  const user = await createSignedInUser(site)
  const answer = await user.call('PATCH', 'account/password', { currentPassword: password, password })
  expect(refusal(answer)).toMatchObject({ status: 400, key: 'error.user.password.same' })
  const composed = await createSignedInUser(site, { password: 'zo\u00eb zo\u00eb zo\u00eb zo\u00eb' })
  const decomposed = {
    currentPassword: 'zo\u00eb zo\u00eb zo\u00eb zo\u00eb',
    password: 'zoe\u0308 zoe\u0308 zoe\u0308 zoe\u0308',
  }
  expect(refusal(await composed.call('PATCH', 'account/password', decomposed))).toMatchObject({
    key: 'error.user.password.same',
  })
})

test('D01: a weak password is refused before anything is hashed', async () => {
  const user = await createSignedInUser(site)
  const before = await everythingIn(site)
  const hashes = await countHashes(site, async () => {
    const answer = await user.call('PATCH', 'account/password', {
      currentPassword: password,
      password: 'fourteen chars',
    })
    expect(refusal(answer)).toMatchObject({ status: 400, key: 'error.user.password.invalid' })
  })
  expect(hashes).toBe(0)
  expect(await everythingIn(site)).toEqual(before)
})

test.each([
  ['no password', { currentPassword: password }],
  ['an empty one', { currentPassword: password, password: '' }],
  ['a number', { currentPassword: password, password: 123_456_789_012_345 }],
  ['far too much', { currentPassword: password, password: 'x'.repeat(3000) }],
  ['something unknown', { ...change, passwordHash: 'x' }],
])('%s is refused', async (_, body) => {
  const user = await createSignedInUser(site)
  expect(refusal(await user.call('PATCH', 'account/password', body))).toMatchObject({
    status: 400,
    key: 'error.validation',
  })
})

test('N07: after 15 minutes a change requires a fresh sign-in', async () => {
  const otherSite = await createTestApp()
  const user = await createSignedInUser(otherSite)
  await otherSite.storage.moveClock(15 * minutes + 1000)
  expect(refusal(await user.call('PATCH', 'account/password', change))).toMatchObject({
    status: 401,
    key: 'error.auth.fresh',
  })
  await user.confirm()
  expect((await user.call('PATCH', 'account/password', change)).statusCode).toBe(200)
})

test('an account that must change its password can do nothing else', async () => {
  const user = await createSignedInUser(site, { mustChangePassword: true })
  expect(refusal(await user.call('GET', 'account/sessions'))).toMatchObject({
    status: 403,
    key: 'error.auth.forcedSetup',
  })
  const { id } = await addUser(site)
  expect(refusal(await user.call('DELETE', `${id}/totp`)), 'not for others').toMatchObject({
    key: 'error.auth.forcedSetup',
  })
  expect((await user.call('PATCH', 'account/password', change)).statusCode).toBe(200)
  expect((await user.call('GET', 'account/sessions')).statusCode).toBe(200)
  expect((await userRow(site, user.id)).must_change_password).toBe(0)
})

test('a disabled password cannot be changed with it', async () => {
  const user = await createSignedInUser(site)
  await site.app.store.db.updateTable('users').set({ password_disabled_at: 1 }).where('id', '=', user.id).execute()
  expect(refusal(await user.call('PATCH', 'account/password', change))).toMatchObject({ key: 'error.access.login' })
})

test('an account without a password can set its first one', async () => {
  const user = await createSignedInUser(site)
  await site.app.store.db.updateTable('users').set({ password_hash: null }).where('id', '=', user.id).execute()
  expect((await user.call('PATCH', 'account/password', { password: next })).statusCode).toBe(200)
  expect((await login(user.email, next)).statusCode).toBe(200)
})

// ---- of another account

test('N06: with mail the password of another account cannot be set', async () => {
  const admin = await createSignedInUser(site)
  const { id, email } = await addUser(site)
  const before = await userRow(site, id)
  const answer = await admin.call('PATCH', `${id}/password`, { password: next })
  expect(refusal(answer)).toMatchObject({ status: 403, key: 'error.user.password.mail' })
  expect(await userRow(site, id)).toEqual(before)
  expect((await login(email, password)).statusCode).toBe(200)
})

test('N06: without mail it is a temporary one that its owner must replace', async () => {
  const admin = await createSignedInUser(silent)
  const user = await createSignedInUser(silent)
  const answer = await admin.call('PATCH', `${user.id}/password`, { password: next })
  expect(answer.json()).toMatchObject({ code: 200, data: { id: user.id } })
  expect(answer.json()).not.toHaveProperty('csrf')
  expect([await statusOf(admin), await statusOf(user)]).toEqual([200, 401])
  const again = await signIn(silent, user.email, { password: next })
  expect((await again.browser.send({ url: '/api/auth' })).json()).toMatchObject({
    session: { mustChangePassword: true },
  })
  expect((await again.call('GET', 'account/sessions')).statusCode).toBe(403)
  const own = { currentPassword: next, password: 'a third password of mine' }
  expect((await again.call('PATCH', 'account/password', own)).statusCode).toBe(200)
  const changed = (await eventsOf(silent, 'auth.password.changed')).filter(event => event.subject_id === user.id)
  expect(changed.map(({ actor_id }) => actor_id)).toEqual([admin.id, user.id])
})

test('N06: without mail it also activates an invited account', async () => {
  const admin = await createSignedInUser(silent)
  const { id, email } = await addUser(silent, { status: 'invited', hash: null })
  expect((await login(email, next, silent)).statusCode).toBe(401)
  await admin.call('PATCH', `${id}/password`, { password: next })
  expect((await login(email, next, silent)).statusCode).toBe(200)
})

test('H16: an administrator with a fresh sign-in re-enables a disabled password', async () => {
  const otherSite = await createTestApp()
  const admin = await createSignedInUser(otherSite)
  const { id, email } = await addUser(otherSite)
  await otherSite.app.store.db
    .updateTable('users')
    .set({ password_disabled_at: 1, password_fail_streak: 100 })
    .where('id', '=', id)
    .execute()
  expect((await login(email, password, otherSite)).statusCode).toBe(401)
  await otherSite.storage.moveClock(16 * minutes)
  expect((await admin.call('PATCH', `${id}/password`, { password: next })).statusCode).toBe(401)
  await admin.confirm()
  expect((await admin.call('PATCH', `${id}/password`, { password: next })).statusCode).toBe(200)
  expect((await login(email, next, otherSite)).statusCode).toBe(200)
  expect(await userRow(otherSite, id)).toMatchObject({ password_disabled_at: null, password_fail_streak: 0 })
})

test('an administrator sends a reset link without seeing it', async () => {
  const admin = await createSignedInUser(site)
  const { id, email } = await addUser(site)
  const answer = await admin.call('POST', `${id}/password-reset`)
  expect(answer.json()).toEqual({ status: 'ok', message: 'ok', code: 200 })
  const { token, code } = await lastMail(site, email, 'reset')
  expect(answer.body).not.toContain(token)
  expect(code).toMatch(/^\d{8}$/)
  const [challenge, secret] = token.split('.')
  const finish = await postLogin(site.browser({ ip: newIp() }), {
    method: 'reset',
    challenge,
    code: secret,
    password: next,
  })
  expect(finish.json()).toEqual({ code: 200, status: 'ok', next: 'login' })
  const requested = (await eventsOf(site, 'auth.password.reset.requested')).filter(event => event.subject_id === id)
  expect(requested).toMatchObject([{ actor_id: admin.id }])
})

test('the number of reset links to a mailbox is limited', async () => {
  const admin = await createSignedInUser(site)
  const { id, email } = await addUser(site)
  for (let sent = 0; sent < 3; sent++) expect((await admin.call('POST', `${id}/password-reset`)).statusCode).toBe(200)
  expect(refusal(await admin.call('POST', `${id}/password-reset`))).toMatchObject({
    status: 429,
    key: 'error.user.mail.often',
  })
  expect(await mailsTo(site, email, 'reset')).toHaveLength(3)
})

test('no link is sent without mail, nor to an inactive account', async () => {
  const [admin, quiet] = [await createSignedInUser(site), await createSignedInUser(silent)]
  const { id } = await addUser(silent)
  expect(refusal(await quiet.call('POST', `${id}/password-reset`))).toMatchObject({ key: 'error.user.mail.missing' })
  for (const status of ['invited', 'disabled'] as const) {
    const user = await addUser(site, { status })
    expect(refusal(await admin.call('POST', `${user.id}/password-reset`))).toMatchObject({ key: 'error.user.inactive' })
  }
})
