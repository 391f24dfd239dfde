import type { OutgoingHttpHeaders } from 'node:http'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { z } from 'zod'
import { api } from './api.ts'
import type { App } from './app.ts'
import { convertContents } from './content/convert/convert.ts'
import { describeLockHolder } from './content/changes/draft-lock.ts'
import { createDelivery } from './groups/delivery/delivery.ts'
import { ApiError, fail } from './platform/errors.ts'
import {
  afterAnswers,
  answerBrokenRequest,
  connectionLimits,
  expectBody,
  hasReachedMaxRequests,
  trackAnswer,
  whileUploading,
} from './http/connections.ts'
import {
  createAuthenticator,
  type Authenticator,
  isUnauthenticated,
  recordDenial,
  strangerError,
} from './http/authenticate.ts'
import { authorize } from './access/authorize/authorize.ts'
import { templatesToPreview } from './access/authorize/pages.ts'
import { type AnyEndpoint, type Api, list } from './http/endpoint.ts'
import { acceptsStream, createStreams, type Streams, streamHeaders, type StreamSource } from './http/event-stream.ts'
import { defaultBodyLimit, toApiError } from './http/api-error.ts'
import { failure } from './http/failure.ts'
import { FastifyExchange, sendEffects } from './http/fastify-exchange.ts'
import type { ContentLanguage, RequestContext } from './http/context.ts'
import { limitConnections } from './http/limit-connections.ts'
import { checkHeaders, securityHeaders, bodyFormatOf } from './http/guard.ts'
import { type FlatQuery, nestQuery } from './http/query.ts'
import { createResponseCache, type ResponseCache } from './http/response-cache.ts'
import { overriddenMethod, pathOf, requestIds } from './http/request-line.ts'
import { logRequest } from './http/request-log.ts'
import { serialiserSchema } from './http/serialise.ts'
import { createStrangerLimit, type StrangerLimit } from './http/stranger-limit.ts'
import { tagHeaders } from './http/tags.ts'
import { readForm, type Upload } from './http/upload.ts'
import { answerUnknown, type Route } from './http/unknown-route.ts'
import { declaredIn, validate } from './http/validate.ts'
import { entityTag, isNotModified, publicHeaders } from './http/validators.ts'
import { parseForm } from './platform/lib/form.ts'
import { parseStrictJson } from './platform/lib/strict-json.ts'
import { openapi } from './openapi.ts'
import { createPanel } from './http/panel/panel.ts'
import { pageImage } from './forms/pickers/images.ts'
import { pick, visible } from './forms/pickers/pickers.ts'
import { sectionErrors } from './forms/sections/errors.ts'
import { offered } from './forms/sections/options.ts'
import { contentLanguage, siteOrigins } from './content/languages/languages.ts'
import { type HttpExchange, header } from './access/session/exchange.ts'
import { type Caller, isStranger, pageOfPass, type Reader } from './access/actor.ts'
import { message } from './platform/texts.ts'
import { languageOf, readerOf } from './platform/translations/translations.ts'

// An import would evaluate the whole module, and with it load an HTTP client that is not needed here.
const { createServer: createHttpServer } = process.getBuiltinModule('node:http')
const smallBody = 8192
/** In bytes. */
const largeBody = 50_000
const json = 'application/json; charset=utf-8'

/**
 * Creates the HTTP server: routes and error handling. Every endpoint runs authenticate, validate, find the target,
 * authorize, handle, wrap.
 */
