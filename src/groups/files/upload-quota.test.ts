import { expect, test } from 'vitest'
import { createUploadQuota } from './upload-quota.ts'

const busy = expect.objectContaining({ key: 'busy', headers: { 'retry-after': '10' } }) as Error

async function* chunks(...sizes: number[]): AsyncGenerator<Uint8Array> {
  for (const size of sizes) yield new Uint8Array(size)
}

const read = async (bytes: AsyncIterable<Uint8Array>) => {
  let size = 0
  for await (const chunk of bytes) size += chunk.length
  return size
}

test('an account has a limited number of concurrent forms, and does not block others', () => {
  const quota = createUploadQuota({ forms: 2, bytes: 10 })
  const first = quota.start('a')
  quota.start('a')
  expect(() => quota.start('a')).toThrow(busy)
  quota.start('b')
  first.end()
  quota.start('a')
})

test('the total of bytes is limited, and released when uploads end', async () => {
  const quota = createUploadQuota({ forms: 2, bytes: 10 })
  const [one, other] = [quota.start('a'), quota.start('b')]
  expect(await read(one.counted(chunks(4, 4)))).toBe(8)
  await expect(read(other.counted(chunks(2, 1)))).rejects.toThrow(busy)
  one.end()
  other.end()
  expect(await read(quota.start('c').counted(chunks(10)))).toBe(10)
})
