import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/harness.ts'
import { addFile, keepBytes, sha256 } from '../../../test/media.ts'
import { BlobGone, claimBlob, releaseBlobs, sweepBlobs, sweepMedia, thumbsOf, useBlob } from './blobs.ts'

const hour = 60 * 60_000
let site: TestApp
beforeAll(async () => {
  site = await createTestApp()
})

async function blobOf(hash: string) {
  return site.app.store.db.selectFrom('blobs').selectAll().where('hash', '=', hash).executeTakeFirst()
}

async function removeFile(uuid: string, hash: string): Promise<void> {
  await site.app.store.write(async tx => {
    await tx.deleteFrom('files').where('uuid', '=', uuid).execute()
    await releaseBlobs(tx, [hash, hash])
  })
}

test('a blob stays as long as a file uses it, and an hour longer', async () => {
  const bytes = randomBytes(100)
  const firstFile = await addFile(site, 'site://', 'one.bin', bytes)
  const otherFile = await addFile(site, 'site://', 'other.bin', bytes)
  mkdirSync(thumbsOf(site.app.config, firstFile.hash), { recursive: true })
  await removeFile(firstFile.uuid, firstFile.hash)
  expect(await blobOf(firstFile.hash), 'the other file uses it').toMatchObject({ size: 100, unused_since: null })
  await removeFile(otherFile.uuid, otherFile.hash)
  expect((await blobOf(firstFile.hash))!.unused_since).toEqual(expect.any(Number))
  await sweepBlobs(site.app)
  expect(await site.app.media.size(firstFile.hash)).toBe(100)
  await site.storage.moveClock(hour + 1000)
  await Promise.all([sweepBlobs(site.app), sweepBlobs(site.app)])
  expect(await blobOf(firstFile.hash)).toBeUndefined()
  expect(await site.app.media.size(firstFile.hash)).toBeUndefined()
  expect(existsSync(thumbsOf(site.app.config, firstFile.hash))).toBe(false)
})

test('a blob that never became a file is swept', async () => {
  const hash = await keepBytes(site, randomBytes(10))
  await site.storage.moveClock(hour + 1000)
  await sweepBlobs(site.app)
  expect([await blobOf(hash), await site.app.media.size(hash)]).toEqual([undefined, undefined])
})

test('claiming a blob again restarts the hour', async () => {
  const bytes = randomBytes(10)
  const hash = await keepBytes(site, bytes)
  await site.storage.moveClock(hour + 1000)
  await claimBlob(site.app, hash, 10)
  await sweepBlobs(site.app)
  expect(await site.app.media.size(hash)).toBe(10)
})

test('claiming a used blob does not make it unused', async () => {
  const bytes = randomBytes(10)
  const { hash } = await addFile(site, 'site://', 'used.bin', bytes)
  await claimBlob(site.app, hash, 10)
  expect((await blobOf(hash))!.unused_since).toBeNull()
})

test('a swept blob cannot be used', async () => {
  const use = site.app.store.write(tx => useBlob(tx, sha256(randomBytes(10))))
  await expect(use).rejects.toBeInstanceOf(BlobGone)
})

test('of two concurrent deletions of the last two files one releases the blob', async () => {
  for (let round = 0; round < 10; round++) {
    const bytes = randomBytes(20)
    const firstFile = await addFile(site, 'site://', `race-${round}-a.bin`, bytes)
    const otherFile = await addFile(site, 'site://', `race-${round}-b.bin`, bytes)
    await Promise.all([removeFile(firstFile.uuid, firstFile.hash), removeFile(otherFile.uuid, firstFile.hash)])
    expect((await blobOf(firstFile.hash))!.unused_since).not.toBeNull()
  }
})

test('an upload during the sweep of the same blob keeps it', async () => {
  for (let round = 0; round < 10; round++) {
    const bytes = randomBytes(30)
    await keepBytes(site, bytes)
    await site.storage.moveClock(hour + 1000)
    const [, file] = await Promise.all([
      sweepBlobs(site.app),
      addFile(site, 'site://', `again-${round}.bin`, bytes),
      sweepBlobs(site.app),
    ])
    expect(await blobOf(file.hash)).toMatchObject({ unused_since: null })
    expect(await site.app.media.size(file.hash)).toBe(30)
  }
})

test('many blobs are released at once', async () => {
  const { app } = site
  const hashes = Array.from({ length: 1234 }, () => sha256(randomBytes(8)))
  await app.store.write(async tx => {
    for (let start = 0; start < hashes.length; start += 200) {
      const rows = hashes.slice(start, start + 200).map(hash => ({ hash, size: 8, unused_since: null }))
      await tx.insertInto('blobs').values(rows).execute()
    }
    await releaseBlobs(tx, hashes)
  })
  const used = await app.store.db.selectFrom('blobs').select('hash').where('unused_since', 'is', null).execute()
  expect(used.filter(({ hash }) => hashes.includes(hash))).toEqual([])
})

test('thumbnails of blobs that another machine has swept are deleted, too', async () => {
  const { hash } = await addFile(site, 'site://', 'kept.bin', randomBytes(10))
  const folders = [hash, sha256(randomBytes(10))].map(one => thumbsOf(site.app.config, one))
  for (const folder of folders) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, '128x.webp'), '')
  }
  await sweepMedia(site.app)
  expect(folders.map(folder => existsSync(folder))).toEqual([true, false])
})
