import type { IncomingMessage, ServerResponse } from 'node:http'
import type { App } from '../app.ts'
import { createLruCache } from '../platform/lib/lru-cache.ts'
import type { RequestMetrics } from '../platform/metrics.ts'
import type { Version } from '../platform/store/store.ts'
import { type CacheKey, cacheKeyOf } from './cache-key.ts'
import type { AnonymousLimit } from './anonymous-limit.ts'
import { isNotModified } from '../http/validators.ts'

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

interface CachedResponse extends CacheableResponse {
  until: number
  blueprints: number
  /** Prepared when it is first sent: most responses are not requested again before the next commit. */
  prepared?: PreparedResponse
}

interface PreparedResponse {
  /** Name, value, name, value …; the value of `x-request-id` comes last. */
  headers: string[]
  /** The same without those of the body, for 304. */
  headersWithoutBody: string[]
  etag: string | undefined
  /** Text without other characters than ASCII is sent faster as Latin-1: the bytes are the same. */
  encoding: 'latin1' | 'utf8'
}

export interface ResponseCache {
  /** Sends the cached response if it is still current, and calls `handle` otherwise. */
  answer(request: IncomingMessage, response: ServerResponse, handle: () => void): void
  /** Caches an error. */
  rememberError(request: IncomingMessage, response: CacheableResponse): void
  /** Caches a response when it is requested for the second time: most are requested once. */
  remember(request: IncomingMessage, response: () => CacheableResponse): void
  /** The same for an answer to an anonymous client: every anonymous client who requests the same address gets it. */
  rememberPublic(request: IncomingMessage, response: () => CacheableResponse): void
}

/** Memory limits of the cached responses to authenticated callers, and of those to anonymous clients, in bytes. */
const maxBytes = 8 * 1024 * 1024
/** About as many as there are cached responses. */
const maxSeenKeys = 4000

/**
 * Clients often repeat the same GET request. They get the cached response until any process commits a change, without
 * running the request again; and 304 if they have it already.
 */
export function createResponseCache(app: App, nextId: () => string, limit: AnonymousLimit): ResponseCache {
  const sizeOf = (key: string, { body }: CachedResponse) => key.length + body.length + 2000
  // Separate caches, so that unauthenticated clients with ever new headers cannot evict entries of authenticated
  // callers, and their errors no content.
  const members = createLruCache<CachedResponse>(maxBytes, sizeOf)
  const published = createLruCache<CachedResponse>(maxBytes, sizeOf)
  const refusals = createLruCache<CachedResponse>(100)
  const isSeenMember = createSeenKeys(maxSeenKeys)
  const isSeenAnonymous = createSeenKeys(maxSeenKeys)

  // On PostgreSQL the store itself shares its question among the requests of one turn.
  const withVersion =
    app.store.name === 'postgres' ? readForOne(app) : sharedRead(() => app.store.readVersion() as Version | undefined)

  function send(
    { method }: IncomingMessage,
    response: ServerResponse,
    startedAt: number,
    cached: CachedResponse,
    ifNoneMatch?: string,
  ): void {
    const prepared = (cached.prepared ??= prepare(cached))
    const isKnown = prepared.etag !== undefined && isNotModified(ifNoneMatch, prepared.etag)
    const headers = isKnown ? prepared.headersWithoutBody : prepared.headers
    headers[headers.length - 1] = nextId()
    const status = isKnown ? 304 : cached.status
    response.writeHead(status, headers)
    if (isKnown || method === 'HEAD') response.end()
    else response.end(cached.body, prepared.encoding)
    cached.requests?.countCached(status, performance.now() - startedAt)
  }

  const entryOf = (response: CacheableResponse): CachedResponse => ({
    ...response,
    until: response.until ?? Infinity,
    blueprints: response.blueprints ?? app.blueprints.version,
  })

  /** The key under which the response to the request was looked up. */
  const keyOf = (request: KeyedRequest) =>
    request.method === 'GET' ? (request[cacheKey] ?? cacheKeyOf(app.config, request)) : undefined

  /** Cached answers to anonymous clients count towards their limit; those to accounts end with the session or token. */
  const isValid = (
    { socket }: IncomingMessage,
    { isAnonymous, forwardedFor }: CacheKey,
    cached: CachedResponse,
    current: Version | undefined,
  ) =>
    current !== undefined &&
    current.number === cached.version &&
    (isAnonymous ? limit.take(socket.remoteAddress ?? '', forwardedFor) <= 0 : current.now < cached.until)

  return {
    answer(request, response, handle) {
      const { method } = request
      // A pipelined response has no socket until the responses before it are sent: it is not served from the cache.
      if ((method !== 'GET' && method !== 'HEAD') || response.socket === null) return handle()
      const startedAt = performance.now()
      const requestKey = cacheKeyOf(app.config, request)
      if (!requestKey) return handle()
      ;(request as KeyedRequest)[cacheKey] = requestKey
      const { key, isAnonymous, errorKey, ifNoneMatch } = requestKey
      const isCurrent = (cached: CachedResponse | undefined) => cached?.blueprints === app.blueprints.version
      const cached = (isAnonymous ? published : members).get(key)
      if (cached && isCurrent(cached)) {
        if (!isAnonymous && method !== 'GET') return handle()
        return withVersion(current => {
          if (isValid(request, requestKey, cached, current)) send(request, response, startedAt, cached, ifNoneMatch)
          else handle()
        })
      }
      const refusal = isAnonymous && method === 'GET' ? refusals.get(key + errorKey) : undefined
      if (refusal && isCurrent(refusal)) send(request, response, startedAt, refusal, ifNoneMatch)
      else handle()
    },

    rememberError(request, response) {
      const requestKey = keyOf(request)
      if (requestKey?.isAnonymous) refusals.set(requestKey.key + requestKey.errorKey, entryOf(response))
    },

    remember(request, response) {
      const requestKey = keyOf(request)
      if (!requestKey || requestKey.isAnonymous) return
      const { key } = requestKey
      if (members.get(key) || isSeenMember(key)) members.set(key, entryOf(response()))
    },

    rememberPublic(request, response) {
      const requestKey = keyOf(request)
      if (!requestKey?.isAnonymous) return
      const { key } = requestKey
      if (published.get(key) || isSeenAnonymous(key)) published.set(key, entryOf(response()))
    },
  }
}

