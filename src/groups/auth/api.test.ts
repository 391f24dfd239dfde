import { expect, test } from 'vitest'
import { addUser, createTestApp, password, totpCode } from '../../../test/harness.ts'

const site = await createTestApp()

test('the correct password starts a session', async () => {
  const { email, id } = await addUser(site)
  const { client } = site.browser()
  const result = await client.auth.login({ email, password })
  expect(result).toMatchObject({ code: 200, status: 'ok', user: { id, email }, session: { aal: 1, amr: ['pwd'] } })
  expect(await client.auth.get()).toMatchObject({ data: { id, email } })
})

test('a second factor is a second step', async () => {
  const { email, secret } = await addUser(site, { totp: true })
  const { client } = site.browser()
  const first = await client.auth.login({ email, password })
  expect(first).toMatchObject({ code: 202, challenge: { methods: ['code', 'recovery'] } })
  if (first.code !== 202) throw new Error()
  const second = await client.auth.login({
    method: 'code',
    challenge: first.challenge.id,
    code: await totpCode(site.storage, secret),
  })
  expect(second).toMatchObject({ code: 200, session: { aal: 2, amr: ['pwd', 'otp'] } })
})
