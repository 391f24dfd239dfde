import { expect, test } from 'vitest'
import { addUser, createTestStorage, createTestApp } from '../../../test/harness.ts'
import { describeRole, createSignedInUser } from '../../../test/signed-in-user.ts'
import { revisionIn } from '../../../test/revision.ts'
import { refusal } from '../../../test/sign-in.ts'
import { sweep } from '../../groups/auth/sweep.ts'
import { createLanguage, deleteLanguage } from '../languages/languages.ts'
import { operatorContext } from '../../cli/site.ts'

const storage = await createTestStorage()
describeRole(storage, 'member', 'fields: { bio: { type: textarea }, level: { type: number }, mates: { type: users } }')
describeRole(storage, 'reader', 'permissions: { users: { update: false } }')
const site = await createTestApp({ storage, settings: { history: { keep: 5, days: 30 } } })
const { db } = site.app.store
const anna = await createSignedInUser(site)
const reader = await createSignedInUser(site, { role: 'reader' })

const day = 24 * 60 * 60_000

async function newMember(...contents: object[]): Promise<string> {
  const { id } = await addUser(site, { role: 'member' })
  for (const content of contents) expect((await anna.call('PATCH', id, content)).statusCode).toBe(200)
  return id
}

const contentOf = async (id: string) =>
  (await anna.call('GET', id)).json<{ data: { content: Record<string, unknown> } }>().data.content

interface Version {
  id: number
  time: string
  action: string
  language: string | null
  revision: number
  user: { id: string; username: string } | null
  fields: string[]
}
const listOf = async (id: string, query = '') =>
  (await anna.call('GET', `${id}/history${query}`)).json<{ data: Version[]; pagination: { total: number } }>()

interface Whole extends Version {
  content: Record<string, unknown>
  changes: Record<string, { before: unknown; after: unknown }>
}
const versionOf = async (id: string, version: number, query = '') =>
  (await anna.call('GET', `${id}/history/${version}${query}`)).json<{ data: Whole }>().data

test('every save is a version with author, time, action and changed fields', async () => {
  const id = await newMember({ bio: 'one' }, { bio: 'two', level: 3 })
  await anna.call('POST', `${id}/changes/save`, { level: 4 })
  await anna.call('POST', `${id}/changes/publish`)
  const { data, pagination } = await listOf(id)
  expect(pagination).toMatchObject({ total: 3, page: 1 })
  expect(data.map(({ action, fields, revision }) => [action, fields, revision])).toEqual([
    ['publish', ['level'], 4],
    ['update', ['bio', 'level'], 3],
    ['update', ['bio'], 2],
  ])
  expect(data[0]).toMatchObject({ language: null, user: { id: anna.id, username: anna.email } })
  expect(Math.abs(Date.parse(data[0]!.time) - storage.clock())).toBeLessThan(60_000)
  const second = await listOf(id, '?limit=1&page=2')
  expect(second.data.map(one => one.id)).toEqual([data[1]!.id])
})

test('a save without a difference creates no version and keeps the revision', async () => {
  const id = await newMember({ bio: 'one' })
  const { headers } = await anna.call('GET', id)
  expect(revisionIn((await anna.call('PATCH', id, { bio: 'one' })).headers)).toBe(revisionIn(headers))
  expect((await listOf(id)).pagination.total).toBe(1)
})

test('a version is compared with the previous one, with the published content, or with any other', async () => {
  const mate = await addUser(site)
  const id = await newMember({ bio: 'one' }, { bio: 'two', mates: [`user://${mate.id}`] }, { bio: 'three', level: 3 })
  const [third, second, first] = (await listOf(id)).data.map(one => one.id)
  expect(await versionOf(id, second!)).toMatchObject({
    action: 'update',
    content: { bio: 'two', level: '', mates: [{ id: mate.id }] },
    changes: { bio: { before: 'one', after: 'two' }, mates: { before: [], after: [{ id: mate.id }] } },
  })
  expect((await versionOf(id, second!, '?compare=current')).changes).toEqual({
    bio: { before: 'three', after: 'two' },
    level: { before: 3, after: '' },
  })
  expect((await versionOf(id, third!, `?compare=${first}`)).changes).toMatchObject({
    bio: { before: 'one', after: 'three' },
    level: { before: '', after: 3 },
  })
  expect((await versionOf(id, first!)).changes).toEqual({ bio: { before: '', after: 'one' } })
})

test('a version is restored as a draft, and published as a new version', async () => {
  const id = await newMember({ bio: 'one', other: 'kept' }, { bio: 'two', level: 3 })
  const [, first] = (await listOf(id)).data
  const answer = await anna.call('POST', `${id}/history/${first!.id}/restore`)
  expect(answer.json()).toEqual({ status: 'ok' })
  expect(answer.headers['etag']).toBe('"3"')
  expect(await contentOf(id)).toMatchObject({ bio: 'two', level: 3 })
  await anna.call('POST', `${id}/changes/publish`)
  expect(await contentOf(id)).toMatchObject({ bio: 'one', level: '', other: 'kept' })
  expect((await listOf(id)).data[0]).toMatchObject({ action: 'publish', fields: ['bio', 'level'], revision: 4 })
  await anna.call('POST', `${id}/history/${first!.id}/restore`)
  await anna.call('POST', `${id}/changes/publish`)
  expect((await listOf(id)).pagination.total, 'nothing differs').toBe(3)
})

