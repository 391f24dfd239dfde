import type { FastifyInstance } from 'fastify'
import type { App } from '../../app.ts'
import { fail } from '../../platform/errors.ts'

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
      if (!(await withinTime(checkAll(app)))) throw fail('unavailable').with({ headers: { 'retry-after': '5' } })
      return { status: 'ok' }
    })
  }
}

/** Probes usually wait for a second. One without an answer would mean that the process hangs, not what it needs. In ms. */
const answerMs = 800

async function withinTime(check: Promise<boolean>): Promise<boolean> {
  const timeout = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => timeout.resolve(false), answerMs)
  try {
    return await Promise.race([check, timeout.promise])
  } finally {
    clearTimeout(timer)
  }
}

async function checkAll({ store, media, log }: App): Promise<boolean> {
  try {
    await store.checkWritable()
  } catch (error) {
    log.error({ err: error }, 'the store cannot be read or written')
    return false
  }
  try {
    await media.check()
  } catch (error) {
    log.error({ reason: (error as Error).message }, 'the media storage cannot be used')
    return false
  }
  return true
}
