import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { Secrets } from './secrets.ts'
import type { Store } from './store/store.ts'

/** What mail, jobs and limits use of the running application (`App`). */
export interface Runtime {
  config: Config
  secrets: Secrets
  store: Store
  log: Logger
  /** Runs work after the response. `close` of the application waits for it. */
  background(work: () => Promise<void>): void
}
