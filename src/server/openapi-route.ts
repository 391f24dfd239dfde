import type { FastifyInstance } from 'fastify'
import type { App } from '../app.ts'
import { jsonContentType } from '../http/answer.ts'
import { cachedText } from '../http/cached-text.ts'
import type { Api } from '../http/endpoint.ts'
import { openapi } from '../openapi.ts'

/** The document is created on the first request and does not change afterwards. */
export function addOpenapiRoute(server: FastifyInstance, app: App, tree: Api): void {
  const answer = cachedText(() => JSON.stringify(openapi(tree, app.config)), { 'content-type': jsonContentType })
  server.get(`${app.config.base}/openapi.json`, (request, reply) => {
    const { status, headers, body } = answer(request.exchange)
    return reply.code(status).headers(headers).send(body)
  })
}
