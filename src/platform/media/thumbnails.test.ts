import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test, vi } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/harness.ts'
import { keepBytes, createImage, sha256 } from '../../../test/media.ts'
import { startS3 } from '../../../test/s3.ts'
import { thumbsOf } from './blobs.ts'
import { loadSharp } from './sharp.ts'
import { evictThumbs } from './eviction.ts'
import { openThumbnails, type ThumbnailRequest } from './thumbnails.ts'

let site: TestApp
beforeAll(async () => {
  site = await createTestApp()
})

const order = (hash: string, width = 38): ThumbnailRequest => ({
  hash,
  size: { width },
  format: 'webp',
  focus: { x: 0.5, y: 0.5 },
})

const hours = (count: number) => new Date(Date.now() - count * 3_600_000)
const limits = { slots: 1, maxWaiting: 2, prepared: 100, timeoutMs: 60_000 }

test('requests beyond the queue get the original, and later the thumbnail', async () => {
  const thumbnails = openThumbnails(site.app, limits)
  const hash = await keepBytes(site, await createImage())
  const widths = [38, 76, 96, 128, 192, 256]
  const handles = await Promise.all(widths.map(width => thumbnails.open(order(hash, width))))
  expect(handles.filter(handle => handle === undefined)).toHaveLength(3)
  for (const handle of handles) await handle?.close()
  const late = await thumbnails.open(order(hash, 256))
  expect((await late!.stat()).size).toBeGreaterThan(0)
  await late!.close()
})

test('a request that times out gets the original, and the thumbnail is still made', async () => {
  const thumbnails = openThumbnails(site.app, { ...limits, timeoutMs: 0 })
  const hash = await keepBytes(site, await createImage('png', { width: 900, height: 600 }))
  expect(await thumbnails.open(order(hash, 512))).toBeUndefined()
  await expect
    .poll(() => existsSync(join(thumbsOf(site.app.config, hash), '512x.webp')), { timeout: 120_000 })
    .toBe(true)
})

test('requests take precedence over background work', async () => {
  const thumbnails = openThumbnails(site.app, { ...limits, maxWaiting: 100 })
  const hash = await keepBytes(site, await createImage('png', { width: 355 }))
  const [prepared, requested] = [[38, 76, 96, 128], [192, 256, 352, 512]] // prettier-ignore
  const before = site.logged.length
  thumbnails.prepare(prepared.map(width => order(hash, width)))
  const handles = await Promise.all(requested.map(width => thumbnails.open(order(hash, width))))
  for (const handle of handles) await handle!.close()
  const created = () =>
    site.logged.slice(before).flatMap(line => (line['msg'] === 'made a thumbnail' ? line['thumb'] : []))
  await expect.poll(() => created().length).toBe(8)
  // At most one of the background had begun.
  const firstAsked = created()
    .slice(0, 5)
    .filter(name => requested.some(width => name === `${width}x.webp`))
  expect(firstAsked).toHaveLength(4)
})

test('closing ends the background work', async () => {
  const thumbnails = openThumbnails(site.app, limits)
  const hash = await keepBytes(site, await createImage('png', { width: 356 }))
  thumbnails.prepare([38, 76, 96, 128, 192, 256].map(width => order(hash, width)))
  await thumbnails.close()
  const folder = thumbsOf(site.app.config, hash)
  expect(existsSync(folder) ? readdirSync(folder).length : 0).toBeLessThan(2)
})

test('above the size limit the least recently used are evicted', async () => {
  const own = await createTestApp({ settings: { media: { thumbsMaxSize: 1024 * 1024 } } })
  const { config } = own.app
  const hash = await keepBytes(own, await createImage())
  const folder = thumbsOf(config, hash)
  mkdirSync(folder, { recursive: true })
  const files = Array.from({ length: 12 }, (_, index) => ({ path: join(folder, `${index}x.webp`), hours: 20 - index }))
  for (const { path, hours: age } of files) {
    writeFileSync(path, Buffer.alloc(100_000))
    utimesSync(path, hours(age), hours(age))
  }
  // The oldest thumbnail is used, so it is now one of the newest.
  const handle = await openThumbnails(own.app).open(order(hash, 0))
  await handle!.close()
  const second = await createTestApp({ storage: own.storage, settings: { media: { thumbsMaxSize: 1024 * 1024 } } })
  await Promise.all([evictThumbs(config), evictThumbs(second.app.config)])
  const left = readdirSync(folder)
    .map(name => Number.parseInt(name, 10))
    .toSorted((a, b) => a - b)
  expect(left).toEqual([0, 4, 5, 6, 7, 8, 9, 10, 11])
  await second.close()
})

