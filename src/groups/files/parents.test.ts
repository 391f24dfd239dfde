import { expect, test } from 'vitest'
import { createImage, statusAndKeyOf, createUploader, dataOf } from '../../../test/files.ts'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../test/harness.ts'
import { describeRole, createSignedInUser } from '../../../test/signed-in-user.ts'

const storage = await createTestStorage()
describeRole(storage, 'reader', 'permissions: { pages: { read: false }, access: { site: false } }')
writeBlueprints(storage.data, {
  'files/photo.yml': 'fields: { alt: { type: text }, credit: { type: text, translate: false } }',
})
const site = await createTestApp({ storage })
const admin = await createUploader(await createSignedInUser(site))
const png = await createImage()
const upload = (filename: string) => [{ filename, bytes: png }]

interface Shown {
  uuid: string
  filename: string
  content: Record<string, unknown>
  [field: string]: unknown
}

let count = 0
/** A page with a page below it. */
async function createPages() {
  const slug = `exhibits-${++count}`
  const created = await admin.call('POST', 'site/children', { slug, content: { title: 'Exhibits' } })
  const below = await admin.call('POST', `pages/${slug}/children`, { slug: 'gears', content: { title: 'Gears' } })
  expect([created.statusCode, below.statusCode]).toEqual([200, 200])
  return { slug, below: `${slug}/gears`, filesPath: `pages/${slug}+gears/files` }
}

test('files of a page and of the site have the ids of their parents', async () => {
  const { slug, below, filesPath } = await createPages()
  const ofPage = dataOf(await admin.send(filesPath, upload('a.png')))
  expect(ofPage).toMatchObject({
    id: `${below}/a.png`,
    link: `/pages/${slug}+gears/files/a.png`,
    parent: { id: below, title: 'Gears' },
    url: expect.stringContaining(`/media/pages/${below}/`) as string,
  })
  const panel = dataOf(await admin.call('GET', `${filesPath}/a.png?view=panel`))
  expect(panel).toMatchObject({ parents: [{ slug, title: 'Exhibits' }, { slug: 'gears' }] })
  const ofSite = dataOf(await admin.send('site/files', upload('a.png')))
  expect(ofSite).toMatchObject({ id: 'a.png', link: '/site/files/a.png' })
  expect(dataOf(await admin.call('GET', `pages/${slug}+gears?select=files,hasFiles`))).toMatchObject({
    files: [{ filename: 'a.png' }],
    hasFiles: true,
  })
  expect(dataOf(await admin.call('GET', 'site?select=files'))).toMatchObject({ files: [{ filename: 'a.png' }] })
})

test('a file of the site is no file of a page', async () => {
  const { filesPath } = await createPages()
  await admin.send('site/files', upload('logo.png'))
  for (const method of ['GET', 'PATCH', 'DELETE'] as const)
    expect(statusAndKeyOf(await admin.call(method, `${filesPath}/logo.png`, method === 'PATCH' ? {} : undefined))).toBe(
      '404 error.file.notFound',
    )
  expect(statusAndKeyOf(await admin.send(`${filesPath}/logo.png`, upload('logo.png')))).toBe('404 error.file.notFound')
  expect((await admin.call('GET', 'site/files/logo.png')).statusCode).toBe(200)
})

test('an id without a parent is a file of the site', async () => {
  dataOf(await admin.send('files', upload('short.png')))
  expect(dataOf(await admin.call('GET', 'files/short.png?select=id,link'))).toEqual({
    id: 'short.png',
    link: '/site/files/short.png',
  })
  dataOf(await admin.call('PATCH', 'files/short.png', { alt: 'Briefly' }))
  dataOf(
    await admin.send('files/short.png', [{ filename: 'x.png', bytes: await createImage('png', { color: '#0c0' }) }]),
  )
  dataOf(await admin.call('PATCH', 'files/short.png/name', { name: 'brief' }))
  expect(dataOf(await admin.call('GET', 'site/files/brief.png'))).toMatchObject({ content: { alt: 'Briefly' } })
  const found = dataOf<Shown[]>(await admin.call('GET', 'files/search?q=brief'))
  expect(found.map(({ filename }) => filename)).toEqual(['brief.png'])
  dataOf(await admin.call('DELETE', 'files/brief.png'))
  expect(statusAndKeyOf(await admin.call('GET', 'files/brief.png'))).toBe('404 error.file.notFound')
  expect((await admin.call('GET', 'filesystem')).statusCode).toBe(404)
  const reader = await createUploader(await createSignedInUser(site, { role: 'reader' }))
  expect(statusAndKeyOf(await reader.call('GET', 'files/logo.png'))).toBe(
    statusAndKeyOf(await reader.call('GET', 'site/files/logo.png')),
  )
})

