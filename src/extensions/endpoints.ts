import type { z } from 'zod'
import type { Caller } from '../access/actor.ts'
import type { Access } from '../access/authorize/authorize.ts'
import type { HttpExchange } from '../access/session/exchange.ts'
import type { App } from '../app.ts'
import type { AnyEndpoint, Api } from '../http/endpoint.ts'
import type { RequestContext } from '../http/context.ts'
import { fail } from '../platform/errors.ts'
import { networkOf } from '../platform/lib/ip.ts'
import { createRateLimit } from '../platform/throttle/rate-limit.ts'
import { createCms } from './cms.ts'
import type { AnyOwnEndpoint, OwnTree } from './define.ts'
import { errorOf } from './errors.ts'
import type { LoadedExtension } from './registry.ts'

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
    ...(query && { query }),
    ...(body && { body }),
    ...(bodyLimit !== undefined && { bodyLimit }),
    ...(perMinute !== undefined && { first: limitTo(perMinute) }),
    answer: {
      schemas: answer.schemas,
      wrap: (value: unknown) => {
        const { status, json } = wrap(value)
        const checked = (answer.schemas[status] as z.ZodType).safeParse(json)
        if (!checked.success) throw fail('extension.answer', { name, endpoint: shown })
        return { status, json: checked.data }
      },
    },
    handler: async ({ app, exchange, ctx, caller, params, query: queryValues, body: bodyValues }: Request) => {
      const actor = ctx.actor.system ? undefined : ctx.actor
      const cms = createCms(app, { extension: name, collections: extension.store, actor, exchange })
      const log = app.log.child({ extension: name })
      const who = caller && { id: caller.user.id, role: caller.user.role }
      try {
        return await handler({ cms, caller: who, params, query: queryValues, body: bodyValues, ip: exchange.ip, log })
      } catch (error) {
        throw errorOf(app, extension, shown, error)
      }
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
