import { expect, test } from 'vitest'
import { createTestStorage, createTestApp } from '../../../test/harness.ts'
import { keepBytes, sha256 } from '../../../test/media.ts'
import { createSite, quoin } from '../../../test/program.ts'
import { startS3 } from '../../../test/s3.ts'
import { claimBlob, useBlobs } from '../../platform/media/blobs.ts'
import { openDisk } from '../../platform/media/disk.ts'
import { openS3 } from '../../platform/media/s3.ts'
import { copyMedia } from './media.ts'

const nothing = () => {}

test('blobs are copied to a bucket and back, verified, and skipped by a second run', async () => {
  const s3 = await startS3()
  const site = await createTestApp()
  const { store, media, config } = site.app
  const texts = Array.from({ length: 30 }, (_, at) => Buffer.from(`bytes ${at}`))
  for (const bytes of texts) await keepBytes(site, bytes)
  await store.write(tx => useBlobs(tx, texts.map(sha256)))
  const [lost, changed, half] = texts.map(sha256)
  await media.remove(lost!)
  const damaged = openDisk(`${config.data}/media`)
  const from = { ...damaged, open: (hash: string) => damaged.open(hash === changed ? half! : hash) }
  const bucket = openS3({ ...s3.settings, maxSize: 1e6, folder: `${config.data}/media`, onError: nothing })
  const progress: number[] = []
  const first = await copyMedia(store, { from, to: bucket }, done => progress.push(done))
  expect(first).toMatchObject({ blobs: 30, copied: 28, alreadyCopied: 0, missing: [lost], damaged: [changed] })
  expect(progress.at(-1)).toBe(30)
  expect(s3.objects.size).toBe(28)
  const second = await copyMedia(store, { from: media, to: bucket }, nothing)
  expect(second).toMatchObject({ copied: 1, alreadyCopied: 28, missing: [lost], damaged: [] })

  const { data } = await createTestStorage()
  const back = openDisk(`${data}/media`)
  expect(await copyMedia(store, { from: bucket, to: back }, nothing)).toMatchObject({ copied: 29, missing: [lost] })
  for (const bytes of texts.slice(1)) expect(await back.size(sha256(bytes))).toBe(bytes.length)
  expect((await copyMedia(store, { from: bucket, to: back }, nothing)).alreadyCopied).toBe(29)
})

test('an upload that is not finished is not reported as missing', async () => {
  const { store, media, config } = (await createTestApp()).app
  await claimBlob({ store }, sha256(Buffer.from('on its way')), 10)
  const to = openDisk(`${config.data}/other`)
  const report = await copyMedia(store, { from: media, to }, nothing)
  expect(report).toMatchObject({ blobs: 1, copied: 0, alreadyCopied: 0, missing: [], damaged: [] })
})

test('an unusable bucket is reported in one line: at the start, by the command, and by readiness', async () => {
  const s3 = await startS3()
  const { endpoint } = s3.settings
  const closed = 'http://127.0.0.1:2' // a reserved port; fetch itself refuses port 1
  const wrong = [
    [{ bucket: 'another-one' }, `There is no bucket "another-one" at ${endpoint}. Check media.s3.bucket.`],
    [{ secretKey: 'wrong' }, `The storage at ${endpoint} refuses the keys (403). Check media.s3.accessKey, media.s3.secretKey and media.s3.region.`],
    [{ endpoint: closed }, `The storage at ${closed} cannot be reached (ECONNREFUSED). Check media.s3.endpoint.`],
  ] as const // prettier-ignore
  for (const [settings, line] of wrong) {
    const site = await createTestApp({ settings: { media: { s3: { ...s3.settings, ...settings } } } })
    await expect(site.app.media.check()).rejects.toThrow(line)
    const ready = await site.request({ url: '/health/ready', headers: { host: new URL(site.app.config.url).host } })
    expect([ready.statusCode, ready.headers['retry-after']]).toEqual([503, '5'])
    expect(site.logged).toContainEqual(expect.objectContaining({ reason: line }))
  }
  // Keys that may do only a part of it: the start says which one is missing. Readiness writes nothing.
  for (const [method, name] of [
    ['PUT', 'write (s3:PutObject)'],
    ['GET', 'read (s3:GetObject)'],
    ['DELETE', 'delete (s3:DeleteObject)'],
  ] as const) {
    const site = await createTestApp({ settings: { media: { s3: s3.settings } } })
    s3.onRequest = async line => (line.startsWith(`${method} media/`) ? 403 : undefined)
    await expect(site.app.media.checkWritable()).rejects.toThrow(
      `The storage at ${endpoint} refuses to ${name} in the bucket "quoin-test" (403). The keys need the permissions s3:ListBucket`,
    )
    await site.app.media.check()
  }
  s3.onRequest = async () => undefined
  s3.objects.clear()
  const right = await createTestApp({ settings: { media: { s3: s3.settings } } })
  await right.app.media.checkWritable()
  expect([...s3.objects.keys()]).toEqual([])
  const ready = await right.request({ url: '/health/ready', headers: { host: new URL(right.app.config.url).host } })
  expect(ready.statusCode).toBe(200)

  const { endpoint: url, region, bucket, accessKey } = s3.settings
  const variables = {
    QUOIN_MEDIA_S3_ENDPOINT: url, QUOIN_MEDIA_S3_REGION: region, QUOIN_MEDIA_S3_BUCKET: bucket,
    QUOIN_MEDIA_S3_ACCESS_KEY: accessKey, QUOIN_MEDIA_S3_SECRET_KEY: 'wrong',
  } // prettier-ignore
  const { folder, environment } = await createSite(variables)
  const started = await quoin(['start', folder, '--port', '0'], { environment })
  expect([started.code, started.stderr.trim().split('\n').at(-1)]).toEqual([1, `quoin: ${wrong[1][1]}`])
  const copied = await quoin(['copy', '--media', '--to', 's3', '--site', folder], { environment })
  expect([copied.code, copied.stderr]).toEqual([1, `quoin: ${wrong[1][1]}\n`])
  const moved = await quoin(['copy', '--media', '--to', 's3', '--json', '--site', folder], {
    environment: { ...environment, QUOIN_MEDIA_S3_SECRET_KEY: s3.settings.secretKey },
  })
  expect([moved.code, JSON.parse(moved.stdout)]).toMatchObject([0, { status: 'ok', copied: 0 }])
})
