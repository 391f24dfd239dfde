import type { FastifyInstance } from 'fastify'
import type { App } from '../app.ts'
import { fail } from '../platform/errors.ts'

/**
 * Liveness: the process answers. Readiness: it is not about to stop, the store can be written and the media storage can
 * be used.
 */
export function addHealthRoutes(server: FastifyInstance, app: App, shutdown: { isDraining: boolean }): void {
  // Health probes bypass the proxy and do not know the base path.
  for (const prefix of new Set([app.config.base, ''])) {
    server.get(`${prefix}/health/live`, () => ({ status: 'ok' }))
    server.get(`${prefix}/health/ready`, async () => {
      if (shutdown.isDraining) throw fail('unavailable')
      try {
        await app.store.checkWritable()
      } catch (error) {
        app.log.error({ err: error }, 'the store cannot be read or written')
        throw fail('unavailable')
      }
      await app.media.check().catch((error: unknown) => {
        app.log.error({ reason: (error as Error).message }, 'the media storage cannot be used')
        throw fail('unavailable').with({ headers: { 'retry-after': '5' } })
      })
      return { status: 'ok' }
    })
  }
}
