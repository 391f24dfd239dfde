import type { Config } from '../platform/config.ts'
import { type ApiError, fail } from '../platform/errors.ts'
import { message } from '../platform/texts.ts'

const maxHeaders = 100
/** Headers that must not occur twice. Node silently uses the first one; a proxy in front may use the other. */
const uniqueHeaders = [
  'host',
  'authorization',
  'content-type',
  'content-length',
  'transfer-encoding',
  'origin',
  'sec-fetch-site',
  'x-csrf',
]
const lengths = new Set(uniqueHeaders.map(name => name.length))

/** Rejects ambiguous headers (request smuggling). `raw` is name, value, name, value … as received. */
export function checkHeaders(raw: readonly string[]): ApiError | undefined {
  if (raw.length > maxHeaders * 2) return fail('request.headersTooLarge')
  let found = 0
  for (let index = 0; index < raw.length; index += 2) {
    if (!lengths.has(raw[index]!.length)) continue
    const name = raw[index]!.toLowerCase()
    const bit = 1 << (uniqueHeaders.indexOf(name) + 1)
    // Proxies disagree about other or additional transfer codings.
    const isOtherCoding = name === 'transfer-encoding' && raw[index + 1]!.toLowerCase() !== 'chunked'
    if (isOtherCoding) return unknownLength()
    if (bit > 1 && (found & bit) !== 0)
      return fail('request.malformed', { problem: message('malformed.header', { name }) })
    found |= bit
  }
  return undefined
}

/** The end of the body is unknown, so nothing after it can be parsed and the connection must close. */
function unknownLength(): ApiError {
  return fail('request.malformed', { problem: message('malformed.framing') }).with({ headers: { connection: 'close' } })
}

/** The format of a body: JSON or an HTML form. */
export type BodyFormat = 'json' | 'form'

/**
 * JSON as UTF-8, uncompressed, declared as `application/json`: browsers send this type to other sites only after a CORS
 * preflight.
 */
export function isPlainJson(contentType: string | undefined, contentEncoding: string | undefined): boolean {
  return bodyFormatOf(contentType, contentEncoding) === 'json' && /^application\//i.test(contentType ?? '')
}

/**
 * Older clients send JSON as `text/plain` or without a type, or send a form. Browsers send these across sites without a
 * preflight, so endpoints that accept them must check the origin. Undefined for all other types.
 */
export function bodyFormatOf(
  contentType: string | undefined,
  contentEncoding: string | undefined,
): BodyFormat | undefined {
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

/** Headers of every response; the panel, which is HTML, overrides the content security policy. */
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
