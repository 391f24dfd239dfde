import { expect, test } from 'vitest'
import { addUser, createTestApp, password, totpCode } from '../../../../test/harness.ts'
import { lastMail, createSignedInUser, signIn, withMail } from '../../../../test/signed-in-user.ts'
import { eventsOf, newIp, postLogin, refusal } from '../../../../test/sign-in.ts'

const minutes = 60_000
const site = await createTestApp({ settings: withMail })

test('ten new codes are shown once, and the previous ones are invalid', async () => {
  const one = await createSignedInUser(site, { totp: true })
  const answer = await one.call('POST', 'account/recovery-codes')
  const { codes } = answer.json<{ data: { codes: string[] } }>().data
  expect(new Set(codes).size).toBe(10)
  for (const code of codes) expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{5}-){4}[0-9A-HJKMNP-TV-Z]{5}$/)

  const use = async (code: string) => {
    const browser = site.browser({ ip: newIp() })
    const first = await postLogin(browser, { email: one.email, password })
    const challenge = first.json<{ challenge: { id: string } }>().challenge.id
    return (await postLogin(browser, { method: 'recovery', challenge, code })).statusCode
  }
  expect(await use(one.recovery[0]!)).toBe(401)
  expect(await use(codes[0]!)).toBe(200)
  expect(await use(codes[0]!)).toBe(401)
  expect((await one.call('GET', 'account/recovery-codes')).json()).toMatchObject({ data: { left: 9 } })

  const added = (await eventsOf(site, 'auth.factor.added')).filter(event => event.subject_id === one.id)
  expect(added.at(-1)).toMatchObject({ actor_id: one.id, detail: '{"factor":"recovery"}' })
  expect(await lastMail(site, one.email, 'factorAdded')).toEqual({ factor: 'recovery' })
})

test('N10: a password alone does not create new ones', async () => {
  const one = await createSignedInUser(site)
  const old = await signIn(site, one.email)
  const { secret, challenge } = (await one.call('POST', 'account/totp')).json<{
    data: { secret: string; challenge: string }
  }>().data
  await one.call('PUT', 'account/totp', { challenge, code: await totpCode(site.storage, secret) })
  const answer = await old.call('POST', 'account/recovery-codes')
  expect(refusal(answer)).toEqual({ status: 401, key: 'error.auth.fresh', details: { secondFactor: true } })
  expect((await one.call('POST', 'account/recovery-codes')).statusCode, 'right after setting it up').toBe(200)
})

test('N10: a second factor from an hour ago is not fresh', async () => {
  const other = await createTestApp()
  const one = await createSignedInUser(other, { totp: true })
  await other.storage.moveClock(16 * minutes)
  expect(refusal(await one.call('POST', 'account/recovery-codes'))).toMatchObject({
    status: 401,
    key: 'error.auth.fresh',
  })
  await one.confirm(await totpCode(other.storage, one.secret))
  expect((await one.call('POST', 'account/recovery-codes')).statusCode).toBe(200)
})

test('a long session creates them after a fresh second factor', async () => {
  const one = await createSignedInUser(site, { totp: true, long: true })
  expect((await one.call('POST', 'account/recovery-codes')).statusCode).toBe(200)
})

test('without a second factor there are no recovery codes', async () => {
  const one = await createSignedInUser(site)
  expect(refusal(await one.call('POST', 'account/recovery-codes'))).toMatchObject({
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
