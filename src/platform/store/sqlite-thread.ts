import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import type { Slots } from '../lib/slots.ts'
import { holdLock, isLockHeld } from './file-lock.ts'
import { bindable, busy, cachedStatements, primaryCode } from './sqlite-driver.ts'

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
  exclusive: Slots
}

interface Order {
  id: number
  sql: string
  parameters: readonly unknown[]
  /** Clock of the store minus clock of the machine, in ms. */
  clockOffset: number
}

interface Done {
  id: number
  rows?: unknown[]
  changes?: bigint
  problem?: { message: string; code: string | undefined; errcode: number | undefined }
}

export const longWriteLock = (path: string) => join(dirname(path), 'long-write.lock')

/** The thread ends after this idle time, in ms. */
const idleTimeout = 10_000

export function createThreadDriver({ path, timeout, longTimeout, clock, exclusive }: Options): {
  driver: Driver
  /** Whether a long transaction is running, in any process. */
  isWriting: () => boolean
} {
  const lock = longWriteLock(path)
  let thread: Thread | undefined
  let isWriting = false
  let release: (() => void) | undefined

  const run = <Row>({ sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>): Promise<QueryResult<Row>> => {
    thread ??= openThread({ path, timeout }, () => (thread = undefined))
    return thread.run({ sql, parameters, clockOffset: clock() - Date.now() }) as Promise<QueryResult<Row>>
  }
  const exec = async (sql: string) => void (await run({ sql, parameters: [] }))
  /** False if another process is running a long transaction; the caller tries again until the deadline. */
  const hasBegun = (deadline: number) =>
    exec('begin immediate').then(
      () => true,
      (error: unknown) => {
        if (primaryCode(error) === busy && performance.now() < deadline && isLockHeld(lock)) return false
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
      await exclusive.take()
      isWriting = true
      return connection
    },
    async beginTransaction() {
      const deadline = performance.now() + longTimeout
      while (!(await hasBegun(deadline)));
      release = holdLock(lock)
    },
    commitTransaction: () => exec('commit'),
    // Some errors, such as a full disk, have rolled the transaction back already.
    rollbackTransaction: () => exec('rollback').catch(() => {}),
    async releaseConnection() {
      release?.()
      release = undefined
      isWriting = false
      exclusive.pass()
    },
    async destroy() {
      await exclusive.take()
      await thread?.close()
      exclusive.pass()
    },
  }
  return { driver, isWriting: () => isWriting || isLockHeld(lock) }
}

interface Thread {
  run(order: Omit<Order, 'id'>): Promise<QueryResult<unknown>>
  close(): Promise<void>
}

function openThread(data: { path: string; timeout: number }, onEnd: () => void): Thread {
  const waiting = new Map<number, { resolve: (result: QueryResult<unknown>) => void; reject: (error: Error) => void }>()
  const worker = new Worker(new URL(import.meta.url), { workerData: { longWrites: data } })
  let last = 0
  let idle: NodeJS.Timeout | undefined

  function end(error: Error): void {
    onEnd()
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }

  worker.unref() // keeps the process alive only while it is busy
  worker.on('message', ({ id, rows = [], changes, problem }: Done) => {
    const { resolve, reject } = waiting.get(id)!
    waiting.delete(id)
    if (problem) reject(Object.assign(new Error(problem.message), problem))
    else resolve({ rows, ...(changes !== undefined && { numAffectedRows: changes }) })
    if (waiting.size > 0) return
    worker.unref()
    idle = setTimeout(() => void close(), idleTimeout).unref()
  })
  worker.on('error', end)
  worker.on('exit', () => end(new Error('the thread of long transactions has ended')))

  async function close(): Promise<void> {
    onEnd()
    await worker.terminate()
  }

  return {
    run: order =>
      new Promise((resolve, reject) => {
        clearTimeout(idle)
        waiting.set(++last, { resolve, reject })
        worker.ref()
        worker.postMessage({ id: last, ...order } satisfies Order) // oxlint-disable-line unicorn/require-post-message-target-origin
      }),
    close,
  }
}

// ---- runs in the thread

function serve({ path, timeout }: { path: string; timeout: number }): void {
  const db = new DatabaseSync(path, { timeout, enableForeignKeyConstraints: true })
  db.exec('pragma synchronous = full; pragma wal_autocheckpoint = 4000; pragma cache_size = -64000')
  let clockOffset = 0
  db.function('quoin_now', () => BigInt(Date.now() + clockOffset))
  const statements = cachedStatements(db)
  const port = parentPort!

  function run({ sql, parameters }: Order): Omit<Done, 'id'> {
    const { statement, reads } = statements(sql)
    if (reads) return { rows: statement.all(...bindable(parameters)) }
    return { changes: BigInt(statement.run(...bindable(parameters)).changes) }
  }

  port.on('message', (order: Order) => {
    clockOffset = order.clockOffset
    let done: Omit<Done, 'id'>
    try {
      done = run(order)
    } catch (error) {
      const { message, code, errcode } = error as Error & { code?: string; errcode?: number }
      done = { problem: { message, code, errcode } }
    }
    port.postMessage({ id: order.id, ...done } satisfies Done) // oxlint-disable-line unicorn/require-post-message-target-origin
  })
}

const { longWrites } = (workerData ?? {}) as { longWrites?: { path: string; timeout: number } }
if (longWrites) serve(longWrites)
