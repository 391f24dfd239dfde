import { AsyncLocalStorage } from 'node:async_hooks'
import type { App } from '../app.ts'

/** The extension whose code runs, also in what it does not wait for. */
const acting = new AsyncLocalStorage<string>()

/** Runs code of an extension, so that an error that nothing handles can be attributed to it. */
export const actAs = <Value>(extension: string, work: () => Value): Value => acting.run(extension, work)

/** A rejected promise that an extension does not handle is logged: it would end the server otherwise. */
export function logRejections({ log }: App): void {
  process.on('unhandledRejection', error => {
    const extension = acting.getStore()
    const who = extension === undefined ? 'an extension' : `the extension "${extension}"`
    log.error({ err: error, extension }, `${who} has left a rejected promise unhandled`)
  })
}