test('files of an invisible parent are not found', async () => {
  const { filesPath } = await createPages()
  await admin.send(filesPath, upload('a.png'))
  const reader = await createUploader(await createSignedInUser(site, { role: 'reader' }))
  for (const path of [filesPath, `${filesPath}/a.png`, `${filesPath}/search?q=aa`])
    expect(statusAndKeyOf(await reader.call('GET', path))).toBe('404 error.page.notFound')
  expect(statusAndKeyOf(await reader.send(filesPath, upload('b.png')))).toBe('404 error.page.notFound')
  expect(statusAndKeyOf(await reader.call('GET', 'site/files'))).toBe('403 error.site.access.permission')
})

test('deleting a subtree deletes all its files', async () => {
  const { slug, filesPath } = await createPages()
  const { uuid } = dataOf<Shown>(await admin.send(filesPath, upload('a.png')))
  expect((await admin.call('DELETE', `pages/${slug}`, { force: true })).statusCode).toBe(200)
  const { db } = site.app.store
  expect(await db.selectFrom('files').select('uuid').where('uuid', '=', uuid.slice(7)).execute()).toEqual([])
  expect(await db.selectFrom('contents').select('owner').where('owner', '=', uuid).execute()).toEqual([])
})

test('the copy of a page has its own files, with the same bytes and contents', async () => {
  const { slug, filesPath } = await createPages()
  const { uuid } = dataOf<Shown>(await admin.send(filesPath, upload('a.png'), { template: 'photo' }))
  await admin.call('PATCH', `${filesPath}/a.png`, { alt: 'A wheel' })
  const created = await admin.call('POST', `pages/${slug}+gears/duplicate`, { slug: 'copy', files: true })
  expect(created.statusCode).toBe(200)
  const copy = dataOf<Shown>(await admin.call('GET', `pages/${slug}+copy/files/a.png`))
  expect(copy).toMatchObject({ template: 'photo', content: { alt: 'A wheel' } })
  expect(copy.uuid).not.toBe(uuid)
  await admin.call('DELETE', `${filesPath}/a.png`)
  expect((await admin.call('GET', `pages/${slug}+copy/files/a.png`)).statusCode).toBe(200)
})

test('no files can be added to a page that is being deleted', async () => {
  const { slug, below, filesPath } = await createPages()
  const { uuid } = dataOf<Shown>(await admin.call('GET', `pages/${below.replace('/', '+')}`))
  const answers = await Promise.all([
    ...[1, 2, 3].map(index => admin.send(filesPath, upload(`a${index}.png`))),
    admin.call('DELETE', `pages/${slug}`, { force: true }),
  ])
  for (const answer of answers) expect(answer.statusCode).toBeLessThan(500)
  const rows = await site.app.store.db.selectFrom('files').select('uuid').where('parent', '=', uuid).execute()
  expect(rows).toEqual([])
})

test('content is written in one language, with the default language as fallback', async () => {
  for (const body of [
    { code: 'en', name: 'English', default: true },
    { code: 'de', name: 'Deutsch' },
  ])
    expect((await admin.call('POST', 'languages', body)).statusCode).toBe(200)
  const { filesPath } = await createPages()
  await admin.send(filesPath, upload('a.png'), { template: 'photo' })
  await admin.call('PATCH', `${filesPath}/a.png`, { alt: 'Wheel', credit: 'Ada' })
  await admin.call('PATCH', `${filesPath}/a.png`, { alt: 'Rad' }, { 'x-language': 'de' })
  const read = async (query: string) => dataOf<Shown>(await admin.call('GET', `${filesPath}/a.png${query}`)).content
  expect(await read('')).toMatchObject({ alt: 'Wheel', credit: 'Ada' })
  expect(await read('?language=de')).toMatchObject({ alt: 'Rad', credit: 'Ada' })
  const unknown = await admin.call('PATCH', `${filesPath}/a.png`, { alt: 'x' }, { 'x-language': 'xx' })
  expect(statusAndKeyOf(unknown)).toBe('400 error.language.unknown')
})
