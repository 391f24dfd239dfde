import type { IncomingMessage, ServerResponse } from 'node:http'
import type { App } from '../app.ts'
import { createLruCache } from '../platform/lib/lru-cache.ts'
import type { RequestMetrics } from '../platform/metrics.ts'
import { publicRequest } from './public-request.ts'
import type { StrangerLimit } from './stranger-limit.ts'
import { isNotModified } from './validators.ts'

/** A response, and how long it stays valid for an identical request. */
export interface CacheableResponse {
  status: number
  headers: Record<string, number | string | string[] | undefined>
  body: string
  /** The store version at which it was read; absent if the store was not read. */
  version?: number | string | undefined
  /** Expiry in ms, by the clock of the store; absent if it does not depend on time. */
  until?: number | undefined
  /** The blueprint version from before the response was computed; absent if it does not depend on blueprints. */
  blueprints?: number
  /** What counts the answers; absent in tests. */
  requests?: RequestMetrics | undefined
}

interface CachedResponse {
  status: number
  /** Name, value, name, value …; the value of `x-request-id` comes last. */
  headers: string[]
  /** The same without those of the body, for 304. */
  bare: string[]
  etag: string | undefined
  body: string
  /** Text without other characters than ASCII is sent faster as Latin-1: the bytes are the same. */
  encoding: 'latin1' | 'utf8'
  version: number | string | undefined
  until: number
  blueprints: number
  requests: RequestMetrics | undefined
}

export interface ResponseCache {
  /** Sends the cached response if it is still current, and calls `handle` otherwise. */
  answer(request: IncomingMessage, response: ServerResponse, handle: () => void): void
  remember(request: IncomingMessage, response: CacheableResponse): void
  /** The same for an answer to a stranger: every stranger who requests the same address gets it. */
  rememberPublic(request: IncomingMessage, response: CacheableResponse): void
}

/** Memory limits of the cached responses to authenticated callers, and of those to strangers, in bytes. */
const maxBytes = 16 * 1024 * 1024

/**
 * Clients often repeat the same GET request. They get the cached response until any process commits a change, without
 * running the request again; and 304 if they have it already.
 */
export function createResponseCache(app: App, nextId: () => string, limit: StrangerLimit): ResponseCache {
  const weigh = (key: string, { body }: CachedResponse) => key.length + body.length + 2000
  // Separate caches, so that unauthenticated clients with ever new headers cannot evict entries of authenticated
  // callers, and their errors no content.
  const members = createLruCache<CachedResponse>(maxBytes, weigh)
  const published = createLruCache<CachedResponse>(maxBytes, weigh)
  const refusals = createLruCache<CachedResponse>(100)

  const withVersion = sharedRead(() => app.store.version())
  const withPublicVersion = sharedRead<number | string | undefined>(() => app.store.readVersion())

  function send(
    { method }: IncomingMessage,
    response: ServerResponse,
    begun: number,
    cached: CachedResponse,
    known?: string,
  ): void {
    const isKnown = cached.etag !== undefined && isNotModified(known, cached.etag)
    const headers = isKnown ? cached.bare : cached.headers
    headers[headers.length - 1] = nextId()
    const status = isKnown ? 304 : cached.status
    response.writeHead(status, headers)
    if (isKnown || method === 'HEAD') response.end()
    else response.end(cached.body, cached.encoding)
    cached.requests?.countCached(status, performance.now() - begun)
  }

  function entryOf({ status, headers, body, version, until = Infinity, blueprints, requests }: CacheableResponse) {
    const flat: string[] = []
    const bare: string[] = []
    const length = Buffer.byteLength(body)
    for (const [name, value] of Object.entries({ ...headers, 'content-length': length })) {
      if (name === 'x-request-id') continue
      flat.push(name, String(value))
      if (!name.startsWith('content-type') && name !== 'content-length') bare.push(name, String(value))
    }
    flat.push('x-request-id', '')
    bare.push('x-request-id', '')
    const etag = headers['etag'] as string | undefined
    const encoding = length === body.length ? ('latin1' as const) : ('utf8' as const)
    const current = blueprints ?? app.blueprints.version
    return { status, headers: flat, bare, etag, body, encoding, version, until, blueprints: current, requests }
  }

  /** False if the request is not that of a stranger, or its answer is not cached. */
  function sendPublic(request: IncomingMessage, response: ServerResponse, begun: number, handle: () => void): boolean {
    const fromStranger = publicRequest(app.config, request)
    const cached = fromStranger && published.get(fromStranger.key)
    if (!fromStranger || cached?.blueprints !== app.blueprints.version) return false
    withPublicVersion(version => {
      if (version !== cached.version || limit.take(request.socket.remoteAddress ?? '', fromStranger.forwardedFor) > 0)
        handle()
      else send(request, response, begun, cached, fromStranger.known)
    })
    return true
  }

  return {
    answer(request, response, handle) {
      // A pipelined response has no socket until the responses before it are sent: it is not served from the cache.
      if ((request.method !== 'GET' && request.method !== 'HEAD') || response.socket === null) return handle()
      const begun = performance.now()
      if (sendPublic(request, response, begun, handle)) return
      if (request.method !== 'GET') return handle()
      const { key, known } = exactRequest(request)
      const cached = members.get(key) ?? refusals.get(key)
      if (cached?.blueprints !== app.blueprints.version) handle()
      else if (cached.version === undefined) send(request, response, begun, cached, known)
      else
        withVersion(current => {
          if (current?.number === cached.version && current!.now < cached.until)
            send(request, response, begun, cached, known)
          else handle()
        })
    },

    remember(request, response) {
      if (request.method !== 'GET' || hasBody(request)) return
      const memo = response.version === undefined ? refusals : members
      memo.set(exactRequest(request).key, entryOf(response))
    },

    rememberPublic(request, response) {
      const fromStranger = request.method === 'GET' && publicRequest(app.config, request)
      if (fromStranger) published.set(fromStranger.key, entryOf(response))
    },
  }
}

/**
 * Requests that arrive in the same turn of the event loop share one read, which happens after them: it takes longer than
 * the rest of a cached response. They get undefined if it fails.
 */
function sharedRead<Value>(read: () => Value | Promise<Value>): (take: (value: Value | undefined) => void) => void {
  let waiting: ((value: Value | undefined) => void)[] = []
  const readForAll = async () => {
    const takers = waiting
    waiting = []
    let value: Value | undefined
    try {
      value = await read()
    } catch {} // an outage: the request runs as usual, and reports it
    for (const take of takers) take(value)
  }
  return take => {
    if (waiting.push(take) === 1) setImmediate(() => void readForAll())
  }
}

/**
 * All inputs of a response: URL, peer and every header, none of which can contain a line break. `known` is the value of
 * `If-None-Match`, which only decides whether the body is sent.
 */
function exactRequest({ url, rawHeaders, socket }: IncomingMessage): { key: string; known: string | undefined } {
  let known: string | undefined
  let headers = rawHeaders
  for (let index = rawHeaders.length - 2; index >= 0; index -= 2) {
    if (rawHeaders[index]!.length !== ifNoneMatch.length || rawHeaders[index]!.toLowerCase() !== ifNoneMatch) continue
    known = known === undefined ? rawHeaders[index + 1]! : `${rawHeaders[index + 1]!}, ${known}`
    headers = headers.toSpliced(index, 2)
  }
  return { key: `${url}\n${socket.remoteAddress}\n${headers.join('\n')}`, known }
}

const ifNoneMatch = 'if-none-match'

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}
