import { expect, test } from 'vitest'
import { addUser, createTestApp } from '../../../../test/harness.ts'
import { lastMail, mailsTo, createSignedInUser, signIn, statusOf, withMail } from '../../../../test/signed-in-user.ts'
import { eventsOf, getWith, refusal, sessionsOf } from '../../../../test/sign-in.ts'

const minutes = 60_000
const site = await createTestApp({ settings: withMail })

interface Listed {
  id: string
  current: boolean
}

test('sessions are listed, with a mark on the current one', async () => {
  const user = await createSignedInUser(site)
  const secondSession = await signIn(site, user.email, { long: true })
  const answer = await user.call('GET', 'account/sessions')
  expect(answer.json()).toMatchObject({ code: 200, type: 'collection', pagination: { total: 2 } })
  const { data } = answer.json<{ data: Listed[] }>()
  expect(data.filter(({ current }) => current)).toHaveLength(1)
  expect(data.find(({ current }) => current)).toEqual({
    id: expect.any(String),
    current: true,
    created: expect.stringMatching(/Z$/),
    lastSeen: expect.stringMatching(/Z$/),
    expires: expect.stringMatching(/Z$/),
    network: expect.stringMatching(/^10\.\d+\.\d+\.0\/24$/),
    browser: expect.any(String),
    aal: 1,
    amr: ['pwd'],
    long: false,
  })
  expect(answer.body).not.toContain(user.token())
  expect(data.find(({ current }) => !current)).toMatchObject({ long: true })
  expect((await secondSession.call('GET', 'account/sessions')).json<{ data: Listed[] }>().data).toHaveLength(2)
})

test('ended sessions are not listed', async () => {
  const otherSite = await createTestApp()
  const user = await createSignedInUser(otherSite, { long: true })
  await signIn(otherSite, user.email)
  await otherSite.storage.moveClock(2 * 60 * minutes)
  const { data } = (await user.call('GET', 'account/sessions')).json<{ data: Listed[] }>()
  expect(data).toMatchObject([{ current: true, long: true }])
})

test('ending one of the own sessions sends no mail', async () => {
  const user = await createSignedInUser(site)
  const secondSession = await signIn(site, user.email)
  const { data } = (await user.call('GET', 'account/sessions')).json<{ data: Listed[] }>()
  const other = data.find(({ current }) => !current)!
  const answer = await user.call('DELETE', `account/sessions/${other.id}`)
  expect(answer.json()).toEqual({ status: 'ok', message: 'ok', code: 200 })
  expect([await statusOf(user), await statusOf(secondSession)]).toEqual([200, 401])
  expect(refusal(await user.call('DELETE', `account/sessions/${other.id}`))).toMatchObject({
    status: 404,
    key: 'error.user.session.notFound',
  })
  const events = (await eventsOf(site, 'auth.session.revoked')).filter(event => event.subject_id === user.id)
  expect(events).toMatchObject([{ actor_id: user.id, session_id: other.id }])
  expect(await mailsTo(site, user.email)).toEqual([])
})

test('ending all own sessions keeps the current one', async () => {
  const user = await createSignedInUser(site)
  const others = [await signIn(site, user.email), await signIn(site, user.email)]
  const answer = await user.call('DELETE', 'account/sessions')
  expect(answer.json()).toEqual({ status: 'ok', message: 'ok', code: 200, ended: 2 })
  expect(await statusOf(user)).toBe(200)
  for (const other of others) expect(await statusOf(other)).toBe(401)
  expect((await eventsOf(site, 'auth.session.revoked')).filter(({ actor_id }) => actor_id === user.id)).toHaveLength(2)
})

test('a session of another account cannot be ended under the own one', async () => {
  const [one, two] = [await createSignedInUser(site), await createSignedInUser(site)]
  const { id } = (await sessionsOf(site, two.id))[0]!
  expect((await one.call('DELETE', `account/sessions/${id}`)).statusCode).toBe(404)
  expect(await statusOf(two)).toBe(200)
})

test('N02: an administrator ends the sessions of another account, whose owner is notified', async () => {
  const admin = await createSignedInUser(site)
  const [one, two] = [await createSignedInUser(site), await createSignedInUser(site)]
  const second = await signIn(site, one.email)
  const { id } = (await sessionsOf(site, two.id))[0]!

  expect((await admin.call('DELETE', `${one.id}/sessions`)).json()).toMatchObject({ ended: 2 })
  expect((await admin.call('DELETE', `${two.id}/sessions/${id}`)).statusCode).toBe(200)
  for (const ended of [one, second, two]) expect(await statusOf(ended)).toBe(401)
  expect(await statusOf(admin)).toBe(200)
  expect(await mailsTo(site, one.email, 'sessionEnded'), 'one mail for all of them').toHaveLength(1)
  expect(await lastMail(site, two.email, 'sessionEnded')).toEqual({})
  expect((await eventsOf(site, 'auth.session.revoked')).filter(({ actor_id }) => actor_id === admin.id)).toHaveLength(3)
})

test('N01: ending sessions requires a fresh sign-in, listing does not', async () => {
  const otherSite = await createTestApp()
  const user = await createSignedInUser(otherSite)
  await otherSite.storage.moveClock(15 * minutes + 1000)
  expect((await user.call('GET', 'account/sessions')).statusCode).toBe(200)
  for (const path of ['account/sessions', 'account/sessions/x']) {
    const answer = await user.call('DELETE', path)
    expect(refusal(answer)).toMatchObject({ status: 401, key: 'error.auth.fresh' })
    expect(answer.headers['www-authenticate']).toContain('error="insufficient_user_authentication", max_age=900')
  }
  expect((await user.confirm()).statusCode).toBe(200)
  expect((await user.call('DELETE', 'account/sessions')).statusCode).toBe(200)
})

test('anonymous clients neither see nor end sessions', async () => {
  const user = await createSignedInUser(site)
  const { id } = (await sessionsOf(site, user.id))[0]!
  const anonymous = site.browser()
  for (const [method, url] of [
    ['GET', `/api/users/${user.id}/sessions`],
    ['DELETE', `/api/users/${user.id}/sessions`],
    ['DELETE', `/api/users/${user.id}/sessions/${id}`],
  ] as const) {
    expect((await anonymous.send({ method, url })).statusCode).toBe(401)
  }
  expect((await getWith(site, user.token()!)).statusCode).toBe(200)
})

test('the sessions of an unknown account are not found', async () => {
  const admin = await createSignedInUser(site)
  const { id } = await addUser(site)
  await site.app.store.db.deleteFrom('users').where('id', '=', id).execute()
  expect(refusal(await admin.call('DELETE', `${id}/sessions`))).toMatchObject({ key: 'error.user.notFound' })
})
