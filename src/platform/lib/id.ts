import { randomBytes, randomInt } from './random.ts'

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** A short random name for a thing: lower-case letters and digits, safe in paths and URLs. Not a secret. */
export function createId(length = 16): string {
  return Array.from({ length }, () => letters[randomInt(letters.length)]).join('')
}

/** 256 random bits: the form of every secret that is handed out. 43 characters of base64url. */
export function createToken(): string {
  return randomBytes(32).toString('base64url')
}

/** True for texts that have the form of `createToken`, canonically encoded. */
export function isToken(text: string): boolean {
  return /^[\w-]{42}[AEIMQUYcgkosw048]$/.test(text)
}
