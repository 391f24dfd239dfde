import type { FastifyInstance } from 'fastify'
import type { App } from '../app.ts'
import { jsonContentType } from '../http/answer.ts'
import type { Api } from '../http/endpoint.ts'
import { openapi } from '../openapi.ts'

/** The document is created on the first request and does not change afterwards. */
export function addOpenapiRoute(server: FastifyInstance, app: App, tree: Api): void {
  let document: string | undefined
  server.get(`${app.config.base}/openapi.json`, (_, reply) => {
    document ??= JSON.stringify(openapi(tree, app.config))
    return reply.type(jsonContentType).send(document)
  })
}
