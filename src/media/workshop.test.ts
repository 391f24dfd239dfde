import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test, vi } from 'vitest'
import { createTestApp, type TestApp } from '../../test/harness.ts'
import { keepBytes, picture, sha256 } from '../../test/media.ts'
import { startS3 } from '../../test/s3.ts'
import { thumbsOf } from './blobs.ts'
import { openWorkshop, type Order } from './workshop.ts'

let site: TestApp
beforeAll(async () => {
  site = await createTestApp()
})

const order = (hash: string, width = 38): Order => ({
  hash,
  size: { width },
  format: 'webp',
  focus: { x: 0.5, y: 0.5 },
})

test('there is a line, and those for whom it has no room are told to come back', async () => {
  const workshop = openWorkshop(site.app, { slots: 1, waiting: 2, timeout: 10_000 })
  const hash = await keepBytes(site, await picture())
  const widths = [38, 76, 96, 128, 192, 256]
  const handles = await Promise.allSettled(widths.map(width => workshop.thumb(order(hash, width))))
  const refused = handles.filter(result => result.status === 'rejected')
  expect(refused).toHaveLength(3)
  for (const { reason } of refused) expect(reason).toMatchObject({ key: 'busy', headers: { 'retry-after': '2' } })
  for (const result of handles) if (result.status === 'fulfilled') await result.value!.close()
  const late = await workshop.thumb(order(hash, 256))
  expect((await late!.stat()).size).toBeGreaterThan(0)
  await late!.close()
})

test('what cannot be written is a failure now, not for ever', async () => {
  const workshop = openWorkshop(site.app)
  const hash = await keepBytes(site, await picture('png', { width: 333 }))
  const folder = thumbsOf(site.app.config, hash)
  mkdirSync(join(folder, '..'), { recursive: true })
  writeFileSync(folder, 'in the way')
  await expect(workshop.thumb(order(hash))).rejects.toThrow(/EEXIST|ENOTDIR/)
  rmSync(folder)
  const handle = await workshop.thumb(order(hash))
  await handle!.close()
  expect(readdirSync(folder)).toEqual(['38x.webp'])
})

test('there is none of bytes that are not there', async () => {
  expect(await openWorkshop(site.app).thumb(order(sha256(Buffer.from('nowhere'))))).toBeUndefined()
})

test('pictures in a bucket are fetched for it and not left behind', async () => {
  const { settings } = await startS3()
  const far = await createTestApp({ settings: { media: { s3: settings } } })
  const hash = await keepBytes(far, await picture())
  const handle = await openWorkshop(far.app).thumb(order(hash))
  expect((await handle!.stat()).size).toBeGreaterThan(0)
  await handle!.close()
  expect(readdirSync(join(far.place.data, 'media', 'tmp'))).toEqual([])
})

test('only a picture that is broken itself is given up for ever', async () => {
  const workshop = openWorkshop(site.app)
  const broken = await keepBytes(site, (await picture('png', { width: 350 })).subarray(0, 400))
  const sound = await keepBytes(site, await picture('png', { width: 351 }))
  const lines = () => site.logged.filter(line => line['msg'] === 'could not make a thumbnail now').length
  const bare = {
    ...site.app,
    media: { ...site.app.media, borrow: (_: string, work: (path: string) => Promise<never>) => work('/nowhere') },
  }
  const without = openWorkshop(bare)
  expect(await without.thumb(order(sound))).toBeUndefined()
  expect(lines()).toBe(1)
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 61_000)
  expect(await without.thumb(order(sound))).toBeUndefined()
  expect(lines()).toBe(2)
  vi.restoreAllMocks()
  expect(await workshop.thumb(order(broken))).toBeUndefined()
  expect(lines()).toBe(2)
})

test('of smaller pictures around former points only the last few stay', async () => {
  const workshop = openWorkshop(site.app)
  const hash = await keepBytes(site, await picture('png', { width: 352 }))
  for (const x of [0.1, 0.2, 0.3, 0.4, 0.5]) {
    const handle = await workshop.thumb({
      ...order(hash),
      size: { width: 38, height: 38, crop: true },
      focus: { x, y: 0.5 },
    })
    await handle!.close()
  }
  await (await workshop.thumb(order(hash)))!.close()
  const names = readdirSync(thumbsOf(site.app.config, hash))
  expect(names.toSorted()).toEqual([
    '38x.webp',
    '38x38-crop-30-50.webp',
    '38x38-crop-40-50.webp',
    '38x38-crop-50-50.webp',
  ])
})
