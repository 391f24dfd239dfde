import { createCipheriv, createDecipheriv } from 'node:crypto'
import { randomBytes } from './random.ts'

const nonceLength = 12
const tagLength = 16

/** AES-256-GCM. The context is authenticated: the box opens only with the same one. */
export function seal(key: Buffer, text: string, context: string): string {
  const nonce = randomBytes(nonceLength)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')
}

/** Undefined when the key, the context or the box is wrong. */
export function open(key: Buffer, box: string, context: string): string | undefined {
  const bytes = Buffer.from(box, 'base64url')
  const nonce = bytes.subarray(0, nonceLength)
  const tag = bytes.subarray(nonceLength, nonceLength + tagLength)
  if (tag.length < tagLength) return undefined
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context)).setAuthTag(tag)
    return decipher.update(bytes.subarray(nonceLength + tagLength), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return undefined
  }
}
