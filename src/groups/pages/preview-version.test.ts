import { expect, test } from 'vitest'
import { createImage, createUploader } from '../../../test/files.ts'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'
import { createSignedInUser } from '../../../test/signed-in-user.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'site.yml': 'fields: { motto: { type: text } }',
  'pages/default.yml': 'fields: { text: { type: text }, see: { type: pages } }',
  'pages/secret.yml': 'options: { preview: { reader: false } }\nfields: { text: { type: text } }',
  'files/default.yml': 'fields: { alt: { type: text } }',
  'users/reader.yml': 'permissions: { pages: { preview: true } }',
  'users/visitor.yml': 'permissions: { pages: { preview: false } }',
})
const site = await createTestApp({ storage })
const admin = await createTokenClient(site)
const notes = await addPage(site, '', { slug: 'notes', title: 'Notes', content: { text: 'old words' }, draft: false })
const ink = await addPage(site, notes, {
  slug: 'ink',
  title: 'Ink',
  content: { text: 'see', see: [`page://${notes}`] },
})
await addPage(site, '', { slug: 'secret', template: 'secret', content: { text: 'old' }, draft: false })
await admin.done('POST', 'pages/notes/changes/save', { text: 'heron words' })
await admin.done('POST', 'pages/secret/changes/save', { text: 'new' })
await admin.done('POST', 'site/changes/save', { motto: 'Slowly' })

const read = async (path: string) => (await admin.done('GET', path)).data
const ids = (list: { id: string }[]) => list.map(({ id }) => id)

test('unpublished changes are shown only with `version=changes`, and say whose fields they are', async () => {
  expect(await read('pages/notes')).toMatchObject({ content: { text: 'old words' } })
  expect(await read('pages/notes?version=published')).not.toHaveProperty('editable')
  expect(await read('pages/notes?version=changes')).toMatchObject({
    content: { text: 'heron words' },
    editable: `page://${notes}`,
  })
  expect(await read(`pages/@${notes}?version=changes&select=content`)).toMatchObject({
    content: { text: 'heron words' },
  })
  expect(await read('site?version=changes')).toMatchObject({ content: { motto: 'Slowly' }, editable: 'site://' })
  expect(await read('site?select=content')).toEqual({ content: { motto: '' } })
})

test('drafts are among children, siblings and search results', async () => {
  expect(ids(await read('pages/notes/children'))).toEqual([])
  expect(ids(await read('pages/notes/children?version=changes'))).toEqual(['notes/ink'])
  expect(await read('pages/notes?version=changes&select=children,hasChildren')).toMatchObject({
    children: [{ id: 'notes/ink', editable: `page://${ink}` }],
    hasChildren: true,
  })
  expect(ids(await read('site/search?q=heron'))).toEqual([])
  expect(ids(await read('site/search?q=heron&version=changes'))).toEqual(['notes'])
  expect(ids(await read('site/search?q=old&version=changes'))).toEqual([])
  const found = await admin.done('POST', 'site/search?version=changes', { filterBy: [{ field: 'text', operator: '*=', value: 'heron' }] }) // prettier-ignore
  expect(ids(found.data)).toEqual(['notes'])
})

test('files show their unpublished changes', async () => {
  const sender = await createUploader(await createSignedInUser(site))
  await sender.send('pages/notes/files', [{ filename: 'a.png', bytes: await createImage() }])
  await admin.done('POST', 'pages/notes/files/a.png/changes/save', { alt: 'A heron' })
  expect(await read('pages/notes/files/a.png?version=changes')).toMatchObject({ content: { alt: 'A heron' } })
  expect(await read('pages/notes/files?version=changes')).toMatchObject([{ editable: /^file:/ }])
  expect(await read('pages/notes/files/a.png')).toMatchObject({ content: { alt: '' } })
})

test('a translation shows the changes of both languages', async () => {
  await admin.done('POST', 'languages', { code: 'en', name: 'English', default: true })
  await admin.done('POST', 'languages', { code: 'de', name: 'Deutsch' })
  const german = async () => (await read('pages/notes?version=changes&language=de')).content.text
  expect(await german()).toBe('heron words')
  await admin.done('POST', 'pages/notes/changes/save?language=de', { text: 'Reiher' })
  expect(await german()).toBe('Reiher')
  expect((await read('pages/notes?version=changes')).content.text).toBe('heron words')
})

test('the role must be allowed to preview, and a template can forbid it', async () => {
  const reader = await createTokenClient(site, { role: 'reader' })
  const changed = async (id: string) => (await reader.done('GET', `pages/${id}?version=changes`)).data.content.text
  expect([await changed('notes'), await changed('secret')]).toEqual(['heron words', 'old'])
  const otherClient = await createTokenClient(site, { role: 'visitor' })
  expect(await otherClient.call('GET', 'pages/notes?version=changes')).toMatchObject({
    status: 403,
    key: 'error.permission',
  })
  expect(await otherClient.call('GET', 'site?version=changes&select=revision')).toMatchObject({ status: 403 })
})

test('files of a page that may not be previewed show their published content', async () => {
  const sender = await createUploader(await createSignedInUser(site))
  await sender.send('pages/secret/files', [{ filename: 'a.png', bytes: await createImage() }])
  await sender.send('site/files', [{ filename: 'logo.png', bytes: await createImage() }])
  await admin.done('POST', 'pages/secret/files/a.png/changes/save', { alt: 'Not yet' })
  await admin.done('POST', 'site/files/logo.png/changes/save', { alt: 'A logo' })
  const reader = await createTokenClient(site, { role: 'reader' })
  const alt = async (path: string) =>
    (await reader.done('GET', `${path}/files?version=changes&select=content`)).data[0].content.alt
  expect(await alt('pages/secret')).toBe('')
  expect(await alt('pages/notes')).toBe('A heron')
  expect(await alt('site')).toBe('A logo')
  const one = (await reader.done('GET', 'pages/secret/files/a.png?version=changes')).data
  expect(one.content.alt).toBe('')
  const matching = { filterBy: [{ field: 'alt', operator: '==', value: 'Not yet' }] }
  const found = async (client: typeof admin) =>
    (await client.done('POST', 'pages/secret/files/search?version=changes', matching)).data.length
  expect([await found(reader), await found(admin)]).toEqual([0, 1])
})

test('other versions are refused, and changes cannot be written over', async () => {
  expect(await admin.call('GET', 'pages/notes?version=draft')).toMatchObject({ status: 400 })
  expect(await admin.call('PATCH', 'pages/notes?version=changes', { text: 'x' })).toMatchObject({ status: 400 })
})
