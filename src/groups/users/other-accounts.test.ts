import { expect, test } from 'vitest'
import { addUser, createTestStorage, createTestApp } from '../../../test/harness.ts'
import { describeRole, createSignedInUser, statusOf } from '../../../test/signed-in-user.ts'
import { everythingIn, refusal, sessionsOf, userRow } from '../../../test/sign-in.ts'
import { changeEmail } from './email/email.ts'
import { removePasskey } from './passkeys/passkeys.ts'
import { setPasswordOf } from './password/password.ts'
import { endOneSession, endSessions } from './sessions/sessions.ts'
import { turnOffTotp } from './totp/totp.ts'
import { findUser } from './users.ts'

const storage = await createTestStorage()
describeRole(storage, 'editor', 'title: Editor\npermissions:\n  users: false\n')
describeRole(
  storage,
  'without-users',
  'title: Without users\npermissions:\n  users: false\n  access:\n    users: false\n',
)
describeRole(storage, 'keeper', 'title: Keeper\npermissions:\n  pages: false\n')
describeRole(storage, 'clerk', 'title: Clerk\npermissions:\n  pages: false\n  users: false\n')
describeRole(
  storage,
  'bound',
  'title: Bound\npermissions:\n  user:\n    changePassword: false\n    changeEmail: false\n',
)
const site = await createTestApp({ storage })

const denied = expect.stringMatching(/^error\.(.*\.)?permission$/) as string
const next = 'quite another long password'

/** All endpoints about the sign-in of an account, except those reserved for its owner. */
const managed = [
  ['GET', 'sessions', undefined],
  ['DELETE', 'sessions', undefined],
  ['DELETE', 'sessions/x', undefined],
  ['DELETE', 'totp', undefined],
  ['GET', 'recovery-codes', undefined],
  ['GET', 'tokens', undefined],
  ['POST', 'tokens', { name: 'x', scopes: ['*'] }],
  ['DELETE', 'tokens/x', undefined],
  ['PATCH', 'password', { password: next }],
  ['POST', 'password-reset', undefined],
  ['POST', 'invitation', undefined],
  ['PATCH', 'email', { email: 'moved@example.org' }],
] as const

const ownOnly = [
  ['POST', 'totp', undefined],
  ['PUT', 'totp', { challenge: 'x', code: '123456' }],
  ['POST', 'recovery-codes', undefined],
  ['PUT', 'email', { token: 'x' }],
] as const

const state = async () => {
  const { audit_events: _, ...rest } = await everythingIn(site)
  return rest
}

test.each([...managed, ...ownOnly])(
  'N02: %s %s on another account is refused for an editor',
  async (method, path, body) => {
    const editor = await createSignedInUser(site, { role: 'editor' })
    const user = await createSignedInUser(site, { role: 'editor', totp: true })
    const before = await state()
    const answer = await editor.call(method, `${user.id}/${path}`, body)
    expect(refusal(answer)).toMatchObject({ status: 403, key: denied })
    expect(await state()).toEqual(before)
  },
)

test.each([...managed, ...ownOnly])('%s %s on an invisible account is not found', async (method, path, body) => {
  const withoutUsers = await createSignedInUser(site, { role: 'without-users' })
  const { id } = await addUser(site, { role: 'editor' })
  expect(refusal(await withoutUsers.call(method, `${id}/${path}`, body))).toMatchObject({
    status: 404,
    key: 'error.user.notFound',
  })
})

test.each([...managed, ...ownOnly])(
  '%s %s on an administrator is for administrators only',
  async (method, path, body) => {
    const keeper = await createSignedInUser(site, { role: 'keeper' })
    const { id } = await addUser(site, { role: 'admin' })
    expect(refusal(await keeper.call(method, `${id}/${path}`, body))).toMatchObject({
      status: 403,
      key: denied,
    })
  },
)

test('the permission to change passwords of others includes their sessions', async () => {
  const keeper = await createSignedInUser(site, { role: 'keeper' })
  const user = await createSignedInUser(site, { role: 'clerk' })
  const { id } = (await sessionsOf(site, user.id))[0]!
  expect((await keeper.call('DELETE', `${user.id}/sessions/${id}`)).statusCode).toBe(200)
  expect(await statusOf(user)).toBe(401)
})

test.each(managed.filter(([, path]) => path !== 'invitation'))(
  '%s %s on the own account follows its permission',
  async (method, path, body) => {
    const bound = await createSignedInUser(site, { role: 'bound' })
    expect(refusal(await bound.call(method, `account/${path}`, body))).toMatchObject({
      status: 403,
      key: denied,
    })
  },
)

test('N14: a token cannot have a right that its owner lacks', async () => {
  const editor = await createSignedInUser(site, { role: 'editor' })
  for (const scope of ['users.delete', 'users.*']) {
    const answer = await editor.call('POST', 'account/tokens', { name: 'x', scopes: ['pages.read', scope] })
    expect(refusal(answer)).toMatchObject({ status: 400, key: 'error.user.token.scope' })
  }
  for (const scopes of [['*'], ['pages.*'], ['pages.read', 'user.update']]) {
    expect((await editor.call('POST', 'account/tokens', { name: 'x', scopes })).statusCode).toBe(200)
  }
})

test('N14: a right that the owner loses is lost to the token with the next request', async () => {
  const admin = await createSignedInUser(site)
  const { token } = (await admin.call('POST', 'account/tokens', { name: 'x', scopes: ['*'] })).json<{ token: string }>()
  const otherUser = await addUser(site, { role: 'editor' })
  const list = () =>
    site.browser().send({ url: `/api/users/${otherUser.id}/sessions`, headers: { authorization: `Bearer ${token}` } })
  expect((await list()).statusCode).toBe(200)
  await site.app.store.db.updateTable('users').set({ role: 'editor' }).where('id', '=', admin.id).execute()
  expect((await list()).statusCode).toBe(403)
})

test('an account that becomes an administrator meanwhile cannot be changed any more', async () => {
  const keeper = await createSignedInUser(site, { role: 'keeper' })
  const user = await createSignedInUser(site, { role: 'editor', totp: true })
  const [session] = await sessionsOf(site, user.id)
  const { app } = site
  const found = await findUser(app, user.id)
  const ctx = { app, actor: { user: { ...(await findUser(app, keeper.id)), second_factor: 0 } }, locale: 'en' }
  await app.store.db.updateTable('users').set({ role: 'admin' }).where('id', '=', user.id).execute()
  const before = [await state(), await userRow(site, user.id)]
  for (const attempt of [
    () => setPasswordOf(ctx, found, { password: next }),
    () => turnOffTotp(ctx, found),
    () => removePasskey(ctx, found, 'x', false),
    () => changeEmail(ctx, found, 'moved@example.org'),
    () => endSessions(ctx, found),
    () => endOneSession(ctx, found, session!.id),
  ])
    await expect(attempt()).rejects.toMatchObject({ status: 403 })
  expect([await state(), await userRow(site, user.id)]).toEqual(before)
})
