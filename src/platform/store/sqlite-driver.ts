import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import { fail } from '../errors.ts'
import { createSemaphore, type Semaphore } from '../lib/semaphore.ts'
import { createGroupCommit } from './group-commit.ts'
import type { SyncConnection } from './store.ts'
import { createSearchIndexBuffer } from './search-index-buffer.ts'
import { createRunner } from './sqlite-statements.ts'

export const sqliteBusy = 5

export function primaryCode(error: unknown): number {
  const { code, errcode } = Object(error) as { code?: string; errcode?: number }
  return code === 'ERR_SQLITE_ERROR' && errcode !== undefined ? errcode & 0xff : 0
}

interface TimedConnection extends DatabaseConnection {
  deadline: number
  /** Set at the end of a transaction: the next one may begin while this one waits for the disk. */
  hasReleasedTurn?: boolean
}

interface DriverOptions {
  /** How long to wait for the write lock of another process, in milliseconds. */
  timeout: number
  /** The same while another process runs a long transaction. */
  longTimeout: number
  /** Whether another process runs a long transaction. */
  hasLongWrite: () => boolean
}

const transactionEnded = () => new Error('the transaction has ended')

export function createDriver(
  db: DatabaseSync,
  { timeout, longTimeout, hasLongWrite }: DriverOptions,
): {
  driver: Driver
  sync: SyncConnection
  /**
   * For a writer on another connection: meanwhile the other writers of this process wait here and not inside SQLite,
   * where they would block the event loop.
   */
  exclusive: Semaphore
} {
  const run = createRunner(db)
  const turn = createSemaphore(1)
  const indexBuffer = createSearchIndexBuffer((sql, list) => run({ sql, parameters: [list] }))
  const group = createGroupCommit(db, indexBuffer)
  let inTransaction = false

  /** Retries while another process has the write lock. Waiting for it inside SQLite would block the event loop. */
  async function retryWhileLocked<Value>(deadline: number, work: () => Value): Promise<Value> {
    for (let pause = 1; ; pause = Math.min(pause * 2, 50)) {
      try {
        return work()
      } catch (error) {
        if (inTransaction || primaryCode(error) !== sqliteBusy) throw error
        const late = performance.now() - deadline
        if (late > 0 && (late > longTimeout || !hasLongWrite())) throw error
      }
      await sleep(pause)
    }
  }

  /**
   * The deadline includes the wait in the queue: behind a lock all callers time out together, not one after another.
   */
  const connectionUntil = (deadline: number): TimedConnection => ({
    deadline,
    executeQuery: <Row>(query: CompiledQuery): Promise<QueryResult<Row>> =>
      retryWhileLocked(deadline, () => {
        if (!inTransaction) group.settle()
        return run<Row>(query)
      }),
    // oxlint-disable-next-line require-yield
    async *streamQuery() {
      throw new Error('SQLite reads are not streamed')
    },
  })

  function end(connection: TimedConnection, isCommit: boolean): Promise<void> {
    inTransaction = false
    const ended = group.leave(isCommit)
    connection.hasReleasedTurn = true
    turn.release()
    return ended
  }

  const driver: Driver = {
    init: async () => {},
    async acquireConnection() {
      const connection = connectionUntil(performance.now() + timeout)
      if (!(await turn.acquire(longTimeout))) throw fail('busy') // behind a long transaction that hangs
      return connection
    },
    async beginTransaction(connection) {
      await retryWhileLocked((connection as TimedConnection).deadline, () => group.enter())
      inTransaction = true
    },
    commitTransaction: connection => end(connection as TimedConnection, true),
    async rollbackTransaction(connection) {
      // After a failed commit everything is rolled back already. Errors of the group commit are ignored here: the
      // caller gets the error that caused the rollback.
      const timed = connection as TimedConnection
      if (!timed.hasReleasedTurn) await end(timed, false).catch(() => {})
    },
    async releaseConnection(connection) {
      if (!(connection as TimedConnection).hasReleasedTurn) turn.release()
    },
    async destroy() {
      await turn.acquire()
      group.settle()
      db.close()
    },
  }
  const sync: SyncConnection = {
    run(query) {
      if (!inTransaction) throw transactionEnded()
      return run(query)
    },
    index(id, words) {
      if (!inTransaction) throw transactionEnded()
      indexBuffer.put(id, words)
    },
  }
  const exclusive: Semaphore = {
    async acquire() {
      if (!(await turn.acquire(longTimeout))) return false
      group.settle()
      return true
    },
    release: () => turn.release(),
  }
  return { driver, sync, exclusive }
}
