import { beforeAll, expect, test } from 'vitest'
import { createImage, createUploader, dataOf } from '../../../test/files.ts'
import { createTestStorage, createTestApp, type TestApp, writeBlueprints } from '../../../test/harness.ts'
import { addPage, type TokenClient, createTokenClient } from '../../../test/pages.ts'
import { describeRole, createSignedInUser } from '../../../test/signed-in-user.ts'
import { targetsIn } from './targets.ts'
import type { Backlink } from './backlinks.ts'

let site: TestApp
let [admin, reader]: TokenClient[] = []
let map: string
let other: string

beforeAll(async () => {
  const storage = await createTestStorage()
  const fields = 'fields: { text: { type: textarea }, body: { type: blocks }, cover: { type: files } }\n'
  writeBlueprints(storage.data, {
    'pages/note.yml': fields,
    'pages/secret.yml': `${fields}options: { list: { reader: false } }\n`,
    'pages/closed.yml': `${fields}options: { access: { reader: false } }\n`,
    'site.yml': fields,
    'files/kept.yml': 'fields: { text: { type: textarea } }\n',
    'files/hidden.yml': 'fields: { text: { type: textarea } }\noptions: { list: { reader: false } }\n',
    'users/reader.yml': `title: Reader\npermissions: { access: { users: false } }\n${fields}`,
  })
  describeRole(storage, 'writer', `title: Writer\n${fields}`)
  site = await createTestApp({ storage })
  ;[admin, reader] = [await createTokenClient(site), await createTokenClient(site, { role: 'reader' })]
  for (const slug of ['atlas', 'b-note', 'c-note'])
    await addPage(site, '', { slug, title: `The ${slug}`, template: 'note' })
  await addPage(site, '', { slug: 'd-secret', template: 'secret' })
  await addPage(site, '', { slug: 'e-closed', template: 'closed' })
  const sender = await createUploader(await createSignedInUser(site))
  const upload = async (path: string, filename: string, template = 'kept') =>
    dataOf<{ uuid: string }>(await sender.send(path, [{ filename, bytes: await createImage() }], { template })).uuid
  map = await upload('pages/atlas/files', 'map.png')
  other = await upload('pages/atlas/files', 'other.png')
  await upload('pages/e-closed/files', 'within.png')
  await upload('pages/atlas/files', 'unlisted.png', 'hidden')
})

const uses = async (of: string, who = admin!) => (await who.done('GET', of)).data as Backlink[]
const idsOf = async (of: string, who = admin!) => (await uses(of, who)).map(({ id }) => id)
const ofMap = 'pages/atlas/files/map.png/uses'

test('an unreferenced file has no uses', async () => {
  const { data, pagination } = await admin!.done('GET', ofMap)
  expect([data, pagination]).toEqual([[], { page: 0, total: 0, offset: 0, limit: 100 }])
})

test('uses of a file are listed as far as the caller may list them', async () => {
  const block = { type: 'text', content: { text: `<p>See <a href="${map}">the map</a></p>` } }
  await admin!.done('PATCH', 'site', { text: `The ${map}` })
  await admin!.done('PATCH', 'pages/b-note', { body: [block] })
  await admin!.done('PATCH', 'pages/c-note', { cover: [map] })
  await admin!.done('PATCH', 'pages/d-secret', { text: `(link: ${map.replace('file://', '/@/file/')})` })
  await admin!.done('PATCH', 'pages/e-closed', { text: map })
  await admin!.done('PATCH', 'pages/e-closed/files/within.png', { text: map })
  await admin!.done('PATCH', 'pages/atlas/files/other.png', { text: map })
  await admin!.done('PATCH', 'pages/atlas/files/unlisted.png', { text: map })
  await admin!.done('PATCH', `users/${reader!.id}`, { text: map })
  // Neither the beginning of a uuid nor itself is a use.
  await admin!.done('PATCH', 'pages/atlas', { text: `${map}x` })
  await admin!.done('PATCH', 'pages/atlas/files/map.png', { text: map })

  expect(await idsOf(ofMap)).toEqual([
    null, 'b-note', 'c-note', 'd-secret', 'e-closed',
    'atlas/other.png', 'atlas/unlisted.png', 'e-closed/within.png', reader!.id,
  ]) // prettier-ignore
  expect(await idsOf(ofMap, reader)).toEqual([null, 'b-note', 'c-note', 'atlas/other.png', reader!.id])
  expect((await uses(ofMap, reader)).slice(1, 4)).toMatchObject([
    { kind: 'page', title: 'The b-note', link: '/pages/b-note', languages: [], unsaved: false },
    { kind: 'page', link: '/pages/c-note' },
    { kind: 'file', title: 'other.png', link: '/pages/atlas/files/other.png', uuid: other },
  ])
  expect(await uses('pages/atlas/files/other.png/uses')).toEqual([])
})

