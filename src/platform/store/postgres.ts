import { Kysely, PostgresAdapter, sql } from 'kysely'
import pg from 'pg'
import { databaseUrls } from '../lib/database-url.ts'
import { Dialect, type OpenClient } from './postgres-driver.ts'
import { createPool } from './postgres-hosts.ts'
import { detectPooler, isBehindPooler, setAll, writeRoleSettings } from './postgres-pooler.ts'
import { createVersionReader, hasVersions, snapshotVersion } from './postgres-version.ts'
import type { Database } from './schema.ts'
import type { Engine } from './store.ts'

export interface PostgresOptions {
  url: string
  connections: number
  /** Statement timeout, in milliseconds; the lock timeout is half of it. */
  timeout: number
  /** A connection is replaced after so many seconds, so that a changed DNS record takes effect. */
  maxLifetime?: number | undefined
  /** Whether statements are prepared once per connection; by default, unless a pooler does not support it. */
  prepare?: boolean | undefined
  /** The timeouts are those of a single command, so they must not become settings of the role. */
  isMaintenance?: boolean
  onError: (error: Error) => void
  /** Gets what the operator should know about the way to the database. */
  onNotice?: ((text: string) => void) | undefined
}

export async function openPostgres(options: PostgresOptions): Promise<Engine> {
  const {
    url,
    connections,
    timeout,
    maxLifetime = 300,
    prepare,
    isMaintenance = false,
    onError,
    onNotice = () => {},
  } = options
  const urls = databaseUrls(url)
  const settings = {
    statement_timeout: shownMs(timeout),
    lock_timeout: shownMs(timeout / 2),
    idle_in_transaction_session_timeout: shownMs(timeout * 5),
    // JIT compilation and parallel workers take longer to start than any of our statements takes.
    jit: 'off',
    max_parallel_workers_per_gather: '0',
  }
  const pool = createPool(
    {
      max: connections,
      connectionTimeoutMillis: timeout,
      query_timeout: timeout * 2, // for a server that does not respond at all
      idleTimeoutMillis: 30_000,
      maxLifetimeSeconds: maxLifetime,
      keepAlive: true,
      pipeline: true,
      application_name: 'quoin',
      types: { getTypeParser: typeParser as typeof pg.types.getTypeParser },
      // Set here and not in the start-up packet, which PgBouncer would refuse. The pool awaits the promise.
      // oxlint-disable-next-line typescript/no-misused-promises
      onConnect: async (client: pg.ClientBase) => {
        await mustBePrimary(client)
        if (!(await isBehindPooler(client))) await client.query(setAll(settings))
      },
    },
    urls,
    isOutage,
  )
  pool.on('error', onError) // without a listener a lost connection would end the process
  pool.on('connect', client => client.on('error', onError))
  // A connection with an unanswered query may be dead, or pass the late answer to the next query: close it.
  pool.on('release', (_, client) => {
    const { readyForQuery, connection } = client as pg.PoolClient & OpenClient
    if (readyForQuery) return
    void client.end()
    connection.stream.destroy() // in pipeline mode `end` waits for the answer
  })

  const { canVersion, canName, isPooled } = await withClient(pool, async client => {
    const pooler = await detectPooler(client)
    if (pooler.isPooled) {
      if (!isMaintenance) for (const notice of await writeRoleSettings(client, settings)) onNotice(notice)
      if (!pooler.canName && prepare !== false) onNotice(unnamedNotice(prepare === true))
    }
    return { canVersion: await hasVersions(client), canName: prepare ?? pooler.canName, isPooled: pooler.isPooled }
  })
  const local = {
    // Connections of the pooler have those of the role: old ones, and not those of a command.
    ...(isPooled && settings),
    ...(!isMaintenance && {
      lock_timeout: shownMs(Math.min(shortLockMs, timeout / 2)),
      idle_in_transaction_session_timeout: shownMs(hungMs),
    }),
  }
  const begin = ['begin', ...(isPooled || !isMaintenance ? [setAll(local, 'set local')] : [])].join('; ')
  const nameOf = canName ? statementName : () => undefined
  const read = async (text: string, values: readonly unknown[] = []) => {
    const { rows } = await pool.query({ ...nameOf(text), text, values: values as unknown[] })
    return rows as unknown[]
  }

  return {
    name: 'postgres',
    db: new Kysely<Database>({ dialect: new Dialect({ pool, adapter: new Adapter(canVersion), begin, nameOf }) }),
    read: query => read(query.sql, query.parameters),
    version: () => undefined,
    readVersion: canVersion ? createVersionReader(read) : () => undefined,
    isOutage,
    isFull: error => codeOf(error) === '53100',
    isConflict: error => ['40001', '40P01'].includes(codeOf(error)),
    async checkWritable() {
      const { rows } = await pool.query<{ state: string }>("select current_setting('transaction_read_only') as state")
      if (rows[0]?.state !== 'off') throw new Error('the database is read-only')
    },
    retryLocked: error => (codeOf(error) !== '55P03' ? 0 : isAboutContent(error) ? contentLockMs : timeout),
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

/** As PostgreSQL shows it. */
function shownMs(milliseconds: number): string {
  const [name, size] = units.find(([, each]) => milliseconds % each === 0) ?? ['ms', 1]
  return `${milliseconds / size}${name}`
}

const units: [name: string, milliseconds: number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
]

const unnamedNotice = (isForced: boolean) =>
  isForced
    ? 'the pooler does not keep prepared statements, but database.preparedStatements is on: requests will fail unless it works in session mode'
    : 'the pooler does not keep prepared statements, so they are not used. PgBouncer 1.21 and later does, with max_prepared_statements'

async function withClient<Value>(pool: pg.Pool, work: (client: pg.ClientBase) => Promise<Value>): Promise<Value> {
  try {
    const client = await pool.connect()
    try {
      return await work(client)
    } finally {
      client.release()
    }
  } catch (error) {
    await pool.end()
    throw error
  }
}

/** A standby lags behind: it would accept sessions that have ended. */
async function mustBePrimary(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby')
  if (rows[0]?.standby)
    throw Object.assign(new Error('the PostgreSQL server is a standby, and Quoin needs the primary'), {
      code: cannotConnectNow,
    })
}

const cannotConnectNow = '57P03'

/** Has the column of `versionColumn`, if the server supports it. */
class Adapter extends PostgresAdapter {
  readonly version: typeof snapshotVersion | undefined

  constructor(canVersion: boolean) {
    super()
    this.version = canVersion ? snapshotVersion : undefined
  }
}

/**
 * A transaction waits for a lock in short steps, in ms, so that it leaves its connection to others meanwhile. One whose
 * process hangs between two statements is ended by the server, in ms: others wait for its locks no longer than that.
 */
const shortLockMs = 1000
const hungMs = 5000

/** Connections that writers may not take: a writer keeps its connection while it waits for a lock. */
const reservedForReads = 2

const int8 = 20
/** All our 8-byte integers are counts and milliseconds: they fit a JavaScript number. */
function typeParser(oid: number, format?: 'text' | 'binary') {
  return oid === int8 ? Number : pg.types.getTypeParser(oid, format)
}

const names = new Map<string, string>()
/** Every connection keeps its prepared statements until it closes, so their number is limited. */
const maxNames = 1000

/**
 * A named statement is prepared once per connection. Beyond the limit statements stay unnamed: by then the new ones are
 * mostly lists of unusual length.
 */
function statementName(text: string): { name?: string } {
  let name = names.get(text)
  if (name === undefined) {
    if (names.size >= maxNames) return {}
    name = `quoin_${names.size}`
    names.set(text, name)
  }
  return { name }
}

/** The move of a large subtree may lock content rows for long. In ms. */
const contentLockMs = 60_000

/** PostgreSQL names the table in the context of the error, in every language. */
function isAboutContent(error: unknown): boolean {
  const { where = '' } = Object(error) as { where?: string }
  return /\b(?:pages|page_counts|page_slugs|site|languages|contents|files)\b/.test(where)
}

const codeOf = (error: unknown) => (Object(error) as { code?: string }).code ?? ''

/**
 * Connection lost or refused (08, ECONN…), resources (53), operator intervention and timeouts (57), system errors (58),
 * locks (55P03), a standby (25006 for writes, 55000 for the functions of `postgres-version.ts`).
 */
function isOutage(error: unknown): boolean {
  const code = codeOf(error)
  return (
    /^(08|53|57|58)/.test(code) ||
    [
      '55P03',
      '55000',
      '25P03',
      '25006',
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
