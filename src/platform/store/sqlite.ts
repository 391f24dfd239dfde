import { closeSync, constants, existsSync, mkdirSync, openSync } from 'node:fs'
import { access, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  type Driver,
  Kysely,
  type LimitNode,
  type OffsetNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { ConfigError } from '../config.ts'
import { isFileLockHeld } from './file-lock.ts'
import { GroupRolledBack } from './group-commit.ts'
import type { Database } from './schema.ts'
import { sqliteBusy, createDriver, primaryCode } from './sqlite-driver.ts'
import { createRunner } from './sqlite-statements.ts'
import { createThreadDriver, longWriteLock } from './sqlite-thread.ts'
import type { SyncConnection, Engine } from './store.ts'

export interface SqliteOptions {
  path: string
  /** How long to wait for the write lock of another process, in milliseconds. */
  timeout?: number
  /**
   * How long to wait while another process runs a long transaction, in milliseconds. Several minutes are more than any
   * operation takes; a process that hangs must not make all others wait forever.
   */
  longTimeout?: number
  /** The clock of the store; tests replace it. */
  clock?: () => number
  /** How many processes share the page cache. */
  processes?: number | undefined
}

/** The size of the page cache of all readers, in kB: the rows of a list are scattered over a large file. */
const cacheSize = 16_000

/**
 * One connection writes, one reads. The reader sees only what is committed, so a request never acts on another
 * request's unfinished transaction.
 */
export function openSqlite(options: SqliteOptions): Engine {
  const { path, timeout = 10_000, longTimeout = 5 * 60_000, clock = Date.now, processes = 1 } = options
  const writer = openWriter(path, timeout)
  // Checkpoint only at a WAL of 16 MB: pages that change often are copied into the database file less often
  writer.exec(
    'pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = 5; pragma wal_autocheckpoint = 4000',
  )
  const reader = new DatabaseSync(path, { timeout, readOnly: true })
  reader.exec(`pragma cache_size = -${Math.max(2000, Math.round(cacheSize / processes))}`)
  for (const connection of [writer, reader]) {
    connection.function('quoin_now', () => BigInt(clock()))
  }
  const dataVersion = reader.prepare('pragma data_version')
  dataVersion.setReturnArrays(true)
  const version = () => ({ number: (dataVersion.get() as unknown as [number])[0], now: clock() })
  const { driver, sync, exclusive } = createDriver(writer, {
    timeout,
    longTimeout,
    hasLongWrite: () => isFileLockHeld(longWriteLock(path)),
  })
  const read = createRunner(reader)
  let isDamaged = false
  const db = open(driver, new Adapter(sync))
  const thread = createThreadDriver({ path, timeout, longTimeout, clock, exclusive })
  const longDb = open(thread.driver, new Adapter())
  return {
    name: 'sqlite',
    db,
    longDb,
    read: query => read(query).rows,
    version,
    readVersion: version,
    isOutage(error) {
      const code = primaryCode(error)
      isDamaged ||= damages.has(code) // here and not where it is thrown, because that is in the way of every read
      return outages.has(code)
    },
    isFull: error => primaryCode(error) === sqliteFull,
    isConflict: error => error instanceof GroupRolledBack,
    async checkWritable() {
      if (isDamaged) throw new Error(`the database ${path} is damaged: run "quoin check --data"`)
      reader.prepare('select 1').get()
      await access(path, constants.W_OK)
      // On a full disk no file can grow. The probe has about the size that a small transaction adds to the WAL, in
      // bytes.
      const probe = `${path}-probe-${process.pid}`
      try {
        await writeFile(probe, Buffer.alloc(16_384), { mode: 0o600 })
      } finally {
        await rm(probe, { force: true })
      }
    },
    retryLocked: () => 0,
    isWritingLong: thread.isWriting,
    lockMigrations: async () => {}, // every transaction is `begin immediate`, which takes the write lock
    async close() {
      reader.close() // first: the last connection to close checkpoints the WAL, and this one is read-only
      await longDb.destroy()
      await db.destroy()
    },
  }
}

/** SQLite's message is only "unable to open database file": this error names the file and what to check. */
function openWriter(path: string, timeout: number): DatabaseSync {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const isNew = !existsSync(path)
    if (isNew) closeSync(openSync(path, 'a', 0o600)) // SQLite gives the WAL file the same permissions
    // Creating the file and switching to WAL may have to wait for another process that does the same
    return new DatabaseSync(path, { timeout: isNew ? 10_000 : timeout, enableForeignKeyConstraints: true })
  } catch (error) {
    throw new ConfigError([
      `The database ${path} cannot be opened (${(error as Error).message}). Check that its folder exists and that this user may write there.`,
    ])
  }
}

const sqliteFull = 13
/** Result codes CORRUPT, NOTADB */
const damages = new Set([11, 26])
/** Result codes BUSY, LOCKED, READONLY, IOERR, FULL, CANTOPEN */
const outages = new Set([sqliteBusy, 6, 8, 10, sqliteFull, 14, ...damages])

function open(driver: Driver, adapter: Adapter): Kysely<Database> {
  return new Kysely<Database>({
    dialect: {
      createAdapter: () => adapter,
      createDriver: () => driver,
      createIntrospector: instance => new SqliteIntrospector(instance),
      createQueryCompiler: () => new QueryCompiler(),
    },
  })
}

/**
 * Stops Kysely from queueing callers before they reach the driver. The driver queues them itself, in order and with a
 * deadline that includes the wait.
 */
class Adapter extends SqliteAdapter {
  readonly sync: SyncConnection | undefined

  constructor(sync?: SyncConnection) {
    super()
    this.sync = sync
  }

  override get supportsMultipleConnections() {
    return true
  }
}

/**
 * SQLite plans with the value of a parameter that is the whole limit, and prepares the statement again whenever one is
 * bound: for a list of 20 rows that takes as long as the rows. It does not look into sums.
 */
class QueryCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    super.visitLimit(node)
    this.append(' + 0')
  }

  protected override visitOffset(node: OffsetNode): void {
    super.visitOffset(node)
    this.append(' + 0')
  }
}
