import type { IncomingMessage } from 'node:http'
import { sessionTokenIn } from '../access/session/cookies.ts'
import type { Config } from '../platform/config.ts'

/** What the answer to a GET or HEAD request depends on, besides the store, the blueprints and the time. */
export interface CacheKey {
  key: string
  /** The request has no credentials. */
  isAnonymous: boolean
  /** The headers that only an error depends on. */
  errorKey: string
  /** The value of `If-None-Match`, which only decides whether the body is sent. */
  ifNoneMatch: string | undefined
  /** Decides which network of anonymous clients is limited. */
  forwardedFor: string | undefined
}

const maxHeaders = 100

/**
 * What a header decides:
 * - `answer`: the answer to every client.
 * - `member`: the answer to accounts and tokens only.
 * - `error`: how errors are written.
 * - `secret`: only clients with credentials send it. The answer does not depend on it, but without credentials the
 *   request is not answered from the cache.
 * - `bypass`: such requests have a body or wait for one; they are checked and answered one by one.
 * - `cookie`: as `member`, if it has a session token.
 * - `validator`, `forwarded`: see `ifNoneMatch` and `forwardedFor` of the key.
 *
 * No other header changes the answer of a cacheable endpoint (`cache-key.test.ts`).
 */
type Role = 'answer' | 'member' | 'error' | 'secret' | 'bypass' | 'cookie' | 'validator' | 'forwarded'

export const headerRoles: Readonly<Record<string, Role>> = {
  host: 'answer',
  origin: 'answer',
  'sec-fetch-site': 'answer',
  'sec-fetch-mode': 'answer',
  'sec-fetch-dest': 'answer',
  'x-forwarded-proto': 'answer',
  authorization: 'member',
  'x-language': 'member',
  accept: 'error',
  'accept-language': 'error',
  'x-csrf': 'secret',
  'content-type': 'bypass',
  'content-encoding': 'bypass',
  'content-length': 'bypass',
  'transfer-encoding': 'bypass',
  expect: 'bypass',
  cookie: 'cookie',
  'if-none-match': 'validator',
  'x-forwarded-for': 'forwarded',
}
const roles = new Map(Object.entries(headerRoles))
const headerLengths = new Set(Object.keys(headerRoles).map(name => name.length))

/** Undefined if the request has a body, an ambiguous cookie, or a header twice that must be unique. */
export function cacheKeyOf(config: Config, { url, rawHeaders, socket }: IncomingMessage): CacheKey | undefined {
  if (rawHeaders.length > maxHeaders * 2) return undefined
  // On a site with HTTPS the address of the peer decides whether its `X-Forwarded-Proto` counts.
  let key = config.secure ? `${url}\n${socket.remoteAddress}` : url!
  let [memberKey, errorKey, seenNames] = ['', '', '']
  let [isAnonymous, hasSecret] = [true, false]
  let cookies: string | undefined
  let ifNoneMatch: string | undefined
  let forwardedFor: string | undefined
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (!headerLengths.has(rawHeaders[index]!.length)) continue
    const name = rawHeaders[index]!.toLowerCase()
    const role = roles.get(name)
    if (role === undefined) continue
    if (role === 'bypass') return undefined
    const value = rawHeaders[index + 1]!
    // Node joins repeated headers like this.
    if (role === 'cookie') cookies = cookies === undefined ? value : `${cookies}; ${value}`
    else if (role === 'validator') ifNoneMatch = ifNoneMatch === undefined ? value : `${ifNoneMatch}, ${value}`
    else if (role === 'forwarded') forwardedFor = forwardedFor === undefined ? value : `${forwardedFor}, ${value}`
    else {
      if (seenNames.includes(`${name} `)) return undefined
      seenNames += `${name} `
      if (role === 'answer') key += `\n${name}:${value}`
      else if (role === 'error') errorKey += `\n${name}:${value}`
      else if (role === 'secret') hasSecret = true
      else {
        memberKey += `\n${name}:${value}`
        if (name === 'authorization') isAnonymous = false
      }
    }
  }
  if (cookies !== undefined) {
    const token = sessionTokenIn(config, cookies)
    if (token === null) return undefined
    if (token !== undefined) {
      memberKey += `\nsession:${token}`
      isAnonymous = false
    }
  }
  if (!isAnonymous) key += memberKey
  else if (hasSecret) return undefined
  return { key, isAnonymous, errorKey, ifNoneMatch, forwardedFor }
}
