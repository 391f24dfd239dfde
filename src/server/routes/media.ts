import type { FastifyInstance } from 'fastify'
import type { App } from '../../app.ts'
import { createDelivery } from '../../groups/delivery/delivery.ts'
import type { Authenticator } from '../authenticate.ts'
import { setReplyHeaders } from '../fastify-exchange.ts'

/** Serves files as streams, not JSON. Fastify destroys the stream when the client disconnects. */
export function addMediaRoute(server: FastifyInstance, app: App, authenticator: Authenticator): void {
  const url = `${app.config.base}/media/`
  const deliver = createDelivery(app)
  server.route({
    method: ['GET', 'HEAD'],
    url: `${url}*`,
    handler: async (request, reply) => {
      authenticator.checkHost(request.exchange, request.raw.socket.remoteAddress ?? '')
      const [path = '', query] = request.url.slice(url.length).split('?', 2)
      // With several passes it is unclear which one counts, so none does.
      const [pass, ...further] = new URLSearchParams(query).getAll('preview')
      const { status, headers, body } = await deliver(path, further.length > 0 ? undefined : pass, request.exchange)
      reply.code(status)
      setReplyHeaders(request, reply, authenticator)
      for (const [name, value] of Object.entries(headers)) {
        if (value === undefined) reply.removeHeader(name)
        else reply.header(name, value)
      }
      return reply.send(body)
    },
  })
}