export function createServer(app: App, tree: Api = api): FastifyInstance {
  const { base } = app.config
  const strangerLimit = createStrangerLimit(app.config)
  const authenticator = createAuthenticator(app, strangerLimit)
  const endpoints = [...list(tree)]
  const routes: Route[] = [
    ...endpoints.map(([, { method, path }]) => ({ method, url: `${base}/api${path}` })),
    ...['/openapi.json', ...healthPaths, '/media/*', '/panel', '/panel/*'].map(path => ({
      method: 'GET',
      url: base + path,
    })),
    ...(base === '' ? [] : healthPaths.map(url => ({ method: 'GET', url }))),
  ]
  const always = securityHeaders(app.config)
  const ownAccount = new RegExp(`^${base}/api/account(?=[/?]|$)`)
  const siteFiles = new RegExp(`^${base}/api/files(?=[/?]|$)`)
  const nextId = requestIds()
  const responseCache = createResponseCache(app, nextId, strangerLimit)
  const streams = createStreams()
  const logsRequests = app.config.log.requests || app.log.isLevelEnabled('debug')

  const server = Fastify({
    logger: false,
    genReqId: nextId,
    bodyLimit: defaultBodyLimit,
    forceCloseConnections: 'idle',
    serverFactory: handler =>
      createHttpServer(connectionLimits, (request, response) => {
        if (hasReachedMaxRequests(request.socket)) response.shouldKeepAlive = false
        trackAnswer(request, response)
        expectBody(request, response, always)
        if (logsRequests) handler(request, response)
        else responseCache.answer(request, response, () => handler(request, response))
      }),
    routerOptions: { maxParamLength: 1000 },
    rewriteUrl: request => {
      const url = pathOf(request.url!)
        .replace(ownAccount, `${base}/api/users/account`)
        .replace(siteFiles, `${base}/api/site/files`)
      request.method = overriddenMethod(request.method!, url, request.headers, `${base}/api/auth`)
      return url
    },
    frameworkErrors: (error, request, reply) => {
      reply.headers(always).header('x-request-id', request.id) // hooks have not run
      void answerError(error, request, reply)
    },
    clientErrorHandler: (error, socket) => afterAnswers(socket, () => answerBrokenRequest(error, socket, always)),
  })
  limitConnections(server.server, app, always)
  server.server.maxHeadersCount = 0 // unlimited: `checkHeaders` counts them, Node would silently drop the rest

  server.decorateRequest('exchange', null as never)
  server.decorateRequest('caller', undefined)
  server.decorateRequest('reader', undefined)
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined) // some clients send a content type without a body
    try {
      const small = (request.routeOptions.bodyLimit ?? defaultBodyLimit) <= smallBody
      const limits = small ? { depth: 4, members: 16 } : { depth: 64, members: 100_000 }
      const parse = bodyFormatOf(request.headers['content-type'], undefined) === 'form' ? parseForm : parseStrictJson
      const parsed = parse(body as Buffer, limits)
      // Parsing a large body takes some milliseconds: it is handled in another turn of the event loop.
      if (body.length > largeBody) setImmediate(done, null, parsed)
      else done(null, parsed)
    } catch (error) {
      done(error as Error)
    }
  })

  // Not parsed here: the handler streams it. `checkMediaType` has rejected it for endpoints without `upload`.
  server.addContentTypeParser('multipart/form-data', (_request, _payload, done) => done(null, undefined))

  server.addHook('onReady', () => convertContents(app))
  server.addHook('preClose', done => {
    streams.closeAll() // closing waits for all responses to end
    done()
  })
  server.addHook('onRequest', (request, reply, done) => {
    request.exchange = new FastifyExchange(request, authenticator)
    reply.headers(always)
    reply.header('x-request-id', request.id)
    const problem = checkHeaders(request.raw.rawHeaders)
    if (request.is404 && !problem) answerUnknown(request, reply, routes, authenticator) // without reading the body
    else if (reply.raw.socket) done(problem)
    else reply.raw.once('socket', () => done(problem)) // pipelined: wait until earlier responses are sent
  })
  if (logsRequests) server.addHook('onResponse', logRequest(app))

  for (const [, endpoint] of endpoints)
    addEndpoint(server, app, authenticator, endpoint, responseCache, strangerLimit, streams, answerError)
  addServiceRoutes(server, app, tree)
  addMedia(server, app, authenticator)
  addPanel(server, app, authenticator)

  server.setErrorHandler(answerError)

  function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const apiError = toApiError(app, error, request)
    const { status, headers, body } = failure(
      apiError,
      request.headers.accept,
      readerOf(languageOf(request.exchange ?? request)),
    )
    sendEffects(request, reply, authenticator)
    reply.code(status).headers(headers)
    const { cookie, authorization } = request.headers
    if (isUnauthenticated(apiError) && cookie === undefined && authorization === undefined) {
      responseCache.remember(request.raw, { status, headers: reply.getHeaders(), body })
    }
    return reply.send(body)
  }
  return server
}

