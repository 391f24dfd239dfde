import type { FastifyInstance } from 'fastify'
import type { App } from '../app.ts'
import { siteOrigins } from '../content/languages/languages.ts'
import type { Authenticator } from '../http/authenticate.ts'
import { createPanel } from '../http/panel/panel.ts'

/** Serves the panel: one HTML page for all paths below `/panel`, and its assets. */
export function addPanelRoute(server: FastifyInstance, app: App, authenticator: Authenticator): void {
  const url = `${app.config.base}/panel`
  const show = createPanel(app, () => siteOrigins(app))
  for (const path of [url, `${url}/*`]) {
    server.route({
      method: ['GET', 'HEAD'],
      url: path,
      handler: async (request, reply) => {
        authenticator.checkAddress(request.exchange, request.raw.socket.remoteAddress ?? '')
        const { status, headers, body } = await show(
          request.url.slice(url.length).replace(/\?.*$/s, ''),
          request.exchange,
        )
        return reply.code(status).headers(headers).send(body)
      },
    })
  }
}
