import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'

/**
 * Without `log.requests`, no user input and no IP address is logged. The query never is, because it can contain tokens.
 */
export function logRequest({ config, log }: App) {
  const isAccessLog = config.log.requests
  return (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    const { id, method, routeOptions, exchange } = request
    const line = {
      request: id,
      method,
      route: routeOptions.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    }
    if (isAccessLog) {
      const path = request.originalUrl.replace(/\?.*$/s, '')
      const bytes = Number(reply.getHeader('content-length') ?? 0)
      log.info({ ...line, path, bytes, ip: exchange?.ip }, 'answered')
    } else log.debug(line, 'answered')
    done()
  }
}
