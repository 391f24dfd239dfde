import type { CompiledQuery, Compilable, Kysely, QueryResult, Transaction } from 'kysely'
import { sql } from 'kysely'
import { fail } from '../errors.ts'
import { DurationHistogram } from '../lib/histogram.ts'
import { createSemaphore } from '../lib/semaphore.ts'
import type { Database } from './schema.ts'
import type { IndexWords } from './search-index-buffer.ts'

export type EngineName = 'sqlite' | 'postgres'
export type Tx = Transaction<Database>

export interface Version {
  /** On PostgreSQL a text. */
  number: number | string
  /** By the clock of the store, in ms. */
  now: number
}

/** The part of the store that differs between the engines; implemented by `sqlite.ts` and `postgres.ts`. */
export interface Engine {
  name: EngineName
  db: Kysely<Database>
  /** Connection for transactions that take seconds: on `db` they would block the event loop. */
  longDb?: Kysely<Database>
  /** Runs a compiled read on committed data, outside any transaction. */
  read(query: CompiledQuery): Promise<unknown[]> | unknown[]
  /**
   * The current time, and a number that changes with every commit of any process: while the number is the same, reads
   * return the same rows. Undefined if asking for it costs as much as the read itself.
   */
  version(): { number: number; now: number } | undefined
  /**
   * The same, also where it costs a query to the server; requests that need it at the same time share one query. Undefined
   * if the server has no such value. Rejects if the server is a standby.
   */
  readVersion(): Version | undefined | Promise<Version>
  /** True if the error is temporary: the database is locked, full, unreachable or too slow. */
  isOutage(error: unknown): boolean
  /** True if the disk of the database is full. */
  isFull(error: unknown): boolean
  /** True if a transaction was rolled back only because of another one, so that a retry is safe. */
  isConflict(error: unknown): boolean
  /** Throws if the database cannot be written to at the moment. Does not wait for the write lock. */
  checkWritable(): Promise<void>
  /**
   * How long a transaction is retried that was rolled back because another one has locked its rows, in ms from the first
   * attempt; 0 for any other error.
   */
  retryLocked(error: unknown): number
  /** Whether a long transaction is running, in any process: all other writers wait for it. */
  isWritingLong(): boolean
  /** Limit of concurrent write transactions, for an engine with fewer connections than requests. */
  maxWriters?: number
  /** Takes a lock until the end of the transaction, so that only one process migrates. */
  lockMigrations(tx: Tx): Promise<void>
  close(): Promise<void>
}

export interface Store extends Engine {
  /** Runs one transaction. It is committed when the promise resolves, and rolled back when it rejects. */
  write<Value>(work: (tx: Tx) => Promise<Value>, options?: WriteOptions): Promise<Value>
  /** How long reads and transactions have taken, for the metrics. */
  readonly durations: { reads: DurationHistogram; transactions: DurationHistogram }
}

export interface WriteOptions {
  /** The transaction changes so many rows that it takes seconds. Readers continue, other writers wait. */
  isLong?: boolean
  /** Another transaction of the same operation follows, which makes the change. */
  isPreparation?: boolean
}

/**
 * Thrown in a transaction when a row it has locked turns out to have moved in the tree: its locks may be out of order,
 * so it is rolled back and retried without any.
 */
export class RetryTransaction extends Error {
  constructor() {
    super('a locked row has moved in the tree meanwhile')
    this.name = 'RetryTransaction'
  }
}

/**
 * Thrown in a transaction that needs something which must not be awaited inside it: it is rolled back, `work` runs
 * without any lock, and the transaction runs again. If `work` fails, so does the transaction.
 */
export class RunBefore extends Error {
  readonly work: () => Promise<void>

  constructor(work: () => Promise<void>) {
    super('the transaction waits for work that must be done before it')
    this.name = 'RunBefore'
    this.work = work
  }
}

/** A concurrent transaction has inserted the same key. Only PostgreSQL has concurrent writers. */
export const isUniqueViolation = (error: unknown) => (error as { code?: string }).code === '23505'

/** The only clock: the time of the database, in milliseconds since 1970. */
export const now = sql<number>`quoin_now()`

/** The time within a transaction, for values that are computed in JavaScript before they are stored. */
export async function selectNow(tx: Tx): Promise<number> {
  const { time } = await tx.selectNoFrom(now.as('time')).executeTakeFirstOrThrow()
  return time
}

/** Maximum number of attempts. `RetryTransaction` gets more, because it is thrown before any expensive work. */
const attempts = { conflict: 3, overtaken: 5 }

/** How long a transaction waits for its turn, in ms. */
const turnTimeoutMs = 60_000

