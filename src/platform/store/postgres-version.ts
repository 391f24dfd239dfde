import { type Kysely, type RawBuilder, sql } from 'kysely'
import type pg from 'pg'
import type { Database } from './schema.ts'
import type { Version } from './store.ts'

/**
 * A text that is the same only if nothing was committed in between; commits to other databases of the server change it,
 * too. The snapshot says which transactions have ended. Transaction ids that were lost are used again, with other data:
 * after a failover on another timeline, after a crash behind a new checkpoint, so both are part of it. On a standby the
 * functions for the WAL fail (SQLSTATE 55000), so a statement with this column never returns old rows.
 */
const text = `left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)
  || ' ' || (select checkpoint_lsn from pg_control_checkpoint())::text
  || ' ' || pg_current_snapshot()::text`

export const snapshotVersion = sql.raw<string>(text)

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
    await client.query(`select ${text}`)
    return true
  } catch (error) {
    // Undefined function, permission denied, not supported
    if (['42883', '42501', '0A000'].includes((error as { code?: string }).code ?? '')) return false
    throw error
  }
}

/** All who ask in one turn of the event loop share a statement, which starts after them. */
export function createVersionReader(query: (sql: string) => Promise<unknown[]>): () => Promise<Version> {
  let next: Promise<Version> | undefined
  const read = async () => {
    await new Promise(resolve => setImmediate(resolve))
    next = undefined
    const [version] = await query(`select ${text} as number, quoin_now() as now`)
    return version as Version
  }
  return () => (next ??= read())
}
