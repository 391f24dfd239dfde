import { expect, test } from 'vitest'
import { addUser, createTestApp, password, type TestApp, totpCode } from '../../../test/harness.ts'
import { lastMail, mailsTo, withMail } from '../../../test/signed-in-user.ts'
import { newIp, postLogin } from '../../../test/sign-in.ts'

const minutes = 60_000
const site = await createTestApp({ settings: withMail })

const login = (body: object, other: TestApp = site) => postLogin(other.browser({ ip: newIp() }), body)
const setFailStreak = (id: string, streak: number, other: TestApp = site) =>
  other.app.store.db.updateTable('users').set({ password_fail_streak: streak }).where('id', '=', id).execute()

test('H25: the owner is notified when a password is correct after ten wrong ones', async () => {
  const [one, two] = [await addUser(site), await addUser(site)]
  await setFailStreak(one.id, 12)
  await setFailStreak(two.id, 9)
  for (const { email } of [one, two]) expect((await login({ email, password })).statusCode).toBe(200)
  expect(await lastMail(site, one.email, 'suspicious')).toEqual({ reason: 'afterFailures' })
  expect(await mailsTo(site, two.email)).toEqual([])
})

test('O06: the owner is notified of a correct password with a wrong second factor, not of a wrong password', async () => {
  const [one, two] = [await addUser(site, { totp: true }), await addUser(site, { totp: true })]
  for (const { email } of [one, two]) await login({ email, password: 'a wrong passphrase' })
  expect(await mailsTo(site, one.email)).toEqual([])
  expect((await login({ email: one.email, password, code: 'no code' })).statusCode).toBe(401)
  expect(await lastMail(site, one.email, 'suspicious')).toEqual({ reason: 'secondFactor' })

  const first = await login({ email: two.email, password })
  expect(await mailsTo(site, two.email)).toEqual([])
  const { challenge } = first.json<{ challenge: { id: string } }>()
  await login({ method: 'recovery', challenge: challenge.id, code: 'no code' })
  expect(await lastMail(site, two.email, 'suspicious')).toEqual({ reason: 'secondFactor' })
  expect((await login({ email: two.email, password, code: await totpCode(site.storage, two.secret) })).statusCode).toBe(
    200,
  )
})

test('O06: a notice is sent at most once an hour', async () => {
  const otherSite = await createTestApp({ settings: withMail })
  const { email } = await addUser(otherSite, { totp: true })
  for (let tries = 0; tries < 4; tries++) await login({ email, password, code: 'no code' }, otherSite)
  expect(await mailsTo(otherSite, email)).toHaveLength(1)
  await otherSite.storage.moveClock(61 * minutes)
  for (let tries = 0; tries < 2; tries++) await login({ email, password, code: 'no code' }, otherSite)
  expect(await mailsTo(otherSite, email)).toHaveLength(2)
})

test('O06: the owner of a disabled password is notified once', async () => {
  const { id, email } = await addUser(site)
  await setFailStreak(id, 99)
  for (let tries = 0; tries < 3; tries++)
    expect((await login({ email, password: 'a wrong passphrase' })).statusCode).toBe(401)
  expect(await mailsTo(site, email, 'passwordDisabled')).toHaveLength(1)
})

test('O06: the owner of a disabled authenticator app is notified once', async () => {
  for (const twoSteps of [false, true]) {
    const { id, email } = await addUser(site, { totp: true })
    await site.app.store.db.updateTable('users').set({ totp_fail_streak: 99 }).where('id', '=', id).execute()
    for (let tries = 0; tries < 2; tries++) {
      const first = twoSteps ? (await login({ email, password })).json<{ challenge: { id: string } }>() : undefined
      const wrong = {
        code: '000000',
        ...(first ? { method: 'code', challenge: first.challenge.id } : { email, password }),
      }
      expect((await login(wrong)).statusCode).toBe(401)
    }
    expect(await mailsTo(site, email, 'totpDisabled')).toHaveLength(1)
  }
})

test('E07: without a mail server, and with one that fails, no response changes', async () => {
  for (const settings of [{}, withMail]) {
    const otherSite = await createTestApp({ settings })
    const { id, email } = await addUser(otherSite)
    await setFailStreak(id, 99, otherSite)
    const existing = await login({ email, password: 'a wrong passphrase' }, otherSite)
    const missing = await login({ email: 'nobody@example.org', password: 'a wrong passphrase' }, otherSite)
    expect([existing.statusCode, existing.body]).toEqual([missing.statusCode, missing.body])
  }
})