/** Rolls a SQLite transaction back, to run again on the connection of the other thread. */
class NeedsLongConnection extends Error {
  constructor() {
    super('the transaction would block the event loop')
    this.name = 'NeedsLongConnection'
  }
}

/** For a transaction that finds out, before it writes, that its statements would block the event loop on SQLite. */
export function useLongConnection(tx: Tx): void {
  if (syncConnection(tx)) throw new NeedsLongConnection()
}

/** One of so many reads is timed: on SQLite timing costs a hundredth of a short read. */
const readsPerTiming = 16

export function createStore(engine: Engine): Store {
  const writers = createSemaphore(engine.maxWriters ?? Infinity)
  const durations = { reads: new DurationHistogram(), transactions: new DurationHistogram() }
  let untimedReads = 0

  function timedRead(query: CompiledQuery): Promise<unknown[]> | unknown[] {
    untimedReads = 0
    const startedAt = performance.now()
    const observe = () => durations.reads.observe(performance.now() - startedAt)
    const rows = engine.read(query)
    if (rows instanceof Promise) return rows.finally(observe)
    observe()
    return rows
  }

  const store: Store = {
    ...engine,
    durations,
    read: query => (++untimedReads < readsPerTiming ? engine.read(query) : timedRead(query)),
    async write(work, { isLong = false } = {}) {
      let db = (isLong && engine.longDb) || engine.db
      let startedAt = performance.now()
      let before: RunBefore | undefined
      for (let attempt = 1; ; attempt++) {
        if (before) {
          await before.work()
          before = undefined
          startedAt = performance.now()
        }
        if (!(await writers.acquire(turnTimeoutMs))) throw fail('busy')
        try {
          let committed: CommitHook[] | undefined
          const value = await db.transaction().execute(async tx => {
            if (engine.name === 'postgres') await usePipeline(tx)
            const result = await untilEnd(tx, work)
            committed = commitHooks.get(tx.getExecutor())
            return result
          })
          for (const hook of committed ?? []) hook(store)
          durations.transactions.observe(performance.now() - startedAt)
          return value
        } catch (error) {
          if (error instanceof NeedsLongConnection && engine.longDb) {
            db = engine.longDb
            attempt--
            continue
          }
          if (error instanceof RunBefore) {
            before = error // runs after this transaction has released its place
            attempt--
            continue
          }
          if (performance.now() - startedAt < engine.retryLocked(error)) {
            attempt--
            continue
          }
          const isOvertaken = error instanceof RetryTransaction
          const maxAttempts = isOvertaken ? attempts.overtaken : engine.isConflict(error) ? attempts.conflict : 1
          if (attempt < maxAttempts) continue
          throw isOvertaken ? fail('busy') : error
        } finally {
          writers.release()
        }
      }
    },
  }
  return store
}

type CommitHook = (store: Store) => void
const commitHooks = new WeakMap<object, CommitHook[]>()

/** Calls the hook once the transaction is committed; not if it is rolled back. The hook must not throw. */
export function afterCommit(tx: Tx, hook: CommitHook): void {
  const executor = tx.getExecutor()
  const hooks = commitHooks.get(executor)
  if (hooks) hooks.push(hook)
  else commitHooks.set(executor, [hook])
}

/** Executors of transactions that have ended: they must not run any further statement. */
const ended = new WeakSet<object>()

async function untilEnd<Value>(tx: Tx, work: (tx: Tx) => Promise<Value>): Promise<Value> {
  try {
    return await work(tx)
  } finally {
    ended.add(tx.getExecutor())
  }
}

/** What a PostgreSQL transaction can send without waiting for the results of earlier statements. */
export interface PipelineConnection {
  run<Row>(query: CompiledQuery): Promise<QueryResult<Row>>
  /** Sends a statement without awaiting its result. If it fails, the next statement or the commit throws its error. */
  later(query: CompiledQuery): void
}

const pipelines = new WeakMap<object, PipelineConnection>()

/** Statements that Kysely sends wait for each other; those that use the connection itself do not. */
async function usePipeline(tx: Tx): Promise<void> {
  const executor = tx.getExecutor()
  await executor.provideConnection(async connection => {
    pipelines.set(executor, connection as unknown as PipelineConnection)
  })
}

/**
 * A read that is compiled once per store, for queries that every request needs.
 * `const findPage = prepared((db, id: string) => db.selectFrom('pages')…)`, then `await findPage(app.store, id)`.
 */
