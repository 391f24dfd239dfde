import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decrypt, encrypt } from './encrypt.ts'

const key = randomBytes(32)

test('a text is decrypted with the same key and context', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, context) => {
      expect(decrypt(key, encrypt(key, text, context), context)).toBe(text)
    }),
  )
})

test('decryption fails with another key or context', () => {
  const ciphertext = encrypt(key, 'secret', 'user:1')
  expect(decrypt(randomBytes(32), ciphertext, 'user:1')).toBeUndefined()
  expect(decrypt(key, ciphertext, 'user:2')).toBeUndefined()
  expect(decrypt(key, ciphertext, '')).toBeUndefined()
})

test('two ciphertexts of one text differ, and neither contains it', () => {
  const ciphertexts = [encrypt(key, 'secret', ''), encrypt(key, 'secret', '')]
  expect(ciphertexts[0]).not.toBe(ciphertexts[1])
  for (const ciphertext of ciphertexts)
    expect(Buffer.from(ciphertext, 'base64url').toString('latin1')).not.toContain('secret')
})

test('decryption of a changed or truncated ciphertext fails', () => {
  const bytes = Buffer.from(encrypt(key, 'secret', 'a'), 'base64url')
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at]! ^= 1
    expect(decrypt(key, changed.toString('base64url'), 'a')).toBeUndefined()
    expect(decrypt(key, bytes.subarray(0, at).toString('base64url'), 'a')).toBeUndefined()
  }
})

test('decrypting arbitrary text returns undefined and never throws', () => {
  fc.assert(
    fc.property(fc.string(), ciphertext => {
      expect(decrypt(key, ciphertext, 'a')).toBeUndefined()
    }),
  )
})
