/** Removing bytes while the same ones are uploaded. */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/harness.ts'
import { addFile, keepBytes } from '../../../test/media.ts'
import { startS3 } from '../../../test/s3.ts'
import { sweepBlobs } from './blobs.ts'
import { openS3 } from './s3.ts'

const minute = 60_000

/** A site whose bytes are in S3, with a blob that is due to be swept. */
async function createDue() {
  const s3 = await startS3()
  const site = await createTestApp()
  const { data: folder } = site.app.config
  const settings = { ...s3.settings, maxSize: 1024, folder, onError: () => {} }
  const media = openS3(settings)
  /** The same app that hardly waits for the storage. */
  const impatient = { ...site.app, media: openS3({ ...settings, responseTimeoutMs: 100 }) }
  const own: TestApp = { ...site, app: { ...site.app, media } }
  const bytes = randomBytes(40)
  const hash = await keepBytes(own, bytes)
  await site.storage.moveClock(61 * minute)
  const isStored = () => s3.objects.has(`media/${hash}`)
  const upload = (name: string) => addFile(own, 'site://', name, bytes)
  return { s3, site, app: own.app, impatient, hash, isStored, upload }
}

test('a file that is uploaded while the storage is slow to remove the same bytes keeps them', async () => {
  const { s3, site, app, impatient, isStored, upload } = await createDue()
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>()
  s3.onRequest = line => (line.startsWith('DELETE') ? released : Promise.resolve(undefined))
  await expect(sweepBlobs(impatient)).rejects.toMatchObject({ key: 'unavailable' })
  // The storage removes them whenever it likes, so the upload is refused rather than accepted without its bytes.
  await site.storage.moveClock(minute)
  await expect(upload('early.bin')).rejects.toMatchObject({ key: 'busy', status: 503 })
  await sweepBlobs(app)
  expect(
    s3.log.filter(line => line.startsWith('DELETE')),
    'another sweep leaves them alone',
  ).toHaveLength(1)
  release(undefined)
  await expect.poll(isStored).toBe(false)
  await site.storage.moveClock(11 * minute)
  await sweepBlobs(app)
  await upload('late.bin')
  expect(isStored()).toBe(true)
})

test('no transaction waits for the storage: other writes go on while bytes are removed', async () => {
  const { s3, app, hash, isStored, upload } = await createDue()
  let uploading: ReturnType<typeof upload> | undefined
  s3.onRequest = async line => {
    if (!line.startsWith('DELETE')) return undefined
    uploading = upload('during.bin')
    // As from another process, which would wait for a locked row.
    await app.store.write(tx => tx.updateTable('blobs').set({ size: 40 }).where('hash', '=', hash).execute())
    return undefined
  }
  await sweepBlobs(app)
  expect(await uploading).toMatchObject({ hash })
  expect(isStored()).toBe(true)
})

test('bytes that the storage refuses to remove can be used', async () => {
  const { s3, app, isStored, upload } = await createDue()
  s3.onRequest = async line => (line.startsWith('DELETE') ? 403 : undefined)
  await expect(sweepBlobs(app)).rejects.toThrow('403')
  await upload('again.bin')
  expect(isStored()).toBe(true)
})
