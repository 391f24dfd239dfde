import { join } from 'node:path'
import type { Config } from '../config.ts'
import { openSqlite } from './sqlite.ts'
import { createStore, type Store } from './store.ts'

export interface StoreOptions {
  clock?: () => number
  onError?: (error: Error) => void
  onNotice?: (text: string) => void
  /** Statements and locks may take ten minutes: for migrations and other commands, not for requests. */
  isMaintenance?: boolean
  /** How many processes of this machine serve the same database: together they have the page cache of one. */
  processes?: number | undefined
}

const maintenanceTimeoutMs = 600_000

/** Opens the configured database. The PostgreSQL driver is loaded only if it is used. */
export async function openStore(
  config: Config,
  { clock, onError = () => {}, onNotice, isMaintenance = false, processes }: StoreOptions = {},
): Promise<Store> {
  const { url, connections, timeout, maxLifetime, preparedStatements: prepare } = config.database
  const timeoutMs = isMaintenance ? maintenanceTimeoutMs : timeout * 1000
  if (url === undefined) {
    const path = sqlitePath(config)
    return createStore(openSqlite({ path, ...(clock && { clock }), timeout: timeoutMs, processes }))
  }
  const { openPostgres } = await import('./postgres.ts')
  const options = { url, connections, timeout: timeoutMs, maxLifetime, prepare, isMaintenance, onError, onNotice }
  return createStore(await openPostgres(options))
}

export function sqlitePath(config: Config): string {
  return join(config.data, 'quoin.db')
}
