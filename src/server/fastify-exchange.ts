import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller, Reader } from '../access/actor.ts'
import type { HttpExchange } from '../access/session/exchange.ts'
import type { RequestMetrics } from '../platform/metrics.ts'
import type { Authenticator } from './authenticate.ts'
import type { AnyEndpoint } from '../http/endpoint.ts'

declare module 'fastify' {
  interface FastifyRequest {
    exchange: FastifyExchange
    caller: Caller | undefined
    /** The caller, or an anonymous client who may read. */
    reader: Reader | undefined
  }
  interface FastifyContextConfig {
    endpoint?: AnyEndpoint
    requests?: RequestMetrics
  }
}

/** A class for speed: one is created per request, and few requests need the IP address. */
export class FastifyExchange implements HttpExchange {
  readonly #request: FastifyRequest
  readonly #authenticator: Authenticator
  readonly method: string
  readonly headers: HttpExchange['headers']
  readonly answer: HttpExchange['answer'] = { headers: {}, cookies: [] }
  language: string | undefined
  /** By `performance.now()`. */
  readonly startedAt = performance.now()

  constructor(request: FastifyRequest, authenticator: Authenticator) {
    this.#request = request
    this.method = request.method
    this.headers = request.headers as HttpExchange['headers'] // of all headers, only `set-cookie` is a list
    this.#authenticator = authenticator
  }
  get ip() {
    return this.#authenticator.clientIp(this.#request.raw.socket.remoteAddress ?? '', this.headers['x-forwarded-for'])
  }
  get userAgent() {
    return this.headers['user-agent']
  }
  get requestId() {
    return this.#request.id
  }
  onClose(listener: () => void): () => void {
    const { raw } = this.#request
    raw.once('close', listener)
    return () => void raw.off('close', listener)
  }
  get httpVersion() {
    return this.#request.raw.httpVersion
  }
}

/** Sets the headers and cookies of the handler, and CORS headers, for the reply that is sent next; on errors, too. */
export function setReplyHeaders({ exchange }: FastifyRequest, reply: FastifyReply, authenticator: Authenticator): void {
  if (!exchange) return // rejected before `onRequest` ran
  const { headers, cookies } = exchange.answer
  for (const name in headers) reply.header(name, headers[name])
  if (cookies.length > 0) reply.header('set-cookie', cookies)
  const { origin } = exchange.headers
  if (origin !== undefined && authenticator.isCorsOrigin(origin)) {
    reply.header('access-control-allow-origin', origin)
    reply.header('access-control-allow-credentials', 'true')
    reply.header('access-control-expose-headers', 'ETag, Retry-After, X-Request-Id')
    reply.header('cross-origin-resource-policy', 'cross-origin')
  }
}
