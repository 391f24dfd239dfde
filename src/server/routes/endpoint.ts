import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { App } from '../../app.ts'
import type { Caller, Reader } from '../../access/actor.ts'
import { authorize } from '../../access/authorize/authorize.ts'
import { mustPreview } from '../../access/authorize/pages.ts'
import { recordDenial, anonymousError } from '../../access/authorize/denials.ts'
import { describeLockHolder } from '../../content/drafts/draft-lock.ts'
import { createRequestContext } from '../../forms/request-context.ts'
import { jsonContentType } from '../../http/answer.ts'
import type { Authenticator } from '../authenticate.ts'
import { whileUploading } from '../connections.ts'
import type { AnyEndpoint } from '../../http/endpoint.ts'
import { acceptsStream, streamHeaders, type Streams, type StreamSource } from '../../http/event-stream.ts'
import { setReplyHeaders } from '../fastify-exchange.ts'
import { checkedQuery, type FlatQuery } from '../../http/query.ts'
import type { ResponseCache } from '../response-cache.ts'
import { serialiserSchema } from '../../http/serialise.ts'
import type { AnonymousLimit } from '../anonymous-limit.ts'
import { tagHeaders } from '../../http/tags.ts'
import { readForm, type Upload } from '../../http/upload.ts'
import { validate } from '../../http/validate.ts'
import { entityTag, isNotModified, publicHeaders } from '../../http/validators.ts'
import { ApiError, fail } from '../../platform/errors.ts'
import { message } from '../../platform/texts.ts'

