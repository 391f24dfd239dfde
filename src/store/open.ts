import { join } from 'node:path'
import type { Config } from '../config.ts'
import { openSqlite } from './sqlite.ts'
import { createStore, type Store } from './store.ts'

export interface StoreOptions {
  clock?: () => number
  onError?: (error: Error) => void
}

/** The store that the configuration names. The driver of the other engine is not even loaded. */
export async function openStore(config: Config, { clock, onError = () => {} }: StoreOptions = {}): Promise<Store> {
  const { url, connections, timeout } = config.database
  if (url === undefined)
    return createStore(openSqlite({ path: join(config.data, 'quoin.db'), ...(clock && { clock }) }))
  const { openPostgres } = await import('./postgres.ts')
  return createStore(openPostgres({ url, connections, timeout: timeout * 1000, onError }))
}
