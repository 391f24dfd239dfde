import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import type { Database } from './schema.ts'
import type { Engine } from './store.ts'

export interface PostgresOptions {
  url: string
  connections: number
  /** The longest a statement may take, in milliseconds; waiting for a lock may take half of it. */
  timeout: number
  onError: (error: Error) => void
}

export function openPostgres({ url, connections, timeout, onError }: PostgresOptions): Engine {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: timeout,
    query_timeout: timeout * 2, // when the server does not even answer
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: 'quoin',
    types: { getTypeParser: typeParser as typeof pg.types.getTypeParser },
    // Set here and not in the start-up packet, which PgBouncer would refuse. The pool does wait for the promise.
    // oxlint-disable-next-line typescript/no-misused-promises
    onConnect: async (client: pg.ClientBase) => {
      await client.query(
        `set statement_timeout = ${timeout}; set lock_timeout = ${timeout / 2}; ` +
          // Compiling a statement, or calling others to help with it, takes longer than any of ours does.
          `set idle_in_transaction_session_timeout = ${timeout * 5}; set jit = off; set max_parallel_workers_per_gather = 0`,
      )
    },
  })
  pool.on('error', onError) // without a listener a lost connection would end the process
  pool.on('connect', client => client.on('error', onError))
  // A connection whose last query has not been answered may be dead, or answer something else later: never again.
  pool.on('release', (_, client) => {
    if (!(client as pg.PoolClient & { readyForQuery: boolean }).readyForQuery) void client.end()
  })

  return {
    name: 'postgres',
    db: new Kysely<Database>({ dialect: new PostgresDialect({ pool }) }),
    async read(query) {
      const { rows } = await pool.query({
        ...statementName(query.sql),
        text: query.sql,
        values: query.parameters as unknown[],
      })
      return rows
    },
    version: () => undefined,
    isOutage,
    isConflict: error => ['40001', '40P01'].includes(codeOf(error)),
    async checkWritable() {
      const { rows } = await pool.query<{ state: string }>("select current_setting('transaction_read_only') as state")
      if (rows[0]?.state !== 'off') throw new Error('the database is read-only')
    },
    isLocked,
    isWritingLong: () => false,
    maxWriters: Math.max(1, connections - reservedForReads),
    async lockMigrations(tx) {
      await sql`set local lock_timeout = 0`.execute(tx)
      await sql`set local statement_timeout = 0`.execute(tx)
      await sql`select pg_advisory_xact_lock(7113091)`.execute(tx)
    },
    close: () => pool.end(),
  }
}

/** Writers that wait for a lock keep their connections; readers go on with these. */
const reservedForReads = 2

const int8 = 20
/** All our 8-byte integers are counts and milliseconds: they fit a JavaScript number. */
function typeParser(oid: number, format?: 'text' | 'binary') {
  return oid === int8 ? Number : pg.types.getTypeParser(oid, format)
}

const names = new Map<string, string>()
/** Every connection remembers each of them until it ends. */
const maxNames = 1000

/** What has a name is planned once. Those that come when there are enough of them are lists of some odd length. */
function statementName(text: string): { name?: string } {
  let name = names.get(text)
  if (name === undefined) {
    if (names.size >= maxNames) return {}
    name = `quoin_${names.size}`
    names.set(text, name)
  }
  return { name }
}

/**
 * Rows of content may be locked by the move of a large branch. Rows of accounts never are for long: there a lock is an outage,
 * and is answered at once. PostgreSQL names the table in the context of the error, whatever its language is.
 */
function isLocked(error: unknown): boolean {
  const { where = '' } = error as { where?: string }
  return codeOf(error) === '55P03' && /\b(?:pages|page_counts|page_slugs|site|languages|contents|files)\b/.test(where)
}

const codeOf = (error: unknown) => (error as { code?: string }).code ?? ''

/** Connection lost or refused (08, ECONN…), resources (53), operator intervention and time-outs (57), locks (55P03). */
function isOutage(error: unknown): boolean {
  const code = codeOf(error)
  return (
    /^(08|53|57|58)/.test(code) ||
    [
      '55P03',
      '25P03',
      '40001',
      '40P01',
      'ECONNREFUSED',
      'ECONNRESET',
      'EPIPE',
      'ETIMEDOUT',
      'ENOTFOUND',
      'EAI_AGAIN',
    ].includes(code) ||
    (error instanceof Error &&
      /timeout|Connection terminated|Client has encountered a connection error|not queryable/i.test(error.message))
  )
}
