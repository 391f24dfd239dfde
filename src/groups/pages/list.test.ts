import { expect, test } from 'vitest'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'
import { readsOf } from '../../../test/sign-in.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'pages/note.yml': 'fields: { text: { type: text }, price: { type: number } }',
  'pages/secret.yml': 'options: { read: false }',
  'pages/quiet.yml': 'options: { list: false }',
})
const site = await createTestApp({ storage })
const admin = await createTokenClient(site)
const top = await addPage(site, '', { slug: 'top', draft: false })
const note = (slug: string, content: object, status?: 'listed' | 'unlisted') =>
  addPage(site, top, { slug, template: 'note', content: { ...content }, ...(status && { status }) })
await note('zebra', { title: 'Zebra crossing', text: 'stripes', price: 10 }, 'listed')
await note('ant', { title: 'Ant', text: 'a small zebra', price: 9 }, 'listed')
await note('cat', { title: 'Cat', text: 'purrs', price: 100 }, 'unlisted')
await note('bee', { title: 'Bee', text: 'hums' }, 'unlisted')
await note('dog', { title: 'Dog', text: 'barks' })
await addPage(site, top, { slug: 'hidden', template: 'secret', title: 'Zebra in hiding', draft: false })
await addPage(site, top, { slug: 'quiet', template: 'quiet', draft: false })
for (const slug of ['x', 'y']) await addPage(site, await note(`deep-${slug}`, {}), { slug })

const slugs = async (query: string, path = 'pages/top/children') => {
  const { data, pagination } = await admin.done('GET', `${path}${query}${query ? '&' : '?'}select=slug`)
  return { slugs: data.map((one: { slug: string }) => one.slug) as string[], pagination }
}

test.each([
  ['', ['zebra', 'ant', 'bee', 'cat']],
  ['?status=published', ['zebra', 'ant', 'bee', 'cat']],
  ['?status=anything', ['zebra', 'ant', 'bee', 'cat']],
  ['?status=listed', ['zebra', 'ant']],
  ['?status=unlisted', ['bee', 'cat']],
  ['?status=draft', ['deep-x', 'deep-y', 'dog']],
  ['?status=drafts', ['deep-x', 'deep-y', 'dog']],
  ['?status=all', ['zebra', 'ant', 'bee', 'cat', 'deep-x', 'deep-y', 'dog']],
])('children with the query %s are listed in order', async (query, expected) => {
  const { slugs: found, pagination } = await slugs(query)
  expect(found).toEqual(expected)
  expect(pagination).toEqual({ page: 1, total: expected.length, offset: 0, limit: 100 })
})

test.each([
  ['{"title":"Plain","text":"x"}', 'Plain'],
  ['{"title":"A \\"quote\\" and \\\\","text":"x"}', 'A "quote" and \\'],
  ['{"title":"ümlaut \\u00e9"}', 'ümlaut é'],
  ['{"title":"","text":"\\"title\\":\\"no\\""}', 'titled'],
  ['{"text":"{\\"title\\":\\"no\\"}","title":"Last"}', 'Last'],
  ['{"text":"no title"}', 'titled'],
])('the title of %s is %s in lists, too', async (data, title) => {
  const parent = await addPage(site, '', { slug: `titles-${Math.random()}`, draft: false })
  const uuid = await addPage(site, parent, { slug: 'titled', draft: false })
  await site.app.store.db.updateTable('contents').set({ data }).where('owner', '=', `page://${uuid}`).execute()
  const { data: listed } = await admin.done('GET', `pages/@${parent}/children`)
  const { data: one } = await admin.done('GET', `pages/@${uuid}?select=content,title`)
  expect([listed[0].title, one.title]).toEqual([title, title])
})

test('every page of a list is the same slice of the whole', async () => {
  const { slugs: all } = await slugs('?status=all')
  for (const limit of [1, 2, 3, 5, 7]) {
    const parts: string[] = []
    for (let page = 1; parts.length < all.length; page++)
      parts.push(...(await slugs(`?status=all&limit=${limit}&page=${page}`)).slugs)
    expect(parts).toEqual(all)
  }
  expect(await admin.call('GET', 'pages/top/children?limit=5&page=3')).toMatchObject({
    status: 404,
    key: 'error.errorPage',
  })
  for (const query of ['limit=0', 'limit=1001', 'limit=x', 'page=-1'])
    expect(await admin.call('GET', `pages/top/children?${query}`)).toMatchObject({ status: 400 })
})

