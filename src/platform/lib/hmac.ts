import { hash } from 'node:crypto'

const blockSize = 64

/**
 * HMAC-SHA-256 (RFC 2104) for short messages. The same result as `createHmac`, without allocating its objects: every
 * signed-in request computes one.
 */
export function createHmacSha256(key: Buffer): (message: string) => string {
  const block = Buffer.alloc(blockSize)
  ;(key.length > blockSize ? hash('sha256', key, 'buffer') : key).copy(block)
  const inner = block.map(byte => byte ^ 0x36)
  const outer = block.map(byte => byte ^ 0x5c)
  return message =>
    hash(
      'sha256',
      Buffer.concat([outer, hash('sha256', Buffer.concat([inner, Buffer.from(message)]), 'buffer')]),
      'base64url',
    )
}
