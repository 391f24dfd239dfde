import { expect, test } from 'vitest'
import { createTestStorage } from '../../../test/harness.ts'
import { startS3 } from '../../../test/s3.ts'
import { openS3 } from './s3.ts'

test('a storage that does not answer is an outage: 503', async () => {
  const s3 = await startS3()
  const { data: folder } = await createTestStorage()
  const media = openS3({ ...s3.settings, maxSize: 1024, folder, onError: () => {}, responseTimeoutMs: 50 })
  s3.onRequest = () => new Promise(() => {})
  const hash = 'a'.repeat(64)
  const calls = [() => media.open(hash), () => media.size(hash), () => media.remove(hash)]
  for (const call of calls) await expect(call()).rejects.toMatchObject({ status: 503, key: 'unavailable' })
  await expect(media.check()).rejects.toThrow('cannot be reached')
})
