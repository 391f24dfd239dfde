/** Crockford's alphabet: no I, L, O, U, so that a code can be read aloud and typed back. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** `length` characters of base 32, five bits each, from as many bytes as they need. */
export function base32(bytes: Uint8Array, length: number): string {
  let [text, bits, have] = ['', 0, 0]
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xfff
    have += 8
    while (have >= 5 && text.length < length) {
      have -= 5
      text += alphabet[(bits >> have) & 31]
    }
  }
  return text
}

/** Normalizes a typed code: upper case, no spaces or hyphens, look-alikes replaced. */
export function normaliseBase32(typed: string): string {
  return typed.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1')
}
