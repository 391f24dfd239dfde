import { expect, test } from 'vitest'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'
import { describeRole } from '../../../test/signed-in-user.ts'
import { addFile } from '../../../test/media.ts'

const pickers = {
  any: { type: 'pages' },
  flat: { type: 'pages', subpages: false },
  notes: { type: 'pages', query: "site.find('notes').children" },
  listed: { type: 'pages', query: "site.find('notes').children.listed" },
  songs: { type: 'pages', query: "site.index.filterBy('template', 'song')" },
  tunes: { type: 'pages', query: "site.index.template('song').listed" },
  old: {
    type: 'pages',
    query: "site.index.filterBy('year', '<', '1900').sortBy('year', 'desc')",
    info: '{{ page.year }}',
  },
  few: { type: 'pages', query: "site.index.sortBy('year').filterBy('year', '>', '1000').not('notes/b')" },
  strange: { type: 'pages', query: "site.index.filterBy('year', 'like', '1')" },
  broken: { type: 'pages', query: 'site.nothing.of(' },
  people: { type: 'users' },
  editors: { type: 'users', query: "kirby.users.role('editor')" },
  files: { type: 'files' },
  pictures: { type: 'files', query: 'page.images' },
  shared: { type: 'files', query: 'site.files' },
  rows: { type: 'structure', fields: { who: { type: 'pages', query: "site.find('notes').children" } } },
  thing: { type: 'object', fields: { inner: { type: 'object', fields: { who: { type: 'users' } } } } },
  text: {
    type: 'blocks',
    fieldsets: { card: { fields: { target: { type: 'pages', query: "site.find('notes').children" } } } },
  },
  grid: { type: 'layout', settings: { fields: { cover: { type: 'files' } } }, fieldsets: ['image'] },
  words: { type: 'textarea' },
  drawn: { type: 'textarea', files: { query: 'site.files' } },
  plain: { type: 'text' },
}
const all = JSON.stringify({ fields: pickers })

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'pages/form.yml': all,
  'site.yml': all,
  'files/form.yml': all,
  'pages/song.yml': 'fields: { year: { type: number } }',
  'pages/secret.yml': 'options: { list: { admin: true, "*": false }, access: { admin: true, "*": false } }',
})
describeRole(storage, 'editor', 'permissions: { access: { users: false } }')
describeRole(storage, 'admin', `{ permissions: true, fields: ${JSON.stringify(pickers)} }`)
const site = await createTestApp({ storage })
const admin = await createTokenClient(site)
const editor = await createTokenClient(site, { role: 'editor' })
const form = await addPage(site, '', { slug: 'form', title: 'Form', template: 'form', status: 'unlisted' })
const notes = await addPage(site, '', { slug: 'notes', title: 'Notes', status: 'listed' })
await addPage(site, notes, { slug: 'a', title: 'Anchor', status: 'listed' })
await addPage(site, notes, { slug: 'b', title: 'Buoy', template: 'song', content: { year: 1850 }, status: 'listed' })
await addPage(site, notes, { slug: 'c', title: 'Cable', template: 'song', content: { year: 1880 }, status: 'unlisted' })
await addPage(site, notes, { slug: 'd', title: 'Draft', template: 'song' })
await addPage(site, notes, { slug: 's', title: 'Secret', template: 'secret', status: 'listed' })
const owner = `page://${form}`
await addFile(site, owner, 'one.png', Buffer.from('x'), { mime: 'image/png', type: 'image', template: 'form' })
await addFile(site, owner, 'two.pdf', Buffer.from('y'), { mime: 'application/pdf', type: 'document' })
await addFile(site, 'site://', 'logo.png', Buffer.from('z'), { mime: 'image/png', type: 'image', template: 'form' })

interface Answer {
  status: number
  key: string | undefined
  data: Record<string, unknown>[]
  pagination: { limit: number; page: number; total: number }
  model?: unknown
}

const ask = async (name: string, query = '', who = admin, at = 'pages/form') =>
  (await who.call('GET', `${at}/fields/${name}${query}`)) as never as Answer
const ids = async (...args: Parameters<typeof ask>) => (await ask(...args)).data.map(({ id }) => id)

