import { expect, test } from 'vitest'
import { createUploadQuota } from './upload-quota.ts'

const busy = expect.objectContaining({ key: 'busy', headers: { 'retry-after': '10' } }) as Error

async function* pieces(...sizes: number[]): AsyncGenerator<Uint8Array> {
  for (const size of sizes) yield new Uint8Array(size)
}

const read = async (bytes: AsyncIterable<Uint8Array>) => {
  let size = 0
  for await (const piece of bytes) size += piece.length
  return size
}

test('an account has a limited number of concurrent forms, and does not block others', () => {
  const intake = createUploadQuota({ forms: 2, bytes: 10 })
  const first = intake.start('a')
  intake.start('a')
  expect(() => intake.start('a')).toThrow(busy)
  intake.start('b')
  first.end()
  intake.start('a')
})

test('the total of bytes is limited, and released when uploads end', async () => {
  const intake = createUploadQuota({ forms: 2, bytes: 10 })
  const [one, other] = [intake.start('a'), intake.start('b')]
  expect(await read(one.counted(pieces(4, 4)))).toBe(8)
  await expect(read(other.counted(pieces(2, 1)))).rejects.toThrow(busy)
  one.end()
  other.end()
  expect(await read(intake.start('c').counted(pieces(10)))).toBe(10)
})
