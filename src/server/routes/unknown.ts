import type { FastifyReply, FastifyRequest } from 'fastify'
import { fail } from '../../platform/errors.ts'
import type { RequestMetrics } from '../../platform/metrics.ts'
import { interfaceLanguageOf } from '../../platform/translations/translations.ts'
import type { Authenticator } from '../authenticate.ts'
import { setReplyHeaders } from '../fastify-exchange.ts'
import { matches } from '../request-line.ts'
import { asksForHtml, notFoundPage, startPageHeaders } from './start-page.ts'

export interface Route {
  method: string
  url: string
}

interface Server {
  base: string
  routes: readonly Route[]
  authenticator: Authenticator
  requests: RequestMetrics
}

/** No route matched: 404, or 405 if the path exists with another method. OPTIONS lists the allowed methods. */
export function answerUnknown(request: FastifyRequest, reply: FastifyReply, server: Server): void {
  const { routes, authenticator } = server
  const path = request.url.replace(/\?.*$/s, '')
  const methods = new Set(routes.filter(({ url }) => matches(url, path)).map(({ method }) => method))
  if (methods.size === 0 && asksForHtml(request)) return answerBrowser(request, reply, server, path)
  if (methods.size === 0) throw fail('notFound')
  const allow = [...methods].join(', ')
  if (request.method !== 'OPTIONS') {
    throw fail('methodNotAllowed', { method: request.method.slice(0, 20) }).with({ headers: { allow } })
  }
  reply.code(204).header('allow', allow)
  setReplyHeaders(request, reply, authenticator)
  if (
    authenticator.isCorsOrigin(request.headers.origin) &&
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

/** A browser gets a page with links; the address of the API leads to its reference. */
function answerBrowser(
  { exchange }: FastifyRequest,
  reply: FastifyReply,
  { base, requests }: Server,
  path: string,
): void {
  const isApi = path === `${base}/api` || path === `${base}/api/`
  requests.count(isApi ? 302 : 404, performance.now() - exchange.startedAt)
  if (isApi) reply.header('vary', 'Accept').redirect(`${base}/reference/`)
  else
    reply
      .code(404)
      .headers(startPageHeaders)
      .send(notFoundPage(interfaceLanguageOf(exchange), base))
}