test('uses are paginated', async () => {
  const { data, pagination } = await reader!.done('GET', `${ofMap}?limit=2&page=2`)
  expect(pagination).toEqual({ page: 2, total: 5, offset: 2, limit: 2 })
  expect(data).toMatchObject([{ id: 'c-note' }, { id: 'atlas/other.png' }])
  expect(await reader!.call('GET', `${ofMap}?limit=2&page=4`)).toMatchObject({ status: 404 })
  expect(await reader!.call('GET', `${ofMap}?limit=0`)).toMatchObject({ status: 400 })
})

test('removed and deleted references are no longer listed', async () => {
  await admin!.done('PATCH', 'pages/b-note', { body: [] })
  await admin!.done('DELETE', 'pages/d-secret')
  expect((await idsOf(ofMap)).slice(0, 3)).toEqual([null, 'c-note', 'e-closed'])
})

test('a page refers to its own files by filename', async () => {
  const ofOther = 'pages/atlas/files/other.png/uses'
  for (const [text, isUse] of [
    ['Look: (image: OTHER.png alt: Another)', true],
    ['(file: atlas/other.png)', true],
    ['(image: other.png.bak) other.png', false],
    ['(image: another.png)', false],
  ] as const) {
    await admin!.done('PATCH', 'pages/atlas', { text })
    expect([text, await idsOf(ofOther)]).toEqual([text, isUse ? ['atlas'] : []])
  }
  await admin!.done('PATCH', 'pages/atlas', { text: '', cover: ['other.png'] })
  expect(await idsOf(ofOther)).toEqual(['atlas'])
  await admin!.done('PATCH', 'pages/c-note', { text: '(image: other.png)' })
  expect(await idsOf(ofOther)).toEqual(['atlas'])
  await admin!.done('PATCH', 'pages/atlas', { cover: [] })
})

test('drafts count as uses, too', async () => {
  const ofOther = 'pages/atlas/files/other.png/uses'
  await admin!.done('POST', 'pages/c-note/changes/save', { text: other })
  await admin!.done('POST', 'pages/atlas/changes/save', { text: '(image: other.png)' })
  expect(await uses(ofOther)).toMatchObject([
    { id: 'atlas', unsaved: true },
    { id: 'c-note', unsaved: true },
  ])
  await admin!.done('POST', 'pages/c-note/changes/publish', {})
  await admin!.done('POST', 'pages/atlas/changes/discard')
  expect(await uses(ofOther)).toMatchObject([{ id: 'c-note', unsaved: false }])
})

test('pages have uses, too', async () => {
  const { uuid } = (await admin!.done('GET', 'pages/atlas')).data as { uuid: string }
  expect(await idsOf('pages/atlas/uses')).toEqual([])
  await admin!.done('PATCH', 'pages/atlas', { text: `myself: ${uuid}` })
  await admin!.done('PATCH', 'pages/c-note', { text: `(link: ${uuid} text: Atlas)` })
  await admin!.done('PATCH', 'pages/e-closed', {
    body: [{ type: 'text', content: { text: `<a href="${uuid}">x</a>` } }],
  })
  expect(await idsOf('pages/atlas/uses')).toEqual(['c-note', 'e-closed'])
  expect(await idsOf('pages/atlas/uses', reader)).toEqual(['c-note'])
})

test('the uses of an invisible page are not found', async () => {
  for (const path of ['pages/e-closed/uses', 'pages/e-closed/files/within.png/uses', 'pages/atlas/files/gone.png/uses'])
    expect(await reader!.call('GET', path)).toMatchObject({ status: 404 })
  expect(await reader!.call('GET', `users/${admin!.id}/files/a.png/uses`)).toMatchObject({ status: 404 })
  expect(await reader!.call('GET', 'site/files/a.png/uses')).toMatchObject({ status: 404 })
})

