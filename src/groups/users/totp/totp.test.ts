import { expect, test } from 'vitest'
import {
  addUser,
  createTestStorage,
  createTestApp,
  password,
  type TestApp,
  totpCode,
} from '../../../../test/harness.ts'
import {
  describeRole,
  lastMail,
  mailsTo,
  type SignedInUser,
  createSignedInUser,
  signIn,
  statusOf,
  withMail,
} from '../../../../test/signed-in-user.ts'
import { eventsOf, newIp, postLogin, refusal, sessionsOf, userRow } from '../../../../test/sign-in.ts'

const minutes = 60_000
const site = await createTestApp({ settings: withMail })

interface Setup {
  secret: string
  uri: string
  challenge: string
}

async function begin(one: SignedInUser): Promise<Setup> {
  const answer = await one.call('POST', 'account/totp')
  expect(answer.statusCode, `with ${answer.body}`).toBe(200)
  return answer.json<{ data: Setup }>().data
}

/** To the middle of a step, so that a code does not change between computing and checking it. */
async function moveToMiddleOfStep({ storage }: TestApp): Promise<void> {
  await storage.moveClock(40_000 - (storage.clock() % 30_000))
}

async function enrol(one: SignedInUser, more: object = {}) {
  const { secret, challenge } = await begin(one)
  const code = await totpCode(site.storage, secret)
  const answer = await one.call('PUT', 'account/totp', { challenge, code, ...more })
  return { secret, challenge, code, answer }
}

test('a correct code enables the second factor, and is used up', async () => {
  await moveToMiddleOfStep(site)
  const user = await createSignedInUser(site)
  const { secret, uri, challenge } = await begin(user)
  expect(secret).toMatch(/^[A-Z2-7]{32}$/)
  expect(uri).toContain(`secret=${secret}`)
  expect(uri).toContain(encodeURIComponent(user.email))
  expect((await userRow(site, user.id)).totp_secret, 'the factor is not enabled yet').toBeNull()

  const code = await totpCode(site.storage, secret)
  const answer = await user.call('PUT', 'account/totp', { challenge, code })
  expect(answer.json()).toEqual({ status: 'ok', message: 'ok', code: 200, csrf: expect.any(String) })
  const row = await userRow(site, user.id)
  expect(row.totp_secret).not.toContain(secret)
  const again = await postLogin(site.browser({ ip: newIp() }), { email: user.email, password, code })
  expect(refusal(again)).toMatchObject({ status: 401, key: 'error.access.code' })
  const next = await totpCode(site.storage, secret, 1)
  expect((await postLogin(site.browser({ ip: newIp() }), { email: user.email, password, code: next })).statusCode).toBe(
    200,
  )
  const events = (await eventsOf(site, 'auth.factor.added')).filter(event => event.subject_id === user.id)
  expect(events).toMatchObject([{ actor_id: user.id, detail: '{"factor":"totp"}' }])
  expect(await lastMail(site, user.email, 'factorAdded')).toEqual({ factor: 'totp' })
})

test('the session that enabled it has proved it: new token, two factors, same timers', async () => {
  const user = await createSignedInUser(site)
  const before = (await sessionsOf(site, user.id))[0]!
  const token = user.token()
  await enrol(user)
  const [after] = await sessionsOf(site, user.id)
  expect(after).toMatchObject({ id: before.id, aal: 2, amr: 'pwd otp', authenticated_at: before.authenticated_at })
  expect(user.token()).not.toBe(token)
  expect(await statusOf(user)).toBe(200)
  const answer = await site.browser().send({ url: '/api/auth', headers: { cookie: `quoin_insecure=${token}` } })
  expect(answer.statusCode, 'the former token').toBe(401)
})

test('G17: with endOthers all other sessions end, without it they stay', async () => {
  const user = await createSignedInUser(site)
  const otherSession = await signIn(site, user.email)
  await enrol(user)
  expect([await statusOf(user), await statusOf(otherSession)]).toEqual([200, 200])

  const secondUser = await createSignedInUser(site)
  const ended = await signIn(site, secondUser.email)
  await enrol(secondUser, { endOthers: true })
  expect([await statusOf(secondUser), await statusOf(ended)]).toEqual([200, 401])
  expect((await sessionsOf(site, secondUser.id)).map(({ aal }) => aal)).toEqual([2])
})