/** Whether a key was given before, among the most recent ones. */
function createSeenKeys(limit: number): (key: string) => boolean {
  let [young, old] = [new Set<string>(), new Set<string>()]
  return key => {
    if (young.has(key)) return true
    if (young.size >= limit / 2) [young, old] = [new Set(), young]
    young.add(key)
    return old.has(key)
  }
}

const cacheKey = Symbol('cacheKey')
type KeyedRequest = IncomingMessage & { [cacheKey]?: CacheKey }

function prepare({ headers, body }: CachedResponse): PreparedResponse {
  const flat: string[] = []
  const headersWithoutBody: string[] = []
  const length = Buffer.byteLength(body)
  for (const [name, value] of Object.entries({ ...headers, 'content-length': length })) {
    if (name === 'x-request-id') continue
    flat.push(name, String(value))
    if (!name.startsWith('content-type') && name !== 'content-length') headersWithoutBody.push(name, String(value))
  }
  flat.push('x-request-id', '')
  headersWithoutBody.push('x-request-id', '')
  const encoding = length === body.length ? 'latin1' : 'utf8'
  return { headers: flat, headersWithoutBody, etag: headers['etag'] as string | undefined, encoding }
}

/** Gets undefined during an outage: the request runs as usual, and reports it. */
type TakeVersion = (version: Version | undefined) => void

function readForOne({ store }: App): (take: TakeVersion) => void {
  const read = async () => store.readVersion()
  return take => void read().then(take, () => take(undefined))
}

/**
 * Requests that arrive in the same turn of the event loop share one read, which happens after them: it takes longer than
 * the rest of a cached response.
 */
function sharedRead(read: () => Version | undefined): (take: TakeVersion) => void {
  let waiting: TakeVersion[] = []
  const readForAll = () => {
    const callbacks = waiting
    waiting = []
    let version: Version | undefined
    try {
      version = read()
    } catch {}
    for (const take of callbacks) take(version)
  }
  return take => {
    if (waiting.push(take) === 1) setImmediate(readForAll)
  }
}
