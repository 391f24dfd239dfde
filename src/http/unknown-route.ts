import type { FastifyReply, FastifyRequest } from 'fastify'
import { fail } from '../platform/errors.ts'
import type { Authenticator } from './authenticate.ts'
import { sendEffects } from './fastify-exchange.ts'
import { matches } from './request-line.ts'

export interface Route {
  method: string
  url: string
}

/** No route matched: 404, or 405 if the path exists with another method. OPTIONS lists the allowed methods. */
export function answerUnknown(
  request: FastifyRequest,
  reply: FastifyReply,
  routes: Route[],
  authenticator: Authenticator,
): void {
  const path = request.url.replace(/\?.*$/s, '')
  const methods = new Set(routes.filter(({ url }) => matches(url, path)).map(({ method }) => method))
  if (methods.size === 0) throw fail('notFound')
  const allow = [...methods].join(', ')
  if (request.method !== 'OPTIONS') {
    throw fail('methodNotAllowed', { method: request.method.slice(0, 20) }).with({ headers: { allow } })
  }
  reply.code(204).header('allow', allow)
  sendEffects(request, reply, authenticator)
  if (
    authenticator.isAllowedOrigin(request.headers.origin) &&
    request.headers['access-control-request-method'] !== undefined
  ) {
    reply.headers({
      'access-control-allow-methods': allow,
      'access-control-allow-headers':
        'Authorization, Content-Type, If-Match, If-None-Match, Last-Event-ID, X-CSRF, X-Language',
      'access-control-max-age': '600',
    })
  }
  reply.send()
}
