import { pino, type Logger } from 'pino'
import type { LogSettings } from './worker-process.ts'

/**
 * Times as ISO text, no host name. Errors are logged without their other fields: databases put whole rows into them.
 * With several workers every line says which one wrote it.
 */
export function createLog({ log }: { log: LogSettings }, worker?: number): Logger {
  return pino({
    level: log.level,
    base: worker === undefined ? null : { worker },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: shownError },
  })
}

function shownError(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack, code } = error as NodeJS.ErrnoException
  return { name, message, stack, code }
}
