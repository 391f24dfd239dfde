import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createHmacSha256 } from './hmac.ts'

test('it agrees with createHmac for keys and messages of any length', () => {
  const key = fc.uint8Array({ maxLength: 150 }).map(bytes => Buffer.from(bytes))
  fc.assert(
    fc.property(key, fc.string({ unit: 'binary', maxLength: 200 }), (secret, message) => {
      expect(createHmacSha256(secret)(message)).toBe(createHmac('sha256', secret).update(message).digest('base64url'))
    }),
    { numRuns: 300 },
  )
})

const hex = (key: Buffer, message: string) => Buffer.from(createHmacSha256(key)(message), 'base64url').toString('hex')

test('RFC 4231: the first two vectors', () => {
  expect(hex(Buffer.alloc(20, 0x0b), 'Hi There')).toBe(
    'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
  )
  expect(hex(Buffer.from('Jefe'), 'what do ya want for nothing?')).toBe(
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  )
})
