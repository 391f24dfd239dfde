import pg from 'pg'
import { vi } from 'vitest'
import type { TestApp } from './harness.ts'

/**
 * How often the work waits for PostgreSQL. Statements that are sent in the same packet are one round trip; all others
 * count, also `begin` and `commit`, and those that run concurrently on several connections.
 */
export async function roundTripsOf({ app }: TestApp, work: () => Promise<unknown>): Promise<number> {
  const database = new URL(app.config.database.url!).pathname.slice(1)
  const sending = new Set<pg.Client>()
  let count = 0
  // oxlint-disable-next-line typescript/unbound-method -- called with the client that it replaces
  const { query } = pg.Client.prototype
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    if (!sending.has(this) && this.database === database) {
      count++
      sending.add(this)
      process.nextTick(() => sending.delete(this))
    }
    return (query as (...all: unknown[]) => unknown).apply(this, args) as never
  })
  try {
    await work()
  } finally {
    spy.mockRestore()
  }
  return count
}
