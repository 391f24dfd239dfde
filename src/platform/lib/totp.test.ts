import { expect, test } from 'vitest'
import { createTotpSecret, matchingTotpStep, stepSeconds } from './totp.ts'

/** The secret of RFC 6238, appendix B, for SHA-1: the ASCII text 12345678901234567890. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

/** Its eight digits are the last eight of a number whose last six are ours. */
const vectors: [seconds: number, code: string][] = [
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
]

test.each(vectors)('RFC 6238: at %i seconds the code ends like %s', async (seconds, code) => {
  expect(await matchingTotpStep(secret, code.slice(2), seconds * 1000)).toBe(Math.floor(seconds / stepSeconds))
})

test('the neighbouring steps are accepted, others are not', async () => {
  const [, code] = ['', '050471']
  const step = Math.floor(1_111_111_111 / stepSeconds)
  const at = (steps: number) => matchingTotpStep(secret, code, (step + steps) * stepSeconds * 1000)
  expect(await Promise.all([-2, -1, 0, 1, 2].map(at))).toEqual([undefined, step, step, step, undefined])
})

test.each(['050 471', ' 050471\n', '０５０４７１', '٠٥٠٤٧١', '०५०४७१', '𝟎𝟓𝟎𝟒𝟕𝟏', '\u00a0050\u2009471'])(
  '%j is the shown code',
  async typed => {
    expect(await matchingTotpStep(secret, typed, 1_111_111_111_000)).toBeDefined()
  },
)

test.each([
  '050472',
  '50471',
  '0504711',
  '14050471',
  '',
  ' ',
  '-50471',
  '+050471',
  '050471.',
  'O50471',
  '0x0504',
  '½50471',
  '\u0000050471',
])('%j is another code', async typed => {
  expect(await matchingTotpStep(secret, typed, 1_111_111_111_000)).toBeUndefined()
})

test('secrets have 160 bits and are unique', async () => {
  const secrets = await Promise.all(Array.from({ length: 100 }, createTotpSecret))
  expect(new Set(secrets).size).toBe(100)
  for (const created of secrets) expect(created).toMatch(/^[A-Z2-7]{32}$/)
})
