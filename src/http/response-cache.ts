import type { IncomingMessage, ServerResponse } from 'node:http'
import type { App } from '../app.ts'
import { createLruCache } from '../platform/lib/lru-cache.ts'

/** A response, and how long it stays valid for an identical request. */
export interface CacheableResponse {
  status: number
  headers: Record<string, number | string | string[] | undefined>
  body: string
  /** The store version at which it was read; absent if the store was not read. */
  version?: number | undefined
  /** Expiry in ms, by the clock of the store; absent if it does not depend on time. */
  until?: number | undefined
  /** The blueprint version from before the response was computed; absent if it does not depend on blueprints. */
  blueprints?: number
}

interface CachedResponse {
  status: number
  /** Name, value, name, value …; the value of `x-request-id` comes last. */
  headers: string[]
  body: string
  version: number | undefined
  until: number
  blueprints: number
}

export interface ResponseCache {
  /** Sends the cached response if it is still current; false otherwise. */
  answer(request: IncomingMessage, response: ServerResponse): boolean
  remember(request: IncomingMessage, response: CacheableResponse): void
}

/** Memory limit for the cached responses of authenticated callers, in bytes. */
const maxBytes = 16 * 1024 * 1024

/**
 * Panels and API clients often repeat the same GET request. The same URL and headers from the same peer get the cached
 * response until any process commits a change, without running the request again.
 */
export function createResponseCache(app: App, nextId: () => string): ResponseCache {
  // Separate caches, so that unauthenticated clients with ever new headers cannot evict entries of authenticated
  // callers.
  const members = createLruCache<CachedResponse>(maxBytes, (key, { body }) => key.length + body.length + 1000)
  const strangers = createLruCache<CachedResponse>(100)

  function isCurrent({ version, until, blueprints }: CachedResponse): boolean {
    if (blueprints !== app.blueprints.version) return false
    if (version === undefined) return true
    const current = app.store.version()
    return current !== undefined && current.number === version && current.now < until
  }

  return {
    answer(request, response) {
      // A pipelined response has no socket until the responses before it are sent: it is not served from the cache.
      if (request.method !== 'GET' || response.socket === null) return false
      const key = cacheKeyOf(request)
      const cached = members.get(key) ?? strangers.get(key)
      if (!cached || !isCurrent(cached)) return false
      cached.headers[cached.headers.length - 1] = nextId()
      response.writeHead(cached.status, cached.headers)
      response.end(cached.body)
      return true
    },

    remember(request, { status, headers, body, version, until = Infinity, blueprints = app.blueprints.version }) {
      if (request.method !== 'GET' || hasBody(request)) return
      const sent = { ...headers, 'content-length': Buffer.byteLength(body) }
      const flat: string[] = []
      for (const [name, value] of Object.entries(sent)) if (name !== 'x-request-id') flat.push(name, String(value))
      flat.push('x-request-id', '')
      const repeat = { status, headers: flat, body, version, until, blueprints }
      const memo = version === undefined ? strangers : members
      memo.set(cacheKeyOf(request), repeat)
    },
  }
}

/** All inputs of a response: URL, peer and every header. None of them can contain a line break. */
function cacheKeyOf({ url, rawHeaders, socket }: IncomingMessage): string {
  return `${url}\n${socket.remoteAddress}\n${rawHeaders.join('\n')}`
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}
