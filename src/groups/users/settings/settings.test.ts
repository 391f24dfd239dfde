import { expect, test } from 'vitest'
import { createTestApp } from '../../../../test/harness.ts'
import { createTokenClient } from '../../../../test/pages.ts'
import { operatorContext } from '../../../cli/site.ts'
import { deleteUser } from '../users.ts'

const site = await createTestApp()
const [ada, other] = [await createTokenClient(site), await createTokenClient(site)]

const settingsOf = async (who = ada) => (await who.done('GET', 'users/account/settings')).data as object
const change = (body: unknown, who = ada) => who.call('PATCH', 'users/account/settings', body)

test('settings are changed by name, and belong to one account', async () => {
  expect(await settingsOf()).toEqual({})
  const first = { 'view:a': { name: 'Mine', view: { state: 'mine' } }, theme: 'dark' }
  expect((await change(first)).data).toEqual(first)
  expect((await change({ theme: null, 'view:b': [1, 'two', null] })).data).toEqual({
    'view:a': first['view:a'],
    'view:b': [1, 'two', null],
  })
  expect(await settingsOf()).toHaveProperty('view:b')
  expect(await settingsOf(other)).toEqual({})
  expect((await ada.done('GET', `users/${ada.id}/settings`)).data).toHaveProperty('view:a')
  expect((await change({})).data, 'nothing changes').toHaveProperty('view:a')
})

test('the settings of an account are refused to others, even to an administrator', async () => {
  await change({ secret: 1 }, other)
  for (const method of ['GET', 'PATCH'] as const)
    expect(
      await ada.call(method, `users/${other.id}/settings`, method === 'PATCH' ? { secret: 2 } : undefined),
    ).toMatchObject({ status: 403, key: 'error.permission' })
  expect(await ada.call('GET', 'users/nobody/settings')).toMatchObject({ status: 404, key: 'error.user.notFound' })
  expect(await settingsOf(other)).toEqual({ secret: 1 })
})

test.each([
  [[]],
  ['text'],
  [null],
  [{ '': 1 }],
  [{ 'with space': 1 }],
  [{ ['x'.repeat(201)]: 1 }],
  [{ "';drop table users": 1 }],
])('%j is refused', async body => {
  const before = await settingsOf()
  expect(await change(body)).toMatchObject({ status: 400 })
  expect(await settingsOf()).toEqual(before)
})

test('all settings together have a size limit', async () => {
  const before = await settingsOf()
  // Two bytes in UTF-8 each.
  expect(await change({ a: 'é'.repeat(20_000) })).toMatchObject({ status: 200 })
  expect(await change({ b: 'é'.repeat(13_000) })).toMatchObject({ status: 400, key: 'error.user.settings.size' })
  expect(await change({ c: 'x'.repeat(70_000) })).toMatchObject({ status: 413, key: 'error.request.tooLarge' })
  expect(Object.keys(await settingsOf())).toEqual([...Object.keys(before), 'a'])
  expect(await change({ a: null, b: 'é'.repeat(13_000) })).toMatchObject({ status: 200 })
  await change({ b: null })
})

test('changes at the same time do not undo each other', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `view:${index}`)
  await Promise.all(names.map(name => change({ [name]: name }, other)))
  expect(Object.keys(await settingsOf(other)).filter(name => name.startsWith('view:'))).toHaveLength(12)
})

test('names of properties that every object has are ordinary names', async () => {
  const body = JSON.parse('{"constructor":1,"__proto__":{"polluted":true}}') as object
  const { status } = await change(body)
  expect(status).toBeLessThan(500)
  expect(({} as { polluted?: true }).polluted).toBeUndefined()
})

test('settings are deleted with their account', async () => {
  const gone = await createTokenClient(site)
  await change({ a: 1 }, gone)
  await deleteUser(operatorContext(site.app), { id: gone.id })
  const rows = await site.app.store.db.selectFrom('user_settings').selectAll().where('user_id', '=', gone.id).execute()
  expect(rows).toEqual([])
})
