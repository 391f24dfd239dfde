import { AsyncLocalStorage } from 'node:async_hooks'
import type { App } from '../app.ts'

/** The extension whose code runs; an async context, so it is also known in promises that the extension does not await. */
const acting = new AsyncLocalStorage<string>()

/** Runs code of an extension, so that an error that nothing handles can be attributed to it. */
export const actAs = <Value>(extension: string, work: () => Value): Value => acting.run(extension, work)

/** Where an error comes from, for the log. */
const origin = () =>
  acting.getStore() === undefined ? 'the server or an extension' : `the extension "${acting.getStore()}"`

/**
 * Logs errors that an extension does not handle, with its name. A rejected promise would end the server otherwise. An
 * exception, for example in a timer, still does, because the process may be in any state.
 */
export function logUnhandledErrors({ log }: App): void {
  process.on('unhandledRejection', err =>
    log.error({ err, extension: acting.getStore() }, `${origin()} has left a rejected promise unhandled`),
  )
  process.on('uncaughtExceptionMonitor', err =>
    log.fatal(
      { err, extension: acting.getStore() },
      `${origin()} has thrown an error that nothing catches; the server ends`,
    ),
  )
}
