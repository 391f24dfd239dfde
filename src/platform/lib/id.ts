import { randomBytes, randomInt } from './random.ts'

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** A short random id: lower-case letters and digits, safe in paths and URLs. Not a secret. */
export function createId(length = 16): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
}

/** 256 random bits as 43 characters of base64url: the format of session tokens, challenges and device tokens. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url')
}

/** True for texts in the format of `randomToken`, canonically encoded. */
export function isToken(text: string): boolean {
  return /^[\w-]{42}[AEIMQUYcgkosw048]$/.test(text)
}
