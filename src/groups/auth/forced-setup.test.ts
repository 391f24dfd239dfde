import { expect, test } from 'vitest'
import { addUser, createTestStorage, createTestApp, password, totpCode } from '../../../test/harness.ts'
import { describeRole, createSignedInUser, signIn } from '../../../test/signed-in-user.ts'
import { newIp, postLogin, refusal } from '../../../test/sign-in.ts'
import { listEndpoints } from '../../http/endpoint.ts'
import { api } from '../../api.ts'
import { setTotp } from '../../access/factors/totp.ts'
import { createTotpSecret } from '../../platform/lib/totp.ts'
import { operatorContext } from '../../cli/site.ts'
import { addToken } from '../../../test/tokens.ts'

const storage = await createTestStorage()
describeRole(storage, 'guard', 'title: Guard\nrequireSecondFactor: true\n')
const site = await createTestApp({ storage })

const guard = () => createSignedInUser(site, { role: 'guard' })
const forcedSetup = { status: 403, key: 'error.auth.forcedSetup' }

test('a role that requires a second factor has no access before it is set up', async () => {
  const one = await guard()
  const { session } = (await one.browser.send({ url: '/api/auth' })).json<{ session: object }>()
  expect(session).toMatchObject({ mustEnrolSecondFactor: true, mustChangePassword: false })
  expect(refusal(await one.call('GET', 'account'))).toMatchObject(forcedSetup)
  expect(refusal(await one.call('GET', 'account/sessions'))).toMatchObject(forcedSetup)

  const setup = await one.call('POST', 'account/totp')
  const { secret, challenge } = setup.json<{ data: { secret: string; challenge: string } }>().data
  const confirmed = await one.call('PUT', 'account/totp', { challenge, code: await totpCode(storage, secret) })
  expect(confirmed.statusCode).toBe(200)
  expect((await one.browser.send({ url: '/api/auth' })).json()).toMatchObject({
    session: { aal: 2, mustEnrolSecondFactor: false },
  })
  expect((await one.call('GET', 'account')).statusCode).toBe(200)
  expect((await one.call('POST', 'account/recovery-codes')).statusCode).toBe(200)
})

test('the login response says so, too', async () => {
  const { email } = await addUser(site, { role: 'guard' })
  const login = await postLogin(site.browser({ ip: newIp() }), { email, password })
  expect(login.json()).toMatchObject({ code: 200, session: { mustEnrolSecondFactor: true } })
  const otherUser = await addUser(site, { role: 'guard', totp: true })
  const code = await totpCode(storage, otherUser.secret)
  const second = await postLogin(site.browser({ ip: newIp() }), { email: otherUser.email, password, code })
  expect(second.json()).toMatchObject({ code: 200, session: { mustEnrolSecondFactor: false } })
})

test('after the setup every session of the account has access', async () => {
  const one = await guard()
  const otherSession = await signIn(site, one.email)
  await site.app.store.write(async tx => setTotp(operatorContext(site.app), tx, one.id, await createTotpSecret()))
  for (const session of [one, otherSession]) expect((await session.call('GET', 'account')).statusCode).toBe(200)
})

test('a passkey is a second factor as well', async () => {
  const one = await guard()
  await site.app.store.db
    .insertInto('passkeys')
    .values({
      id: one.id,
      credential: one.id,
      user_id: one.id,
      name: 'key',
      public_key: 'x',
      counter: 0,
      transports: '',
      syncable: 0,
      synced: 0,
      created_at: 0,
      last_used_at: null,
    })
    .execute()
  expect((await one.call('GET', 'account')).statusCode).toBe(200)
})

test('its owner cannot remove the last one; if an administrator removes it, the sessions end', async () => {
  const user = await createSignedInUser(site, { role: 'guard', totp: true })
  expect((await user.call('GET', 'account')).statusCode).toBe(200)
  expect(refusal(await user.call('DELETE', 'account/totp'))).toMatchObject({
    status: 409,
    key: 'error.user.factor.last',
  })
  const admin = await createSignedInUser(site, { totp: true })
  expect((await admin.call('DELETE', `${user.id}/totp`)).statusCode).toBe(200)
  expect((await user.call('GET', 'account')).statusCode).toBe(401)
})

test('before the setup only the own account is accessible', async () => {
  const one = await guard()
  const { id } = await addUser(site, { role: 'guard', totp: true })
  for (const [method, path, body] of [
    ['DELETE', 'totp', undefined],
    ['GET', 'recovery-codes', undefined],
    ['GET', 'passkeys', undefined],
    ['PATCH', 'password', { password: 'quite another long password' }],
  ] as const) {
    const answer = await one.call(method, `${id}/${path}`, body)
    expect([path, refusal(answer)]).toMatchObject([path, forcedSetup])
  }
})

test('D02: with a required second factor eight characters are enough for a new password', async () => {
  const user = await createSignedInUser(site, { role: 'guard', totp: true })
  const change = (next: string) => user.call('PATCH', 'account/password', { currentPassword: password, password: next })
  expect(refusal(await change('vq7!kz2'))).toMatchObject({ status: 400, key: 'error.user.password.invalid' })
  expect((await change('vq7!kz2m')).statusCode).toBe(200)
})

test('an API token of such an account has no access either', async () => {
  const { id } = await addUser(site, { role: 'guard' })
  const { token } = await addToken(site.app, { userId: id, name: 'x', scopes: ['*'] })
  const headers = { authorization: `Bearer ${token}` }
  const browser = site.browser({ ip: newIp() })
  expect(refusal(await browser.send({ url: '/api/users/account', headers }))).toMatchObject(forcedSetup)
})

test('exactly these endpoints are accessible before the setup', () => {
  const open = [...listEndpoints(api)].filter(([, endpoint]) => endpoint.duringForcedSetup).map(([name]) => name)
  expect(open.toSorted()).toEqual([
    'auth.get',
    'system.get',
    'translations.get',
    'translations.list',
    'users.changePassword',
    'users.passkeys.begin',
    'users.passkeys.create',
    'users.passkeys.list',
    'users.passkeys.remove',
    'users.recoveryCodes.count',
    'users.recoveryCodes.renew',
    'users.totp.begin',
    'users.totp.confirm',
    'users.totp.remove',
  ])
})