test('references are shown with their targets, as far as the caller may see them', async () => {
  const uuidOf = async (id: string) => ((await admin!.done('GET', `pages/${id}`)).data as { uuid: string }).uuid
  const [atlas, closed] = [await uuidOf('atlas'), await uuidOf('e-closed')]
  const { uuid: within } = (await admin!.done('GET', 'pages/e-closed/files/within.png')).data as { uuid: string }
  const path = `site/references?of=${[map, closed, 'page://gone', atlas, within, 'file://gone', map].join(',')}`
  const { data } = await admin!.done('GET', path)
  expect(data).toMatchObject([
    {
      kind: 'file',
      uuid: map,
      id: 'atlas/map.png',
      text: 'map.png',
      link: '/pages/atlas/files/map.png',
      type: 'image',
    },
    { kind: 'page', uuid: closed, id: 'e-closed' },
    { kind: 'page', uuid: atlas, id: 'atlas', text: 'The atlas', link: '/pages/atlas', type: null },
    { kind: 'file', uuid: within, text: 'within.png' },
  ])
  expect((data as { image: object }[])[0]!.image).toHaveProperty('url')
  const visible = (await reader!.done('GET', path)).data as { uuid: string }[]
  expect(visible.map(({ uuid }) => uuid)).toEqual([map, atlas])
  expect((await admin!.done('GET', 'site/references')).data).toEqual([])
})

test.each(['?of=,', '?of=atlas', '?of=user://x', `?of=${'page://x,'.repeat(3)}`])(
  'invalid references are refused: %s',
  async query => {
    expect(await admin!.call('GET', `site/references${query}`)).toMatchObject({ status: 400, key: 'error.validation' })
  },
)

test('too many references are refused', async () => {
  const of = Array.from({ length: 101 }, (_, at) => `page://p${at}`).join(',')
  expect(await admin!.call('GET', `site/references?of=${of}`)).toMatchObject({ status: 400 })
})

test('uses name their languages', async () => {
  await admin!.done('POST', 'languages', { code: 'en', name: 'English', default: true })
  await admin!.done('POST', 'languages', { code: 'de', name: 'Deutsch' })
  await admin!.done('PATCH', 'pages/c-note?language=de', { text: `Die Karte ${map}` })
  expect((await uses(ofMap)).find(({ id }) => id === 'c-note')).toMatchObject({ languages: ['en', 'de'] })
  await admin!.done('PATCH', 'pages/c-note?language=en', { cover: [] })
  expect((await uses(ofMap)).find(({ id }) => id === 'c-note')).toMatchObject({ languages: ['de'] })
})

test.each([
  ['{"a":"file://abc and file://abc/, page://x_y-Z!"}', ['file://abc', 'page://x_y-Z']],
  ['{"a":"file://file://abc \\\\file://def"}', ['file://abc', 'file://def']],
  [JSON.stringify({ a: '{"b":"file:\\/\\/abc","c":"\\/@\\/page\\/def"}' }), ['file://abc', 'page://def']],
  [
    JSON.stringify({ a: `file://${'a'.repeat(64)} file://${'b'.repeat(65)} file:// page://"x` }),
    [`file://${'a'.repeat(64)}`],
  ],
  [JSON.stringify({ a: 'file://日本 \f\b"\\ file://\u0001abc file://ok' }), ['file://ok']],
  ['{"a":"/@/file/page://abc"}', ['page://abc']],
])('the store finds the references in %s', async (data, targets) => {
  const { db } = site.app.store
  const row = { owner: 'page://probe', language: '', modified_at: 0 }
  const linked = async () => {
    const rows = await db.selectFrom('links').selectAll().where('owner', '=', row.owner).execute()
    return rows.map(({ target }) => target).toSorted()
  }
  expect([...targetsIn(data)].toSorted()).toEqual(targets)
  await db
    .insertInto('contents')
    .values({ ...row, data })
    .execute()
  expect(await linked()).toEqual(targets)
  await db.updateTable('contents').set({ data: '{}' }).where('owner', '=', row.owner).execute()
  expect(await linked()).toEqual([])
  await db.updateTable('contents').set({ data }).where('owner', '=', row.owner).execute()
  expect(await linked()).toEqual(targets)
  await db.deleteFrom('contents').where('owner', '=', row.owner).execute()
  expect(await linked()).toEqual([])
})
