import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { withChangeBeforeWrites } from '../../../../test/before-write.ts'
import { dataOf, svg, createImage, createUploader } from '../../../../test/files.ts'
import { createTestApp, createTestStorage, writeBlueprints } from '../../../../test/harness.ts'
import { addFile, animatedImage, sha256 } from '../../../../test/media.ts'
import { addPage, createTokenClient, type TokenClient } from '../../../../test/pages.ts'
import { isSlow } from '../../../../test/slow.ts'
import { createSignedInUser, describeRole } from '../../../../test/signed-in-user.ts'
import { findFaults } from '../../../cli/check/faults.ts'
import { repair } from '../../../cli/check/repair.ts'
import { backup } from '../../../transfer/backup/backup.ts'
import { sweepTrash } from '../../../content/trash/trash.ts'

const keep = 2
const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'pages/note.yml': 'title: Note',
  'files/default.yml': 'title: File',
  'files/wide.yml': 'accept: { minwidth: 30 }',
})
describeRole(storage, 'clerk', 'permissions: { files: { replace: false } }')
const site = await createTestApp({
  storage,
  quiet: true,
  settings: { files: { versions: keep, maxPixels: 10_000 }, trash: { days: 1 } },
})
const { db } = site.app.store
const ada = await createTokenClient(site)
const clerk = await createTokenClient(site, { role: 'clerk' })
await addPage(site, '', { slug: 'coast', title: 'Coast', template: 'note', status: 'listed' })
const browser = await createSignedInUser(site)
const sender = await createUploader(browser)

const [red, green, blue, white] = ['ff0000', '00ff00', '0000ff', 'ffffff'] as const

const part = (color: string, left: number, top: number) => ({
  input: { create: { width: 20, height: 10, channels: 3, background: `#${color}` } } as const,
  left,
  top,
})

/** Red and green at the top, blue and white below, 40 × 20. */
async function quarters(
  format: 'png' | 'jpeg' | 'webp' | 'avif' | 'gif' = 'png',
  orientation?: number,
): Promise<Buffer> {
  const whole = sharp({ create: { width: 40, height: 20, channels: 3, background: `#${red}` } }).composite([
    part(green, 20, 0),
    part(blue, 0, 10),
    part(white, 20, 10),
  ])
  if (orientation === undefined) return whole.toFormat(format, { quality: 100 }).toBuffer()
  const camera = { orientation, exif: { IFD0: { Copyright: 'somebody' } } }
  return whole.withMetadata(camera).withIccProfile('p3').jpeg({ quality: 100 }).toBuffer()
}

/** The colours of the four quarters, and the size. */
async function seen(bytes: Buffer): Promise<[string, ...string[]]> {
  const { data, info } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  const at = (x: number, y: number) => {
    const start = (Math.floor(y * height) * width + Math.floor(x * width)) * channels
    // Lossy formats change a colour a little.
    return Buffer.from(data.subarray(start, start + 3).map(level => (level > 127 ? 255 : 0))).toString('hex')
  }
  return [`${width} × ${height}`, at(0.2, 0.2), at(0.8, 0.2), at(0.2, 0.8), at(0.8, 0.8)]
}

let count = 0
interface Uploaded {
  uuid: string
  filename: string
  path: string
}
async function upload(bytes: Buffer | string, extension = 'png', template = 'default'): Promise<Uploaded> {
  const filename = `image-${++count}.${extension}`
  const answer = await sender.send('pages/coast/files', [{ filename, bytes }], { template })
  const { uuid } = dataOf<{ uuid: string }>(answer)
  return { uuid, filename, path: `site/library/${uuid.slice('file://'.length)}/versions` }
}

interface Version {
  number: number
  current: boolean
  user: { id: string } | null
  size: number
  width: number | null
  height: number | null
  url: string
  thumb: string | null
}
const versions = async ({ path }: Uploaded) => ((await ada.done('GET', path)) as unknown as { data: Version[] }).data
const numbers = async (file: Uploaded) =>
  (await versions(file)).map(({ number, current }) => (current ? `${number}*` : `${number}`)).join(' ')
const edit = (file: Uploaded, body: object, who: TokenClient = ada, headers = {}) =>
  who.call('POST', file.path, body, headers)
