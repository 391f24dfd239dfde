import { beforeAll, expect, test } from 'vitest'
import { createImage, type Uploader, createUploader, dataOf } from '../../../../test/files.ts'
import { createTestStorage, createTestApp, type TestApp, writeBlueprints } from '../../../../test/harness.ts'
import { addPage, type TokenClient, createTokenClient } from '../../../../test/pages.ts'
import { describeRole, createSignedInUser } from '../../../../test/signed-in-user.ts'
import { findFaults } from '../../../cli/check/faults.ts'

let site: TestApp
let sender: Uploader
let [admin, reader, anonymous]: TokenClient[] = []
let keeper = ''

beforeAll(async () => {
  const storage = await createTestStorage()
  writeBlueprints(storage.data, {
    'pages/secret.yml': 'options: { access: { reader: false } }',
    'pages/hushed.yml': 'options: { list: { reader: false } }',
    'files/kept.yml': 'fields: { alt: { type: text } }',
    'files/hidden.yml': 'fields: { alt: { type: text } }\noptions: { list: { reader: false } }',
  })
  describeRole(storage, 'keeper', 'title: Keeper')
  describeRole(storage, 'reader', 'permissions: { access: { users: false } }')
  describeRole(storage, 'anonymous', 'permissions: { access: { site: false, users: false }, pages: { access: false } }')
  site = await createTestApp({ storage })
  ;[admin, reader, anonymous] = [
    await createTokenClient(site),
    await createTokenClient(site, { role: 'reader' }),
    await createTokenClient(site, { role: 'anonymous' }),
  ]
  const notes = await addPage(site, '', { slug: 'notes', title: 'Notes' })
  await addPage(site, notes, { slug: 'coast', title: 'The coast' })
  await addPage(site, '', { slug: 'vault', template: 'secret' })
  await addPage(site, '', { slug: 'hush', template: 'hushed' })
  const owner = await createSignedInUser(site, { role: 'keeper' })
  keeper = owner.id
  sender = await createUploader(await createSignedInUser(site))
  const png = await createImage()
  const upload = async (path: string, filename: string, template = 'kept') =>
    dataOf(await sender.send(`${path}/files`, [{ filename, bytes: png }], { template }))
  await upload('pages/notes+coast', 'lighthouse.png')
  await upload('pages/notes', 'the-old-lighthouse.png')
  await upload('pages/notes', 'unlisted-lighthouse.png', 'hidden')
  await upload('pages/vault', 'lighthouse-plan.png')
  await upload('pages/hush', 'lighthouse-quiet.png')
  await upload('site', 'lighthouse-logo.png')
  await upload(`users/${keeper}`, 'lighthouse-me.png')
  await upload('pages/notes', 'dsc00417.png')
  await admin.done('PATCH', 'pages/notes/files/dsc00417.png', { alt: 'Beside the lighthouse, at Größe' })
})

const find = async (q: string, who = admin!, more = '') => {
  const { data, pagination } = await who.done(
    'GET',
    `site/search/files?q=${encodeURIComponent(q)}&status=all&select=id${more}`,
  )
  return { ids: (data as { id: string }[]).map(({ id }) => id), total: pagination.total }
}

test('files of all parents are found, best name matches first', async () => {
  expect(await find('Lighthouse')).toEqual({
    ids: [
      'lighthouse-logo.png',
      `${keeper}/lighthouse-me.png`,
      'vault/lighthouse-plan.png',
      'hush/lighthouse-quiet.png',
      'notes/coast/lighthouse.png',
      'notes/the-old-lighthouse.png',
      'notes/unlisted-lighthouse.png',
      'notes/dsc00417.png',
    ],
    total: 8,
  })
  expect((await find('lighthouse.png')).ids[0]).toBe('notes/coast/lighthouse.png')
  expect((await find('old light')).ids[0]).toBe('notes/the-old-lighthouse.png')
  expect((await find('groesse grosse')).ids, 'by their content').toEqual(['notes/dsc00417.png'])
  expect((await find('0041')).ids, 'by a part of the name').toEqual(['notes/dsc00417.png'])
  for (const q of ['', 'x', '%', '__', "'", '\\', 'notes', '"*', 'file', 'nothing such'])
    expect([q, await find(q)]).toEqual([q, { ids: [], total: 0 }])
})

test('invisible files are neither found nor counted', async () => {
  const visible = [
    'lighthouse-logo.png',
    'notes/coast/lighthouse.png',
    'notes/the-old-lighthouse.png',
    'notes/dsc00417.png',
  ]
  expect(await find('lighthouse', reader)).toEqual({ ids: visible, total: 4 })
  expect(await find('lighthouse', reader, '&limit=2&page=2')).toEqual({ ids: visible.slice(2), total: 4 })
  expect(await find('lighthouse', anonymous)).toEqual({ ids: [], total: 0 })
  const token = await createTokenClient(site, { scopes: ['files.update'] })
  expect((await find('lighthouse', token)).total, 'a token for files reaches what they belong to').toBe(8)
  const otherClient = await createTokenClient(site, { scopes: ['languages.update'] })
  expect((await find('lighthouse', otherClient)).total).toBe(0)
})

test('a file is shown with its parent', async () => {
  const { data } = await admin!.done(
    'GET',
    'site/search/files?status=all&q=lighthouse&limit=5&select=filename,link,parent,url',
  )
  expect(data).toMatchObject([
    { link: '/site/files/lighthouse-logo.png', parent: { id: null, kind: 'site', link: '/site', title: 'Site' } },
    { link: `/users/${keeper}/files/lighthouse-me.png`, parent: { id: keeper, kind: 'user' } },
    { parent: { id: 'vault', kind: 'page' } },
    { parent: { id: 'hush', kind: 'page' } },
    {
      filename: 'lighthouse.png',
      link: '/pages/notes+coast/files/lighthouse.png',
      parent: { id: 'notes/coast', kind: 'page', link: '/pages/notes+coast', title: 'The coast' },
      url: expect.stringContaining('/media/pages/notes/coast/') as string,
    },
  ])
  const [whole] = (await admin!.done('GET', 'site/search/files?status=all&q=dsc00417')).data as Record<
    string,
    unknown
  >[]
  const [own] = (await admin!.done('GET', 'pages/notes/files/search?q=dsc00417')).data as Record<string, unknown>[]
  expect({ ...whole, parent: own!['parent'] }, 'the same as in the search of its page').toEqual(own)
})

test('invalid requests are refused', async () => {
  for (const query of [`q=${'x'.repeat(1001)}`, 'limit=0', 'limit=1001', 'page=-1'])
    expect([query, await admin!.call('GET', `site/search/files?${query}`)]).toMatchObject([query, { status: 400 }])
  expect(await admin!.call('GET', 'site/search/files?status=all&q=lighthouse&page=9')).toMatchObject({ status: 404 })
  expect(await admin!.call('POST', 'site/search/files', {})).toMatchObject({ status: 405 })
  expect((await site.request({ url: '/api/site/search/files?q=lighthouse' })).statusCode).toBe(401)
})

test('renamed and deleted files are found accordingly, and the index is consistent', async () => {
  dataOf(await sender.call('PATCH', 'site/files/lighthouse-logo.png/name', { name: 'beacon' }))
  expect([(await find('beacon')).ids, (await find('lighthouse')).total]).toEqual([['beacon.png'], 7])
  await admin!.done('DELETE', 'site/files/beacon.png')
  expect((await find('beacon')).ids).toEqual([])
  expect((await findFaults(site.app, { thorough: true, progress: () => {} })).faults).toEqual([])
})
