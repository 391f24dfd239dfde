import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createId, randomToken, isToken } from './id.ts'
import { rounds } from '../../../test/slow.ts'

test('ids are letters and digits of the requested length, and unique', () => {
  const ids = Array.from({ length: 1000 }, () => createId())
  expect(new Set(ids).size).toBe(1000)
  for (const id of ids) expect(id).toMatch(/^[a-z0-9]{16}$/)
  expect(createId(3)).toMatch(/^[a-z0-9]{3}$/)
  expect(new Set(ids.join('')).size).toBe(36)
})

test('tokens have 256 bits in one spelling, and are unique', () => {
  const tokens = Array.from({ length: 1000 }, randomToken)
  expect(new Set(tokens).size).toBe(1000)
  for (const token of tokens) {
    expect(isToken(token)).toBe(true)
    expect(Buffer.from(token, 'base64url')).toHaveLength(32)
  }
})

test('only the canonical spelling of 32 bytes is a token', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[\w-]{42}[\w-]$/), text => {
      expect(isToken(text)).toBe(Buffer.from(text, 'base64url').toString('base64url') === text)
    }),
    { numRuns: rounds(50, 1000) },
  )
  const token = randomToken()
  for (const wrong of [
    '',
    token.slice(1),
    `${token}A`,
    `${token}=`,
    ` ${token}`,
    `${token}\n`,
    token.replace(/./, '+'),
    token.replace(/./, 'é'),
  ])
    expect(isToken(wrong)).toBe(false)
})
