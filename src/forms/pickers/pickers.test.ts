import { expect, test } from 'vitest'
import { createImage, createUploader } from '../../../test/files.ts'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'
import { describeRole, createSignedInUser } from '../../../test/signed-in-user.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'pages/note.yml': `
icon: star
fields:
  related: { type: pages, info: "{{ page.status }}", text: "{{ page.title }} ({{ page.slug }})" }
  cover: { type: files, image: { back: blue } }
  cards: { type: files, layout: cards, image: { cover: true, ratio: 3/2 } }
  authors: { type: users, text: "{{ user.email }}" }
  rows: { type: structure, fields: { link: { type: pages }, note: { type: text } } }
  one: { type: object, fields: { picture: { type: files } } }
  body: { type: blocks, fieldsets: [image, text] }
  grid: { type: layout, fieldsets: [gallery], settings: { fields: { page: { type: pages } } } }
`,
  'pages/secret.yml': 'options: { access: { admin: true, "*": false } }',
})
describeRole(storage, 'writer', 'permissions: { access: { users: false } }')
const app = await createTestApp({ storage })
const admin = await createTokenClient(app)
const writer = await createTokenClient(app, { role: 'writer' })
const a = await addPage(app, '', { slug: 'a', title: 'First', template: 'note', status: 'listed' })
const b = await addPage(app, a, { slug: 'b', title: 'Below', template: 'note', draft: true })
const vault = await addPage(app, '', { slug: 'vault', template: 'secret', draft: true })
const sender = await createUploader(await createSignedInUser(app))
await sender.send('pages/a/files', [{ filename: 'gears.png', bytes: await createImage(), type: 'image/png' }])
await sender.send('site/files', [{ filename: 'logo.png', bytes: await createImage(), type: 'image/png' }])
await sender.send('pages/vault/files', [{ filename: 'hidden.png', bytes: await createImage(), type: 'image/png' }])
const uuidOf = async (path: string) => String((await admin.done('GET', `${path}?select=uuid`)).data.uuid)
const gears = await uuidOf('pages/a/files/gears.png')
const logo = await uuidOf('site/files/logo.png')
const hidden = await uuidOf('pages/vault/files/hidden.png')

const save = async (content: object) => (await admin.done('PATCH', 'pages/a', content)).data.content
const seenBy = async (who: typeof admin) => (await who.done('GET', 'pages/a?select=content')).data.content

test('pages are shown as entries in order, without deleted ones', async () => {
  const { related } = await save({ related: [`page://${b}`, 'a', `page://${vault}`, 'page://nobody00', 'no/such'] })
  expect(related).toEqual([
    {
      dragText: `(link: page://${b} text: Below)`,
      hasChildren: false,
      id: 'a/b',
      image: { back: 'pattern', color: 'gray-500', cover: false, icon: 'star' },
      info: 'draft',
      link: '/pages/a+b',
      sortable: true,
      text: 'Below (b)',
      url: `${app.app.config.url}/a/b`,
      uuid: `page://${b}`,
    },
    expect.objectContaining({ id: 'a', info: 'listed', image: expect.objectContaining({ url: expect.any(String) }) }),
    expect.objectContaining({ id: 'vault' }),
  ])
  const { related: visible } = await seenBy(writer)
  expect(
    (visible as { id: string }[]).map(({ id }) => id),
    'not for every role',
  ).toEqual(['a/b', 'a'])
  expect((await save({ related })).related, 'entries can be sent back').toEqual(related)
})

test('files are shown as entries, by uuid, id or name', async () => {
  const { cover } = await save({ cover: [gears, 'logo.png', 'a/gears.png', 'gears.png', hidden, 'file://nothing0'] })
  expect(cover).toMatchObject([
    {
      dragText: '(image: gears.png)',
      filename: 'gears.png',
      id: 'gears.png',
      image: { back: 'blue', color: 'orange-500', icon: 'image', srcset: expect.stringContaining('38w') as string },
      info: '',
      link: '/pages/a/files/gears.png',
      sortable: true,
      text: 'gears.png',
      type: 'image',
      url: expect.stringContaining('/media/pages/a/') as string,
      uuid: gears,
    },
    { id: 'logo.png', uuid: logo, link: '/site/files/logo.png' },
    { uuid: gears },
    { uuid: gears },
    { id: 'vault/hidden.png' },
  ])
  expect((await seenBy(writer)).cover).toHaveLength(4)
  const { cards } = await save({ cards: [gears] })
  expect(cards[0].image.srcset).toMatch(/gears-352x235-crop\.png 352w/)
})

test('accounts are shown as entries', async () => {
  const { authors } = await save({ authors: [`user://${admin.id}`] })
  expect(authors).toMatchObject([{ id: admin.id, link: '/account', text: expect.stringContaining('@') as string }])
  expect((await seenBy(writer)).authors).toEqual([])
})

test('references in rows, objects, blocks and layouts are shown, too', async () => {
  const image = { type: 'image', content: { location: 'kirby', image: [gears] }, id: 'i1', isHidden: false }
  const gallery = { type: 'gallery', content: { images: [gears, hidden] }, id: 'g1', isHidden: false }
  await save({
    rows: [
      { link: [`page://${b}`], note: 'x' },
      { link: [`page://${vault}`], note: 'y' },
    ],
    one: { picture: [logo] },
    body: [image],
    grid: [{ attrs: { page: ['a'] }, columns: [{ blocks: [gallery], id: 'c1', width: '1/1' }], id: 'r1' }],
  })
  const content = await seenBy(writer)
  expect(content).toMatchObject({
    rows: [
      { link: [{ id: 'a/b' }], note: 'x' },
      { link: [], note: 'y' },
    ],
    one: { picture: [{ uuid: logo }] },
    body: [{ content: { image: [{ uuid: gears, filename: 'gears.png' }] } }],
    grid: [{ attrs: { page: [{ id: 'a' }] }, columns: [{ blocks: [{ content: { images: [{ uuid: gears }] } }] }] }],
  })
  expect(content.grid[0].columns[0].blocks[0].content.images).toHaveLength(1)
  expect(await save({ body: content.body, rows: content.rows }), 'can be sent back').toMatchObject({
    body: content.body,
    rows: content.rows,
  })
})

test('a list of pages takes as many statements as a single one, however many references it shows', async () => {
  const top = await addPage(app, '', { slug: 'many', status: 'unlisted' })
  let last = b
  for (let at = 0; at < 12; at++)
    last = await addPage(app, top, {
      slug: `p${at}`,
      template: 'note',
      content: { related: [`page://${last}`, 'a'] },
      status: 'unlisted',
    })
  const { store } = app.app
  const read = store.read.bind(store)
  let statements = 0
  store.read = query => {
    statements++
    return read(query)
  }
  const count = async (limit: number) => {
    statements = 0
    const { data } = await admin.done('GET', `pages/many/children?select=content&limit=${limit}`)
    expect(data).toHaveLength(limit)
    expect(data[limit - 1].content.related).toHaveLength(2)
    return statements
  }
  const [one, many] = [await count(1), await count(12)]
  store.read = read
  expect(many).toBeLessThanOrEqual(one + 1)
})