test('a list shows a compact view of each page, and more on request', async () => {
  const { data } = await admin.done('GET', 'pages/top/children?limit=1')
  expect(Object.keys(data[0])).toEqual(['id', 'num', 'title', 'url', 'uuid'])
  const more = await admin.done('GET', 'pages/top/children?limit=1&select=content,parent,hasChildren')
  expect(more.data[0]).toMatchObject({ content: { price: 10 }, parent: { id: 'top' }, hasChildren: false })
})

test('a list can be empty', async () => {
  expect(await admin.done('GET', 'pages/top+ant/children')).toMatchObject({
    data: [],
    pagination: { page: 0, total: 0, offset: 0, limit: 100 },
  })
})

const counted = (query: string) => readsOf(site, () => admin.done('GET', `pages/top/children?${query}`))

test('a list takes the same number of statements, whatever its length and selection', async () => {
  const fields = 'id,title,url,parent,parents,hasChildren,hasDrafts,children,drafts,siblings,options,content,previewUrl'
  const two = await counted(`status=draft&limit=2&select=${fields}`)
  expect(await counted(`status=draft&limit=3&select=${fields}`)).toBe(two)
  expect(await counted('status=listed')).toBeLessThanOrEqual(await counted('status=listed&limit=1'))
})

test('pages are found by a search', async () => {
  const { slugs: found, pagination } = await slugs('?q=zebra', 'pages/top/children/search')
  expect(found).toEqual(['zebra', 'ant'])
  expect(pagination.total).toBe(2)
  expect((await slugs('?q=barks', 'pages/top/children/search')).slugs).toEqual([])
  expect((await slugs('?q=barks&status=all', 'pages/top/children/search')).slugs).toEqual(['dog'])
  for (const q of ['', 'z', '%25', '%22%20OR%20%22', "';--"])
    expect((await slugs(`?q=${q}`, 'pages/top/children/search')).slugs).toEqual([])
})

const search = async (q: string) => (await slugs(`?q=${q}&status=all`, 'pages/top/children/search')).slugs

test('changed and deleted pages are no longer found', async () => {
  await note('fox', { title: 'Fox', text: 'quickly' })
  expect(await search('quickly')).toEqual(['fox'])
  await admin.done('PATCH', 'pages/top+fox', { text: 'slowly' })
  expect([await search('quickly'), await search('slowly')]).toEqual([[], ['fox']])
  await admin.done('DELETE', 'pages/top+fox')
  expect(await search('slowly')).toEqual([])
})

test.each([
  [{}, ['zebra', 'ant', 'bee', 'cat']],
  [{ not: ['top/bee'], sortBy: 'price desc' }, ['cat', 'zebra', 'ant']],
  [{ sortBy: 'title' }, ['ant', 'bee', 'cat', 'zebra']],
  [{ filterBy: [{ field: 'price', operator: 'between', value: [10, 100] }], sort: 'slug' }, ['cat', 'zebra']],
  [{ filter: [{ field: 'status', value: 'listed' }] }, ['zebra', 'ant']],
  [{ filter: [{ field: 'intendedTemplate', operator: '!=', value: 'note' }] }, []],
  [{ not: ['top/ant'], limit: 2 }, ['zebra', 'bee']],
  [{ search: 'zebra' }, ['zebra', 'ant']],
  [{ paginate: { limit: 2, page: 2 } }, ['bee', 'cat']],
])('the query %j finds %j', async (body, expected) => {
  const { data } = await admin.done('POST', 'pages/top/children/search?select=slug', body)
  const found = data.map((one: { slug: string }) => one.slug)
  expect(found).toEqual(expected)
})

test('an invalid query is refused', async () => {
  for (const body of [{ filterBy: [{ field: 'a', operator: 'eval' }] }, { search: 5 }, { limit: -1 }, []])
    expect(await admin.call('POST', 'pages/top/children/search', body)).toMatchObject({ status: 400 })
})
