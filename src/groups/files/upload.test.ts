import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'
import { expect, test, vi } from 'vitest'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../test/harness.ts'
import { describeRole, createSignedInUser } from '../../../test/signed-in-user.ts'
import { startS3 } from '../../../test/s3.ts'
import {
  svg,
  multipartBody,
  multipartContentType,
  gpsLatitudeBytes,
  imageWithGps,
  createImage,
  statusAndKeyOf,
  createUploader,
  dataOf,
} from '../../../test/files.ts'

const storage = await createTestStorage()
describeRole(storage, 'author', 'permissions: { files: { delete: false } }')
writeBlueprints(storage.data, {
  'files/cover.yml':
    'title: Cover\nfields: { alt: { type: text, default: A cover }, day: { type: date, default: today } }',
  'files/closed.yml': 'title: Closed\noptions: { create: false }',
})
const site = await createTestApp({ storage, settings: { files: { maxSize: 100_000 } } })
const admin = await createSignedInUser(site)
const author = await createSignedInUser(site, { role: 'author' })
const sender = await createUploader(admin)
const png = await createImage()

interface Shown {
  filename: string
  uuid: string
  mime: string
  content: Record<string, unknown>
  [field: string]: unknown
}

let count = 0
const newName = (extension = 'png') => `image-${++count}.${extension}`
const upload = async (filename: string, bytes: Buffer | string = png, fields?: Record<string, string>) =>
  sender.send('account/files', [{ filename, bytes }], fields)

