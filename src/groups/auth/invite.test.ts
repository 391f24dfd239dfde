import { expect, test } from 'vitest'
import { addUser, createTestApp, type TestApp } from '../../../test/harness.ts'
import { lastMail, mailsTo, createSignedInUser, withMail } from '../../../test/signed-in-user.ts'
import { eventsOf, newIp, postLogin, refusal, sessionsOf, userRow } from '../../../test/sign-in.ts'
import { invite } from '../users/invitation/invitation.ts'
import { operatorContext } from '../../cli/site.ts'

const password = 'a password of my own'
const days = 24 * 60 * 60_000
const site = await createTestApp({ settings: withMail })

const post = (body: object, other: TestApp = site) => postLogin(other.browser({ ip: newIp() }), body)
const accept = (token: string, more: object = {}, other: TestApp = site) =>
  post({ method: 'invite', token, password, ...more }, other)

/** A new account, and the token that its owner was sent. */
async function invited(other: TestApp = site) {
  const { id, email } = await addUser(other, { status: 'invited', hash: null, role: 'editor' })
  await other.app.store.write(tx =>
    invite(operatorContext(other.app), tx, { id, email, language: 'en', auth_epoch: 1, role: 'editor', revision: 1 }),
  )
  return { id, email, token: (await lastMail(other, email, 'invite')).token }
}

const wrong = { status: 401, key: 'error.access.code', details: { restart: true, challengeDestroyed: true } }

test('K11: an invitation sends one mail; the owner sets a password and a name, and then signs in', async () => {
  const { id, email, token } = await invited()
  expect(await mailsTo(site, email)).toHaveLength(1)
  const answer = await accept(token, { name: 'Ada' })
  expect(answer.statusCode).toBe(200)
  expect(answer.json()).toEqual({ code: 200, status: 'ok', next: 'login' })
  expect(answer.headers['set-cookie']).toBeUndefined()
  expect(await sessionsOf(site, id)).toEqual([])
  expect(await userRow(site, id)).toMatchObject({ status: 'active', name: 'Ada', sort_key: 'ada' })
  expect((await post({ email, password })).statusCode).toBe(200)
  const events = (await eventsOf(site)).filter(event => event.subject_id === id).map(({ event }) => event)
  expect(events).toEqual(['user.invited', 'user.activated', 'auth.login.ok'])
})

test('K11: without a name the account keeps its name', async () => {
  const { id, token } = await invited()
  await site.app.store.db.updateTable('users').set({ name: 'Grace' }).where('id', '=', id).execute()
  await accept(token)
  expect((await userRow(site, id)).name).toBe('Grace')
})

test('K12: an invitation works once', async () => {
  const { email, token } = await invited()
  expect((await accept(token)).statusCode).toBe(200)
  expect(refusal(await accept(token, { password: 'quite another long password' }))).toEqual(wrong)
  expect((await post({ email, password })).statusCode).toBe(200)
})

test('K12: an invitation works for a week', async () => {
  const otherSite = await createTestApp({ settings: withMail })
  const [early, late] = [await invited(otherSite), await invited(otherSite)]
  await otherSite.storage.moveClock(7 * days - 60_000)
  expect((await accept(early.token, {}, otherSite)).statusCode).toBe(200)
  await otherSite.storage.moveClock(2 * 60_000)
  expect(refusal(await accept(late.token, {}, otherSite))).toEqual(wrong)
})

test('K13: a new invitation invalidates the previous one', async () => {
  const admin = await createSignedInUser(site)
  const { id, email, token } = await invited()
  expect((await admin.call('POST', `${id}/invitation`)).json()).toEqual({ status: 'ok', message: 'ok', code: 200 })
  const { token: second } = await lastMail(site, email, 'invite')
  expect(refusal(await accept(token))).toEqual(wrong)
  expect((await accept(second)).statusCode).toBe(200)
  expect(refusal(await admin.call('POST', `${id}/invitation`))).toMatchObject({
    status: 400,
    key: 'error.user.invitation.accepted',
  })
  const sent = (await eventsOf(site, 'user.invited')).filter(event => event.subject_id === id)
  expect(sent.map(({ actor_id }) => actor_id)).toEqual([null, admin.id])
})

test('K13: the number of invitations to a mailbox is limited', async () => {
  const admin = await createSignedInUser(site)
  const { id, email } = await invited()
  for (let sent = 0; sent < 2; sent++) expect((await admin.call('POST', `${id}/invitation`)).statusCode).toBe(200)
  const { token } = await lastMail(site, email, 'invite')
  expect(refusal(await admin.call('POST', `${id}/invitation`))).toMatchObject({
    status: 429,
    key: 'error.user.mail.often',
  })
  expect((await accept(token)).statusCode, 'the last one is still valid').toBe(200)
})

test('K13: without mail an invitation is refused', async () => {
  const silent = await createTestApp()
  const admin = await createSignedInUser(silent)
  const { id } = await addUser(silent, { status: 'invited', hash: null })
  expect(refusal(await admin.call('POST', `${id}/invitation`))).toMatchObject({ key: 'error.user.mail.missing' })
})

test('K14: before acceptance no password signs in', async () => {
  const { email } = await invited()
  const other = await post({ email: 'nobody@example.org', password })
  const answer = await post({ email, password })
  expect([answer.statusCode, answer.body]).toEqual([other.statusCode, other.body])
})

test('K14: an account that was disabled or changed meanwhile is not activated', async () => {
  const [disabled, moved] = [await invited(), await invited()]
  const { db } = site.app.store
  await db.updateTable('users').set({ status: 'disabled' }).where('id', '=', disabled.id).execute()
  await db.updateTable('users').set({ auth_epoch: 2 }).where('id', '=', moved.id).execute()
  for (const { id, token } of [disabled, moved]) {
    expect(refusal(await accept(token))).toEqual(wrong)
    expect((await userRow(site, id)).password_hash).toBeNull()
  }
})

test('an invitation token is no reset, no second factor and no session', async () => {
  const { token } = await invited()
  expect((await post({ method: 'reset', challenge: token, code: token, password })).statusCode).toBe(401)
  expect((await post({ method: 'code', challenge: token, code: '123456' })).statusCode).toBe(401)
  const cookie = `quoin_insecure=${token}`
  expect((await site.browser().send({ url: '/api/auth', headers: { cookie } })).statusCode).toBe(401)
  expect((await accept(token)).statusCode).toBe(200)
})

test('a refused password does not consume the invitation', async () => {
  const { token } = await invited()
  expect(refusal(await accept(token, { password: 'too short' }))).toMatchObject({ key: 'error.user.password.invalid' })
  expect((await accept(token)).statusCode).toBe(200)
})

test.each([
  ['no token', { method: 'invite', password }],
  ['no password', { method: 'invite', token: 'x' }],
  ['a role', { method: 'invite', token: 'x', password, role: 'admin' }],
  ['an address', { method: 'invite', token: 'x', password, email: 'ada@example.org' }],
  ['an invalid name', { method: 'invite', token: 'x', password, name: 1 }],
])('%s is refused', async (_, body) => {
  expect(refusal(await post(body))).toMatchObject({ status: 400, key: 'error.validation' })
})