test('G17: with endOthers, removing the factor ends all other sessions', async () => {
  const user = await createSignedInUser(site, { totp: true })
  const otherSession = await signIn(site, user.email, { code: await totpCode(site.storage, user.secret, 1) })
  const answer = await user.call('DELETE', 'account/totp', { endOthers: true })
  expect(answer.json()).toMatchObject({ code: 200, csrf: expect.any(String) })
  expect([await statusOf(user), await statusOf(otherSession)]).toEqual([200, 401])
  expect((await user.call('GET', 'account/sessions')).statusCode, 'with the new token of the session').toBe(200)
})

test('a wrong code enables nothing, and five end the setup', async () => {
  const user = await createSignedInUser(site)
  const { secret, challenge } = await begin(user)
  const right = await Promise.all([-2, -1, 0, 1, 2].map(steps => totpCode(site.storage, secret, steps)))
  const wrong = ['000000', '111111', '222222', '333333', '444444', '555555'].find(code => !right.includes(code))
  for (const restart of [false, false, false, false, true]) {
    const answer = await user.call('PUT', 'account/totp', { challenge, code: wrong })
    expect(refusal(answer)).toMatchObject({ status: 401, key: 'error.access.code', details: { restart } })
  }
  const late = await user.call('PUT', 'account/totp', { challenge, code: await totpCode(site.storage, secret) })
  expect(refusal(late).details).toMatchObject({ restart: true })
  expect((await userRow(site, user.id)).totp_secret).toBeNull()
})

test.each([
  ['of another account', async (one: SignedInUser, two: SignedInUser) => [one, (await begin(two)).challenge] as const],
  ['for a sign-in', async (one: SignedInUser) => [one, (await secondStep()).challenge] as const],
  ['that was never issued', async (one: SignedInUser) => [one, 'A'.repeat(43)] as const],
])('a challenge %s is invalid', async (_, make) => {
  const [one, challenge] = await make(await createSignedInUser(site), await createSignedInUser(site))
  const answer = await one.call('PUT', 'account/totp', { challenge, code: '123456' })
  expect(refusal(answer)).toMatchObject({ status: 401, key: 'error.access.code', details: { restart: true } })
})

async function secondStep() {
  const { email } = await addUser(site, { totp: true })
  const answer = await postLogin(site.browser({ ip: newIp() }), { email, password })
  return { challenge: answer.json<{ challenge: { id: string } }>().challenge.id }
}

test('an unconfirmed secret is invalid after ten minutes, and after the next one', async () => {
  const otherSite = await createTestApp()
  const user = await createSignedInUser(otherSite)
  const [first, second] = [await begin(user), await begin(user)]
  const code = await totpCode(otherSite.storage, first.secret)
  expect((await user.call('PUT', 'account/totp', { challenge: first.challenge, code })).statusCode).toBe(401)
  await otherSite.storage.moveClock(10 * minutes + 1000)
  const late = { challenge: second.challenge, code: await totpCode(otherSite.storage, second.secret) }
  expect((await user.call('PUT', 'account/totp', late)).statusCode).toBe(401)
})

test('a second authenticator app is refused', async () => {
  const user = await createSignedInUser(site)
  const { challenge, code } = await enrol(user)
  expect(refusal(await user.call('POST', 'account/totp'))).toMatchObject({ status: 400, key: 'error.user.totp.exists' })
  expect((await user.call('PUT', 'account/totp', { challenge, code })).statusCode).toBe(401)
})

test('a secret cannot be created for another account, not even by administrators', async () => {
  const admin = await createSignedInUser(site)
  const { id } = await addUser(site)
  for (const [method, body] of [['POST'], ['PUT', { challenge: 'x', code: 'y' }]] as const) {
    expect(refusal(await admin.call(method, `${id}/totp`, body))).toMatchObject({
      status: 403,
      key: 'error.permission',
    })
  }
})

test('N09: removing the factor requires a fresh second factor', async () => {
  const otherSite = await createTestApp()
  const user = await createSignedInUser(otherSite)
  const { secret, challenge } = await begin(user)
  await user.call('PUT', 'account/totp', { challenge, code: await totpCode(otherSite.storage, secret) })
  await otherSite.storage.moveClock(15 * minutes + 1000)
  expect(refusal(await user.call('DELETE', 'account/totp'))).toMatchObject({ status: 401, key: 'error.auth.fresh' })
  await user.confirm(await totpCode(otherSite.storage, secret))
  expect((await user.call('DELETE', 'account/totp')).statusCode).toBe(200)
  expect(refusal(await user.call('DELETE', 'account/totp'))).toMatchObject({ key: 'error.user.totp.notFound' })
  expect((await postLogin(otherSite.browser({ ip: newIp() }), { email: user.email, password })).statusCode).toBe(200)
})