const edited = async (file: Uploaded, body: object) => {
  expect(await edit(file, body)).toMatchObject({ status: 200 })
}
const fileOf = async ({ filename }: Uploaded, fields = 'url,revision,dimensions,content') =>
  (await ada.done('GET', `pages/coast/files/${filename}?select=${fields}`)).data as {
    url: string
    revision: number
    dimensions: { width: number; height: number }
    content: Record<string, string>
  }
const download = async (url: string) => browser.browser.send({ url: new URL(url).pathname })
const bytesOf = async (file: Uploaded) => (await download((await fileOf(file)).url)).rawPayload
const replace = async ({ filename }: Uploaded, bytes: Buffer) =>
  expect(await sender.send(`pages/coast/files/${filename}`, [{ filename, bytes }])).toMatchObject({ statusCode: 200 })
const unused = async (bytes: Buffer) =>
  (await db.selectFrom('blobs').select('unused_since').where('hash', '=', sha256(bytes)).executeTakeFirst())
    ?.unused_since !== null
const faults = async () =>
  (await findFaults(site.app, { thorough: true, progress: () => {} })).faults.map(({ message }) => message)

test('an image is cropped, mirrored and turned, in this order', async () => {
  for (const [change, ...expected] of [
    [{ rotate: 90 }, '20 × 40', blue, red, white, green],
    [{ rotate: 270 }, '20 × 40', green, white, red, blue],
    [{ flip: true }, '40 × 20', green, red, white, blue],
    [{ crop: { left: 20, top: 0, width: 20, height: 20 } }, '20 × 20', green, green, white, white],
    [
      { crop: { left: 20, top: 0, width: 20, height: 20 }, flip: true, rotate: 90 },
      '20 × 20',
      white,
      green,
      white,
      green,
    ],
    [
      { crop: { left: 10, top: 0, width: 20, height: 20 }, flip: true, rotate: 270 },
      '20 × 20',
      red,
      blue,
      green,
      white,
    ],
  ] as const) {
    const file = await upload(await quarters())
    await edited(file, change)
    expect([change, ...(await seen(await bytesOf(file)))]).toEqual([change, ...expected])
    const { dimensions } = await fileOf(file)
    expect(`${dimensions.width} × ${dimensions.height}`).toBe(expected[0])
  }
})

test('images of cameras are turned from how they are shown, and lose the metadata except for the colours', async () => {
  const file = await upload(await quarters('jpeg', 6), 'jpg')
  expect((await fileOf(file)).dimensions).toMatchObject({ width: 20, height: 40 })
  await edited(file, { crop: { left: 0, top: 0, width: 20, height: 20 } })
  const bytes = await bytesOf(file)
  expect(await seen(bytes)).toEqual(['20 × 20', blue, red, blue, red])
  const metadata = await sharp(bytes).metadata()
  expect([metadata.orientation ?? 1, metadata.exif, metadata.icc instanceof Buffer]).toEqual([1, undefined, true])
  for (const format of isSlow ? (['webp', 'avif', 'gif'] as const) : (['webp'] as const)) {
    const other = await upload(await quarters(format), format)
    await edited(other, { rotate: 180 })
    const result = await bytesOf(other)
    expect([format, ...(await seen(result))]).toEqual([format, '40 × 20', white, blue, green, red])
  }
})

test('the former bytes stay: the original and the newest versions, as many as are kept', async () => {
  const original = await createImage('png', { width: 40, height: 20, color: '#654321' })
  const file = await upload(original)
  expect(await versions(file), 'it was never replaced').toEqual([])
  await edited(file, { rotate: 90 })
  const turned = await bytesOf(file)
  expect(await versions(file)).toMatchObject([
    { number: 2, current: true, user: { id: ada.id }, width: 20, height: 40, size: turned.length },
    { number: 1, current: false, user: null, width: 40, height: 20, size: original.length },
  ])
  await edited(file, { version: 1 })
  expect((await bytesOf(file)).equals(original)).toBe(true)
  expect(await numbers(file), 'going back adds no version').toBe('2 1*')
  const other = await createImage('png', { color: '#123456' })
  await replace(file, other)
  expect(await numbers(file), 'an upload is a version as well').toBe('3* 2 1')
  await edited(file, { flip: true, crop: { left: 0, top: 0, width: 9, height: 7 } })
  expect(await numbers(file)).toBe('4* 3 2 1')
  await edited(file, { rotate: 90 })
  expect(await numbers(file), 'the second is dropped').toBe('5* 4 3 1')
  expect([await unused(turned), await unused(other), await unused(original)]).toEqual([true, false, false])
  await edited(file, { version: 1, rotate: 90 })
  expect((await bytesOf(file)).equals(turned), 'a version can be edited without going back to it').toBe(true)
  await edited(file, { version: 1 })
  expect((await bytesOf(file)).equals(original)).toBe(true)
  expect(await faults()).toEqual([])
})

