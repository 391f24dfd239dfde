import { isIP } from 'node:net'
import { domainToASCII, domainToUnicode } from 'node:url'

export interface Email {
  /** The address as typed, in composed form (NFC): for display and for sending mail. */
  address: string
  /** Addresses with the same key belong to the same account. */
  key: string
}

const maxBytes = 254
/** Controls, format characters (zero-width, direction), lone surrogates, private use and every kind of space. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Z}]/u
/** Only these are trimmed: other spaces are invisible mistakes. */
const blanks: ReadonlySet<string | undefined> = new Set([' ', '\t', '\r', '\n'])
const special = /["(),:;<>[\]\\]/

/**
 * Undefined if the text is no e-mail address. Look-alikes (Kelvin sign, full width, ligatures, ß, IDN) share one key.
 */
export function parseEmail(text: string): Email | undefined {
  let [start, end] = [0, text.length]
  while (blanks.has(text[start])) start++
  while (blanks.has(text[end - 1])) end--
  if (end - start > 4 * maxBytes) return undefined // NFC makes it shorter, but not by that much
  const address = text.slice(start, end).normalize('NFC')
  if (Buffer.byteLength(address) > maxBytes || unprintable.test(address) || special.test(address)) return undefined
  const [local, domain, more] = address.split('@')
  if (!local || !domain || more !== undefined) return undefined
  const ascii = domainKey(domain)
  const name = localKey(local)
  // Some characters are brackets, @ or spaces only after normalization, such as their full-width forms.
  if (ascii === undefined || name.includes('@') || unprintable.test(name) || special.test(name)) return undefined
  return { address, key: `${name}@${ascii}` }
}

function localKey(local: string): string {
  return local.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().normalize('NFKC')
}

function domainKey(domain: string): string | undefined {
  if (domain.includes('%')) return undefined // domainToASCII would decode it, as in a URL
  const ascii = domainToASCII(domain.endsWith('.') ? domain.slice(0, -1) : domain)
  if (isIP(ascii) !== 0) return undefined // `1` would become 0.0.0.1
  if (!ascii.split('.').every(label => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label))) return undefined
  // A label that cannot be decoded is not a valid domain name.
  const shown = domainToUnicode(ascii).split('.')
  return shown.some(label => label.startsWith('xn--') || mixesScripts(label)) ? undefined : ascii
}

function mixesScripts(label: string): boolean {
  return (
    [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u].filter(script => script.test(label)).length > 1
  )
}
