import { expect, test } from 'vitest'
import { addUser, createTestStorage, createTestApp } from '../../../test/harness.ts'
import { describeRole, createSignedInUser, signIn } from '../../../test/signed-in-user.ts'
import { refusal } from '../../../test/sign-in.ts'
import { addToken } from '../../../test/tokens.ts'

const storage = await createTestStorage()
describeRole(storage, 'helper', 'permissions: { pages: { delete: false } }')
describeRole(storage, 'writer', 'permissions: { users: false, access: { users: false }, pages: { delete: false } }')
describeRole(storage, 'chief', 'title: Chief')
describeRole(storage, 'clerk', 'permissions: { "*": false, access: { panel: true }, languages: { create: true } }')
describeRole(storage, 'bound', 'requireSecondFactor: true\npermissions: { user: false, access: { account: false } }')
const site = await createTestApp({ storage })
const admin = await createSignedInUser(site)

// ---- rights can only be given by accounts that have them

test('a caller cannot assign themselves a role with more rights', async () => {
  const writer = await createSignedInUser(site, { role: 'writer' })
  for (const role of ['helper', 'chief']) {
    const answer = await writer.call('PATCH', 'account/role', { role })
    expect(refusal(answer)).toMatchObject({ status: 403, key: 'error.user.changeRole.permission' })
  }
  const { data } = (await writer.call('GET', 'account/roles')).json<{ data: { name: string }[] }>()
  expect(data.map(({ name }) => name)).toEqual(['clerk', 'editor', 'writer'])
})

test('nor to others, by changing or creating accounts', async () => {
  const helper = await createSignedInUser(site, { role: 'helper' })
  const { id } = await addUser(site, { role: 'writer' })
  const role = async (name: string) => (await helper.call('PATCH', `${id}/role`, { role: name })).statusCode
  expect(await role('chief')).toBe(403)
  expect(await role('helper')).toBe(200)
  const make = async (name: string) =>
    (await helper.call('POST', '', { email: `${name}@made.example`, role: name })).statusCode
  expect(await make('chief')).toBe(403)
  expect(await make('writer')).toBe(200)
})

// ---- tokens

test('a token creates accounts with at most the rights of its scopes', async () => {
  const scopes = ['users.*']
  const { token } = await addToken(site.app, { userId: admin.id, name: 'x', scopes })
  const wide = await addToken(site.app, { userId: admin.id, name: 'x', scopes: ['*'] })
  const make = (role: string, by = token) =>
    site.request({
      method: 'POST',
      url: '/api/users',
      headers: { host: '127.0.0.1:4080', authorization: `Bearer ${by}`, 'content-type': 'application/json' },
      payload: JSON.stringify({ email: `${role}@token.example`, password: 'a quiet bicycle in march', role }),
    })
  expect((await make('editor')).statusCode, 'a role with access to the panel only').toBe(200)
  for (const role of ['writer', 'clerk', 'admin'])
    expect(refusal(await make(role)), `of ${role}`).toMatchObject({ status: 403, key: 'error.user.create.permission' })
  expect((await make('writer', wide.token)).statusCode).toBe(200)
  expect(refusal(await make('admin', wide.token))).toMatchObject({ status: 403 })
})

test('a token with scopes for accounts sees them', async () => {
  const { id } = await addUser(site, { role: 'writer' })
  const { token } = await addToken(site.app, { userId: admin.id, name: 'x', scopes: ['users.changeName'] })
  const headers = { host: '127.0.0.1:4080', authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const url = `/api/users/${id}`
  const named = await site.request({ method: 'PATCH', url: `${url}/name`, headers, payload: '{"name":"Ben"}' })
  expect(named.statusCode).toBe(200)
  const spoken = await site.request({ method: 'PATCH', url: `${url}/language`, headers, payload: '{"language":"de"}' })
  expect(refusal(spoken)).toMatchObject({ status: 403, key: 'error.user.changeLanguage.permission' })
})

// ---- forced setup is always possible

test('a role without permissions on the own account can set up its required second factor', async () => {
  const { email } = await addUser(site, { role: 'bound' })
  const bound = await signIn(site, email)
  expect(refusal(await bound.call('GET', 'account/sessions'))).toMatchObject({ key: 'error.auth.forcedSetup' })
  expect((await bound.call('POST', 'account/totp')).statusCode).toBe(200)
})

// ---- traces

test('administrators read the events of a deleted account, and its id is never reused', async () => {
  const { id } = await addUser(site, { role: 'writer' })
  expect((await admin.call('DELETE', id)).statusCode).toBe(200)
  const events = (await admin.call('GET', `${id}/events?select=event`)).json<{ data: { event: string }[] }>()
  expect(events.data.map(({ event }) => event)).toContain('user.deleted')
  const again = await admin.call('POST', '', { email: 'again@example.org', id })
  expect(refusal(again)).toMatchObject({ status: 400, key: 'error.duplicate' })
  expect(refusal(await admin.call('GET', 'neverwas/events'))).toMatchObject({ status: 404 })
  const helper = await createSignedInUser(site, { role: 'helper' })
  expect(refusal(await helper.call('GET', `${id}/events`))).toMatchObject({ status: 404 })
})

test('an invited account that was disabled and enabled can be invited again', async () => {
  const created = (await admin.call('POST', '', { email: 'late@example.org', role: 'writer' })).json<{
    data: { id: string }
  }>()
  const { id } = created.data
  for (const status of ['disabled', 'active']) {
    expect((await admin.call('PATCH', `${id}/status`, { status })).statusCode).toBe(200)
  }
  expect((await admin.call('GET', `${id}?select=status`)).json()).toMatchObject({ data: { status: 'invited' } })
  const open = await site.app.store.db
    .selectFrom('challenges')
    .innerJoin('users', 'users.auth_epoch', 'challenges.auth_epoch')
    .select('challenges.kind')
    .where('challenges.user_id', '=', id)
    .whereRef('challenges.user_id', '=', 'users.id')
    .execute()
  expect(open).toEqual([{ kind: 'invite' }])
})