export function prepared<Args extends readonly unknown[], Row>(
  build: (db: Kysely<Database>, ...args: Args) => Compilable<Row>,
): (store: Store, ...args: Args) => Promise<Row[]> | Row[] {
  const compiled = new WeakMap<Store, (args: Args) => CompiledQuery>()
  return (store, ...args) => {
    let query = compiled.get(store)
    if (!query) {
      query = compile(store, build)
      compiled.set(store, query)
    }
    return store.read(query(args)) as Promise<Row[]> | Row[]
  }
}

function compile<Args extends readonly unknown[], Row>(
  { db }: Store,
  build: (db: Kysely<Database>, ...args: Args) => Compilable<Row>,
): (args: Args) => CompiledQuery {
  const slots: unknown[] = Array.from({ length: build.length - 1 }, (_, index) => ({ index }))
  return withSlots(build(db, ...(slots as unknown as Args)).compile(), slots)
}

/** Returns a function that reuses the compiled query with other values in place of the slots. */
function withSlots(query: CompiledQuery, slots: readonly unknown[]): (values: readonly unknown[]) => CompiledQuery {
  const order = query.parameters.map(value => slots.indexOf(value))
  return values => {
    const parameters = [...query.parameters]
    for (let index = 0; index < order.length; index++) if (order[index]! >= 0) parameters[index] = values[order[index]!]
    return { ...query, parameters }
  }
}

/** What a SQLite transaction can do synchronously, because it is the only writer. */
export interface SyncConnection {
  run<Row>(query: CompiledQuery): QueryResult<Row>
  /** Sets a row of the search index, as of the commit; null deletes the row. */
  index(id: number, words: IndexWords | null): void
}

/**
 * Undefined on PostgreSQL and in long transactions. Throws after the end of the transaction: a late statement would
 * become part of the next one.
 */
export function syncConnection(db: Kysely<Database>): SyncConnection | undefined {
  if (!db.isTransaction) return undefined
  const executor = db.getExecutor()
  if (ended.has(executor)) throw new Error('the transaction has ended')
  return (executor.adapter as { sync?: SyncConnection }).sync
}

/**
 * A statement within a transaction that is compiled once, for what every content change needs. The names are the keys
 * of all values it is given: `const insertPage = preparedIn<NewPage>()(['uuid', 'path'], (db, page) =>
 * db.insertInto('pages').values(page))`.
 */
export const preparedIn =
  <Parameters extends object>() =>
  <Row>(
    names: readonly (keyof Parameters)[],
    build: (db: Kysely<Database>, parameters: Parameters) => Compilable<Row>,
  ): ((tx: Tx, parameters: Parameters) => Promise<QueryResult<Row>>) =>
    compiledOnce(names, build, false)

/**
 * The same for a statement whose result is not needed. On PostgreSQL it is sent together with the next one: if it fails,
 * the next statement or the commit throws its error.
 */
export const deferredIn =
  <Parameters extends object>() =>
  <Row>(
    names: readonly (keyof Parameters)[],
    build: (db: Kysely<Database>, parameters: Parameters) => Compilable<Row>,
  ): ((tx: Tx, parameters: Parameters) => Promise<unknown>) =>
    compiledOnce(names, build, true)

function compiledOnce<Parameters extends object, Row>(
  names: readonly (keyof Parameters)[],
  build: (db: Kysely<Database>, parameters: Parameters) => Compilable<Row>,
  isDeferred: boolean,
) {
  const compiled = new WeakMap<object, (values: readonly unknown[]) => CompiledQuery>()
  return async (tx: Tx, parameters: Parameters): Promise<QueryResult<Row>> => {
    const { adapter } = tx.getExecutor() // one adapter per store
    let query = compiled.get(adapter)
    if (!query) {
      const slots = names.map(name => ({ name }))
      const placeholders = Object.fromEntries(names.map((name, index) => [name, slots[index]])) as unknown as Parameters
      compiled.set(adapter, (query = withSlots(build(tx, placeholders).compile(), slots)))
    }
    const values: unknown[] = []
    for (const name of names) values.push(parameters[name])
    const compiledQuery = query(values)
    return syncConnection(tx)?.run(compiledQuery) ?? send(tx, compiledQuery, isDeferred)
  }
}

/** Without waiting for the statements before it, if it has a pipeline, and for its result, if it is deferred. */
export function send<Row>(tx: Tx, query: CompiledQuery, isDeferred = false): Promise<QueryResult<Row>> {
  const pipeline = pipelines.get(tx.getExecutor())
  if (!pipeline) return tx.executeQuery<Row>(query)
  if (!isDeferred) return pipeline.run<Row>(query)
  pipeline.later(query)
  return Promise.resolve({ rows: [] })
}
