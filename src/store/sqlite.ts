import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { createGroup, Dissolved } from './group.ts'
import type { Database } from './schema.ts'
import type { Engine } from './store.ts'

export interface SqliteOptions {
  path: string
  /** How long to wait for another process, in milliseconds. */
  timeout?: number
  /** The store's clock. Tests move it. */
  clock?: () => number
}

/**
 * One connection writes, one reads. The reader sees only what is committed, so a request never acts on another
 * request's unfinished transaction.
 */
export function openSqlite({ path, timeout = 5000, clock = Date.now }: SqliteOptions): Engine {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const isNew = !existsSync(path)
  if (isNew) closeSync(openSync(path, 'a', 0o600)) // SQLite gives its other files the same rights
  // WAL and the first page may have to wait for another process that is just doing the same
  const writer = new DatabaseSync(path, { timeout: isNew ? 10_000 : timeout, enableForeignKeyConstraints: true })
  writer.exec('pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = 5')
  const reader = new DatabaseSync(path, { timeout, readOnly: true })
  for (const connection of [writer, reader]) {
    connection.function('quoin_now', () => BigInt(clock()))
  }
  const dataVersion = reader.prepare('pragma data_version')
  dataVersion.setReturnArrays(true)
  const writes = cachedStatements(writer)
  const reads = cachedStatements(reader)
  const db = new Kysely<Database>({
    dialect: {
      createAdapter: () => new Adapter(),
      createDriver: () => sqliteDriver(writer, writes, timeout),
      createIntrospector: instance => new SqliteIntrospector(instance),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
  return {
    name: 'sqlite',
    db,
    read: query => reads(query.sql).all(...bindable(query.parameters)),
    version: () => ({ number: (dataVersion.get() as unknown as [number])[0], now: clock() }),
    isOutage: error => outages.has(primaryCode(error)),
    isConflict: error => error instanceof Dissolved,
    lockMigrations: async () => {}, // every transaction is `begin immediate`: it is the lock
    async close() {
      reader.close() // first: only a connection that can write folds the log back into the file
      await db.destroy()
    },
  }
}

const busy = 5
/** BUSY, LOCKED, READONLY, IOERR, FULL, CANTOPEN */
const outages = new Set([busy, 6, 8, 10, 13, 14])

function primaryCode(error: unknown): number {
  const { code, errcode } = error as { code?: string; errcode?: number }
  return code === 'ERR_SQLITE_ERROR' && errcode !== undefined ? errcode & 0xff : 0
}

function cachedStatements(connection: DatabaseSync, most = 500): (text: string) => StatementSync {
  const cache = new Map<string, StatementSync>()
  return text => {
    let statement = cache.get(text)
    if (!statement) {
      statement = connection.prepare(text)
      if (cache.size >= most) cache.delete(cache.keys().next().value!)
      cache.set(text, statement)
    }
    return statement
  }
}

/**
 * node:sqlite takes a leading object for named parameters and would silently bind NULL to the rest, so anything that
 * is not a SQLite value is refused here.
 */
function bindable(parameters: readonly unknown[]): SQLInputValue[] {
  for (const [index, value] of parameters.entries()) {
    if (value !== null && typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') {
      throw new TypeError(`SQLite cannot store parameter ${index + 1}: ${typeof value}`)
    }
  }
  return parameters as SQLInputValue[]
}

/** Kysely would let callers wait before the driver hears of them; the driver does it itself, in order and by the clock. */
class Adapter extends SqliteAdapter {
  override get supportsMultipleConnections() {
    return true
  }
}

interface TimedConnection extends DatabaseConnection {
  deadline: number
  /** The next one may begin while this one waits for the disk. */
  hasPassed?: boolean
}

function sqliteDriver(db: DatabaseSync, statements: (text: string) => StatementSync, timeout: number): Driver {
  const turn = createTurn()
  const group = createGroup(db)
  let inTransaction = false

  /** Another process may hold the write lock. Waiting for it inside SQLite would stop the event loop. */
  async function patiently<Value>(deadline: number, work: () => Value): Promise<Value> {
    for (let pause = 1; ; pause = Math.min(pause * 2, 50)) {
      try {
        return work()
      } catch (error) {
        if (inTransaction || primaryCode(error) !== busy || performance.now() > deadline) throw error
      }
      await sleep(pause)
    }
  }

  /** The time until the deadline includes waiting for one's turn: behind a lock all give up together, not in a row. */
  const connectionUntil = (deadline: number): TimedConnection => ({
    deadline,
    executeQuery: <Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> =>
      patiently(deadline, () => {
        if (!inTransaction) group.settle()
        const statement = statements(sql)
        if (statement.columns().length > 0) return { rows: statement.all(...bindable(parameters)) as Row[] }
        const { changes } = statement.run(...bindable(parameters))
        return { rows: [], numAffectedRows: BigInt(changes) }
      }),
    // oxlint-disable-next-line require-yield
    async *streamQuery() {
      throw new Error('SQLite reads are not streamed')
    },
  })

  function end(connection: TimedConnection, keep: boolean): Promise<void> {
    inTransaction = false
    const ended = group.leave(keep)
    connection.hasPassed = true
    turn.pass()
    return ended
  }

  return {
    init: async () => {},
    async acquireConnection() {
      const connection = connectionUntil(performance.now() + timeout)
      await turn.take()
      return connection
    },
    async beginTransaction(connection) {
      await patiently((connection as TimedConnection).deadline, () => group.enter())
      inTransaction = true
    },
    commitTransaction: connection => end(connection as TimedConnection, true),
    async rollbackTransaction(connection: TimedConnection) {
      // What could not be put on the disk is undone already. Why it is taken back matters more than what becomes of the others.
      if (!connection.hasPassed) await end(connection, false).catch(() => {})
    },
    async releaseConnection(connection: TimedConnection) {
      if (!connection.hasPassed) turn.pass()
    },
    async destroy() {
      await turn.take()
      group.settle()
      db.close()
    },
  }
}

/** One at a time, in order. */
function createTurn() {
  const waiting: (() => void)[] = []
  let taken = false
  return {
    async take(): Promise<void> {
      if (taken) await new Promise<void>(resolve => waiting.push(resolve))
      taken = true
    },
    pass(): void {
      const next = waiting.shift()
      if (next) next()
      else taken = false
    },
  }
}
