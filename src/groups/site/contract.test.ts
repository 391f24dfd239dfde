import { beforeAll, expect, test } from 'vitest'
import { createTestStorage, createTestApp, type TestApp, writeBlueprints } from '../../../test/harness.ts'
import { addPage, type TokenClient, createTokenClient } from '../../../test/pages.ts'
import { describeRole } from '../../../test/signed-in-user.ts'
import { revisionIn } from '../../../test/revision.ts'

// Requests and responses of the reference API (decision 015) that no other test covers.

let site: TestApp
let [admin, writer]: TokenClient[] = []
beforeAll(async () => {
  const storage = await createTestStorage()
  writeBlueprints(storage.data, {
    'pages/note.yml': 'fields: { text: { type: textarea } }',
    'pages/hush.yml': 'options: { list: false }\nfields: { text: { type: text } }',
  })
  describeRole(storage, 'writer', 'permissions: { pages: { changeTitle: false }, site: { changeTitle: false } }')
  site = await createTestApp({ storage })
  ;[admin, writer] = [await createTokenClient(site), await createTokenClient(site, { role: 'writer' })]
  const b = await addPage(site, '', { slug: 'b', title: 'Second', template: 'note', status: 'listed' })
  await addPage(site, b, { slug: 'draft', title: 'Later', template: 'note', content: { text: 'marsh' } })
  await addPage(site, b, { slug: 'z-below', title: 'Below', template: 'note', status: 'listed' })
  await addPage(site, '', {
    slug: 'a',
    title: 'Saltmarsh',
    template: 'note',
    content: { text: 'A marshy place' },
    status: 'listed',
  })
  await addPage(site, '', { slug: 'hush', template: 'hush', content: { text: 'marsh' }, status: 'unlisted' })
})

const ids = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id)

test('duplicate slashes are ignored, except in the Authentication group', async () => {
  for (const path of ['site/', '/site', 'site//', '/site///'])
    expect((await admin!.done('GET', path)).data).toHaveProperty('title')
  expect(ids(await admin!.done('GET', 'pages//b/children/?select=id'))).toEqual(['b/z-below'])
  for (const path of ['auth/', '/auth', 'auth//login', 'pages//', '/'])
    expect(await admin!.call('GET', path)).toMatchObject({ status: 404 })
})

test('a space is not a slash, and an id with a colon is not found', async () => {
  expect((await admin!.done('GET', 'pages/b+z-below?select=id')).data).toEqual({ id: 'b/z-below' })
  for (const id of ['b%20z-below', 'page:%2F%2Fwhatever'])
    expect(await admin!.call('GET', `pages/${id}`)).toMatchObject({ status: 404, key: 'error.page.notFound' })
})

test('parameters without effect are ignored, and so are unknown ones in reads', async () => {
  expect((await admin!.done('GET', 'site/children?limit=1&offset=1&select=id')).pagination).toMatchObject({ offset: 0 })
  expect(await admin!.call('DELETE', 'pages/b?force=true')).toMatchObject({
    status: 400,
    key: 'error.page.delete.hasChildren',
  })
  expect((await admin!.done('GET', 'site/children?_=1700&limit=1&select=id')).data).toHaveLength(1)
  expect(await admin!.call('PATCH', 'pages/b/title?langauge=de', { title: 'x' })).toMatchObject({ status: 400 })
})

test('body parameters are case-insensitive and unique', async () => {
  expect((await admin!.done('PATCH', 'pages/b/title', { TITLE: 'Second' })).data.title).toBe('Second')
  for (const body of [{ title: 'x', Title: 'y' }, { tilte: 'x' }, { TITLE: 7 }])
    expect(await admin!.call('PATCH', 'pages/b/title', body)).toMatchObject({ status: 400, key: 'error.validation' })
  const login = { EMAIL: 'x@example.org', password: 'x' }
  expect(await admin!.call('POST', 'auth/login', login)).toMatchObject({ status: 400 })
})

test('an update without a body changes nothing', async () => {
  const before = await admin!.done('GET', 'pages/b')
  const { data, headers } = await admin!.done('PATCH', 'pages/b')
  expect([data, revisionIn(headers)]).toEqual([before.data, revisionIn(before.headers)])
  await admin!.done('PATCH', 'site')
})

