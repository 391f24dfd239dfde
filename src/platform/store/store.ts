import type { CompiledQuery, Compilable, Kysely, QueryResult, Transaction } from 'kysely'
import { sql } from 'kysely'
import { fail } from '../errors.ts'
import { createSlots } from '../lib/slots.ts'
import type { Database } from './schema.ts'
import type { IndexWords } from './search-index-buffer.ts'

export type EngineName = 'sqlite' | 'postgres'
export type Tx = Transaction<Database>

/** What truly differs between the engines; `sqlite.ts` and `postgres.ts` each make one. */
export interface Engine {
  name: EngineName
  db: Kysely<Database>
  /** For transactions that take seconds, where `db` would block the event loop meanwhile. */
  longDb?: Kysely<Database>
  /** Runs a compiled read on committed data, outside any transaction. */
  read(query: CompiledQuery): Promise<unknown[]> | unknown[]
  /**
   * The time, and a number that changes with every commit of any process: what was read under the same number is what
   * would be read now. Undefined where asking costs as much as reading.
   */
  version(): { number: number; now: number } | undefined
  /** True when the error means "not now": the store is locked, full, unreachable or too slow. */
  isOutage(error: unknown): boolean
  /** True when a transaction was rolled back only because of another one, so that doing it again is safe. */
  isConflict(error: unknown): boolean
  /** Throws when nothing could be written now, without waiting for those who write. */
  checkWritable(): Promise<void>
  /** True when a transaction was rolled back because it waited too long for content that another one has locked. */
  isLocked(error: unknown): boolean
  /** Whether a long transaction of this process is running, for which all other writers of it wait. */
  isWritingLong(): boolean
  /** Transactions at a time, where there are fewer connections than requests. */
  maxWriters?: number
  /** Held until the end of the transaction: only one process migrates. */
  lockMigrations(tx: Tx): Promise<void>
  close(): Promise<void>
}

export interface Store extends Engine {
  /** One transaction. All of it is kept when the promise resolves, nothing when it rejects. */
  write<Value>(work: (tx: Tx) => Promise<Value>, options?: WriteOptions): Promise<Value>
}

export interface WriteOptions {
  /** It changes so many rows that it takes seconds: other readers go on, other writers wait. */
  isLong?: boolean
}

/**
 * Thrown in a transaction that has found something elsewhere than where it has held it: what it holds now may be out of order,
 * so it begins anew with nothing.
 */
export class RetryTransaction extends Error {
  constructor() {
    super('somebody has changed this in the meantime')
    this.name = 'RetryTransaction'
  }
}

/** The only clock: milliseconds since 1970, by the store. */
export const now = sql<number>`quoin_now()`

/** The time within a transaction, for what is computed before it is stored. */
export async function selectNow(tx: Tx): Promise<number> {
  const { time } = await tx.selectNoFrom(now.as('time')).executeTakeFirstOrThrow()
  return time
}

/** How often it is tried at most. Whoever was overtaken has cost little. */
const attempts = { conflict: 3, overtaken: 5 }

/** How long a transaction waits for one that has locked its rows, in ms: that may be the move of a large branch. */
const lockTimeoutMs = 60_000

export function createStore(engine: Engine): Store {
  const writers = createSlots(engine.maxWriters ?? Infinity)
  return {
    ...engine,
    async write(work, { isLong = false } = {}) {
      const db = (isLong && engine.longDb) || engine.db
      const deadline = performance.now() + lockTimeoutMs
      for (let attempt = 1; ; attempt++) {
        await writers.take()
        try {
          return await db.transaction().execute(tx => untilEnd(tx, work))
        } catch (error) {
          if (engine.isLocked(error) && performance.now() < deadline) {
            attempt--
            continue
          }
          const isOvertaken = error instanceof RetryTransaction
          const most = isOvertaken ? attempts.overtaken : engine.isConflict(error) ? attempts.conflict : 1
          if (attempt < most) continue
          throw isOvertaken ? fail('busy').with({ headers: { 'retry-after': '2' } }) : error
        } finally {
          writers.pass()
        }
      }
    },
  }
}

/** Transactions of which nothing more may come. */
const ended = new WeakSet<object>()

async function untilEnd<Value>(tx: Tx, work: (tx: Tx) => Promise<Value>): Promise<Value> {
  try {
    return await work(tx)
  } finally {
    ended.add(tx.getExecutor())
  }
}

/**
 * A read that is compiled once per store and then only run: for what every request needs.
 * `const findPage = prepared((db, id: string) => db.selectFrom('pages')…)`, then `await findPage(app.store, id)`.
 */
export function prepared<Args extends readonly unknown[], Row>(
  build: (db: Kysely<Database>, ...args: Args) => Compilable<Row>,
): (store: Store, ...args: Args) => Promise<Row[]> {
  const compiled = new WeakMap<Store, (args: Args) => CompiledQuery>()
  return async (store, ...args) => {
    let query = compiled.get(store)
    if (!query) {
      query = compile(store, build)
      compiled.set(store, query)
    }
    return (await store.read(query(args))) as Row[]
  }
}

function compile<Args extends readonly unknown[], Row>(
  { db }: Store,
  build: (db: Kysely<Database>, ...args: Args) => Compilable<Row>,
): (args: Args) => CompiledQuery {
  const slots: unknown[] = Array.from({ length: build.length - 1 }, (_, index) => ({ index }))
  return withSlots(build(db, ...(slots as unknown as Args)).compile(), slots)
}

/** The query again and again, with other values where it was built with the slots. */
function withSlots(query: CompiledQuery, slots: readonly unknown[]): (values: readonly unknown[]) => CompiledQuery {
  const order = query.parameters.map(value => slots.indexOf(value))
  return values => ({
    ...query,
    parameters: order.map((slot, index) => (slot < 0 ? query.parameters[index] : values[slot])),
  })
}

/** What a transaction of SQLite can do at once, because it is alone. */
export interface SyncConnection {
  run<Row>(query: CompiledQuery): QueryResult<Row>
  /** A row of the search index as it will be when the transaction has ended; null if it goes. */
  index(id: number, words: IndexWords | null): void
}

/** Undefined where others write at the same time, and in long transactions. What comes too late must not become part of the next transaction. */
export function syncConnection(db: Kysely<Database>): SyncConnection | undefined {
  if (!db.isTransaction) return undefined
  const executor = db.getExecutor()
  if (ended.has(executor)) throw new Error('the transaction has ended')
  return (executor.adapter as { alone?: SyncConnection }).alone
}

/**
 * A statement of a transaction that is compiled once: for what every change of content needs. The names are those of all values
 * it is given: `const insertPage = preparedIn<NewPage>()(['uuid', 'path'], (db, page) => db.insertInto('pages').values(page))`.
 */
export const preparedIn =
  <Given extends object>() =>
  <Row>(names: readonly (keyof Given)[], build: (db: Kysely<Database>, given: Given) => Compilable<Row>) => {
    const compiled = new WeakMap<object, (values: readonly unknown[]) => CompiledQuery>()
    return async (tx: Tx, given: Given): Promise<QueryResult<Row>> => {
      const { adapter } = tx.getExecutor() // one for each store
      let query = compiled.get(adapter)
      if (!query) {
        const slots = names.map(name => ({ name }))
        const asked = Object.fromEntries(names.map((name, index) => [name, slots[index]])) as unknown as Given
        compiled.set(adapter, (query = withSlots(build(tx, asked).compile(), slots)))
      }
      const asked = query(names.map(name => given[name]))
      return syncConnection(tx)?.run(asked) ?? tx.executeQuery<Row>(asked)
    }
  }
