import { expect, test, vi } from 'vitest'
import { createImage, statusAndKeyOf, createUploader, dataOf } from '../../../test/files.ts'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../test/harness.ts'
import { addPage } from '../../../test/pages.ts'
import { describeRole, createSignedInUser } from '../../../test/signed-in-user.ts'
import { sweepBlobs } from '../../platform/media/blobs.ts'
import { sweepTrash } from '../../content/trash/trash.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'pages/album.yml': 'title: Album\nicon: images\nimage: { back: black, cover: true }',
  'pages/chosen.yml': 'title: Chosen\nimage: page.cover.toFile\nfields: { cover: { type: files } }',
  'pages/plain.yml': 'title: Plain\nimage: false',
  'pages/room.yml': `title: Room
sections:
  texts: { type: fields, fields: { text: { type: text, required: true } } }
  parts: { type: pages, label: Parts, min: 2, templates: [album] }
  pictures: { type: files, max: 1, template: shot }
  all: { type: files, query: "page.files", min: 1 }
  free: { type: pages }
`,
  'pages/hall.yml': 'extends: pages/room\nsections: { all: false }',
  'files/shot.yml': 'title: Shot',
  'files/kept.yml': 'title: Kept\noptions: { delete: { editor: false } }',
  'files/secret.yml': 'title: Secret\noptions: { list: false }',
})
describeRole(storage, 'keeper', 'permissions: { files: { delete: false } }')
const site = await createTestApp({ storage })
const { app } = site
const { db } = app.store
const admin = await createUploader(await createSignedInUser(site))
const keeper = await createUploader(await createSignedInUser(site, { role: 'keeper' }))
const bytes = { red: await createImage(), blue: await createImage('png', { color: '#00c' }) }

const upload = async (page: string, filename: string, content: Buffer | string = bytes.red, template?: string) =>
  dataOf(await admin.send(`pages/${page}/files`, [{ filename, bytes: content }], template ? { template } : {}))
// oxlint-disable-next-line typescript/no-explicit-any -- each test knows the shape
const read = async (path: string) => dataOf<any>(await admin.call('GET', path))

test('a page is shown with its first image, or as its blueprint says', async () => {
  await addPage(site, '', { slug: 'album', template: 'album' })
  const image = async () => (await read('pages/album?select=panelImage')).panelImage
  expect(await image()).toEqual({ back: 'black', color: 'gray-500', cover: true, icon: 'images' })
  await upload('album', 'a-secret.png', bytes.red, 'secret')
  await upload('album', 'b.pdf', '%PDF-1.7')
  await upload('album', 'd.png')
  await upload('album', 'c.png')
  expect(await image()).toMatchObject({
    icon: 'images',
    url: expect.stringMatching(/\/media\/pages\/album\/.+\/c\.png/) as string,
    srcset: expect.stringContaining(' 1x') as string,
  })
  await addPage(site, '', { slug: 'chosen', template: 'chosen' })
  await upload('chosen', 'a.png')
  const { uuid } = await upload('chosen', 'b.png', bytes.blue)
  dataOf(await admin.call('PATCH', 'pages/chosen', { cover: [uuid] }))
  expect((await read('pages/chosen?select=panelImage')).panelImage.url).toContain('/b.png')
  await addPage(site, '', { slug: 'plain', template: 'plain' })
  await upload('plain', 'a.png')
  expect((await read('pages/plain?select=panelImage')).panelImage).toBeNull()
})

test('images and errors of a list are read in batches', async () => {
  const parent = await addPage(site, '', { slug: 'many', draft: false })
  for (let index = 0; index < 8; index++) {
    const room = await addPage(site, parent, { slug: `r${index}`, template: 'hall', content: { text: 'x' } })
    if (index % 2) await addPage(site, room, { slug: 'part', template: 'album' })
    await upload(`many+r${index}`, 'a.png')
  }
  async function statements(limit: number) {
    const path = `pages/many/children?status=all&select=id,panelImage,errors&limit=${limit}`
    await read(path)
    await addPage(site, '', { slug: `fresh-${limit}` }) // so that the answer is not remembered
    const reads = vi.spyOn(app.store, 'read')
    const data = await read(path)
    const count = reads.mock.calls.length
    reads.mockRestore()
    expect(data).toHaveLength(limit)
    const image = { url: expect.stringContaining('/a.png') as string }
    expect(data[0]).toMatchObject({ panelImage: image, errors: { parts: { label: 'Parts' } } })
    return count
  }
  expect(await statements(8)).toBe(await statements(2))
})

const errors = async () => (await read('pages/room?select=errors')).errors

test('errors of a page name sections with too few or too many entries, and prevent publishing', async () => {
  const room = await addPage(site, '', { slug: 'room', template: 'room' })
  expect(await errors()).toEqual({
    all: { label: 'All', message: { min: 'This needs at least 1 entries.' } },
    parts: { label: 'Parts', message: { min: 'This needs at least 2 entries.' } },
    text: { label: 'Text', message: { required: 'Please fill this in.' } },
  })
  dataOf(await admin.call('PATCH', 'pages/room', { text: 'x' }))
  const refused = await admin.call('PATCH', 'pages/room/status', { status: 'listed' })
  expect(statusAndKeyOf(refused)).toBe('403 error.page.changeStatus.incomplete')
  expect(Object.keys(refused.json<{ details: object }>().details)).toEqual(['parts', 'all'])
  for (const slug of ['one', 'two']) await addPage(site, room, { slug, template: 'album' })
  await addPage(site, room, { slug: 'other' })
  for (const name of ['a.png', 'b.png']) await upload('room', name, bytes.red, 'shot')
  expect(await errors()).toEqual({
    pictures: { label: 'Pictures', message: { max: 'This can have at most 1 entries.' } },
  })
  dataOf(await admin.call('DELETE', 'pages/room/files/b.png'))
  expect(await errors()).toEqual({})
  dataOf(await admin.call('PATCH', 'pages/room/status', { status: 'listed' }))
})

