import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { isUnauthenticated } from './access/authorize/denials.ts'
import { api } from './api.ts'
import type { App } from './app.ts'
import { convertContents } from './content/convert/convert.ts'
import { defaultBodyLimit, toApiError } from './server/api-error.ts'
import { createAuthenticator } from './server/authenticate.ts'
import {
  afterAnswers,
  answerBrokenRequest,
  connectionLimits,
  expectBody,
  hasReachedMaxRequests,
  trackAnswer,
} from './server/connections.ts'
import { type Api, listEndpoints } from './http/endpoint.ts'
import { createStreams } from './http/event-stream.ts'
import { failure } from './http/failure.ts'
import { FastifyExchange, setReplyHeaders } from './server/fastify-exchange.ts'
import { checkHeaders, securityHeaders } from './server/guard.ts'
import { limitConnections } from './server/limit-connections.ts'
import { overriddenMethod, pathOf, requestIds } from './server/request-line.ts'
import { logRequest } from './server/request-log.ts'
import { createResponseCache } from './server/response-cache.ts'
import { createAnonymousLimit } from './server/anonymous-limit.ts'
import { answerUnknown, type Route } from './server/routes/unknown.ts'
import { openapiSteps } from './openapi.ts'
import { runStepsYielding } from './platform/lib/yield.ts'
import { interfaceLanguageOf, translatorFor } from './platform/translations/translations.ts'
import { addBodyParsers } from './server/body-parsers.ts'
import { addEndpoint } from './server/routes/endpoint.ts'
import { addHealthRoutes } from './server/routes/health.ts'
import { countRequests } from './server/count-requests.ts'
import { addMediaRoute } from './server/routes/media.ts'
import { addMetricsRoute } from './server/routes/metrics.ts'
import { addOpenapiRoute } from './server/routes/openapi.ts'
import { addPanelRoute } from './server/routes/panel.ts'
import { addReferenceRoute } from './server/routes/reference.ts'
import { addStartRoute } from './server/routes/start.ts'

// An import would evaluate the whole module, and with it load an HTTP client that is not needed here.
const { createServer: createHttpServer } = process.getBuiltinModule('node:http')

/** Shared with the code that stops the server. */
export interface Shutdown {
  /** The server will stop soon: it is not ready, and closes each connection after the response. */
  isDraining: boolean
}

/** All endpoints of a site: ours, then those of its extensions. */
const treeOf = ({ extensions: { endpoints } }: App): Api => (endpoints ? { ...api, extensions: endpoints } : api)

/**
 * Creates the HTTP server: hooks, routes (`server/`) and error handling. Every endpoint runs authenticate, validate, find the target,
 * authorize, handle, wrap.
 */
export function createServer(
  app: App,
  tree: Api = treeOf(app),
  shutdown: Shutdown = { isDraining: false },
): FastifyInstance {
  const { base } = app.config
  const anonymousLimit = createAnonymousLimit(app.config)
  const authenticator = createAuthenticator(app, anonymousLimit)
  const routes: Route[] = []
  const commonHeaders = securityHeaders(app.config)
  const ownAccount = new RegExp(`^${base}/api/account(?=[/?]|$)`)
  const siteFiles = new RegExp(`^${base}/api/files(?=[/?]|$)`)
  const nextId = requestIds()
  const responseCache = createResponseCache(app, nextId, anonymousLimit)
  const streams = createStreams()
  const unknown = app.metrics.requestsOf('unknown')
  const logsRequests = app.config.log.requests || app.log.isLevelEnabled('debug')

  const server = Fastify({
    logger: false,
    genReqId: nextId,
    bodyLimit: defaultBodyLimit,
    forceCloseConnections: 'idle',
    return503OnClosing: false, // requests on open connections are answered to the end
    serverFactory: handler =>
      createHttpServer(connectionLimits, (request, response) => {
        if (hasReachedMaxRequests(request.socket) || shutdown.isDraining) response.shouldKeepAlive = false
        trackAnswer(request, response)
        expectBody(request, response, commonHeaders)
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
      reply.headers(commonHeaders).header('x-request-id', request.id) // hooks have not run
      void answerError(error, request, reply)
    },
    clientErrorHandler: (error, socket) =>
      afterAnswers(socket, () => answerBrokenRequest(error, socket, commonHeaders)),
  })
  limitConnections(server.server, app, commonHeaders)
  server.server.maxHeadersCount = 0 // unlimited: `checkHeaders` counts them, Node would silently drop the rest

  server.decorateRequest('exchange', null as never)
  server.decorateRequest('caller', undefined)
  server.decorateRequest('reader', undefined)
  addBodyParsers(server)

  server.addHook('onReady', () => convertContents(app))
  server.addHook('preClose', done => {
    streams.closeAll() // closing waits for all responses to end
    done()
  })
  server.addHook('onRequest', (request, reply, done) => {
    request.exchange = new FastifyExchange(request, authenticator)
    reply.headers(commonHeaders)
    reply.header('x-request-id', request.id)
    const problem = checkHeaders(request.raw.rawHeaders)
    if (request.is404 && !problem) answerUnknown(request, reply, { base, routes, authenticator, requests: unknown }) // without reading the body
    else if (reply.raw.socket) done(problem)
    else reply.raw.once('socket', () => done(problem)) // pipelined: wait until earlier responses are sent
  })
  if (logsRequests) server.addHook('onResponse', logRequest(app))

  server.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) routes.push({ method: each, url })
  })
  countRequests(server, app)
  const parts = { app, authenticator, responseCache, anonymousLimit, streams, answerError }
  for (const [name, endpoint] of listEndpoints(tree)) addEndpoint(server, parts, name, endpoint)
  let created: Promise<object> | undefined
  const document = () => (created ??= runStepsYielding(openapiSteps(tree, app.config, app.extensions.list)))
  addOpenapiRoute(server, app, document)
  addReferenceRoute(server, app, { tree, document })
  addHealthRoutes(server, app, shutdown)
  addMetricsRoute(server, app)
  addMediaRoute(server, app, authenticator)
  addPanelRoute(server, app, authenticator)
  addStartRoute(server, app, parts)

  server.setErrorHandler(answerError)

  function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const apiError = toApiError(app, error, request)
    const { status, headers, body } = failure(
      apiError,
      request.headers.accept,
      translatorFor(interfaceLanguageOf(request.exchange ?? request)),
    )
    setReplyHeaders(request, reply, authenticator)
    // The handler may have set the `ETag` of the requested model. A 412 has its own: the current revision.
    reply.code(status).removeHeader('etag').headers(headers)
    const { exchange } = request // undefined if the path cannot be read
    if (request.is404) unknown.count(status, exchange ? performance.now() - exchange.startedAt : 0)
    const { cookie, authorization } = request.headers
    if (isUnauthenticated(apiError) && cookie === undefined && authorization === undefined) {
      const { requests } = request.routeOptions.config
      responseCache.rememberError(request.raw, { status, headers: reply.getHeaders(), body, requests })
    }
    return reply.send(body)
  }
  return server
}