test('the bytes of a version are delivered to clients that may see the file', async () => {
  const original = await quarters()
  const file = await upload(original)
  const { url: live } = await fileOf(file)
  await edited(file, { rotate: 90 })
  const [, first] = await versions(file)
  const shown = await download(first!.url)
  expect([shown.statusCode, shown.rawPayload.equals(original)]).toEqual([200, true])
  expect(shown.headers['cache-control']).toBe('private, no-store')
  expect((await sharp((await download(first!.thumb!)).rawPayload).metadata()).width).toBe(40)
  const anonymous = await site.request({ url: new URL(first!.url).pathname, headers: { host: new URL(live).host } })
  expect(anonymous.statusCode, 'what was cut off is not public').toBe(404)
  expect((await download(live)).headers['location'], 'the former address leads to the present bytes').toBe(
    new URL((await fileOf(file)).url).pathname,
  )
})

test('the focus point follows, and comes back with the version', async () => {
  const file = await upload(await quarters())
  const focus = async () => (await fileOf(file)).content['focus']
  const setFocus = (value: string) => ada.done('PATCH', `pages/coast/files/${file.filename}`, { focus: value })
  await setFocus('25% 50%')
  await edited(file, { crop: { left: 0, top: 0, width: 20, height: 10 }, flip: true })
  expect(await focus()).toBe('50% 100%')
  await setFocus('20% 70%')
  await edited(file, { rotate: 90 })
  expect(await focus()).toBe('30% 20%')
  await edited(file, { crop: { left: 5, top: 0, width: 5, height: 20 } })
  expect(await focus(), 'it was cut off').toBe('')
  await edited(file, { version: 1 })
  expect(await focus()).toBe('25% 50%')
  expect((await ada.done('GET', `pages/coast/files/${file.filename}/history`)).data).toHaveLength(7)
})

test('the result can be a copy', async () => {
  const original = await quarters()
  const file = await upload(original)
  await ada.done('PATCH', `pages/coast/files/${file.filename}`, { focus: '0% 0%', alt: 'Quarters' })
  const copy = (await edit(file, { rotate: 90, copy: true })).data as { uuid: string; id: string; link: string }
  const filename = file.filename.replace('.png', '-2.png')
  expect(copy).toMatchObject({ id: `coast/${filename}`, link: `/pages/coast/files/${filename}` })
  expect(copy.uuid).not.toBe(file.uuid)
  expect((await bytesOf(file)).equals(original)).toBe(true)
  expect(await versions(file)).toEqual([])
  expect((await fileOf({ ...file, filename })).content).toMatchObject({ focus: '100% 0%', alt: 'Quarters' })
  expect(await seen(await bytesOf({ ...file, filename }))).toEqual(['20 × 40', blue, red, white, green])
})

test('what cannot be edited is refused', async () => {
  const refused = async (file: Uploaded, body: object, who = ada, headers = {}) => {
    const { status, key } = await edit(file, body, who, headers)
    return `${status} ${key}`
  }
  const turn = { rotate: 90 }
  const whole = { left: 0, top: 0, width: 40, height: 20 }
  for (const [bytes, extension] of [
    [svg(), 'svg'],
    ['a,b\n', 'csv'],
    [await animatedImage('gif'), 'gif'],
    [await animatedImage('webp'), 'webp'],
    [await createImage('tiff'), 'tiff'],
  ] as const)
    expect([extension, await refused(await upload(bytes, extension), turn)]).toEqual([
      extension,
      '400 error.file.edit.unsupported',
    ])
  const file = await upload(await quarters())
  expect(await refused(file, { crop: { ...whole, left: 1 } })).toBe('400 error.file.edit.outside')
  expect(await refused(file, { crop: { ...whole, top: Number.MAX_SAFE_INTEGER } })).toBe('400 error.file.edit.outside')
  for (const bad of [
    {},
    { version: 1.5, rotate: 90 },
    { rotate: 45 },
    { rotate: '90' },
    { flip: 'yes' },
    { version: 0 },
    { copy: true },
    { crop: { left: 0, top: 0, width: 0, height: 1 } },
    { crop: { ...whole, left: -1 } },
    { crop: { ...whole, left: 0.5 } },
    { crop: { left: 0, top: 0 } },
    { crop: { ...whole, width: 1e99 } },
    { ...turn, more: 1 },
    { flip: false },
  ])
    expect([bad, await refused(file, bad)]).toEqual([bad, '400 error.validation'])
  expect(await refused(file, { version: 1 })).toBe('404 error.file.version.notFound')
  expect(await refused(file, turn, clerk)).toBe('403 error.permission')
  expect(await clerk.call('GET', file.path)).toMatchObject({ status: 403 })
  expect(await refused({ ...file, path: 'site/library/nothing/versions' }, turn)).toBe('404 error.file.notFound')
  expect(await refused(file, turn, ada, { 'if-match': '"7"' })).toBe('412 error.content.changed')
  expect(await refused(file, { ...turn, revision: 7 })).toBe('412 error.content.changed')
  const wide = await upload(await quarters(), 'png', 'wide')
  expect(await refused(wide, turn), 'the blueprint wants wide images').toBe('400 error.file.minwidth')
  expect(await versions(file)).toEqual([])
})

