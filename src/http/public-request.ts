import type { IncomingMessage } from 'node:http'
import { cookieName } from '../access/session/cookies.ts'
import type { Config } from '../platform/config.ts'

/** The request of a client without credentials, as far as its answer depends on it. */
export interface PublicRequest {
  key: string
  /** The value of `If-None-Match`. */
  known: string | undefined
  forwardedFor: string | undefined
}

const maxHeaders = 100

/** What the server does with each header; all others have no influence on an answer to a stranger. */
const roles: Record<string, 'key' | 'known' | 'forwarded' | 'cookie' | 'other'> = {
  host: 'key',
  origin: 'key',
  'sec-fetch-site': 'key',
  'sec-fetch-mode': 'key',
  'sec-fetch-dest': 'key',
  'x-forwarded-proto': 'key',
  'if-none-match': 'known',
  'x-forwarded-for': 'forwarded',
  cookie: 'cookie',
  authorization: 'other',
  'x-csrf': 'other',
  'content-type': 'other',
  'content-length': 'other',
  'transfer-encoding': 'other',
  expect: 'other',
}
const lengths = new Set(Object.keys(roles).map(name => name.length))

/**
 * Undefined if the request has credentials, a body, or a header twice that must be unique: such requests are checked
 * and answered one by one.
 */
export function publicRequest(config: Config, { url, rawHeaders, socket }: IncomingMessage): PublicRequest | undefined {
  if (rawHeaders.length > maxHeaders * 2) return undefined
  // On a site with HTTPS the address of the peer decides whether it is a proxy that may say so.
  let key = config.secure ? `${url}\n${socket.remoteAddress}` : url!
  let seen = ''
  let known: string | undefined
  let forwardedFor: string | undefined
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (!lengths.has(rawHeaders[index]!.length)) continue
    const name = rawHeaders[index]!.toLowerCase()
    const role = roles[name]
    if (role === undefined) continue
    const value = rawHeaders[index + 1]!
    if (role === 'key') {
      if (seen.includes(`${name} `)) return undefined
      seen += `${name} `
      key += `\n${name}:${value}`
    } else if (role === 'known') known = known === undefined ? value : `${known}, ${value}`
    else if (role === 'forwarded') forwardedFor = forwardedFor === undefined ? value : `${forwardedFor}, ${value}`
    else if (role === 'other' || value.includes(cookieName(config, 'session'))) return undefined
  }
  return { key, known, forwardedFor }
}
