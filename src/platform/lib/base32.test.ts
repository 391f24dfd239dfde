import fc from 'fast-check'
import { expect, test } from 'vitest'
import { base32, normaliseBase32 } from './base32.ts'

test('five bits per character, from the highest', () => {
  expect(base32(Uint8Array.of(0), 1)).toBe('0')
  expect(base32(Uint8Array.of(0xff), 1)).toBe('Z')
  expect(base32(Uint8Array.of(0x08, 0x42, 0x10, 0x84, 0x21), 8)).toBe('11111111')
  // The test vector MZXW6YTBOI of RFC 4648, in this alphabet and without its last character.
  expect(base32(Buffer.from('foobar'), 9)).toBe('CSQPYRK1E')
  expect(base32(Uint8Array.of(), 4)).toBe('')
})

test('the result equals that of a BigInt computation', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), bytes => {
      const letters = Math.floor((bytes.length * 8) / 5)
      const text = base32(bytes, letters)
      expect(text).toHaveLength(letters)
      const value = text
        .split('')
        .reduce((sum, letter) => sum * 32n + BigInt('0123456789ABCDEFGHJKMNPQRSTVWXYZ'.indexOf(letter)), 0n)
      expect(value).toBe(BigInt(`0x${Buffer.from(bytes).toString('hex')}`) >> BigInt(bytes.length * 8 - letters * 5))
    }),
  )
})

test('a typed code is normalised to the printed one', () => {
  expect(normaliseBase32(' abcde-fghjk mnpqr\t')).toBe('ABCDEFGHJKMNPQR')
  expect(normaliseBase32('oOiIlL')).toBe('001111')
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 17, maxLength: 17 }), bytes => {
      const code = base32(bytes, 25)
      const printed = code.match(/.{5}/g)!.join('-')
      expect(normaliseBase32(printed.toLowerCase())).toBe(code)
      expect(normaliseBase32(printed.replaceAll('0', 'O').replaceAll('1', 'l'))).toBe(code)
    }),
  )
})
