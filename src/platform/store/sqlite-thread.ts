import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import { fail } from '../errors.ts'
import type { Semaphore } from '../lib/semaphore.ts'
import { openWorkerThread, sendProblem, sendResult, type WorkerCalls } from '../lib/worker-calls.ts'
import { acquireFileLock, isFileLockHeld } from './file-lock.ts'
import { sqliteBusy, primaryCode } from './sqlite-driver.ts'
import { createRunner } from './sqlite-statements.ts'

/**
 * Long SQLite transactions run on their own connection in a worker thread, so that their statements, the merging of the
 * search index, the fsync and the checkpoint do not block the event loop. Each is an ordinary SQLite transaction:
 * readers see all of it or nothing, also after a crash. A lock on a file beside the database lets other processes
 * distinguish a long transaction, which they wait for, from a stuck one.
 */

interface Options {
  path: string
  /** How long to wait for the write lock of another process, in milliseconds. */
  timeout: number
  /** The same while another process runs a long transaction. */
  longTimeout: number
  clock: () => number
  /** Keeps the other writers of this process waiting during the transaction. */
  exclusive: Semaphore
}

interface ThreadRequest {
  sql: string
  parameters: readonly unknown[]
  /** Clock of the store minus clock of the machine, in ms. */
  clockOffset: number
}

export const longWriteLock = (path: string) => join(dirname(path), 'long-write.lock')

export function createThreadDriver({ path, timeout, longTimeout, clock, exclusive }: Options): {
  driver: Driver
  /** Whether a long transaction is running, in any process. */
  isWriting: () => boolean
} {
  const lock = longWriteLock(path)
  let thread: WorkerCalls<ThreadRequest, QueryResult<unknown>> | undefined
  let isWriting = false
  let release: (() => void) | undefined

  const run = <Row>({ sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>): Promise<QueryResult<Row>> => {
    // A new thread would run the rest of the transaction outside of it.
    if (!thread && release) return Promise.reject(new Error('the thread of the long transaction has ended'))
    thread ??= openWorkerThread(import.meta.url, {
      workerData: { longWrites: { path, timeout } },
      isIdle: () => !isWriting,
      onEnd: () => (thread = undefined),
    })
    return thread.call({ sql, parameters, clockOffset: clock() - Date.now() }) as Promise<QueryResult<Row>>
  }
  const exec = async (sql: string) => void (await run({ sql, parameters: [] }))
  /** False if another process is running a long transaction; the caller tries again until the deadline. */
  const hasBegun = (deadline: number) =>
    exec('begin immediate').then(
      () => true,
      (error: unknown) => {
        if (primaryCode(error) === sqliteBusy && performance.now() < deadline && isFileLockHeld(lock)) return false
        throw error
      },
    )
  const connection: DatabaseConnection = {
    executeQuery: run,
    // oxlint-disable-next-line require-yield
    async *streamQuery() {
      throw new Error('SQLite reads are not streamed')
    },
  }
  const driver: Driver = {
    init: async () => {},
    async acquireConnection() {
      if (!(await exclusive.acquire())) throw fail('busy')
      isWriting = true
      return connection
    },
    async beginTransaction() {
      const deadline = performance.now() + longTimeout
      while (!(await hasBegun(deadline)));
      release = acquireFileLock(lock)
    },
    commitTransaction: () => exec('commit'),
    // Some errors, such as a full disk, have rolled the transaction back already.
    rollbackTransaction: () => exec('rollback').catch(() => {}),
    async releaseConnection() {
      release?.()
      release = undefined
      isWriting = false
      exclusive.release()
    },
    async destroy() {
      await exclusive.acquire()
      await thread?.close()
      exclusive.release()
    },
  }
  return { driver, isWriting: () => isWriting || isFileLockHeld(lock) }
}

// ---- runs in the thread

function serve({ path, timeout }: { path: string; timeout: number }): void {
  const db = new DatabaseSync(path, { timeout, enableForeignKeyConstraints: true })
  db.exec('pragma synchronous = full; pragma wal_autocheckpoint = 4000; pragma cache_size = -64000')
  let clockOffset = 0
  db.function('quoin_now', () => BigInt(Date.now() + clockOffset))
  const run = createRunner(db)

  parentPort!.on('message', ({ id, ...order }: ThreadRequest & { id: number }) => {
    clockOffset = order.clockOffset
    try {
      sendResult(id, run(order))
    } catch (error) {
      sendProblem(id, error)
    }
  })
}

const { longWrites } = (workerData ?? {}) as { longWrites?: { path: string; timeout: number } }
if (longWrites) serve(longWrites)