const blobs = () => db.selectFrom('blobs').select(['hash', 'unused_since']).execute()
const hashOf = async (filename: string) =>
  (await db.selectFrom('files').select('hash').where('filename', '=', filename).executeTakeFirstOrThrow()).hash

const swept: string[] = []

test('a page is deleted with its files and those of its descendants, and their blobs are swept later', async () => {
  const top = await addPage(site, '', { slug: 'going' })
  await addPage(site, top, { slug: 'below' })
  await upload('going', 'top.png', await createImage('png', { color: '#123456' }))
  await upload('going+below', 'deep.png', await createImage('png', { color: '#654321' }))
  const hashes = [await hashOf('top.png'), await hashOf('deep.png')]
  const refused = await keeper.call('DELETE', 'pages/going', { force: true })
  expect(statusAndKeyOf(refused)).toBe('403 error.permission')
  expect((await read('pages/going+below/files')).length).toBe(1)
  expect((await read('pages/going?select=hasFiles')).hasFiles).toBe(true)
  dataOf(await admin.call('DELETE', 'pages/going', { force: true }))
  const left = await db.selectFrom('files').select('filename').where('hash', 'in', hashes).execute()
  expect(left).toEqual([])
  const unused = async () =>
    (await blobs()).filter(({ hash, unused_since }) => hashes.includes(hash) && unused_since !== null)
  expect(await unused()).toHaveLength(0)
  dataOf(await admin.call('DELETE', 'site/trash'))
  await sweepTrash(app)
  expect(await unused()).toHaveLength(2)
  swept.push(...hashes)
})

test('deleting a page without files requires no permission to delete files', async () => {
  await addPage(site, '', { slug: 'bare' })
  dataOf(await keeper.call('DELETE', 'pages/bare'))
})

test('files move with their page', async () => {
  const from = await addPage(site, '', { slug: 'from', draft: false })
  const page = await addPage(site, from, { slug: 'walker', draft: false })
  await addPage(site, page, { slug: 'pup', draft: false })
  await addPage(site, '', { slug: 'onto', draft: false })
  const { uuid } = await upload('from+walker+pup', 'note.pdf', '%PDF-1.7 walks')
  dataOf(await admin.call('PATCH', 'pages/from+walker/move', { parent: 'onto' }))
  const [file] = await read('pages/onto+walker+pup/files')
  expect(file).toMatchObject({ uuid, id: 'onto/walker/pup/note.pdf' })
  expect(file.url).toContain('/media/pages/onto/walker/pup/')
  const { pathname } = new URL(file.url)
  const delivered = await site.request({ url: pathname, headers: { host: new URL(app.config.url).host } })
  expect([delivered.statusCode, delivered.body]).toEqual([200, '%PDF-1.7 walks'])
})

test('a copy has its own files, is in the search index, and has a history', async () => {
  const page = await addPage(site, '', { slug: 'first', title: 'Zephyrine', content: { text: 'quokka' }, draft: false })
  await upload('first', 'wombat.png', bytes.red)
  dataOf(await admin.call('PATCH', 'pages/first/files/wombat.png', { alt: 'numbat' }))
  dataOf(await admin.call('POST', 'pages/first/duplicate', { slug: 'second', files: true }))
  for (const word of ['zephyrine', 'quokka']) {
    const found = (await read(`site/search?q=${word}&select=id`)) as { id: string }[]
    expect(found.map(({ id }) => id).toSorted()).toEqual(['first', 'second'])
  }
  const [file] = await read('pages/second/files/search?q=numbat')
  expect(file).toMatchObject({ filename: 'wombat.png', content: { alt: 'numbat' } })
  const rows = await db.selectFrom('search_rows').select('owner').where('owner', '=', file.uuid).execute()
  expect(rows).toHaveLength(1)
  const owners = [(await read('pages/second?select=uuid')).uuid as string, file.uuid as string]
  const versions = await db.selectFrom('history').select(['owner', 'fields']).where('owner', 'in', owners).execute()
  const fields = new Map(versions.map(one => [one.owner, JSON.parse(one.fields) as string[]]))
  expect(owners.map(owner => fields.get(owner)?.toSorted())).toEqual([['text', 'title'], ['alt']])
  expect(page).not.toBe(owners[0])
  // The bytes stay for the copy when the first one goes.
  const { hash } = await db
    .selectFrom('files')
    .select('hash')
    .where('uuid', '=', file.uuid.replace('file://', ''))
    .executeTakeFirstOrThrow()
  dataOf(await admin.call('DELETE', 'pages/first'))
  expect((await blobs()).find(one => one.hash === hash)).toMatchObject({ unused_since: null })
})

test('blobs of deleted pages are swept', async () => {
  expect(swept).toHaveLength(2)
  await storage.moveClock(60 * 60_000 + 1000)
  await sweepBlobs(app)
  for (const hash of swept) expect(await app.media.size(hash)).toBeUndefined()
})
