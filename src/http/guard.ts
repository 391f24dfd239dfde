import type { Config } from '../platform/config.ts'
import { type ApiError, fail } from '../platform/errors.ts'
import { message } from '../platform/texts.ts'

const maxHeaders = 100
/** Node takes the first of two and says nothing: proxies in front may take the other one. */
const single = [
  'host',
  'authorization',
  'content-type',
  'content-length',
  'transfer-encoding',
  'origin',
  'sec-fetch-site',
  'x-csrf',
]
const lengths = new Set(single.map(name => name.length))

/** Refuses headers that could be read in two ways. `raw` is name, value, name, value … as they came. */
export function checkHeaders(raw: readonly string[]): ApiError | undefined {
  if (raw.length > maxHeaders * 2) return fail('request.headersTooLarge')
  let seen = 0
  for (let index = 0; index < raw.length; index += 2) {
    if (!lengths.has(raw[index]!.length)) continue
    const name = raw[index]!.toLowerCase()
    const bit = 1 << (single.indexOf(name) + 1)
    // Another coding, or one more, is read by some proxies and not by others.
    const isOtherCoding = name === 'transfer-encoding' && raw[index + 1]!.toLowerCase() !== 'chunked'
    if (isOtherCoding) return unknownLength()
    if (bit > 1 && (seen & bit) !== 0)
      return fail('request.malformed', { problem: message('malformed.header', { name }) })
    seen |= bit
  }
  return undefined
}

/** Where the body ends is not known, so nothing that comes after it can be read. */
function unknownLength(): ApiError {
  return fail('request.malformed', { problem: message('malformed.framing') }).with({ headers: { connection: 'close' } })
}

/** How a body is written: JSON, or the fields of a form. */
export type Writing = 'json' | 'form'

/** JSON as UTF-8, uncompressed, and called by its name: no other type can be sent across sites without a preflight. */
export function isPlainJson(contentType: string | undefined, contentEncoding: string | undefined): boolean {
  return writingOf(contentType, contentEncoding) === 'json' && /^application\//i.test(contentType ?? '')
}

/**
 * Older clients call JSON a plain text, do not call it anything, or send a form. Pages of other sites can do so, too: whoever
 * takes these has to ask where they come from. Undefined for all other types.
 */
export function writingOf(contentType: string | undefined, contentEncoding: string | undefined): Writing | undefined {
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity') return undefined
  if (contentType === undefined) return 'json'
  const [, type] = /^([a-z/-]+)[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/i.exec(contentType) ?? []
  switch (type?.toLowerCase()) {
    case 'application/json':
    case 'text/plain':
      return 'json'
    case 'application/x-www-form-urlencoded':
      return 'form'
    default:
      return undefined
  }
}

interface HstsSettings {
  http: Pick<Config['http'], 'hstsIncludeSubDomains'>
}

/** The policy of every answer; the panel, which is HTML, will have its own. */
export function securityHeaders({ secure, http }: Pick<Config, 'secure'> & HstsSettings): Record<string, string> {
  const subdomains = http.hstsIncludeSubDomains ? '; includeSubDomains' : ''
  return {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    vary: 'Cookie, Authorization, Origin, Sec-Fetch-Site, Accept-Language',
    'x-content-type-options': 'nosniff',
    ...(secure && { 'strict-transport-security': `max-age=31536000${subdomains}` }),
  }
}
