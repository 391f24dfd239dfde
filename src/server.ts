import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { api } from './api.ts'
import type { App } from './app.ts'
import { ApiError, fail } from './errors.ts'
import { createDoor, ask, type Door } from './http/door.ts'
import { type AnyEndpoint, type Api, list } from './http/endpoint.ts'
import { failure } from './http/failure.ts'
import { checkHeaders, securityHeaders } from './http/guard.ts'
import { type FlatQuery, nestQuery } from './http/query.ts'
import { serialiserSchema } from './http/serialise.ts'
import { validate } from './http/validate.ts'
import { createId } from './lib/id.ts'
import { JsonProblem, parseStrictJson } from './lib/strict-json.ts'
import { openapi } from './openapi.ts'
import type { Exchange } from './session/exchange.ts'
import type { Caller } from './session/identify.ts'

declare module 'fastify' {
  interface FastifyRequest {
    exchange: Exchange
    caller: Caller | undefined
  }
  interface FastifyContextConfig {
    endpoint?: AnyEndpoint
  }
}

const defaultBodyLimit = 1024 * 1024
const smallBody = 8192

/** Routes, errors and nothing else: every endpoint goes through identify, validate, find, ask, handle, wrap. */
export function createServer(app: App, tree: Api = api): FastifyInstance {
  const { base, secure } = app.config
  const door = createDoor(app)
  const endpoints = [...list(tree)]
  const always = securityHeaders(secure)
  const nextId = requestIds()

  const server = Fastify({
    logger: false,
    genReqId: nextId,
    bodyLimit: defaultBodyLimit,
    requestTimeout: 15_000,
    keepAliveTimeout: 5000,
    maxRequestsPerSocket: 1000,
    forceCloseConnections: 'idle',
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 2000, maxHeaderSize: 16_384 },
    routerOptions: { maxParamLength: 1000 },
    rewriteUrl: request => {
      request.method = overriddenMethod(request.method!, request.url!, request.headers, `${base}/api/auth`)
      return request.url!
    },
    frameworkErrors: (error, request, reply) => {
      void answerError(error, request, reply)
    },
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, always),
  })
  server.server.maxHeadersCount = 0 // counted by the guard: Node would drop the rest without a word

  server.decorateRequest('exchange', null as never)
  server.decorateRequest('caller', undefined)
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      const small = (request.routeOptions.bodyLimit ?? defaultBodyLimit) <= smallBody
      done(null, parseStrictJson(body as Buffer, small ? { depth: 4, members: 16 } : { depth: 64, members: 100_000 }))
    } catch (error) {
      done(error as Error)
    }
  })

  server.addHook('onRequest', (request, reply, done) => {
    request.exchange = exchangeOf(request, door)
    reply.headers(always)
    reply.header('x-request-id', request.id)
    done(checkHeaders(request.raw.rawHeaders))
  })
  server.addHook('onSend', (request, reply, payload, done) => {
    sendEffects(request, reply, door)
    done(null, payload)
  })
  server.addHook('onResponse', (request, reply, done) => {
    app.log.debug(
      {
        request: request.id,
        method: request.method,
        route: request.routeOptions.url,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'answered',
    )
    done()
  })

  for (const [, endpoint] of endpoints) addEndpoint(server, app, door, endpoint)
  addServiceRoutes(server, app, tree)

  server.setNotFoundHandler((request, reply) => answerUnknown(request, reply, endpoints, `${base}/api`, door))
  server.setErrorHandler(answerError)

  async function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
    const known = toApiError(app, error, request)
    const { status, headers, body } = failure(known, request.headers.accept)
    return reply.code(status).headers(headers).send(body)
  }
  return server
}

/** One endpoint: the door before the body is read, the rest after it. */
function addEndpoint(server: FastifyInstance, app: App, door: Door, endpoint: AnyEndpoint): void {
  const handler = endpoint.handler as (request: object) => Promise<unknown>
  const find = endpoint.on as ((request: object) => Promise<unknown>) | undefined
  const wrap = endpoint.answer.wrap as (value: unknown) => { status: number; json: unknown }

  server.route({
    method: endpoint.method,
    url: `${app.config.base}/api${endpoint.path}`,
    ...(endpoint.bodyLimit !== undefined && { bodyLimit: endpoint.bodyLimit }),
    config: { endpoint },
    schema: {
      response: Object.fromEntries(
        Object.entries(endpoint.answer.schemas).map(([status, schema]) => [status, serialiserSchema(schema)]),
      ),
    },
    onRequest: async request => {
      door.checkAddress(request.exchange, request.raw.socket.remoteAddress ?? '')
      request.caller = await door.enter(endpoint, request.exchange)
    },
    handler: async (request, reply) => {
      const { exchange, caller, params } = request
      const query = checkedQuery(endpoint, request.query as FlatQuery)
      const body = endpoint.body ? validate(endpoint, endpoint.body, request.body) : undefined
      const target = await find?.({ app, caller, params })
      ask(endpoint, caller)
      const { status, json } = wrap(await handler({ app, exchange, caller, params, query, body, target }))
      reply.code(status).type('application/json; charset=utf-8')
      if (isPretty(query)) reply.serializer(prettySerialiser(reply, status))
      return json
    },
  })
}

function checkedQuery(endpoint: AnyEndpoint, flat: FlatQuery): unknown {
  if (endpoint.query) return validate(endpoint, endpoint.query, nestQuery(flat))
  const names = Object.keys(flat)
  if (names.length === 0) return undefined
  const unknown = { label: 'query', message: { unknown: 'This address takes no query parameters.' } }
  throw fail('validation').with({ details: { query: unknown } })
}

