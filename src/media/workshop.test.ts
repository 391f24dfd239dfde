import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
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
