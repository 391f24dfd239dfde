import { expect, test } from 'vitest'
import { addUser, createTestApp, password, totpCode } from '../../../../test/harness.ts'
import { lastMail, createSignedInUser, signIn, withMail } from '../../../../test/signed-in-user.ts'
import { eventsOf, newIp, postLogin, refusal } from '../../../../test/sign-in.ts'

const minutes = 60_000
const site = await createTestApp({ settings: withMail })

test('ten new codes are shown once, and the previous ones are invalid', async () => {
  const user = await createSignedInUser(site, { totp: true })
  const answer = await user.call('POST', 'account/recovery-codes')
  const { codes } = answer.json<{ data: { codes: string[] } }>().data
  expect(new Set(codes).size).toBe(10)
  for (const code of codes) expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{5}-){4}[0-9A-HJKMNP-TV-Z]{5}$/)

  const use = async (code: string) => {
    const browser = site.browser({ ip: newIp() })
    const first = await postLogin(browser, { email: user.email, password })
    const challenge = first.json<{ challenge: { id: string } }>().challenge.id
    return (await postLogin(browser, { method: 'recovery', challenge, code })).statusCode
  }
  expect(await use(user.recovery[0]!)).toBe(401)
  expect(await use(codes[0]!)).toBe(200)
  expect(await use(codes[0]!)).toBe(401)
  expect((await user.call('GET', 'account/recovery-codes')).json()).toMatchObject({ data: { left: 9 } })

  const added = (await eventsOf(site, 'auth.factor.added')).filter(event => event.subject_id === user.id)
  expect(added.at(-1)).toMatchObject({ actor_id: user.id, detail: '{"factor":"recovery"}' })
  expect(await lastMail(site, user.email, 'factorAdded')).toEqual({ factor: 'recovery' })
})

test('N10: a password alone does not create new ones', async () => {
  const user = await createSignedInUser(site)
  const old = await signIn(site, user.email)
  const { secret, challenge } = (await user.call('POST', 'account/totp')).json<{
    data: { secret: string; challenge: string }
  }>().data
  await user.call('PUT', 'account/totp', { challenge, code: await totpCode(site.storage, secret) })
  const answer = await old.call('POST', 'account/recovery-codes')
  expect(refusal(answer)).toEqual({ status: 401, key: 'error.auth.fresh', details: { secondFactor: true } })
  expect((await user.call('POST', 'account/recovery-codes')).statusCode, 'right after setting it up').toBe(200)
})

test('N10: a second factor from an hour ago is not fresh', async () => {
  const otherSite = await createTestApp()
  const user = await createSignedInUser(otherSite, { totp: true })
  await otherSite.storage.moveClock(16 * minutes)
  expect(refusal(await user.call('POST', 'account/recovery-codes'))).toMatchObject({
    status: 401,
    key: 'error.auth.fresh',
  })
  await user.confirm(await totpCode(otherSite.storage, user.secret))
  expect((await user.call('POST', 'account/recovery-codes')).statusCode).toBe(200)
})

test('a long session creates them after a fresh second factor', async () => {
  const user = await createSignedInUser(site, { totp: true, long: true })
  expect((await user.call('POST', 'account/recovery-codes')).statusCode).toBe(200)
})

test('without a second factor there are no recovery codes', async () => {
  const user = await createSignedInUser(site)
  expect(refusal(await user.call('POST', 'account/recovery-codes'))).toMatchObject({
    status: 400,
    key: 'error.user.recovery.factor',
  })
})

test('an administrator sees how many are left, but not the codes', async () => {
  const admin = await createSignedInUser(site)
  const { id } = await addUser(site, { totp: true })
  expect((await admin.call('GET', `${id}/recovery-codes`)).json()).toMatchObject({ data: { left: 10 } })
  expect(refusal(await admin.call('POST', `${id}/recovery-codes`))).toMatchObject({ status: 403 })
})
