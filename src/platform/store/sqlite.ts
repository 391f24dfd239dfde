import { closeSync, constants, existsSync, mkdirSync, openSync } from 'node:fs'
import { access, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Driver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { ConfigError } from '../config.ts'
import { isLockHeld } from './file-lock.ts'
import { GroupRolledBack } from './group-commit.ts'
import type { Database } from './schema.ts'
import { bindable, busy, cachedStatements, createDriver, primaryCode } from './sqlite-driver.ts'
import { createThreadDriver, longWriteLock } from './sqlite-thread.ts'
import type { SyncConnection, Engine } from './store.ts'

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
export function openSqlite({ path, timeout = 10_000, clock = Date.now }: SqliteOptions): Engine {
  const writer = openWriter(path, timeout)
  // The log may grow to 16 MB: what is changed often is copied into the file less often
  writer.exec(
    'pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = 5; pragma wal_autocheckpoint = 4000',
  )
  const reader = new DatabaseSync(path, { timeout, readOnly: true })
  reader.exec('pragma cache_size = -16000') // the rows of a list lie in many places of a large file
  for (const connection of [writer, reader]) {
    connection.function('quoin_now', () => BigInt(clock()))
  }
  const dataVersion = reader.prepare('pragma data_version')
  dataVersion.setReturnArrays(true)
  const { driver, alone, exclusive } = createDriver(writer, {
    timeout,
    isWrittenLong: () => isLockHeld(longWriteLock(path)),
  })
  const reads = cachedStatements(reader)
  const db = open(driver, new Adapter(alone))
  const thread = createThreadDriver({ path, timeout, clock, exclusive })
  const longDb = open(thread.driver, new Adapter())
  return {
    name: 'sqlite',
    db,
    longDb,
    read: query => reads(query.sql).statement.all(...bindable(query.parameters)),
    version: () => ({ number: (dataVersion.get() as unknown as [number])[0], now: clock() }),
    isOutage: error => outages.has(primaryCode(error)),
    isConflict: error => error instanceof GroupRolledBack,
    async checkWritable() {
      reader.prepare('select 1').get()
      await access(path, constants.W_OK)
      // A full disk lets nothing grow. The probe takes as much as a small transaction adds to the log.
      const probe = `${path}-probe-${process.pid}`
      try {
        await writeFile(probe, Buffer.alloc(16_384), { mode: 0o600 })
      } finally {
        await rm(probe, { force: true })
      }
    },
    isLocked: () => false,
    isWritingLong: thread.isWriting,
    lockMigrations: async () => {}, // every transaction is `begin immediate`: it is the lock
    async close() {
      reader.close() // first: only a connection that can write folds the log back into the file
      await longDb.destroy()
      await db.destroy()
    },
  }
}

/** SQLite says only "unable to open database file": the error names the file and what to look at. */
function openWriter(path: string, timeout: number): DatabaseSync {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const isNew = !existsSync(path)
    if (isNew) closeSync(openSync(path, 'a', 0o600)) // SQLite gives its other files the same rights
    // WAL and the first page may have to wait for another process that is just doing the same
    return new DatabaseSync(path, { timeout: isNew ? 10_000 : timeout, enableForeignKeyConstraints: true })
  } catch (error) {
    throw new ConfigError([
      `The database ${path} cannot be opened (${(error as Error).message}). Check that its folder exists and that this user may write there.`,
    ])
  }
}

/** BUSY, LOCKED, READONLY, IOERR, FULL, CANTOPEN */
const outages = new Set([busy, 6, 8, 10, 13, 14])

function open(driver: Driver, adapter: Adapter): Kysely<Database> {
  return new Kysely<Database>({
    dialect: {
      createAdapter: () => adapter,
      createDriver: () => driver,
      createIntrospector: instance => new SqliteIntrospector(instance),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
}

/** Kysely would let callers wait before the driver hears of them; the driver does it itself, in order and by the clock. */
class Adapter extends SqliteAdapter {
  readonly alone: SyncConnection | undefined

  constructor(alone?: SyncConnection) {
    super()
    this.alone = alone
  }

  override get supportsMultipleConnections() {
    return true
  }
}
