import { createCipheriv, createDecipheriv } from 'node:crypto'
import { randomBytes } from './random.ts'

const nonceLength = 12
const tagLength = 16

/**
 * Encrypts with AES-256-GCM. `additionalData` is authenticated and not stored: decryption needs the same, so that a
 * ciphertext of one account cannot be used for another one.
 */
export function encrypt(key: Buffer, text: string, additionalData: string): string {
  const nonce = randomBytes(nonceLength)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(additionalData))
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64url')
}

/** Undefined if the key or `additionalData` is not that of the encryption, or the ciphertext was changed. */
export function decrypt(key: Buffer, ciphertext: string, additionalData: string): string | undefined {
  const bytes = Buffer.from(ciphertext, 'base64url')
  const nonce = bytes.subarray(0, nonceLength)
  const tag = bytes.subarray(nonceLength, nonceLength + tagLength)
  if (tag.length < tagLength) return undefined
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(additionalData)).setAuthTag(tag)
    return decipher.update(bytes.subarray(nonceLength + tagLength), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return undefined
  }
}
