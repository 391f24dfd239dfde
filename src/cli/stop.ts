import type { Logger } from 'pino'
import type { Shutdown } from '../server.ts'

/** How long requests in flight may take to end, in ms. */
const stopTimeoutMs = 10_000
/**
 * One Ctrl-C or one `systemctl stop` can reach the server several times: through the process group and again from npm
 * or from the wrapper of an older Node, which forward it. A signal within this time of one that counted, in ms, is the
 * same one.
 */
const sameSignalMs = 2000

interface StopOptions {
  log: Logger
  shutdown: Shutdown
  /** How long to serve after SIGTERM. */
  drainSeconds: number
  finish: (signal: string) => Promise<void>
}

/**
 * Returns what a signal does. SIGTERM: the server drains, then finishes the requests in flight. The next signal ends the
 * drain, one more ends the process. Other signals come from people who wait: they do not drain.
 */
export function createStop({ log, shutdown, drainSeconds, finish }: StopOptions): (signal: string) => Promise<void> {
  let lastSignalAt: number | undefined
  let endDrain: (() => void) | undefined

  async function drain(): Promise<void> {
    log.info({ seconds: drainSeconds }, 'draining before the stop')
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, drainSeconds * 1000)
    endDrain = resolve
    await promise
    clearTimeout(timer)
    endDrain = undefined
  }

  return async signal => {
    const isFirst = lastSignalAt === undefined
    if (lastSignalAt !== undefined && performance.now() - lastSignalAt < sameSignalMs) return
    lastSignalAt = performance.now()
    if (!isFirst) {
      if (!endDrain) process.exit(1)
      endDrain()
      return
    }
    shutdown.isDraining = true
    if (signal === 'SIGTERM' && drainSeconds > 0) await drain()
    setTimeout(() => {
      log.error('requests in flight did not end in time')
      process.exit(1)
    }, stopTimeoutMs).unref()
    await finish(signal)
  }
}