/** Temporary files that were neither stored nor removed. */
const temporary = () => {
  const folder = join(site.app.config.data, 'media', 'tmp')
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

test('a file is uploaded, and returned as it is read later', async () => {
  const answer = await upload('Größe & Öl.PNG')
  expect(Object.keys(answer.json())).toEqual(['status', 'data'])
  const file = dataOf<Shown>(answer)
  expect(file).toMatchObject({
    filename: 'grosse-ol.png',
    name: 'grosse-ol',
    extension: 'png',
    mime: 'image/png',
    type: 'image',
    size: png.length,
    dimensions: { width: 30, height: 30, ratio: 1, orientation: 'square' },
    template: null,
    id: `${admin.id}/grosse-ol.png`,
    link: '/account/files/grosse-ol.png',
    content: { sort: null, uuid: file.uuid.replace('file://', '') },
    parent: { id: admin.id },
  })
  const read = dataOf<Shown>(await sender.call('GET', 'account/files/grosse-ol.png'))
  const { sort: _, ...content } = file.content
  expect(read).toEqual({ ...file, content })
})

test('the typed client sends files', async () => {
  const browser = site.browser()
  await browser.client.auth.login({ email: admin.email, password: 'seven quiet herons over water' })
  const form = new FormData()
  form.set('file', new File([png], 'sent by client.png'))
  const { data } = await browser.client.users.files.upload({ id: 'account' }, form)
  expect(data).toMatchObject({ filename: 'sent-by-client.png' })
})

test('several files are returned by their sent names, and array names are accepted', async () => {
  const answer = await sender.send('account/files', [
    { name: 'file[]', filename: 'One.png', bytes: png },
    { name: 'file[]', filename: 'Two.svg', bytes: svg() },
  ])
  expect(dataOf(answer)).toMatchObject({ 'One.png': { filename: 'one.png' }, 'Two.svg': { filename: 'two.svg' } })
})

test('of several files all or none are stored', async () => {
  const answer = await sender.send('account/files', [
    { filename: 'fine.png', bytes: png },
    { filename: 'wrong.png', bytes: 'no image' },
  ])
  expect(statusAndKeyOf(answer)).toBe('400 error.file.content.mismatch')
  expect(statusAndKeyOf(await sender.call('GET', 'account/files/fine.png'))).toBe('404 error.file.notFound')
  expect(temporary()).toEqual([])
})

test('template and sort number are sent as fields, before or after the file', async () => {
  const name = newName()
  const file = dataOf<Shown>(await upload(name, png, { template: 'cover', sort: '7' }))
  expect(file).toMatchObject({ template: 'cover', content: { alt: 'A cover', sort: '7', template: 'cover' } })
  expect(file.content['day']).toMatch(/^\d{4}-\d\d-\d\d/)
  const reversed = multipartBody([{ filename: newName(), bytes: png }]).toString('latin1').replace('--\r\n', '\r\ncontent-disposition: form-data; name="template"\r\n\r\ncover\r\n--between-the-parts--\r\n') // prettier-ignore
  const late = await admin.browser.send({
    method: 'POST',
    url: '/api/account/files',
    headers: { ...sender.headers, 'content-type': multipartContentType },
    payload: Buffer.from(reversed, 'latin1'),
  })
  expect(dataOf(late)).toMatchObject({ template: 'cover' })
})

test.each([
  [{ sort: 'first' }, '400 error.validation'],
  [{ sort: '-1' }, '400 error.validation'],
  [{ caption: 'x' }, '400 error.validation'],
  [{ template: '../../etc' }, '400 error.file.changeTemplate.invalid'],
  [{ template: 'closed' }, '403 error.permission'],
])('the fields %j are refused', async (fields, refusal) => {
  expect(statusAndKeyOf(await upload(newName(), png, fields as Record<string, string>))).toBe(refusal)
})

test('the same upload again returns the existing file', async () => {
  const name = newName()
  const first = dataOf<Shown>(await upload(name))
  expect(dataOf<Shown>(await upload(name.toUpperCase())).uuid).toBe(first.uuid)
  const otherImage = await createImage('png', { color: '#0c0' })
  expect(statusAndKeyOf(await upload(name, otherImage))).toBe('400 error.file.duplicate')
  expect(statusAndKeyOf(await upload(name, png, { template: 'cover' }))).toBe('400 error.file.duplicate')
  expect(temporary()).toEqual([])
})

test('eight concurrent uploads of one file all get the same one; with different bytes one wins', async () => {
  const name = newName()
  const answers = await Promise.all(Array.from({ length: 8 }, () => upload(name)))
  expect(new Set(answers.map(answer => dataOf<Shown>(answer).uuid)).size).toBe(1)
  const contested = newName()
  const colours = await Promise.all(['#111', '#222', '#333'].map(color => createImage('png', { color })))
  const raced = await Promise.all(colours.map(bytes => upload(contested, bytes)))
  expect(raced.map(answer => answer.statusCode).toSorted((a, b) => a - b)).toEqual([200, 400, 400])
})

test('a file above the size limit is refused, and nothing of it stays', async () => {
  expect(statusAndKeyOf(await upload(newName('pdf'), Buffer.alloc(100_001)))).toBe('413 error.file.maxsize')
  expect(statusAndKeyOf(await upload(newName('pdf'), Buffer.alloc(5_000_000)))).toBe('413 error.file.maxsize')
  expect(temporary()).toEqual([])
})

// Only root can mount the small file system, and only outside of most containers.
test.runIf(process.getuid?.() === 0)(
  'a disk that becomes full during an upload: 507, nothing of it stays, and it is stored when there is space again',
  async ({ skip }) => {
    const folder = join(site.app.config.data, 'media', 'tmp')
    mkdirSync(folder, { recursive: true })
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=32k', 'tmpfs', folder])
    if (status !== 0) skip('no file system can be mounted here')
    const pdf = `%PDF-1.4\n${' '.repeat(90_000)}`
    try {
      expect(statusAndKeyOf(await upload(newName('pdf'), pdf))).toBe('507 error.storage.full')
      expect(temporary()).toEqual([])
    } finally {
      spawnSync('umount', [folder])
    }
    expect((await upload(newName('pdf'), pdf)).statusCode).toBe(200)
  },
)

test('a form without a file, with too many files, or an invalid one is refused', async () => {
  expect(statusAndKeyOf(await sender.send('account/files', []))).toBe('400 error.upload.noFiles')
  expect(statusAndKeyOf(await sender.send('account/files', [{ filename: '', bytes: '' }]))).toBe(
    '400 error.upload.noFiles',
  )
  const many = Array.from({ length: 21 }, () => ({ filename: newName(), bytes: png }))
  expect(statusAndKeyOf(await sender.send('account/files', many))).toBe('400 error.upload.tooMany')
  expect(statusAndKeyOf(await sender.call('POST', 'account/files', {}))).toBe('415 error.upload.mediaType')
  expect(statusAndKeyOf(await sender.send('account/name', [{ filename: 'a.png', bytes: png }]))).toMatch(/^40[45]/)
  expect(temporary()).toEqual([])
})

test('only upload endpoints accept forms with files', async () => {
  const answer = await admin.browser.send({
    method: 'PATCH',
    url: '/api/account',
    headers: { ...sender.headers, 'content-type': multipartContentType },
    payload: multipartBody([], { title: 'x' }),
  })
  expect(statusAndKeyOf(answer)).toBe('415 error.request.mediaType')
})

test('an upload without permission is refused before it is read', async () => {
  const guest = await createUploader(await createSignedInUser(site, { role: 'editor' }))
  expect(statusAndKeyOf(await guest.send('account/files', [{ filename: newName(), bytes: png }]))).toMatch(/^403/)
  const unauthenticated = await site.request({
    method: 'POST',
    url: '/api/account/files',
    headers: { 'content-type': multipartContentType, host: new URL(site.app.config.url).host },
    payload: multipartBody([{ filename: newName(), bytes: png }]),
  })
  expect(unauthenticated.statusCode).toBe(401)
  const own = await createUploader(author)
  expect(statusAndKeyOf(await own.send(`users/${admin.id}/files`, [{ filename: 'x.png', bytes: png }]))).not.toBe('500')
  expect(statusAndKeyOf(await sender.send('pages/nothing/files', [{ filename: newName(), bytes: png }]))).toBe(
    '404 error.page.notFound',
  )
})

/** Runs something between two changes of the store: before the one of this number. */
function before(number: number, work: () => Promise<void>) {
  const { store } = site.app
  const write = store.write.bind(store)
  let writes = 0
  return vi.spyOn(store, 'write').mockImplementation(async (...args: Parameters<typeof write>) => {
    if (++writes === number) await work()
    return write(...args)
  })
}

async function sweep(hash: string): Promise<void> {
  const { store, media } = site.app
  await store.db.deleteFrom('files').where('hash', '=', hash).execute()
  await store.db.deleteFrom('blobs').where('hash', '=', hash).execute()
  await media.remove(hash)
}

test('blobs that are swept during an upload are stored again', async () => {
  const bytes = await createImage('png', { color: '#0f0' })
  const name = newName()
  const first = dataOf<Shown>(await upload(name, bytes))
  const hash = createHash('sha256').update(bytes).digest('hex')
  const spied = before(1, () => sweep(hash))
  const again = dataOf<Shown>(await upload(name, bytes))
  spied.mockRestore()
  expect(again.uuid).not.toBe(first.uuid)
  expect(await site.app.media.size(hash)).toBe(bytes.length)
  const blob = await site.app.store.db.selectFrom('blobs').selectAll().where('hash', '=', hash).executeTakeFirst()
  expect(blob).toMatchObject({ unused_since: null })
  expect(temporary()).toEqual([])
})

test('missing blobs can be uploaded again, and a failed attempt leaves nothing', async () => {
  const bytes = await createImage('png', { color: '#00f' })
  const name = newName()
  const hash = createHash('sha256').update(bytes).digest('hex')
  for (const send of [() => upload(name, bytes), () => sender.send('account/avatar', [{ filename: name, bytes }])]) {
    const spied = before(2, () => sweep(hash)) // the first has claimed them
    const answer = await send()
    spied.mockRestore()
    expect(statusAndKeyOf(answer)).toBe('503 error.busy')
    expect(answer.headers['retry-after']).toBe('2')
    expect((await send()).statusCode).toBe(200)
    await sweep(hash)
  }
  expect(temporary()).toEqual([])
})

test.each(['disk', 'S3'])('the same upload replaces missing or damaged blobs on %s', async kind => {
  const own = kind === 'S3' ? await createTestApp({ settings: { media: { s3: (await startS3()).settings } } }) : site
  const who = kind === 'S3' ? await createUploader(await createSignedInUser(own)) : sender
  const sent = () => who.send('account/files', [{ filename: `lost-${kind}.png`, bytes: png }])
  const { uuid } = dataOf<Shown>(await sent())
  const hash = createHash('sha256').update(png).digest('hex')
  await own.app.media.remove(hash)
  expect(dataOf<Shown>(await sent()).uuid).toBe(uuid)
  expect(await own.app.media.size(hash)).toBe(png.length)
  if (kind === 'disk') writeFileSync(join(site.app.config.data, 'media', hash.slice(0, 2), hash), 'half')
  expect(dataOf<Shown>(await sent()).uuid).toBe(uuid)
  expect(await own.app.media.size(hash)).toBe(png.length)
  await own.app.store.db.deleteFrom('blobs').where('hash', '=', hash).execute()
  expect(dataOf<Shown>(await sent()).uuid).toBe(uuid)
  const [blob] = await own.app.store.db.selectFrom('blobs').selectAll().where('hash', '=', hash).execute()
  expect(blob, 'it is known again, and used').toMatchObject({ unused_since: null })
})

test('the location is removed from images, unless configured otherwise', async () => {
  const photo = await imageWithGps('jpeg')
  expect(photo.includes(gpsLatitudeBytes)).toBe(true)
  const sent = async (who: typeof sender) =>
    dataOf<Shown>(await who.send('account/files', [{ filename: 'photo.jpg', bytes: photo }]))
  const storedBytes = async (own: typeof site, { uuid }: Shown) => {
    const id = uuid.replace('file://', '')
    const row = await own.app.store.db.selectFrom('files').selectAll().where('uuid', '=', id).executeTakeFirstOrThrow()
    return buffer((await own.app.media.open(row.hash))!)
  }
  const first = await sent(sender)
  const stored = await storedBytes(site, first)
  expect([stored.length, stored.includes(gpsLatitudeBytes), stored.includes('somebody')]).toEqual([
    photo.length,
    false,
    true,
  ])
  expect(await sharp(stored).raw().toBuffer()).toEqual(await sharp(photo).raw().toBuffer())
  expect((await sent(sender)).uuid, 'uploading it again gives the same file').toBe(first.uuid)
  const open = await createTestApp({ settings: { files: { keepLocation: true } } })
  expect(
    (await storedBytes(open, await sent(await createUploader(await createSignedInUser(open))))).equals(photo),
  ).toBe(true)
})