test("a choice has the same properties as an entry of the field's value", async () => {
  const { data, pagination, model, ...rest } = await ask('notes', '?limit=1')
  expect(data).toEqual([
    {
      dragText: expect.stringContaining('text: Anchor)') as string,
      hasChildren: false,
      id: 'notes/a',
      image: expect.any(Object) as object,
      info: '',
      link: '/pages/notes+a',
      sortable: true,
      text: 'Anchor',
      url: expect.stringMatching(/\/notes\/a$/) as string,
      uuid: expect.stringMatching(/^page:\/\//) as string,
    },
  ])
  expect([pagination, model]).toEqual([
    { limit: 1, page: 1, total: 4 },
    { id: null, parent: null, title: 'Notes' },
  ])
  expect(rest).not.toHaveProperty('code')
})

test.each([
  ['notes', ['notes/a', 'notes/b', 'notes/s', 'notes/c']],
  ['listed', ['notes/a', 'notes/b', 'notes/s']],
  ['songs', ['notes/b', 'notes/c']],
  ['tunes', ['notes/b']],
  ['old', ['notes/c', 'notes/b']],
  ['few', ['notes/c']],
  ['strange', []],
  ['broken', []],
])('the query of %s is used: %j', async (name, found) => {
  expect(await ids(name)).toEqual(found)
  expect((await ask(name)).pagination).toEqual({ limit: 20, page: found.length > 0 ? 1 : 0, total: found.length })
})

test('pages that the caller may not list are neither shown nor counted', async () => {
  expect(await ids('notes', '', editor)).toEqual(['notes/a', 'notes/b', 'notes/c'])
  expect((await ask('notes', '?limit=2', editor)).pagination.total).toBe(3)
  expect(await ids('notes', '?search=secret', editor)).toEqual([])
  expect((await ask('people', '', editor)).data.map(({ id }) => id)).toEqual([editor.id])
  expect(await ids('any', '?parent=notes', editor)).not.toContain('notes/s')
  expect(await ask('any', '?parent=notes/s', editor)).toMatchObject({ status: 404, key: 'error.page.notFound' })
})

test('a search is limited to the choices of the field', async () => {
  expect(await ids('notes', '?search=cable')).toEqual(['notes/c'])
  expect(await ids('listed', '?search=cable')).toEqual([])
  expect(await ids('songs', '?search=anchor')).toEqual([])
  expect(await ids('songs', '?search=buoy')).toEqual(['notes/b'])
  expect(await ids('old', '?search=buoy')).toEqual(['notes/b'])
  expect(await ids('any', '?search=buoy')).toEqual(['notes/b'])
  expect(await ids('flat', '?search=buoy')).toEqual([])
  expect(await ids('files', '?search=two')).toEqual(['two.pdf'])
})

test('choices are paginated', async () => {
  expect(await ids('notes', '?limit=3&page=2')).toEqual(['notes/c'])
  expect(await ids('songs', '?limit=1&page=2')).toEqual(['notes/c'])
  expect(await ids('old', '?limit=1&page=2')).toEqual(['notes/b'])
  expect(await ids('files', '?limit=1&page=2')).toEqual(['two.pdf'])
  expect(await ask('notes', '?limit=3&page=3')).toMatchObject({ status: 404, key: 'error.errorPage' })
  for (const query of ['?limit=0', '?limit=1001', '?limit=x', '?page=-1', `?search=${'x'.repeat(1001)}`])
    expect([query, await ask('notes', query)]).toMatchObject([query, { status: 400, key: 'error.validation' }])
})

test('without a query pages are browsed from the top level', async () => {
  expect(await ids('any')).toEqual(['notes', 'form'])
  expect((await ask('any')).model).toMatchObject({ id: null, parent: null })
  expect(await ids('any', '?parent=notes&limit=2')).toEqual(['notes/a', 'notes/b'])
  expect((await ask('any', '?parent=notes')).model).toEqual({ id: 'notes', parent: null, title: 'Notes' })
  expect((await ask('notes', '?parent=notes')).model).toEqual({ id: null, parent: null, title: 'Notes' })
  expect((await ask('notes', '?parent=notes/a')).model).toEqual({ id: 'notes/a', parent: 'notes', title: 'Anchor' })
  expect(await ask('flat', '?parent=notes')).toMatchObject({ data: [{ id: 'notes' }, { id: 'form' }], model: null })
  expect(await ask('any', '?parent=nothing')).toMatchObject({ status: 404 })
})

test('files are those of the model, or of the query', async () => {
  expect(await ids('files')).toEqual(['one.png', 'two.pdf'])
  expect(await ids('pictures')).toEqual(['one.png'])
  expect(await ids('shared')).toEqual(['logo.png'])
  expect((await ask('files')).data[0]).toMatchObject({ filename: 'one.png', type: 'image', text: 'one.png' })
  expect(await ask('files')).not.toHaveProperty('model')
  // What can be put into a text.
  expect(await ids('words')).toEqual(['one.png', 'two.pdf'])
  expect(await ids('drawn')).toEqual(['logo.png'])
})

test('accounts can be found by role', async () => {
  expect(new Set(await ids('people'))).toEqual(new Set([admin.id, editor.id]))
  expect(await ids('editors')).toEqual([editor.id])
})

test('nested fields are addressed by their path', async () => {
  expect(await ids('rows+who')).toHaveLength(4)
  expect(await ids('Rows+Who')).toHaveLength(4)
  expect(await ids('thing+inner+who')).toHaveLength(2)
  expect(await ids('text+card+target')).toHaveLength(4)
  expect(await ids('grid+attrs+cover')).toEqual(['one.png', 'two.pdf'])
  expect(await ids('grid+image+image')).toEqual(['one.png'])
})

test('the site, accounts and files have fields, too', async () => {
  expect(await ids('notes', '', admin, 'site')).toHaveLength(4)
  expect(await ids('files', '', admin, 'site')).toEqual(['logo.png'])
  expect(await ids('notes', '', admin, 'account')).toHaveLength(4)
  expect(await ids('files', '', admin, `users/${admin.id}`)).toEqual([])
  expect(await ids('files', '', admin, 'pages/form/files/one.png')).toEqual(['form/one.png', 'form/two.pdf'])
  expect(await ids('notes', '', admin, 'site/files/logo.png')).toHaveLength(4)
})

test.each([
  'nothing',
  'plain',
  'rows',
  'text',
  'rows+nothing',
  'text+card',
  'text+nothing+x',
  'plain+x',
  'notes+x',
  '__proto__',
  '+',
  'grid+attrs',
])('%s has no choices', async name => {
  expect(await ask(name)).toMatchObject({ status: 404, key: 'error.field.notFound' })
})

test('the number of statements does not grow with the list', async () => {
  const { store } = site.app
  const read = store.read.bind(store)
  let statements = 0
  store.read = query => {
    statements++
    return read(query)
  }
  const counted = async (...args: Parameters<typeof ask>) => {
    statements = 0
    await ask(...args)
    return statements
  }
  const before = [await counted('notes', '?limit=25'), await counted('songs', '?limit=25'), await counted('any')]
  for (let at = 0; at < 25; at++)
    await addPage(site, notes, { slug: `more-${at}`, title: `More ${at}`, template: 'song', status: 'unlisted' })
  const after = [await counted('notes', '?limit=25'), await counted('songs', '?limit=25'), await counted('any')]
  store.read = read
  for (const [at, count] of after.entries()) expect(count).toBeLessThanOrEqual(before[at]! + 2)
})

test('filters on content inspect a limited number of pages, and the response says so', async () => {
  const many = await addPage(site, '', { slug: 'many', status: 'unlisted' })
  const rows = Array.from({ length: 10_000 }, (_, at) => ({
    uuid: `many${at}`,
    parent: `of${at % 500}`, // the store counts those of one parent, one by one
    path: `many/p${at}`,
    slug: `p${at}`,
    status: 'unlisted' as const,
    template: 'song',
    revision: 1,
    created_at: 0,
    modified_at: 0,
  }))
  await site.app.store.write(async tx => {
    for (let start = 0; start < rows.length; start += 1000)
      await tx
        .insertInto('pages')
        .values(rows.slice(start, start + 1000))
        .execute()
  })
  const far = { template: 'song', content: { year: 1700 }, status: 'unlisted' } as const
  await addPage(site, many, { slug: 'p8000x', title: 'Beacon', ...far })
  expect(await ask('old')).toMatchObject({ data: [{ id: 'many/p8000x' }], pagination: { total: 1 }, looked: 10_000 })
  const found = await ask('old', '?search=buoy')
  expect([found.data.map(({ id }) => id), found], 'a search inspects more pages').toEqual([
    ['notes/b'],
    expect.not.objectContaining({ looked: expect.anything() as unknown }),
  ])
})
