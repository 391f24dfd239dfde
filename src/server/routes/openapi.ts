import type { FastifyInstance } from 'fastify'
import type { App } from '../../app.ts'
import { jsonContentType } from '../../http/answer.ts'
import { cachedText } from './cached-text.ts'

/** Serves the document, which does not change while the server runs. */
export function addOpenapiRoute(server: FastifyInstance, app: App, document: () => Promise<object>): void {
  const answer = cachedText(async () => JSON.stringify(await document()), { 'content-type': jsonContentType })
  server.get(`${app.config.base}/openapi.json`, async (request, reply) => {
    const { status, headers, body } = await answer(request.exchange)
    return reply.code(status).headers(headers).send(body)
  })
}