test('the response of a change has the selected fields', async () => {
  const text = { text: 'changed' }
  expect((await admin!.done('PATCH', 'pages/b+draft?select=content', text)).data).toMatchObject({ content: text })
  expect((await admin!.done('PATCH', 'pages/b/title?select=title', { title: 'Second' })).data).toEqual({
    title: 'Second',
  })
  expect((await admin!.done('PATCH', 'site/title?view=compact', { title: 'Home' })).data).toEqual({
    title: 'Home',
    url: expect.any(String) as string,
  })
  expect((await admin!.done('PATCH', `users/${admin!.id}/name?select=name`, { name: 'Ada' })).data).toEqual({
    name: 'Ada',
  })
  await admin!.done('PATCH', 'pages/b+draft', { text: 'marsh' })
})

test('a title in the content requires the permission to change titles', async () => {
  expect((await admin!.done('PATCH', 'pages/b+draft', { Title: ' Sooner ', text: 'marsh' })).data).toMatchObject({
    title: 'Sooner',
    content: { title: 'Sooner', text: 'marsh' },
  })
  expect((await admin!.done('PATCH', 'site', { title: 'Saltmarsh' })).data.title).toBe('Saltmarsh')
  for (const path of ['pages/b+draft', 'site']) {
    expect(await writer!.call('PATCH', path, { title: 'Mine' })).toMatchObject({
      status: 400,
      details: { title: { message: { reserved: expect.anything() as unknown } } },
    })
    expect(await admin!.call('PATCH', path, { title: ' ' })).toMatchObject({ status: 400 })
    expect(await admin!.call('PATCH', path, { title: ['x'] })).toMatchObject({ status: 400 })
  }
  await writer!.done('PATCH', 'pages/b+draft', { title: 'Sooner' })
  expect((await admin!.done('GET', 'pages/b+draft')).data.title).toBe('Sooner')
})

test('fields that only Quoin has are shown only if selected', async () => {
  for (const view of ['any', 'panel', 'default']) {
    const { data } = await admin!.done('GET', `pages/b?view=${view}`)
    for (const name of ['revision', 'schedule', 'created']) expect(data).not.toHaveProperty(name)
  }
  expect((await admin!.done('GET', 'pages/b?select=revision,schedule')).data).toMatchObject({ schedule: null })
  expect((await admin!.done('GET', 'account')).data).not.toHaveProperty('revision')
  expect((await admin!.done('GET', 'account?select=revision')).data).toEqual({ revision: expect.any(Number) as number })
  expect((await admin!.done('GET', `users/${admin!.id}?view=any`)).data).not.toHaveProperty('status')
})

// ---- search

test('on a small site words are found inside others, best matches first', async () => {
  expect(ids(await admin!.done('GET', 'site/search?q=MARSH&status=all&select=id'))).toEqual(['a', 'b/draft'])
  expect(ids(await admin!.done('GET', 'site/search?q=altmar&select=id'))).toEqual(['a'])
  expect(ids(await admin!.done('GET', 'site/search?q=title&select=id')), 'names of fields are no texts').toEqual([])
  for (const q of ['%25', '__', '%22%3A%22', "'", '%5C%5C'])
    expect(ids(await admin!.done('GET', `site/search?q=${q}${q}`))).toEqual([])
  expect(ids(await admin!.done('GET', 'site/children/search?q=arsh'))).toEqual(['a'])
})

test.each([
  [{ query: 'marsh', options: { words: true } }, ['b/draft']],
  [{ query: 'mars', options: { words: true } }, []],
  [{ query: 'marsh', options: { fields: ['title'], words: false } }, ['a']],
  [{ query: 'marsh later sooner', options: { stopwords: ['marsh'] } }, ['b/draft']],
  [{ query: 'marsh', options: { minlength: 6 } }, []],
  [{ query: 'marsh', options: { score: { text: 1000, title: 0, id: 0 } } }, ['b/draft', 'a']],
  [{ query: 'marsh', options: {} }, ['a', 'b/draft']],
])('the query %j', async (search, found) => {
  expect(ids(await admin!.done('POST', 'site/search?status=all&select=id', { search }))).toEqual(found)
})

test('without search or sorting pages are in tree order', async () => {
  expect(ids(await admin!.done('POST', 'site/search?status=all&select=id', {}))).toEqual([
    'b',
    'b/z-below',
    'b/draft',
    'a',
  ])
  expect(ids(await admin!.done('POST', 'site/search?status=all&select=id', { offset: 1, limit: 2 }))).toEqual([
    'b/z-below',
    'b/draft',
  ])
})

test.each([{ words: 'yes' }, { minlength: -1 }, { score: { title: 'x' } }, { stopwords: 'x' }])(
  'the invalid query %j is refused',
  async options => {
    const answer = await admin!.call('POST', 'site/search', { search: { query: 'marsh', options } })
    expect(answer).toMatchObject({ status: 400, key: 'error.validation' })
  },
)