test('an edit of bytes that another edit has replaced meanwhile is refused', async () => {
  const file = await upload(await quarters())
  let isReplaced = false
  const editFirst = async () => {
    if (isReplaced) return
    isReplaced = true
    expect((await edit(file, { rotate: 180 })).status).toBe(200)
  }
  const late = await withChangeBeforeWrites(site.app, editFirst, () => edit(file, { rotate: 90 }))
  expect([isReplaced, late.status]).toEqual([true, 412])
  expect(await numbers(file)).toBe('2* 1')
})

test('versions are checked, repaired and backed up', async () => {
  const original = await createImage('png', { color: '#fedcba' })
  const file = await upload(original)
  await edited(file, { crop: { left: 0, top: 0, width: 11, height: 6 } })
  expect(await backup(site.app, `${storage.data}/versions.tar`)).toMatchObject({ missing: [] })
  const hash = sha256(original)
  await db.updateTable('blobs').set({ unused_since: 5 }).where('hash', '=', hash).execute()
  expect(await faults()).toEqual([
    `bytes ${hash} of a version of a file have no row in the table blobs, or are marked as unused`,
  ])
  await db.updateTable('blobs').set({ unused_since: null }).where('hash', '=', hash).execute()
  const path = join(storage.data, 'media', hash.slice(0, 2), hash)
  writeFileSync(path, Buffer.alloc(original.length))
  expect(await faults()).toEqual([`bytes ${hash} are damaged`])
  writeFileSync(path, original)
  const row = { owner: 'file://nothing', number: 1, hash, size: 1, width: null, height: null, focus: null }
  await db
    .insertInto('file_versions')
    .values({ ...row, user_id: null, created_at: 0 })
    .execute()
  expect(await faults()).toHaveLength(1)
  await repair(site.app, (await findFaults(site.app, { thorough: false, progress: () => {} })).faults)
  expect(await faults()).toEqual([])
})

test('versions go to the trash with the file, come back, and are deleted with it', async () => {
  const original = await createImage('png', { color: '#abcdef' })
  const file = await upload(original)
  await edited(file, { crop: { left: 0, top: 0, width: 12, height: 7 } })
  const cropped = await bytesOf(file)
  const remove = async () => {
    await ada.done('DELETE', `pages/coast/files/${file.filename}`)
    const { data } = await ada.done('GET', 'site/trash?select=id')
    return (data as unknown as { id: string }[])[0]!.id
  }
  await ada.done('POST', `site/trash/${await remove()}/restore`, {})
  expect(await numbers(file)).toBe('2* 1')
  await remove()
  expect([await unused(original), await unused(cropped)]).toEqual([false, false])
  expect(await faults()).toEqual([])
  await storage.moveClock(2 * 24 * 60 * 60_000)
  await sweepTrash(site.app)
  expect([await unused(original), await unused(cropped)]).toEqual([true, true])
  expect(await faults()).toEqual([])
})

test('an image with more pixels than are allowed now is not decoded', async () => {
  const large = await createImage('png', { width: 200, height: 200 })
  const { uuid } = await addFile(site, 'site://', 'large.png', large, { mime: 'image/png', type: 'image' })
  const { status, key } = await ada.call('POST', `site/library/${uuid}/versions`, { rotate: 90 })
  expect([status, key]).toEqual([400, 'error.file.image.tooLarge'])
})