function isPretty(query: unknown): boolean {
  const value = (query as { pretty?: string } | undefined)?.pretty
  return value !== undefined && value !== '' && value !== '0'
}

function prettySerialiser(reply: FastifyReply, status: number) {
  const serialise = reply.getSerializationFunction(String(status))!
  return (json: unknown) => JSON.stringify(JSON.parse(serialise(json as Record<string, unknown>)), undefined, 4)
}

// ---- beside the API

function addServiceRoutes(server: FastifyInstance, app: App, tree: Api): void {
  const { base } = app.config
  let document: string | undefined
  server.get(`${base}/openapi.json`, (_, reply) => {
    document ??= JSON.stringify(openapi(tree, app.config.url))
    return reply.type('application/json; charset=utf-8').send(document)
  })
  server.get(`${base}/health/live`, () => ({ status: 'ok' }))
  server.get(`${base}/health/ready`, async () => {
    await app.store.read({ sql: 'select 1 as ready', parameters: [] } as never)
    return { status: 'ok' }
  })
}

// ---- requests

function exchangeOf(request: FastifyRequest, door: Door): Exchange {
  const { headers, raw } = request
  const forwarded = headers['x-forwarded-for']
  return {
    ip: door.visitorIp(raw.socket.remoteAddress ?? '', Array.isArray(forwarded) ? forwarded.join(',') : forwarded),
    userAgent: headers['user-agent'],
    requestId: request.id,
    method: request.method,
    headers,
    answer: { headers: {}, cookies: [] },
  }
}

/** A prefix for this process and a counter: unique, short and cheap. */
function requestIds(): () => string {
  const prefix = createId(8)
  let count = 0
  return () => `${prefix}-${(count++).toString(36)}`
}

/** For clients that can only POST. Never inside the Authentication group. */
function overriddenMethod(method: string, url: string, headers: NodeJS.Dict<string | string[]>, auth: string): string {
  const wanted = headers['x-http-method-override']
  if (method !== 'POST' || typeof wanted !== 'string' || url.startsWith(auth)) return method
  const upper = wanted.toUpperCase()
  return upper === 'PATCH' || upper === 'DELETE' ? upper : method
}

// ---- answers

/** What handlers asked for and what CORS allows; on errors too. */
function sendEffects({ exchange }: FastifyRequest, reply: FastifyReply, door: Door): void {
  const { headers, cookies } = exchange.answer
  for (const name in headers) reply.header(name, headers[name])
  if (cookies.length > 0) reply.header('set-cookie', cookies)
  const { origin } = exchange.headers
  if (typeof origin === 'string' && door.isListed(origin)) {
    reply.header('access-control-allow-origin', origin)
    reply.header('access-control-allow-credentials', 'true')
    reply.header('cross-origin-resource-policy', 'cross-origin')
  }
}

function toApiError(app: App, error: unknown, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof JsonProblem) return fail('request.malformed', { problem: error.message })
  if (app.store.isOutage(error)) {
    app.log.error({ err: error, request: request.id }, 'the store did not answer')
    return fail('unavailable').with({ headers: { 'retry-after': '2' } })
  }
  const { statusCode } = error as { statusCode?: number }
  switch (statusCode) {
    case 400:
      return fail('request.malformed', { problem: 'its framing, its address or its body is not valid.' })
    case 404:
      return fail('notFound')
    case 413:
      return fail('request.tooLarge', { limit: String(request.routeOptions.bodyLimit ?? defaultBodyLimit) })
    case 415:
      return fail('request.mediaType')
    case 503:
      return fail('busy').with({ headers: { 'retry-after': '2' } })
    default:
      app.log.error({ err: error, request: request.id, route: request.routeOptions.url }, 'a request failed')
      return fail('general')
  }
}

/** No route: 404, or 405 for a known address with another method; OPTIONS says what it takes. */
function answerUnknown(
  request: FastifyRequest,
  reply: FastifyReply,
  endpoints: [string, AnyEndpoint][],
  prefix: string,
  door: Door,
) {
  const path = request.url.replace(/\?.*$/s, '')
  const methods = new Set(
    endpoints
      .filter(([, { path: pattern }]) => matches(prefix + pattern, path))
      .flatMap(([, { method }]) => (method === 'GET' ? ['GET', 'HEAD'] : [method])),
  )
  if (methods.size === 0) throw fail('notFound')
  const allow = [...methods].join(', ')
  if (request.method !== 'OPTIONS') {
    throw fail('methodNotAllowed', { method: request.method.slice(0, 20) }).with({ headers: { allow } })
  }
  reply.code(204).header('allow', allow)
  if (door.isListed(request.headers.origin) && request.headers['access-control-request-method'] !== undefined) {
    reply.headers({
      'access-control-allow-methods': allow,
      'access-control-allow-headers': 'Authorization, Content-Type, X-CSRF, X-Language, If-Match',
      'access-control-max-age': '600',
    })
  }
  return reply.send()
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/')
  const given = path.split('/')
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => (part.startsWith(':') ? given[index] !== '' : part === given[index]))
  )
}

/** What the parser of Node refused never becomes a request: it is answered on the bare connection. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket, always: Record<string, string>): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const known =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? fail('request.headersTooLarge')
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? fail('request.timeout')
        : fail('request.malformed', { problem: 'its framing is not valid HTTP.' })
  const { status, headers, body } = failure(known, undefined)
  const lines = Object.entries({
    ...always,
    ...headers,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  })
  socket.end(
    `HTTP/1.1 ${status} ${known.key}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  )
}
