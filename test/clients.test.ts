/** Requests as clients of the reference API send them (decision 015). */
import { expect, test } from 'vitest'
import { createImage, createUploader } from './files.ts'
import { addUser, createTestStorage, createTestApp, password, writeBlueprints } from './harness.ts'
import { addPage, createTokenClient } from './pages.ts'
import { createSignedInUser } from './signed-in-user.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'files/quiet.yml': 'options: { list: false }',
  'pages/form.yml':
    'fields: { made: { type: text, converter: slug }, people: { type: users }, images: { type: files } }',
})
const site = await createTestApp({ storage, settings: { api: { basicAuth: true, allowInsecure: true } } })
const admin = await createTokenClient(site)
const notes = await addPage(site, '', { slug: 'notes', title: 'Notes', status: 'listed' })
for (const slug of ['a', 'b', 'c']) await addPage(site, notes, { slug, title: slug, status: 'listed' })
await addPage(site, '', { slug: 'form', title: 'Form', template: 'form', status: 'unlisted' })
const sender = await createUploader(await createSignedInUser(site))
const png = await createImage()

const keys = async (method: 'POST' | 'PATCH', path: string, body: object) =>
  Object.keys((await admin.done(method, path, body)).data as object).join()

test('created and changed models are returned with the selected fields', async () => {
  const user = await addUser(site)
  expect([
    await keys('POST', 'site/children?select=id', { slug: 'fresh' }),
    await keys('PATCH', 'pages/notes+a/status?select=num&language=en', { status: 'listed', position: '2' }),
    await keys('POST', 'languages?select=code', { code: 'en' }),
    await keys('POST', 'users?view=compact', { email: 'new@example.org', role: 'editor' }),
    await keys('PATCH', `users/${user.id}/name?select=name&language=en`, { name: 'x' }),
  ]).toEqual(['id', 'num', 'code', 'avatar,email,id,language,name,role,username,uuid', 'name'])
  const sent = await sender.send('pages/notes/files?select=filename', [{ filename: 'x.png', bytes: png }])
  expect(sent.json()).toMatchObject({ data: { filename: 'x.png' } })
  expect(Object.keys(sent.json<{ data: object }>().data)).toEqual(['filename'])
})

const found = async (body: object) =>
  ((await admin.done('POST', 'pages/notes/children/search?select=slug&_=1', body)).data as { slug: string }[])
    .map(({ slug }) => slug)
    .join('')

test('a search accepts empty lists, numbers as text and unknown names', async () => {
  const all = await found({ search: [], sortBy: 'slug' })
  expect(all).toHaveLength(3)
  expect(await found({ search: [], page: 1, limit: 1, whatever: true, sortBy: 'slug' })).toHaveLength(1)
  expect(await found({ search: {}, limit: '2' })).toHaveLength(2)
  const parts = [
    await found({ page: 1, limit: 1 }),
    await found({ page: '2', limit: '1' }),
    await found({ page: 3, limit: 1 }),
  ]
  expect(parts.toSorted().join('')).toBe('abc')
  for (const body of [{ search: ['a'] }, { limit: 'x' }, { page: 0 }, { page: -1 }])
    expect(await admin.call('POST', 'pages/notes/children/search', body)).toMatchObject({ status: 400 })
})

test('a denial of Basic credentials has a reason', async () => {
  const { email, id } = await addUser(site)
  const authorization = `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}`
  const change = (path: string, body: object) =>
    site.request({
      method: 'PATCH',
      url: `/api/users/${id}/${path}`,
      headers: { host: new URL(site.app.config.url).host, authorization, 'content-type': 'application/json' },
      payload: JSON.stringify(body),
    })
  for (const answer of [await change('password', { password }), await change('email', { email: 'x@example.org' })])
    expect(answer.json()).toMatchObject({ code: 403, key: 'error.auth.needsSession' })
  expect((await change('name', { name: 'Ada' })).json()).toMatchObject({ code: 200 })
})

test('unlisted files can be sorted by callers who see them', async () => {
  for (const filename of ['one.png', 'two.png'])
    await sender.send('pages/form/files', [{ filename, bytes: png }], { template: 'quiet' })
  await admin.done('PATCH', 'pages/form/files/sort', { files: ['two.png', 'one.png'] })
  const sorted = (await admin.done('GET', 'pages/form/files?select=filename')).data as { filename: string }[]
  expect(sorted.map(({ filename }) => filename)).toEqual(['two.png', 'one.png'])
})

test('entries show the image of an account, and link to files of other pages', async () => {
  const owner = await createSignedInUser(site)
  await (await createUploader(owner)).send('account/avatar', [{ filename: 'me.png', bytes: png }])
  await sender.send('pages/notes/files', [{ filename: 'y.png', bytes: png }])
  const content = { people: [`user://${owner.id}`], images: ['form/one.png', 'notes/y.png'] }
  const { data } = await admin.done('PATCH', 'pages/form?select=content', content)
  const { people, images } = (data as { content: Record<string, { dragText: string; uuid: string }[]> }).content
  expect(people).toMatchObject([
    { image: { url: expect.stringContaining('/media/') as string, srcset: expect.any(String) as string } },
  ])
  expect(images!.map(({ dragText }) => dragText)).toEqual(['(image: one.png)', `(image: ${images![1]!.uuid})`])
})

test('slugs follow the rules of the language, and a translated one is part of the content', async () => {
  await admin.done('POST', 'languages', { code: 'de', slugs: { '&': 'und' } })
  const inGerman = async (path: string, body: object) => (await admin.done('PATCH', `${path}?language=de`, body)).data
  expect((await inGerman('pages/form/slug', { slug: 'Ämter & Öle' })).slug).toBe('aemter-und-oele')
  expect((await inGerman('pages/form', { made: 'Räuber & Gäste' })).content).toMatchObject({
    made: 'raeuber-und-gaeste',
    slug: 'aemter-und-oele',
  })
  const { content } = (await admin.done('GET', 'pages/form?language=de')).data as { content: object }
  expect((await inGerman('pages/form', content)).content, 'all of it can be sent back').toEqual(content)
  expect(await admin.call('PATCH', 'pages/form?language=de', { slug: 'other' })).toMatchObject({ status: 400 })
  expect((await admin.done('GET', 'pages/form')).data).not.toHaveProperty('content.slug')
  expect((await admin.done('PATCH', 'pages/form', { made: 'Räuber & Gäste' })).data.content.made).toBe('rauber-gaste')
})

test('related models of a file are shown in full in the view "any"', async () => {
  const { data } = await admin.done('GET', 'pages/notes/files/x.png?view=any')
  expect(data).toMatchObject({
    parent: { content: { uuid: notes }, options: expect.any(Object) as object, parent: null },
    next: { content: expect.any(Object) as object, parent: { id: 'notes' }, prev: { filename: 'x.png' } },
  })
})