/** Adds one endpoint: authentication runs before the body is read, the rest after it. */
function addEndpoint(
  server: FastifyInstance,
  app: App,
  authenticator: Authenticator,
  endpoint: AnyEndpoint,
  responseCache: ResponseCache,
  strangerLimit: StrangerLimit,
  streams: Streams,
  answerError: (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply,
): void {
  const handler = endpoint.handler as (request: object) => Promise<unknown>
  const streaming = endpoint.stream as ((request: object) => Promise<StreamSource>) | undefined
  const find = endpoint.on as ((request: object) => Promise<unknown>) | undefined
  const hasParams = endpoint.path.includes(':')
  const noQuery = endpoint.query?.safeParse({}) // parsed once: most requests have no query
  const hasValidator =
    endpoint.method === 'GET' && endpoint.access !== 'public' && !/^\/auth(?:\/|$)/.test(endpoint.path)
  const wrap = endpoint.answer.wrap as (value: unknown) => { status: number; json: unknown }

  server.route({
    method: endpoint.method,
    url: `${app.config.base}/api${endpoint.path}`,
    ...(endpoint.bodyLimit !== undefined && { bodyLimit: endpoint.bodyLimit }),
    config: { endpoint },
    onRequest: (request, reply, done) => {
      const checkCaller = (reader: Reader | ApiError | undefined) => {
        if (reader instanceof ApiError) answerError(reader, request, reply)
        else {
          request.reader = reader
          if (reader && !isStranger(reader)) request.caller = reader
          done()
        }
      }
      try {
        // An empty parameter (trailing slash), or NUL, which no stored value contains.
        if (hasParams && Object.values(request.params as object).some(value => /^$|\0/.test(value as string)))
          throw fail('notFound')
        if (request.url.includes('%00')) throw fail('request.malformed', { problem: message('malformed.form') })
        authenticator.checkAddress(request.exchange, request.raw.socket.remoteAddress ?? '')
        const caller = authenticator.authenticate(endpoint, request.exchange)
        if (caller instanceof Promise) caller.then(checkCaller, (error: unknown) => answerError(error, request, reply))
        else checkCaller(caller)
      } catch (error) {
        answerError(error, request, reply)
      }
    },
    handler: respond,
  })

  async function respond(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { exchange, caller, reader, params } = request
    const { version: blueprints } = app.blueprints
    const query =
      noQuery?.success && !request.url.includes('?') ? noQuery.data : checkedQuery(endpoint, request.query as FlatQuery)
    const body = validate(endpoint, endpoint.body ?? noBody, request.body)
    const selection = endpoint.selects && query
    const ctx = createRequestContext(app, endpoint, reader, query, exchange)
    const upload = endpoint.upload && uploadOf(request)
    let value: unknown
    try {
      if (ctx.isPreview) await ctx.language() // refuses, before anything is read, those who may not see changes
      const target = await find?.({ app, caller, params, ctx, body })
      if (!endpoint.authorizedByOperation) authorize(app, endpoint, caller, target as object | undefined)
      if (streaming && request.method === 'GET' && acceptsStream(request.headers.accept)) {
        streams.mustHaveRoom(caller!)
        return sendStream(request, reply, caller!, await streaming({ exchange, ctx, query }))
      }
      const handle = () => handler({ app, exchange, ctx, caller, params, query, selection, body, upload, target })
      const isQueued = endpoint.readsAll && reader && isStranger(reader) && !reader.owner && !reader.pass
      value = await (isQueued ? strangerLimit.queued(exchange, handle) : handle())
    } catch (error) {
      if (reader && isStranger(reader)) throw reader.owner ? error : strangerError(error)
      return recordDenial(app, endpoint, exchange, caller, describeLockHolder(ctx, error))
    }
    const answer = wrap(value)
    reply.code(answer.status).type(json)
    sendEffects(request, reply, authenticator)
    const compact = serialiserOf(reply, endpoint.answer.schemas[answer.status]!)(answer.json)
    const text = isPretty(query) ? pretty(compact) : compact
    const stranger = reader && isStranger(reader) ? reader : undefined
    let etag: string | undefined
    if (hasValidator) {
      etag = entityTag(text, stranger || !exchange.hasEffects ? undefined : exchange.answer.headers['etag'])
      reply.header('etag', etag)
      if (stranger) reply.headers(publicHeaders(app.config, stranger))
      if (ctx.tags) reply.headers(tagHeaders(ctx.tags, (await ctx.language()).code, endpoint.isTagged === true))
    }
    // Without a version it is unknown how long the answer stays valid.
    const version = (stranger ?? caller)?.version
    if (endpoint.cacheable && version !== undefined && !exchange.setsCookies && !ctx.timeDependent) {
      const { status } = answer
      const until = (stranger?.owner ?? caller)?.cacheableUntil
      const response = { status, headers: reply.getHeaders(), body: text, version, until, blueprints }
      if (stranger && !stranger.owner) responseCache.rememberPublic(request.raw, response)
      else responseCache.remember(request.raw, response)
    }
    if (etag !== undefined && isNotModified(header(exchange, 'if-none-match'), etag))
      return reply.code(304).removeHeader('content-type').send()
    return reply.send(text)
  }

  function sendStream(request: FastifyRequest, reply: FastifyReply, caller: Caller, start: StreamSource): FastifyReply {
    streams.mustHaveRoom(caller) // others may have been opened while this one was checked
    sendEffects(request, reply, authenticator)
    reply.headers(streamHeaders).hijack()
    reply.raw.writeHead(200, reply.getHeaders() as OutgoingHttpHeaders)
    start(streams.open(reply.raw, { caller, identify: () => authenticator.authenticateAgain(request.exchange) }))
    return reply
  }
}

type Serialise = (value: unknown) => string
const serialisers = new WeakMap<z.ZodType, Serialise>()

/** Compiled on first use: compiling all serialisers would take a quarter of the startup time. */
function serialiserOf(reply: FastifyReply, schema: z.ZodType): Serialise {
  let serialise = serialisers.get(schema)
  if (!serialise) {
    serialise = reply.compileSerializationSchema(serialiserSchema(schema)) as Serialise
    serialisers.set(schema, serialise)
  }
  return serialise
}

/** The body is read when the handler calls `read`. */
function uploadOf({ raw }: FastifyRequest): Upload {
  return { read: (limits, take) => whileUploading(raw, () => readForm(raw, limits, take)) }
}

/** The content language comes from the query or a header; the default language otherwise. */
function createRequestContext(
  app: App,
  { path }: AnyEndpoint,
  reader: Reader | undefined,
  query: unknown,
  exchange: HttpExchange,
): RequestContext {
  const isForStranger = reader !== undefined && isStranger(reader)
  const { language: named, version } = (query ?? {}) as { language?: string; version?: 'published' | 'changes' }
  const pass = isForStranger ? reader.pass : undefined
  if (pass?.language !== undefined && named !== undefined && named !== pass.language) throw fail('auth')
  // The answers to strangers are kept by caches, which know the address only.
  const asked = named ?? (isForStranger ? pass?.language : header(exchange, 'x-language'))
  // The pass of a page shows the unpublished changes of that page, not those of the site.
  const isPreview =
    version === 'changes' && (!pass || pageOfPass(pass) === undefined || /^\/pages\/:id|^\/site\/resolve$/.test(path))
  let language: ContentLanguage | Promise<ContentLanguage> | undefined
  const loadLanguage = async () => {
    const found = await contentLanguage(app, asked || undefined)
    if (!isPreview) return (language = found)
    const page = pass && pageOfPass(pass)
    return (language = { ...found, changesOf: { ...templatesToPreview({ app, actor: reader! }), page } })
  }
  return {
    app,
    actor: reader!,
    locale: reader === undefined || isStranger(reader) ? 'en' : reader.user.language,
    visitor: exchange,
    language: () => (language ??= loadLanguage()),
    ...(isForStranger && !pass && app.config.delivery.tags && { tags: new Set<string>() }),
    ...(isPreview && { isPreview, listsDrafts: !pass || pageOfPass(pass) === undefined }),
    pick,
    visible,
    offered,
    pageImage,
    sectionErrors,
  }
}

const noBody = z.strictObject({}).optional()

/**
 * Reads ignore unknown parameters, because clients and proxies add their own (`?_=1700`). Writes reject them: with a
 * mistyped `language`, the content would be saved in another language.
 */
function checkedQuery(endpoint: AnyEndpoint, flat: FlatQuery): unknown {
  const isRead = endpoint.method === 'GET' || endpoint.path.endsWith('/search')
  const schema = endpoint.selects ?? endpoint.query
  if (schema) {
    const nested = nestQuery(flat)
    return validate(endpoint, schema, isRead ? declaredIn(schema, nested) : nested)
  }
  if (isRead) return undefined
  const names = Object.keys(flat)
  if (names.length === 0) return undefined
  const unknown = { label: 'query', message: { unknown: message('validation.noQuery') } }
  throw fail('validation').with({ details: { query: unknown } })
}

function isPretty(query: unknown): boolean {
  const value = (query as { pretty?: string } | undefined)?.pretty
  return value !== undefined && value !== '' && value !== '0'
}

const pretty = (text: string) => JSON.stringify(JSON.parse(text), undefined, 4)

// ---- outside the API

const healthPaths = ['/health/live', '/health/ready']

function addServiceRoutes(server: FastifyInstance, app: App, tree: Api): void {
  const { base } = app.config
  let document: string | undefined
  server.get(`${base}/openapi.json`, (_, reply) => {
    document ??= JSON.stringify(openapi(tree, app.config))
    return reply.type(json).send(document)
  })
  // Health probes bypass the proxy and do not know the base path.
  for (const prefix of new Set([base, ''])) {
    server.get(`${prefix}/health/live`, () => ({ status: 'ok' }))
    server.get(`${prefix}/health/ready`, async () => {
      try {
        await app.store.checkWritable()
      } catch (error) {
        app.log.error({ err: error }, 'the store cannot be read or written')
        throw fail('unavailable').with({ headers: { 'retry-after': '2' } })
      }
      await app.media.check().catch((error: unknown) => {
        app.log.error({ reason: (error as Error).message }, 'the media storage cannot be used')
        throw fail('unavailable').with({ headers: { 'retry-after': '5' } })
      })
      return { status: 'ok' }
    })
  }
}

/** Serves files as streams, not JSON. Fastify destroys the stream when the client disconnects. */
function addMedia(server: FastifyInstance, app: App, authenticator: Authenticator): void {
  const url = `${app.config.base}/media/`
  const deliver = createDelivery(app)
  server.route({
    method: ['GET', 'HEAD'],
    url: `${url}*`,
    handler: async (request, reply) => {
      authenticator.checkAddress(request.exchange, request.raw.socket.remoteAddress ?? '')
      const [path = '', query] = request.url.slice(url.length).split('?', 2)
      const [pass, ...further] = new URLSearchParams(query).getAll('preview')
      const { status, headers, body } = await deliver(path, further.length > 0 ? undefined : pass, request.exchange)
      reply.code(status)
      sendEffects(request, reply, authenticator)
      for (const [name, value] of Object.entries(headers)) {
        if (value === undefined) reply.removeHeader(name)
        else reply.header(name, value)
      }
      return reply.send(body)
    },
  })
}

/** Serves the panel: one HTML page for all paths below `/panel`, and its assets. */
function addPanel(server: FastifyInstance, app: App, authenticator: Authenticator): void {
  const url = `${app.config.base}/panel`
  const show = createPanel(app, () => siteOrigins(app))
  for (const path of [url, `${url}/*`]) {
    server.route({
      method: ['GET', 'HEAD'],
      url: path,
      handler: async (request, reply) => {
        authenticator.checkAddress(request.exchange, request.raw.socket.remoteAddress ?? '')
        const { status, headers, body } = await show(
          request.url.slice(url.length).replace(/\?.*$/s, ''),
          request.exchange,
        )
        return reply.code(status).headers(headers).send(body)
      },
    })
  }
}