test('N09: a session from before the factor is not enough to remove it', async () => {
  const user = await createSignedInUser(site)
  const old = await signIn(site, user.email)
  await enrol(user)
  const answer = await old.call('DELETE', 'account/totp')
  expect(refusal(answer)).toEqual({ status: 401, key: 'error.auth.fresh', details: { secondFactor: true } })
  expect((await userRow(site, user.id)).totp_secret).not.toBeNull()
})

test('recovery codes are deleted with the last factor', async () => {
  const user = await createSignedInUser(site, { totp: true })
  expect((await user.call('DELETE', 'account/totp')).statusCode).toBe(200)
  const codes = site.app.store.db.selectFrom('recovery_codes').selectAll().where('user_id', '=', user.id)
  expect(await codes.execute()).toEqual([])
})

test('N11: an administrator removes the factor of another account, whose owner is notified', async () => {
  const admin = await createSignedInUser(site)
  const { id, email } = await addUser(site, { totp: true })
  expect((await admin.call('DELETE', `${id}/totp`)).statusCode).toBe(200)
  expect((await userRow(site, id)).totp_secret).toBeNull()
  const events = (await eventsOf(site, 'auth.factor.removed')).filter(event => event.subject_id === id)
  expect(events).toMatchObject([{ actor_id: admin.id }])
  expect(await lastMail(site, email, 'factorRemoved')).toEqual({ factor: 'totp' })
  expect(await mailsTo(site, admin.email)).toEqual([])
})

test('N11: an administrator with a second factor needs it to remove that of another account', async () => {
  const admin = await createSignedInUser(site)
  const before = await signIn(site, admin.email)
  await enrol(admin)
  const { id } = await addUser(site, { totp: true })
  expect(refusal(await before.call('DELETE', `${id}/totp`))).toMatchObject({ details: { secondFactor: true } })
  expect((await admin.call('DELETE', `${id}/totp`)).statusCode).toBe(200)
})

test('I08: a factor disabled by wrong codes works again after a new setup', async () => {
  const user = await createSignedInUser(site, { totp: true })
  await site.app.store.db.updateTable('users').set({ totp_fail_streak: 100 }).where('id', '=', user.id).execute()
  await user.call('DELETE', 'account/totp')
  const { secret, answer } = await enrol(user)
  expect(answer.statusCode).toBe(200)
  const code = await totpCode(site.storage, secret, 1)
  expect((await postLogin(site.browser({ ip: newIp() }), { email: user.email, password, code })).statusCode).toBe(200)
})

// ---- where the role requires a factor

test('I25: the last required second factor can be replaced but not removed', async () => {
  const storage = await createTestStorage()
  describeRole(storage, 'guarded', 'requireSecondFactor: true')
  const otherSite = await createTestApp({ storage })
  const [one, admin] = [
    await createSignedInUser(otherSite, { role: 'guarded', totp: true }),
    await createSignedInUser(otherSite),
  ]
  expect(refusal(await one.call('DELETE', 'account/totp'))).toMatchObject({
    status: 409,
    key: 'error.user.factor.last',
  })
  const before = await userRow(otherSite, one.id)
  expect(refusal(await one.call('POST', 'account/totp'))).toMatchObject({ key: 'error.user.totp.exists' })
  const { data } = (await one.call('POST', 'account/totp', { replace: true })).json<{
    data: { secret: string; challenge: string }
  }>()
  expect((await userRow(otherSite, one.id)).totp_secret, 'the former secret is still valid').toBe(before.totp_secret)
  const code = await totpCode(otherSite.storage, data.secret)
  expect((await one.call('PUT', 'account/totp', { challenge: data.challenge, code })).statusCode).toBe(200)
  expect((await userRow(otherSite, one.id)).totp_secret).not.toBe(before.totp_secret)
  expect((await admin.call('DELETE', `${one.id}/totp`)).statusCode, 'for an owner who has lost it').toBe(200)
})
