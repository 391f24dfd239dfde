import type { Duplex } from 'node:stream'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type PostgresAdapter,
  PostgresDialect,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import type pg from 'pg'
import type { PipelineConnection } from './store.ts'

/** What the types of `pg` leave out. */
export interface OpenClient {
  readyForQuery: boolean
  connection: { stream: Duplex }
}

interface DriverOptions {
  pool: pg.Pool
  adapter: PostgresAdapter
  /** Begins a write transaction, with its settings. */
  begin: string
  /** The name under which a statement is prepared. */
  nameOf: (text: string) => { name?: string } | undefined
}

export class Dialect extends PostgresDialect {
  readonly #options: DriverOptions

  constructor(options: DriverOptions) {
    super({ pool: options.pool })
    this.#options = options
  }

  override createAdapter() {
    return this.#options.adapter
  }

  override createDriver() {
    return createDriver(this.#options)
  }
}

/**
 * Sends statements of a transaction without waiting for the results of earlier ones, so that a transaction takes few
 * round trips: `begin` is sent with the first statement, and a deferred statement with the next one.
 */
function createDriver({ pool, begin, nameOf }: DriverOptions): Driver {
  const connections = new WeakMap<pg.PoolClient, Connection>()
  const textOf = ({ isolationLevel, accessMode }: TransactionSettings) =>
    isolationLevel || accessMode
      ? `start transaction ${isolationLevel ? `isolation level ${isolationLevel}` : ''} ${accessMode ?? ''}`
      : begin
  return {
    init: async () => {},
    async acquireConnection() {
      const client = await pool.connect()
      let connection = connections.get(client)
      if (!connection) connections.set(client, (connection = new Connection(client, nameOf)))
      return connection
    },
    async beginTransaction(connection, settings) {
      ;(connection as Connection).begin(textOf(settings))
    },
    commitTransaction: connection => (connection as Connection).commit(),
    rollbackTransaction: connection => (connection as Connection).rollback(),
    async releaseConnection(connection) {
      ;(connection as Connection).release()
    },
    destroy: () => pool.end(),
  }
}

class Connection implements DatabaseConnection, PipelineConnection {
  readonly #client: pg.PoolClient
  readonly #nameOf: DriverOptions['nameOf']
  /** The first error of a deferred statement, whose result is not awaited. PostgreSQL refuses all statements after it. */
  #failure: Error | undefined
  #isBroken = false
  #isCorked = false

  constructor(client: pg.PoolClient, nameOf: DriverOptions['nameOf']) {
    this.#client = client
    this.#nameOf = nameOf
  }

  begin(text: string): void {
    this.#send({ text })
  }

  executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    return this.#result({ text: sql, values: parameters as unknown[] })
  }

  run<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    return this.#result({ ...this.#nameOf(sql), text: sql, values: parameters as unknown[] })
  }

  later({ sql, parameters }: CompiledQuery): void {
    this.#send({ ...this.#nameOf(sql), text: sql, values: parameters as unknown[] })
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery() {
    throw new Error('PostgreSQL reads are not streamed')
  }

  /** After a failed statement PostgreSQL answers `commit` with a rollback, and without an error. */
  async commit(): Promise<void> {
    if (this.#failure) throw this.#failure
    const { command } = await this.#client.query('commit')
    if (this.#failure) throw this.#failure
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back')
  }

  async rollback(): Promise<void> {
    try {
      await this.#client.query('rollback')
    } catch (error) {
      this.#isBroken = true
      throw error
    }
  }

  release(): void {
    this.#failure = undefined
    this.#client.release(this.#isBroken)
  }

  /** With a callback, which is also called at once if the driver cannot send the values: then nothing is committed. */
  #send(query: pg.QueryConfig): void {
    this.#cork()
    this.#client.query(query, (error: Error | null) => {
      if (error) this.#failure ??= error
    })
  }

  async #result<Row>(query: pg.QueryConfig): Promise<QueryResult<Row>> {
    try {
      const { command, rowCount, rows } = await this.#client.query(query)
      return {
        rows: (rows as Row[] | undefined) ?? [],
        ...(changes.has(command) && { numAffectedRows: BigInt(rowCount ?? 0) }),
      }
    } catch (error) {
      throw this.#failure ?? error
    }
  }

  /** Until the end of this turn: everything is sent in one packet. */
  #cork(): void {
    if (this.#isCorked) return
    this.#isCorked = true
    const { stream } = (this.#client as pg.PoolClient & OpenClient).connection
    stream.cork()
    process.nextTick(() => {
      this.#isCorked = false
      stream.uncork()
    })
  }
}

const changes = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])
