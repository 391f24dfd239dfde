import { expect, test } from 'vitest'
import { createImage, statusAndKeyOf, createUploader, dataOf } from '../../../../test/files.ts'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../../test/harness.ts'
import { addPage } from '../../../../test/pages.ts'
import { createSignedInUser } from '../../../../test/signed-in-user.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'files/kept.yml': 'title: Kept\nfields: { alt: { type: text }, focus: { type: text } }\n',
  'files/webp.yml': 'title: WebP\ncreate: { format: webp }\n',
})
const site = await createTestApp({ storage })
const admin = await createUploader(await createSignedInUser(site))
const png = await createImage()
const owner = `page://${await addPage(site, '', { slug: 'album' })}`
const files = 'pages/album/files'
for (const name of ['shot-10.png', 'shot-9.png', 'shot-1.png', 'a.png'])
  dataOf(await admin.send(files, [{ filename: name, bytes: png }], { template: 'kept' }))

interface Shown {
  filename: string
  url: string
  next: { filename: string } | null
  prev: { filename: string } | null
  nextWithTemplate: { filename: string } | null
}
const list = async (query = '') => {
  const answer = await admin.call('GET', `${files}?${query}`)
  return [dataOf<Shown[]>(answer).map(({ filename }) => filename), answer.json<{ pagination: object }>().pagination]
}
const get = async (name: string) =>
  dataOf<Shown>(await admin.call('GET', `${files}/${name}?select=filename,url,next,prev,nextWithTemplate`))

test('a list is paginated in its order', async () => {
  expect(await list()).toMatchObject([['a.png', 'shot-1.png', 'shot-9.png', 'shot-10.png'], { total: 4 }])
  expect(await list('limit=2&page=2')).toMatchObject([['shot-9.png', 'shot-10.png'], { total: 4, offset: 2 }])
  expect(await get('shot-9.png')).toMatchObject({
    prev: { filename: 'shot-1.png' },
    next: { filename: 'shot-10.png' },
    nextWithTemplate: { filename: 'shot-10.png' },
  })
  const sorted = await admin.call('PATCH', `${files}/sort?limit=2`, { files: ['shot-10.png', 'a.png'] })
  expect(dataOf<Shown[]>(sorted).map(({ filename }) => filename)).toEqual(['shot-1.png', 'shot-9.png'])
  expect(await list()).toMatchObject([['shot-1.png', 'shot-9.png', 'shot-10.png', 'a.png'], { total: 4 }])
  expect(await get('shot-10.png')).toMatchObject({ next: null, nextWithTemplate: { filename: 'a.png' } })
  const page = await admin.call('GET', 'pages/album?select=hasFiles')
  expect(dataOf(page)).toEqual({ hasFiles: true })
})

test('a URL changes only with the bytes and the focus point', async () => {
  // Everything was long ago: else all of it would happen within one second.
  await site.app.store.db
    .updateTable('files')
    .set({ stored_at: 1_000_000, modified_at: 1_000_000 })
    .where('parent', '=', owner)
    .execute()
  const { url } = await get('a.png')
  await admin.call('PATCH', `${files}/a.png`, { alt: 'A letter' })
  await admin.call('PATCH', `${files}/sort`, { files: ['a.png'], index: 7 })
  expect((await get('a.png')).url).toBe(url)
  await admin.call('PATCH', `${files}/a.png`, { focus: '10% 20%' })
  const around = (await get('a.png')).url
  await admin.call('PATCH', `${files}/a.png`, { focus: '30% 20%' })
  const elsewhere = (await get('a.png')).url
  await admin.send(`${files}/a.png`, [{ filename: 'a.png', bytes: await createImage('png', { color: '#00c' }) }])
  expect(new Set([url, around, elsewhere, (await get('a.png')).url]).size).toBe(4)
  expect(url).toMatch(/\/[0-9a-f]{10}-\d+\/a\.png$/)
})

test('a PNG uploaded before the blueprint changed is replaced by a PNG', async () => {
  await site.app.store.db.updateTable('files').set({ template: 'webp' }).where('name_key', '=', 'shot-1.png').execute()
  const bytes = await createImage('png', { color: '#0cc' })
  const replaced = await admin.send(`${files}/shot-1.png`, [{ filename: 'x.png', bytes }])
  expect(dataOf(replaced)).toMatchObject({ filename: 'shot-1.png', mime: 'image/png' })
})

test('a forbidden name is refused before the bytes are read', async () => {
  const bytes = Buffer.alloc(site.app.config.files.maxSize + 1000)
  expect(statusAndKeyOf(await admin.send(files, [{ filename: 'shell.php', bytes }]))).toBe(
    '400 error.file.extension.forbidden',
  )
}, 30_000)