/** What the endpoints of one server share. */
interface ServerParts {
  app: App
  authenticator: Authenticator
  responseCache: ResponseCache
  anonymousLimit: AnonymousLimit
  streams: Streams
  answerError: (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply
}

/** Adds one endpoint: authentication runs before the body is read, the rest after it. */
export function addEndpoint(server: FastifyInstance, parts: ServerParts, name: string, endpoint: AnyEndpoint): void {
  const { app, authenticator, responseCache, anonymousLimit, streams, answerError } = parts
  const requests = app.metrics.requestsOf(name)
  const handler = endpoint.handler as (request: object) => Promise<unknown>
  const streaming = endpoint.stream as ((request: object) => Promise<StreamSource>) | undefined
  const find = endpoint.on as ((request: object) => Promise<unknown>) | undefined
  const hasParams = endpoint.path.includes(':')
  let noQuery: ReturnType<z.ZodType['safeParse']> | undefined // parsed once: most requests have no query
  const hasValidator =
    endpoint.method === 'GET' && endpoint.access !== 'public' && !/^\/auth(?:\/|$)/.test(endpoint.path)
  const wrap = endpoint.answer.wrap as (value: unknown) => { status: number; json: unknown }

  server.route({
    // Fastify would add a second route for HEAD, which takes longer.
    method: endpoint.method === 'GET' ? ['GET', 'HEAD'] : endpoint.method,
    exposeHeadRoute: false,
    url: `${app.config.base}/api${endpoint.path}`,
    ...(endpoint.bodyLimit !== undefined && { bodyLimit: endpoint.bodyLimit }),
    config: { endpoint, requests },
    onRequest: (request, reply, done) => {
      const checkCaller = (reader: Reader | ApiError | undefined) => {
        if (reader instanceof ApiError) answerError(reader, request, reply)
        else {
          request.reader = reader
          if (reader && !reader.isAnonymous) request.caller = reader
          done()
        }
      }
      try {
        // An empty parameter (trailing slash), or NUL, which no stored value contains.
        if (hasParams && Object.values(request.params as object).some(value => /^$|\0/.test(value as string)))
          throw fail('notFound')
        if (request.url.includes('%00')) throw fail('request.malformed', { problem: message('malformed.form') })
        authenticator.checkHost(request.exchange, request.raw.socket.remoteAddress ?? '')
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
    const anonymous = reader?.isAnonymous ? reader : undefined
    const { version: blueprints } = app.blueprints
    noQuery ??= endpoint.query?.safeParse({})
    const query =
      noQuery?.success && !request.url.includes('?')
        ? noQuery.data
        : checkedQuery(endpoint, request.query as FlatQuery, noQuery)
    const body =
      endpoint.body || request.body !== undefined
        ? validate(endpoint, endpoint.body ?? noBody, request.body)
        : undefined
    const selection = endpoint.selects && query
    const ctx = createRequestContext(app, endpoint, reader, query, exchange)
    const upload = endpoint.upload && uploadOf(request)
    let value: unknown
    try {
      if (ctx.isPreview) mustPreview(ctx)
      const target = await find?.({ app, caller, params, ctx, body })
      if (!endpoint.authorizedByOperation) authorize(app, endpoint, caller, target as object | undefined)
      if (streaming && request.method === 'GET' && acceptsStream(request.headers.accept)) {
        streams.mustBeBelowLimit(caller!)
        ctx.readAt = undefined // the stream stays open while the data changes
        return sendStream(request, reply, caller!, await streaming({ exchange, ctx, query }))
      }
      const handle = () => handler({ app, exchange, ctx, caller, params, query, selection, body, upload, target })
      const isQueued = endpoint.readsAll && anonymous && !anonymous.owner && !anonymous.pass
      value = await (isQueued ? anonymousLimit.queued(exchange, handle) : handle())
    } catch (error) {
      if (anonymous) throw anonymous.owner ? error : anonymousError(error)
      return recordDenial(app, endpoint, exchange, caller, describeLockHolder(ctx, error))
    }
    const answer = wrap(value)
    reply.code(answer.status).type(jsonContentType)
    setReplyHeaders(request, reply, authenticator)
    const compact = serialiserOf(reply, endpoint.answer.schemas[answer.status]!)(answer.json)
    const text = isPretty(query) ? pretty(compact) : compact
    let etag: string | undefined
    if (hasValidator) {
      etag = entityTag(text, anonymous ? undefined : exchange.answer.headers['etag'])
      reply.header('etag', etag)
      if (anonymous) reply.headers(publicHeaders(app.config, anonymous, endpoint.sharedMaxAge))
      if (ctx.tags) reply.headers(tagHeaders(ctx.tags, (await ctx.language()).code, endpoint.isTagged === true))
    }
    // Without a version it is unknown how long the answer stays valid.
    const version = (anonymous ?? caller)?.version
    if (endpoint.cacheable && version !== undefined && exchange.answer.cookies.length === 0 && !ctx.timeDependent) {
      const { status } = answer
      const until = (anonymous?.owner ?? caller)?.cacheableUntil
      const response = () => ({ status, headers: reply.getHeaders(), body: text, version, until, blueprints, requests })
      if (anonymous && !anonymous.owner) responseCache.rememberPublic(request.raw, response)
      else responseCache.remember(request.raw, response)
    }
    if (etag !== undefined && isNotModified(exchange.headers['if-none-match'], etag))
      return reply.code(304).removeHeader('content-type').send()
    return reply.send(text)
  }

  function sendStream(request: FastifyRequest, reply: FastifyReply, caller: Caller, start: StreamSource): FastifyReply {
    streams.mustBeBelowLimit(caller) // others may have been opened while this one was checked
    setReplyHeaders(request, reply, authenticator)
    reply.headers(streamHeaders).hijack()
    reply.raw.writeHead(200, reply.getHeaders() as OutgoingHttpHeaders)
    requests.count(200, performance.now() - request.exchange.startedAt) // hooks do not run for it
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

const noBody = z.strictObject({}).optional()

function isPretty(query: unknown): boolean {
  const value = (query as { pretty?: string } | undefined)?.pretty
  return value !== undefined && value !== '' && value !== '0'
}

const pretty = (text: string) => JSON.stringify(JSON.parse(text), undefined, 4)
