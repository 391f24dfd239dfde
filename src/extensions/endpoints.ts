import type { Caller } from '../access/actor.ts'
import { type Access, noOptions } from '../access/authorize/authorize.ts'
import type { HttpExchange } from '../access/session/exchange.ts'
import type { App } from '../app.ts'
import type { AnyEndpoint, Api } from '../http/endpoint.ts'
import type { RequestContext } from '../http/context.ts'
import { serialiserSchema } from '../http/serialise.ts'
import { fail } from '../platform/errors.ts'
import { networkOf } from '../platform/lib/ip.ts'
import { createRateLimit } from '../platform/throttle/rate-limit.ts'
import { actAs } from './acting.ts'
import { TimeLimitExceeded } from './call-with-timeout.ts'
import { createCms } from './cms.ts'
import type { AnyOwnEndpoint, OwnTree } from './define.ts'
import { errorOf } from './errors.ts'
import type { LoadedExtension } from './loaded-extension.ts'

/** The endpoints of an extension as the server has them: below its own path, with its name in every error. */
export function endpointsOf(extension: LoadedExtension, tree: OwnTree): Api {
  return Object.fromEntries(
    Object.entries(tree).map(([key, node]) => [
      key,
      isEndpoint(node) ? ownEndpoint(extension, node) : endpointsOf(extension, node),
    ]),
  )
}

export const isEndpoint = (node: AnyOwnEndpoint | OwnTree): node is AnyOwnEndpoint =>
  typeof node['handler'] === 'function'

interface Request {
  app: App
  exchange: HttpExchange
  ctx: RequestContext
  caller: Caller | undefined
  params: object
  query: unknown
  body: unknown
}

function ownEndpoint(extension: LoadedExtension, own: AnyOwnEndpoint): AnyEndpoint {
  const { name } = extension
  const { method, summary, description, access, query, body, bodyLimit, answer, perMinute } = own
  const { timeout = defaultTimeoutMs, sharedMaxAge = 0 } = own
  const path = `/extensions/${name}${own.path}`
  const shown = `${method} /api${path}`
  const wrap = answer.wrap as (value: unknown) => { status: number; json: unknown }
  const handler = own.handler as (request: object) => Promise<unknown>
  return {
    method,
    path,
    summary,
    ...(description !== undefined && { description }),
    access: access as Access,
    on: async () => noOptions,
    ...(query && { query }),
    ...(body && { body }),
    ...(bodyLimit !== undefined && { bodyLimit }),
    ...(perMinute !== undefined && { first: limitTo(perMinute) }),
    sharedMaxAge,
    // The handler has wrapped and checked it: only there the log is known.
    answer: { schemas: answer.schemas, wrap: (checked: { status: number; json: unknown }) => checked },
    handler: async ({ app, exchange, ctx, caller, params, query: queryValues, body: bodyValues }: Request) => {
      const actor = ctx.actor.system ? undefined : ctx.actor
      const log = app.log.child({ extension: name })
      const who = caller && { id: caller.user.id, role: caller.user.role }
      const given = { caller: who, params, query: queryValues, body: bodyValues, ip: exchange.ip, log }
      const limit = limitRequest(exchange, timeout)
      const cms = createCms(app, {
        extension: name, collections: extension.collections, actor, exchange, signal: limit.expired,
      }) // prettier-ignore
      try {
        const running = actAs(name, async () => handler({ ...given, cms, signal: limit.signal }))
        return await checked(wrap(await limit.race(running)))
      } catch (error) {
        if (error instanceof TimeLimitExceeded) {
          log.error({ event: 'extension.timeout', part: shown }, `the extension "${name}" has given ${error.message}`)
          throw fail('extension.timeout', { name, endpoint: shown })
        }
        throw errorOf(app, extension, shown, error)
      } finally {
        limit.end()
      }

      async function checked({ status, json }: { status: number; json: unknown }) {
        const parsed = await answer.schemas[status]!.safeParseAsync(json)
        if (parsed.success) return { status, json: parsed.data }
        const issues = parsed.error.issues
          .slice(0, maxIssues)
          .map(({ path: at, message }) => ({ path: at.join('.'), message }))
        log.error({ part: shown, issues }, `the extension "${name}" has answered what its schema forbids`)
        throw fail('extension.answer', { name, endpoint: shown })
      }
    },
  }
}

/** What keeps an endpoint from being served, as far as the compiler cannot know. */
export function endpointProblems({ answer, timeout = 1, sharedMaxAge = 0 }: AnyOwnEndpoint): string[] {
  const problems: string[] = []
  for (const schema of Object.values(answer?.schemas ?? {}))
    try {
      serialiserSchema(schema)
    } catch (error) {
      // A date, a transform, a map and so on: what is sent would not be what the schema has checked.
      problems.push(`its answer must be JSON: ${(error as Error).message}`)
    }
  if (!(Number.isInteger(timeout) && timeout > 0 && timeout <= maxTimeoutMs))
    problems.push(`timeout must be a whole number between 1 and ${maxTimeoutMs}`)
  if (!(Number.isInteger(sharedMaxAge) && sharedMaxAge >= 0))
    problems.push('sharedMaxAge must be a whole number of seconds')
  return problems
}

/** Of an answer that its schema forbids; more are not logged. */
const maxIssues = 20
/** Time limit of an endpoint, in ms. */
const defaultTimeoutMs = 30_000
const maxTimeoutMs = 60 * 60_000

/**
 * The time limit of a request. `signal` is aborted when it is over and when the client goes; `expired` only when it is
 * over: what a handler has begun to store when the client goes, it can bring to its end.
 */
function limitRequest(exchange: HttpExchange, ms: number) {
  const [gone, expiry] = [new AbortController(), new AbortController()]
  const over = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const error = new TimeLimitExceeded(ms)
    over.reject(error)
    expiry.abort(error)
  }, ms)
  const forget = exchange.onClose?.(() => gone.abort(new Error('the client has gone')))
  return {
    signal: AbortSignal.any([gone.signal, expiry.signal]),
    expired: expiry.signal,
    async race<Value>(running: Promise<Value>): Promise<Value> {
      running.catch(() => {}) // an error after the time limit is ignored
      return Promise.race([running, over.promise])
    },
    end(): void {
      clearTimeout(timer)
      forget?.()
    },
  }
}

/** Counted per network and process, before the caller is identified. */
function limitTo(perMinute: number): NonNullable<AnyEndpoint['first']> {
  const limit = createRateLimit(perMinute)
  return ({ exchange }) => {
    const seconds = String(limit.take(networkOf(exchange.ip, 32, 64)))
    if (seconds !== '0') throw fail('request.throttled', { seconds }).with({ headers: { 'retry-after': seconds } })
  }
}
