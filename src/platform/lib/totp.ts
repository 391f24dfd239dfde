import { timingSafeEqual } from 'node:crypto'

export const stepSeconds = 30
const digits = 6

export async function createTotpSecret(): Promise<string> {
  const { Secret } = await import('otpauth')
  return new Secret({ size: 20 }).base32
}

/** The URI in the QR code for authenticator apps. */
export async function totpUri(secret: string, { issuer, label }: { issuer: string; label: string }): Promise<string> {
  const { Secret, TOTP } = await import('otpauth')
  return new TOTP({ issuer, label, secret: Secret.fromBase32(secret), digits, period: stepSeconds }).toString()
}

/**
 * The time step whose code was typed: the current one or one of its two neighbours. All three are always computed, so
 * that the response time reveals nothing.
 */
export async function matchingTotpStep(secret: string, typed: string, time: number): Promise<number | undefined> {
  const { HOTP, Secret } = await import('otpauth')
  const hotp = new HOTP({ secret: Secret.fromBase32(secret), digits, algorithm: 'SHA1' })
  const code = normaliseDigits(typed)
  const now = Math.floor(time / 1000 / stepSeconds)
  const matches = [now - 1, now, now + 1].filter(step => sameText(hotp.generate({ counter: step }), code))
  return matches.at(-1)
}

/** Removes spaces; Arabic-Indic, full-width and other decimal digits become 0–9. */
export function normaliseDigits(typed: string): string {
  return typed
    .normalize('NFKC')
    .replaceAll(/\s/g, '')
    .replaceAll(/\p{Nd}/gu, digit => String(digitValue(digit)))
}

/** Unicode keeps every set of decimal digits in one run from 0 to 9. */
function digitValue(digit: string): number {
  let code = digit.codePointAt(0)!
  const start = code
  while (start - code < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - 1))) code--
  return start - code
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
