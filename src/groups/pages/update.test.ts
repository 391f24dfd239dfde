import { expect, test } from 'vitest'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../test/harness.ts'
import { describeRole } from '../../../test/signed-in-user.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'pages/note.yml': `
fields:
  text: { type: text, required: true }
  price: { type: number }
  fixed: { type: text, disabled: true, default: stays }
  code: { type: text, translate: false }
`,
})
describeRole(storage, 'reader', 'permissions: { pages: { update: false, changeTitle: false } }')
const site = await createTestApp({ storage })
const admin = await createTokenClient(site)
const reader = await createTokenClient(site, { role: 'reader' })
let count = 0

async function createNote(content: Record<string, unknown> = { text: 'first' }, draft = false) {
  const slug = `note-${++count}`
  await addPage(site, '', { slug, title: 'Note', template: 'note', content, draft })
  return `pages/${slug}`
}

test('only sent values change, and the response equals a later read', async () => {
  const path = await createNote({ text: 'first', price: 1, extra: 'kept' })
  const { data, headers } = await admin.done('PATCH', path, {
    Price: 2,
    text: ' second ',
    fixed: 'no',
    extra: null,
    more: [1],
  })
  expect(data.content).toEqual({
    text: 'second',
    price: 2,
    fixed: 'stays',
    code: '',
    title: 'Note',
    extra: 'kept',
    more: '- 1',
    uuid: (data.uuid as string).slice('page://'.length),
  })
  expect(headers['etag']).toBe('"2"')
  expect((await admin.done('GET', path)).data).toEqual(data)
})

test('published content must follow the rules of the blueprint; a draft need not', async () => {
  const path = await createNote()
  expect(await admin.call('PATCH', path, { text: '' })).toMatchObject({
    status: 400,
    key: 'error.invalidArgument',
    details: { text: { message: { required: expect.anything() } } },
  })
  expect((await admin.done('GET', path)).data.content.text).toBe('first')
  expect((await admin.done('PATCH', await createNote({ text: 'x' }, true), { text: '' })).data.content.text).toBe('')
})

test.each([
  [{ title: ['Other'] }, 'title'],
  [{ slug: 'other' }, 'slug'],
  [{ uuid: 'other' }, 'uuid'],
  [{ template: 'other' }, 'template'],
  [{ price: 'much' }, 'price'],
  [{ text: ['a'] }, 'text'],
])('%j cannot be changed with the content', async (body, name) => {
  const path = await createNote()
  const { status, details } = await admin.call('PATCH', path, body)
  expect({ status, names: Object.keys(details) }).toEqual({ status: 400, names: [name] })
  expect((await admin.done('GET', `${path}?select=revision`)).data).toEqual({ revision: 1 })
})

test('sending back what was read changes nothing', async () => {
  const path = await createNote()
  const { content } = (await admin.done('GET', path)).data
  expect((await admin.done('PATCH', path, content)).headers['etag']).toBe('"1"')
})

test('a write with an outdated revision is refused', async () => {
  const path = await createNote()
  await admin.done('PATCH', path, { price: 1 }, { 'if-match': '"1"' })
  const late = await admin.call('PATCH', path, { price: 2 }, { 'if-match': '"1"' })
  expect(late).toMatchObject({
    status: 412,
    key: 'error.content.changed',
    details: { revision: 2, current: { content: { price: 1 } } },
  })
  for (const [address, body] of [
    ['/title', { title: 'New' }],
    ['/slug', { slug: 'elsewhere' }],
    ['/status', { status: 'listed' }],
    ['/template', { template: 'default' }],
    ['/move', { parent: null }],
  ] as const)
    expect([address, (await admin.call('PATCH', path + address, body, { 'if-match': '"1"' })).status]).toEqual([
      address,
      412,
    ])
  expect((await admin.call('DELETE', path, undefined, { 'if-match': '"1"' })).status).toBe(412)
  expect((await admin.call('PATCH', path, {}, { 'if-match': 'nonsense' })).status).toBe(400)
  expect((await admin.done('PATCH', path, { price: 3 }, { 'if-match': '"2"' })).data.content.price).toBe(3)
})

test('a title is changed by its own operation', async () => {
  const path = await createNote()
  const { data, headers } = await admin.done('PATCH', `${path}/title`, { title: ' New title ' })
  expect(data).toMatchObject({ title: 'New title', content: { title: 'New title', text: 'first' } })
  expect(headers['etag']).toBe('"2"')
  expect((await admin.done('PATCH', `${path}/title`, { title: 'New title' })).headers['etag']).toBe('"2"')
  for (const title of ['', '   ', '\n'])
    expect(await admin.call('PATCH', `${path}/title`, { title })).toMatchObject({
      status: 400,
      key: 'error.page.changeTitle.empty',
    })
  for (const body of [{}, { title: 5 }, { title: 'x', more: 1 }, { title: 'x'.repeat(1001) }])
    expect(await admin.call('PATCH', `${path}/title`, body)).toMatchObject({ status: 400, key: 'error.validation' })
})

test('changing content and changing the title each require their permission', async () => {
  const path = await createNote()
  expect(await reader.call('PATCH', path, { price: 1 })).toMatchObject({
    status: 403,
    key: 'error.page.update.permission',
  })
  expect(await reader.call('PATCH', `${path}/title`, { title: 'x' })).toMatchObject({
    status: 403,
    key: 'error.page.changeTitle.permission',
  })
})

test('in another language fields with `translate: false` keep the value of the default language', async () => {
  const path = await createNote({ text: 'hello', code: 'abc' })
  await site.app.store.db
    .insertInto('languages')
    .values(
      (['en', 'de'] as const).map((code, index) => ({
        code,
        key: index === 0 ? '' : code,
        name: code,
        direction: 'ltr' as const,
        locale: '{}',
        url: index === 0 ? '' : `/${code}`,
        slugs: '{}',
        translations: '{}',
        is_default: index === 0 ? 1 : 0,
      })),
    )
    .execute()
  const german = { 'x-language': 'de' }
  await admin.done('PATCH', `${path}/title`, { title: 'Notiz' }, german)
  const { data } = await admin.done('PATCH', `${path}?language=de`, { text: 'hallo', code: 'xyz' })
  expect(data).toMatchObject({ title: 'Notiz', content: { text: 'hallo', code: 'abc' } })
  expect((await admin.done('GET', path)).data).toMatchObject({ title: 'Note', content: { text: 'hello' } })
  expect((await admin.done('GET', path, undefined, german)).data.title).toBe('Notiz')
  expect(await admin.call('PATCH', `${path}?language=xx`, { text: 'x' })).toMatchObject({ status: 400 })
  expect((await admin.done('GET', `${path}?language=xx`)).data.title).toBe('Note')
  await site.app.store.db.deleteFrom('languages').execute()
})
