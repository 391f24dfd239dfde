import { type Kysely, type RawBuilder, sql } from 'kysely'
import type pg from 'pg'
import type { Database } from './schema.ts'
import type { Version } from './store.ts'

/**
 * A text that is the same only if nothing was committed in between; commits to other databases of the server change it,
 * too. The snapshot says which transactions have ended. After a failover or a crash PostgreSQL reuses transaction ids
 * that were lost. The timeline changes with a failover, the checkpoint with a crash, so both are part of the version.
 * On a standby the functions for the WAL fail (SQLSTATE 55000), so a statement with this column never returns old rows.
 */
const versionSql = `left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)
  || ' ' || (select checkpoint_lsn from pg_control_checkpoint())::text
  || ' ' || pg_current_snapshot()::text`

export const snapshotVersion = sql.raw<string>(versionSql)

const none = sql<null>`null`

/**
 * The version as a column of a statement, for reads that begin a request: it costs no round trip of its own. Null on
 * SQLite, where `Engine.version` costs nothing, and on servers without snapshots.
 */
export function versionColumn(db: Kysely<Database>): RawBuilder<string | null> {
  const { version = none } = db.getExecutor().adapter as { version?: RawBuilder<string> }
  return version
}

/** False for compatible servers without these functions: there nothing is cached. */
export async function hasVersions(client: pg.ClientBase): Promise<boolean> {
  try {
    await client.query(`select ${versionSql}`)
    return true
  } catch (error) {
    // Undefined function, permission denied, not supported
    if (['42883', '42501', '0A000'].includes((error as { code?: string }).code ?? '')) return false
    throw error
  }
}

/** Calls in one turn of the event loop share one statement, which is sent after the last of them. */
export function createVersionReader(query: (sql: string) => Promise<unknown[]>): () => Promise<Version> {
  let next: Promise<Version> | undefined
  const read = async () => {
    await new Promise(resolve => setImmediate(resolve))
    next = undefined
    const [version] = await query(`select ${versionSql} as number, quoin_now() as now`)
    return version as Version
  }
  return () => (next ??= read())
}
