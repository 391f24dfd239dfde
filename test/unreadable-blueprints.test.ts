import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { addUser, createTestApp, createTestStorage, password, type TestApp, writeBlueprints } from './harness.ts'
import { createTokenClient } from './pages.ts'
import { newIp, postLogin } from './sign-in.ts'
import { createSignedInUser } from './signed-in-user.ts'

const unreadable = 'options: { update: ['

/** A site with this blueprint, which cannot be read; `manager` has every permission, but is not `admin`. */
async function siteWith(name: string, settings: object = {}): Promise<TestApp> {
  const storage = await createTestStorage()
  writeBlueprints(storage.data, { 'users/manager.yml': 'title: Manager', [name]: unreadable })
  return createTestApp({ storage, settings })
}

const forbidden = { status: 403, key: 'error.site.access.permission' }

test('the site is shown to administrators only, and its content cannot be changed', async () => {
  const site = await siteWith('site.yml', { api: { public: true } })
  const [admin, manager] = [await createTokenClient(site), await createTokenClient(site, { role: 'manager' })]
  expect(await manager.call('GET', 'site')).toMatchObject(forbidden)
  expect(await manager.call('GET', 'site/files')).toMatchObject(forbidden)
  expect(await manager.call('PATCH', 'site', { tagline: 'x' })).toMatchObject(forbidden)
  expect(await manager.call('PATCH', 'site/title', { title: 'x' })).toMatchObject(forbidden)
  expect((await site.request({ url: '/api/site' })).statusCode, 'anonymous').toBe(401)
  expect(await manager.call('GET', 'pages/none'), 'other endpoints work').toMatchObject({ status: 404 })

  expect((await admin.done('GET', 'site')).data).toMatchObject({ options: { changeTitle: true, update: false } })
  await admin.done('GET', 'site/files')
  expect(await admin.call('PATCH', 'site', { tagline: 'x' })).toMatchObject({ status: 403 })
  await admin.done('PATCH', 'site/title', { title: 'Quay' })
})

test('accounts of a role are shown to administrators only; other accounts see and change their own', async () => {
  const site = await siteWith('users/writer.yml')
  const writer = await addUser(site, { role: 'writer' })
  const admin = await createTokenClient(site)
  const manager = await createSignedInUser(site, { role: 'manager' })
  const listed = async (call: typeof manager.call) =>
    (await call('GET', 'users')).json<{ data: { id: string }[] }>().data.map(({ id }) => id)
  expect((await manager.call('GET', `users/${writer.id}`)).statusCode).toBe(404)
  expect((await listed((method, path) => manager.browser.send({ method, url: `/api/${path}` }))).toSorted()).toEqual(
    [manager.id, admin.id].toSorted(),
  )
  expect((await manager.call('PATCH', `${manager.id}/name`, { name: 'Ada' })).statusCode).toBe(200)
  expect((await postLogin(site.browser({ ip: newIp() }), { email: manager.email, password })).statusCode).toBe(200)

  expect((await admin.done('GET', `users/${writer.id}`)).data).toMatchObject({ role: { name: 'writer' } })
  expect((await admin.done('GET', 'users')).pagination.total).toBe(3)
  expect(await admin.call('PATCH', `users/${writer.id}`, { bio: 'x' })).toMatchObject({ status: 403 })
})

test('so are accounts of a role without a file, if users/default.yml cannot be read', async () => {
  const site = await siteWith('users/default.yml')
  const ghost = await addUser(site, { role: 'ghost' })
  const manager = await createTokenClient(site, { role: 'manager' })
  expect(await manager.call('GET', `users/${ghost.id}`)).toMatchObject({ status: 404 })
  expect((await manager.done('GET', 'users')).data).toMatchObject([{ id: manager.id }])
  // As long as the file cannot be read, it may require a second factor of administrators, whom it describes, too.
  const admin = await createSignedInUser(site, { totp: true })
  expect((await admin.call('GET', ghost.id)).statusCode).toBe(200)
})

test('administrators keep everything if users/admin.yml cannot be read, and no other role sees them', async () => {
  const site = await siteWith('users/admin.yml')
  const admin = await createSignedInUser(site, { totp: true })
  const other = await addUser(site)
  const manager = await createTokenClient(site, { role: 'manager' })
  expect(await manager.call('GET', `users/${admin.id}`)).toMatchObject({ status: 404 })
  expect((await manager.done('GET', 'users')).data).toMatchObject([{ id: manager.id }])
  expect((await admin.call('GET', other.id)).statusCode).toBe(200)
  expect((await admin.call('PATCH', `${other.id}/name`, { name: 'Ada' })).statusCode).toBe(200)
  expect((await admin.call('PATCH', `${admin.id}/name`, { name: 'Grace' })).statusCode).toBe(200)
  const created = { email: 'new@example.org', role: 'admin', password: 'pale ochre quarry lantern' }
  expect((await admin.call('POST', '', created)).statusCode).toBe(200)
})

test('nothing is lost: a corrected blueprint shows what was there before', async () => {
  const storage = await createTestStorage()
  const blueprint = 'fields: { tagline: { type: text } }'
  writeBlueprints(storage.data, { 'site.yml': blueprint })
  const before = await createTestApp({ storage })
  await (await createTokenClient(before)).done('PATCH', 'site', { tagline: 'A lamp' })
  const path = join(storage.data, 'blueprints/site.yml')
  writeFileSync(path, unreadable)
  const during = await createTestApp({ storage })
  expect(await (await createTokenClient(during)).call('PATCH', 'site', { tagline: '' })).toMatchObject({ status: 403 })
  writeFileSync(path, blueprint)
  const after = await createTestApp({ storage })
  expect((await (await createTokenClient(after)).done('GET', 'site')).data.content).toEqual({ tagline: 'A lamp' })
})