test('the folder is checked after many writes, not only once a day', async () => {
  const own = await createTestApp({ settings: { media: { thumbsMaxSize: 1024 * 1024 } } })
  const old = join(own.app.config.data, 'thumbs', 'a'.repeat(64))
  mkdirSync(old, { recursive: true })
  writeFileSync(join(old, '38x.webp'), Buffer.alloc(2_000_000))
  utimesSync(join(old, '38x.webp'), new Date(0), new Date(0))
  const noise = await sharpNoise(1400)
  const hash = await keepBytes(own, noise)
  const handle = await own.app.thumbnails.open({ ...order(hash, 864), format: 'png' })
  await handle!.close()
  await own.app.thumbnails.close()
  expect(existsSync(old)).toBe(false)
  expect(readdirSync(thumbsOf(own.app.config, hash))).toEqual(['864x.png'])
})

/** Does not get small: a thumbnail of it is large. */
async function sharpNoise(width: number): Promise<Buffer> {
  const sharp = await loadSharp()
  return sharp(randomBytes(width * 40 * 3), { raw: { width, height: 40, channels: 3 } })
    .png()
    .toBuffer()
}

test('a failed write is retried later', async () => {
  const thumbnails = openThumbnails(site.app)
  const hash = await keepBytes(site, await createImage('png', { width: 333 }))
  const folder = thumbsOf(site.app.config, hash)
  mkdirSync(join(folder, '..'), { recursive: true })
  writeFileSync(folder, 'in the way')
  expect(await thumbnails.open(order(hash))).toBeUndefined()
  rmSync(folder)
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 61_000)
  const handle = await thumbnails.open(order(hash))
  vi.restoreAllMocks()
  await handle!.close()
  expect(readdirSync(folder)).toEqual(['38x.webp'])
})

test('a missing blob has no thumbnail', async () => {
  expect(await openThumbnails(site.app).open(order(sha256(Buffer.from('nowhere'))))).toBeUndefined()
})

test('images in a bucket are downloaded temporarily', async () => {
  const { settings } = await startS3()
  const far = await createTestApp({ settings: { media: { s3: settings } } })
  const hash = await keepBytes(far, await createImage())
  const handle = await openThumbnails(far.app).open(order(hash))
  expect((await handle!.stat()).size).toBeGreaterThan(0)
  await handle!.close()
  expect(readdirSync(join(far.storage.data, 'media', 'tmp'))).toEqual([])
})

test('only broken images fail permanently', async () => {
  const thumbnails = openThumbnails(site.app)
  const broken = await keepBytes(site, (await createImage('png', { width: 350 })).subarray(0, 400))
  const sound = await keepBytes(site, await createImage('png', { width: 351 }))
  const lines = () => site.logged.filter(line => line['msg'] === 'could not make a thumbnail now').length
  const first = lines()
  const bare = {
    ...site.app,
    media: { ...site.app.media, borrow: (_: string, work: (path: string) => Promise<never>) => work('/nowhere') },
  }
  const without = openThumbnails(bare)
  expect(await without.open(order(sound))).toBeUndefined()
  expect(lines()).toBe(first + 1)
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 61_000)
  expect(await without.open(order(sound))).toBeUndefined()
  expect(lines()).toBe(first + 2)
  vi.restoreAllMocks()
  expect(await thumbnails.open(order(broken))).toBeUndefined()
  expect(lines()).toBe(first + 2)
})

test('of crops around previous focus points only the last few stay', async () => {
  const thumbnails = openThumbnails(site.app)
  const hash = await keepBytes(site, await createImage('png', { width: 352 }))
  for (const x of [0.1, 0.2, 0.3, 0.4, 0.5]) {
    const handle = await thumbnails.open({
      ...order(hash),
      size: { width: 38, height: 38, crop: true },
      focus: { x, y: 0.5 },
    })
    await handle!.close()
  }
  await (await thumbnails.open(order(hash)))!.close()
  const names = readdirSync(thumbsOf(site.app.config, hash))
  expect(names.toSorted()).toEqual([
    '38x.webp',
    '38x38-crop-30-50.webp',
    '38x38-crop-40-50.webp',
    '38x38-crop-50-50.webp',
  ])
})