test('restoring is refused with an outdated revision and during an edit lock', async () => {
  const id = await newMember({ bio: 'one' }, { bio: 'two' })
  const [, first] = (await listOf(id)).data
  const csrf = (await anna.browser.send({ url: '/api/auth' })).json<{ csrf: string }>().csrf
  const answer = await anna.browser.send({
    method: 'POST',
    url: `/api/users/${id}/history/${first!.id}/restore`,
    headers: { 'x-csrf': csrf, 'sec-fetch-site': 'same-origin', 'if-match': '"1"' },
  })
  expect(refusal(answer)).toMatchObject({ status: 412, details: { current: { id } } })
  const bert = await createSignedInUser(site)
  await bert.call('POST', `${id}/changes/save`, { bio: 'mine' })
  expect((await anna.call('POST', `${id}/history/${first!.id}/restore`)).statusCode).toBe(423)
  expect(await contentOf(id)).toMatchObject({ bio: 'two' })
})

test('versions require the permission to update, and belong to one model', async () => {
  const id = await newMember({ bio: 'one' })
  const other = await newMember({ bio: 'of another' })
  const [foreign] = (await listOf(other)).data
  for (const [method, path] of [
    ['GET', ''],
    ['GET', `/${foreign!.id}`],
    ['POST', `/${foreign!.id}/restore`],
  ] as const) {
    expect(refusal(await reader.call(method, `${id}/history${path}`)).key).toBe('error.user.update.permission')
    expect(refusal(await anna.call(method, `nobody99/history${path}`)).key).toBe('error.user.notFound')
  }
  for (const version of [foreign!.id, 0, 'x', '-1', '1e3', '99999999999999999999'])
    for (const [method, path] of [
      ['GET', `${version}`],
      ['POST', `${version}/restore`],
    ] as const)
      expect(refusal(await anna.call(method, `${id}/history/${path}`))).toMatchObject({
        status: 404,
        key: 'error.content.history.notFound',
      })
  const [own] = (await listOf(id)).data
  expect((await anna.call('GET', `${id}/history/${own!.id}?compare=${foreign!.id}`)).statusCode).toBe(404)
  expect((await anna.call('GET', `${id}/history/${own!.id}?compare=x`)).statusCode).toBe(400)
  expect((await anna.call('GET', `${id}/history?page=7`)).statusCode).toBe(404)
})

test('the configured number of newest versions is kept per language', async () => {
  const id = await newMember(...Array.from({ length: 8 }, (_, at) => ({ bio: `version ${at}` })))
  const { data } = await listOf(id)
  expect(await Promise.all(data.map(async one => (await versionOf(id, one.id)).content['bio']))).toEqual([
    'version 7',
    'version 6',
    'version 5',
    'version 4',
    'version 3',
  ])
  expect((await versionOf(id, data.at(-1)!.id)).changes, 'the previous one was deleted').toMatchObject({
    bio: { before: '', after: 'version 3' },
  })
})

const count = async (id: string) =>
  (await db.selectFrom('history').select('id').where('owner', '=', `user://${id}`).execute()).length

test('old versions are deleted, except the last one of a model', async () => {
  const id = await newMember({ bio: 'one' }, { bio: 'two' }, { bio: 'three' })
  const resting = await newMember({ bio: 'still' })
  await storage.moveClock(29 * day)
  await anna.confirm()
  await sweep(site.app)
  expect(await count(id)).toBe(3)
  await storage.moveClock(2 * day)
  for (let round = 0; round < 2; round++) {
    await sweep(site.app)
    expect(await count(id)).toBe(1)
    expect(await count(resting)).toBe(1)
  }
})

test('versions of a deleted account have no author', async () => {
  const gone = await createSignedInUser(site)
  const { id } = await addUser(site, { role: 'member' })
  await gone.call('PATCH', id, { bio: 'of somebody' })
  await db.deleteFrom('users').where('id', '=', gone.id).execute()
  const late = await createSignedInUser(site)
  const { data } = (await late.call('GET', `${id}/history`)).json<{ data: Version[] }>()
  expect(data[0]).toMatchObject({ user: null, fields: ['bio'] })
})

test('a version belongs to its language, and is restored in it', async () => {
  const late = await createSignedInUser(site)
  const { id } = await addUser(site, { role: 'member' })
  await late.call('PATCH', id, { bio: 'one', level: 3 })
  for (const code of ['en', 'de']) await createLanguage(operatorContext(site.app), { code })
  for (const bio of ['eins', 'zwei']) await late.call('PATCH', `${id}?language=de`, { bio })
  const list = async (query: string) =>
    (await late.call('GET', `${id}/history${query}`)).json<{ data: Version[] }>().data
  expect((await list('')).map(one => one.language)).toEqual(['de', 'de', 'en'])
  expect((await list('?language=en')).map(one => one.language)).toEqual(['en'])
  const [, first] = await list('?language=de')
  expect((await late.call('POST', `${id}/history/${first!.id}/restore`)).statusCode).toBe(200)
  expect((await late.call('POST', `${id}/changes/publish?language=de`)).statusCode).toBe(200)
  const bioIn = async (code: string) =>
    (await late.call('GET', `${id}?language=${code}`)).json<{ data: { content: { bio: string } } }>().data.content.bio
  expect(await bioIn('de')).toBe('eins')
  expect(await bioIn('en')).toBe('one')
  const [english] = await list('?language=en')
  expect((await late.call('GET', `${id}/history/${first!.id}?compare=${english!.id}`)).statusCode).toBe(404)
  await deleteLanguage(operatorContext(site.app), 'de')
  expect((await late.call('GET', `${id}/history/${first!.id}`)).statusCode, 'its language was deleted').toBe(404)
})
