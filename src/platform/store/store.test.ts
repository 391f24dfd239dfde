import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CompiledQuery, sql } from 'kysely'
import { afterAll, expect, test, vi } from 'vitest'
import {
  addUser,
  createTestStorage,
  createTestApp,
  engine,
  password,
  type TestStorage,
  type TestApp,
  totpCode,
} from '../../../test/harness.ts'
import { cpuTime } from '../../../test/cpu-time.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'
import { syncConnection, createStore, deferredIn, type Engine, now, prepared, type Store, type Tx } from './store.ts'

const isPostgres = engine === 'postgres'

const closing: Engine[] = []
afterAll(async () => {
  for (const one of closing) await one.close()
})

/** A store with one table of its own. */
async function openWithTable(timeout = 5000): Promise<{ store: Store; storage: TestStorage }> {
  const storage = await createTestStorage({ migrated: false })
  const { url } = storage.settings.database ?? {}
  const store = createStore(
    url === undefined
      ? openSqlite({ path: join(storage.data, 'quoin.db'), timeout, clock: storage.clock })
      : await openPostgres({ url, connections: 3, timeout, onError: () => {} }),
  )
  closing.unshift(store)
  await sql`create table things (name text primary key, size bigint)`.execute(store.db)
  return { store, storage }
}

const raw = (text: string, parameters: unknown[] = []) => ({ sql: text, parameters }) as unknown as CompiledQuery
const insert = (name: string, size: unknown = 1) => sql`insert into things values (${name}, ${size})`
const names = async (store: Store) =>
  ((await store.read(raw('select name from things order by name'))) as { name: string }[]).map(({ name }) => name)

// ---- both engines

test('a transaction is committed completely or not at all', async () => {
  const { store } = await openWithTable()
  const answer = await store.write(async tx => {
    await insert('a').execute(tx)
    await insert('b').execute(tx)
    return 'done'
  })
  expect(answer).toBe('done')
  await expect(
    store.write(async tx => {
      await insert('c').execute(tx)
      await sql`delete from things where name = 'a'`.execute(tx)
      throw new Error('changed my mind')
    }),
  ).rejects.toThrow('changed my mind')
  await expect(
    store.write(async tx => {
      await insert('d').execute(tx)
      await insert('a').execute(tx)
    }),
  ).rejects.toThrow(/unique/i)
  expect(await names(store)).toEqual(['a', 'b'])
  await store.write(tx => insert('e').execute(tx))
  expect(await names(store)).toEqual(['a', 'b', 'e'])
})

test('a deferred statement that fails undoes the whole transaction, which throws its error', async () => {
  const { store } = await openWithTable()
  const add = deferredIn<{ name: string }>()(['name'], (db, { name }) =>
    db.insertInto('things' as 'site').values({ name, size: 1 } as never),
  )
  await store.write(async tx => {
    for (const name of ['a', 'b']) await add(tx, { name })
  })
  const nextStatements: ((tx: Tx) => Promise<unknown>)[] = [
    async () => 'only the commit',
    tx => add(tx, { name: 'd' }),
    tx => insert('e').execute(tx),
    tx => sql`select 1 from things`.execute(tx),
  ]
  for (const next of nextStatements) {
    const write = store.write(async tx => {
      await add(tx, { name: 'c' })
      await add(tx, { name: 'a' })
      await next(tx)
    })
    await expect(write).rejects.toThrow(/unique/i)
  }
  expect(await names(store)).toEqual(['a', 'b'])
  await store.write(tx => insert('f').execute(tx))
  expect(await names(store)).toEqual(['a', 'b', 'f'])
})

test.runIf(isPostgres)('values that cannot be sent undo the transaction, too', async () => {
  const { store } = await openWithTable()
  const add = deferredIn<{ name: unknown }>()(['name'], (db, { name }) =>
    db.insertInto('things' as 'site').values({ name, size: 1 } as never),
  )
  const circular: Record<string, unknown> = {}
  circular['itself'] = circular
  const write = store.write(async tx => {
    await add(tx, { name: 'a' })
    await add(tx, { name: circular })
  })
  await expect(write).rejects.toThrow(/circular/i)
  expect(await names(store)).toEqual([])
})

test('a read sees only committed rows', async () => {
  const { store } = await openWithTable()
  await store.write(async tx => {
    await insert('a').execute(tx)
    expect(await names(store)).toEqual([])
    const { rows } = await sql`select name from things`.execute(tx)
    expect(rows).toEqual([{ name: 'a' }])
  })
  expect(await names(store)).toEqual(['a'])
})

test('writers are serialised; a read in a transaction stays valid until its write', async () => {
  const { store } = await openWithTable()
  await insert('counter', 0).execute(store.db)
  const lock = sql.raw(engine === 'postgres' ? ' for update' : '')
  await Promise.all(
    Array.from({ length: 50 }, () =>
      store.write(async tx => {
        const { rows } = await sql<{ size: number }>`select size from things${lock}`.execute(tx)
        await sql`update things set size = ${rows[0]!.size + 1}`.execute(tx)
      }),
    ),
  )
  expect(await store.read(raw('select size from things'))).toEqual([{ size: 50 }])
})

const rowName = (number: number) => String(number).padStart(3, '0')

test('concurrent transactions are independent, and visible to readers when `write` resolves', async () => {
  const { store } = await openWithTable()
  const outcomes = await Promise.allSettled(
    Array.from({ length: 100 }, async (_, number) => {
      const insertOrFail = async (tx = store.db) => {
        await insert(rowName(number)).execute(tx)
        if (number % 10 === 3) throw new Error('changed my mind')
      }
      await (number % 10 === 7 ? insertOrFail() : store.write(insertOrFail)) // without a transaction, too
      expect(await names(store)).toContain(rowName(number))
    }),
  )
  const committed = Array.from({ length: 100 }, (_, number) => number).filter(number => number % 10 !== 3)
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(10)
  expect(await names(store)).toEqual(committed.map(rowName))
})

test('8-byte integers are numbers', async () => {
  const { store } = await openWithTable()
  const far = Date.UTC(9999, 11, 31)
  await insert('far', far).execute(store.db)
  expect(await store.read(raw('select size from things'))).toEqual([{ size: far }])
  const { rows } = await sql`select size, count(*) as count from things group by size`.execute(store.db)
  expect(rows).toEqual([{ size: far, count: 1 }])
})

/** The clock of the store is ahead of that of this process by as much; PostgreSQL may round up. */
async function expectMoved({ app: { store } }: TestApp, milliseconds: number): Promise<void> {
  const before = Date.now()
  const read = await store.db.selectNoFrom(now.as('now')).executeTakeFirstOrThrow()
  expect(Number.isInteger(read.now)).toBe(true)
  expect(read.now - milliseconds).toBeGreaterThanOrEqual(before - 1)
  expect(read.now - milliseconds).toBeLessThanOrEqual(Date.now() + 1)
}

test('the clock is that of the store, in milliseconds, and tests can move it', async () => {
  const site = await createTestApp()
  await expectMoved(site, 0)
  await site.storage.moveClock(86_400_000)
  await expectMoved(site, 86_400_000)
  await expectMoved(await createTestApp({ storage: site.storage }), 86_400_000)
})

test('a prepared read is compiled once, with parameters in any order', async () => {
  const { store } = await openWithTable()
  await insert('a', 1).execute(store.db)
  await insert('b', 2).execute(store.db)
  let compiled = 0
  const find = prepared((db, size: number, name: string) => {
    compiled++
    return db
      .selectFrom(sql<{ name: string; size: number }>`things`.as('things'))
      .select(['name', 'size'])
      .where(eb => eb.or([eb('name', '=', name), eb('size', '=', size)]))
      .where('size', '<=', size)
      .orderBy('name')
  })
  expect(await find(store, 2, 'a')).toEqual([
    { name: 'a', size: 1 },
    { name: 'b', size: 2 },
  ])
  expect(await find(store, 1, 'b')).toEqual([{ name: 'a', size: 1 }])
  expect(await find(store, 1, "'; drop table things; --")).toEqual([{ name: 'a', size: 1 }])
  expect(compiled).toBe(1)
  const { store: other } = await openWithTable()
  expect(await find(other, 2, 'a')).toEqual([])
  expect(compiled).toBe(2)
})

test('a programming error is no outage', async () => {
  const { store } = await openWithTable()
  const errors: unknown[] = []
  await insert('a').execute(store.db)
  for (const wrong of [sql`select nonsense from nowhere`, insert('a')]) {
    await wrong.execute(store.db).catch((error: unknown) => errors.push(error))
  }
  expect(errors).toHaveLength(2)
  for (const error of [...errors, new Error('x'), new TypeError('y'), 'text']) {
    expect(store.isOutage(error)).toBe(false)
    expect(store.isConflict(error)).toBe(false)
  }
})

test('M16 distant times are computed like any other', async () => {
  const site = await createTestApp({
    settings: { auth: { session: { longAbsolute: 400 * 86_400, longIdle: 400 * 86_400 } } },
  })
  const user = await addUser(site)
  await site.storage.stopClock() // the times of a session come from more than one reading of the clock
  // Past 2038, past a change of clocks, and near the end of the calendar.
  for (const moment of [
    '2038-01-19T03:14:07Z',
    '2040-02-29T23:59:59Z',
    '2051-03-26T01:30:00Z',
    '9998-12-31T23:59:59Z',
  ]) {
    await site.storage.moveClock(Date.parse(moment) - site.storage.clock())
    const browser = site.browser()
    const { session } = (await browser.client.auth.login({ email: user.email, password, long: true })) as {
      session: { authenticatedAt: string; expiresAt: string; idleExpiresAt: string }
    }
    expect(Math.abs(Date.parse(session.authenticatedAt) - Date.parse(moment))).toBeLessThan(60_000)
    expect(Date.parse(session.expiresAt) - Date.parse(session.authenticatedAt)).toBe(400 * 86_400_000)
    expect(session.idleExpiresAt).toBe(session.expiresAt)
    await browser.client.auth.get()
    expect(browser.last.statusCode).toBe(200)
  }
})

// ---- SQLite

test.runIf(!isPostgres)('the SQLite settings apply to the writer', async () => {
  const { store } = await openWithTable()
  const setting = async (name: string) =>
    Object.values((await sql.raw<object>(`pragma ${name}`).execute(store.db)).rows[0]!)
  expect(await setting('journal_mode')).toEqual(['wal'])
  expect(await setting('synchronous')).toEqual([2])
  expect(await setting('foreign_keys')).toEqual([1])
})

/** How many reads fit into 50 ms of CPU time, which the system may measure in steps of 4 ms. */
function readsIn50Ms(read: () => unknown): number {
  read()
  let count = 0
  for (const started = cpuTime(); cpuTime() - started < 50; count++) read()
  return count
}

test.runIf(!isPostgres)('another limit or offset does not prepare the statement again', async () => {
  const { store } = await openWithTable()
  await insert('a').execute(store.db)
  const columns = Array.from({ length: 500 }, (_, index) => sql<number>`${sql.lit(index)}`.as(`column_${index}`))
  const things = (db: Store['db']) => db.selectFrom(sql<{ name: string }>`things`.as('things')).select(columns)
  const withParameters = prepared((db, limit: number, offset: number) => things(db).limit(limit).offset(offset))
  const withLiterals = prepared(db => things(db).limit(sql.lit(0)).offset(sql.lit(0)))
  const literal = readsIn50Ms(() => withLiterals(store))
  expect(readsIn50Ms(() => withParameters(store, 0, 0)) * 5).toBeGreaterThan(literal) // it would take 40 times as long
  expect(withParameters(store, 1, 0)).toHaveLength(1)
  expect(withParameters(store, 1, 1)).toEqual([])
})

test.runIf(!isPostgres)('the reader cannot write', async () => {
  const { store } = await openWithTable()
  expect(() => store.read(raw("insert into things values ('a', 1)"))).toThrow(/readonly/)
})

test.runIf(!isPostgres).each([
  ['a date', new Date()],
  ['an object', { name: 'a' }],
  ['a boolean', true],
  ['nothing', undefined],
  ['bytes', new Uint8Array(3)],
  ['a list', ['a']],
])('SQLite refuses %s as a parameter at any position', async (_, value) => {
  const { store } = await openWithTable()
  const second = sql`insert into things values (${'a'}, ${value})`
  await expect(second.execute(store.db)).rejects.toThrow('Parameter 2 must be null, a string or a number')
  // A leading object would be taken for named parameters, and the rest would silently be NULL.
  await expect(sql`insert into things values (${value}, ${1})`.execute(store.db)).rejects.toThrow(TypeError)
  expect(() => store.read(raw('select ?', [value]))).toThrow('Parameter 1 must be null, a string or a number')
  expect(await names(store)).toEqual([])
})

test.runIf(!isPostgres)('text, numbers and NULL are read as they were written, big integers as numbers', async () => {
  const { store } = await openWithTable()
  for (const [name, size] of [
    ['text ü\u{1f600}', 1.5],
    ['big', 2n ** 40n],
    ['none', null],
  ] as const) {
    await insert(name, size).execute(store.db)
  }
  expect(await store.read(raw('select * from things order by name'))).toEqual([
    { name: 'big', size: 2 ** 40 },
    { name: 'none', size: null },
    { name: 'text ü\u{1f600}', size: 1.5 },
  ])
})

test.runIf(!isPostgres)('cached statements are limited', async () => {
  const { store } = await openWithTable()
  await insert('a').execute(store.db)
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare')
  const run = (round: number) =>
    expect(store.read(raw(`select name, ${round} as round from things`))).toEqual([{ name: 'a', round }])
  try {
    for (let round = 0; round < 2000; round++) run(round)
    expect(prepare).toHaveBeenCalledTimes(2000)
    run(1999)
    expect(prepare, 'the newest is still there').toHaveBeenCalledTimes(2000)
    run(0)
    expect(prepare, 'the oldest has been given up').toHaveBeenCalledTimes(2001)
  } finally {
    prepare.mockRestore()
  }
})

test.runIf(!isPostgres)(
  'writers of the same process are refused as busy behind a long transaction that hangs',
  async () => {
    const storage = await createTestStorage({ migrated: false })
    const path = join(storage.data, 'quoin.db')
    const store = createStore(openSqlite({ path, timeout: 20, longTimeout: 20, clock: storage.clock }))
    closing.unshift(store)
    await sql`create table things (name text primary key, size bigint)`.execute(store.db)
    const hang = Promise.withResolvers<void>()
    const started = Promise.withResolvers<void>()
    const long = store.write(
      async tx => {
        await insert('long').execute(tx)
        started.resolve()
        await hang.promise
      },
      { isLong: true },
    )
    await started.promise
    for (const isLong of [false, true])
      await expect(store.write(tx => insert('a').execute(tx), { isLong })).rejects.toMatchObject({ key: 'busy' })
    hang.resolve()
    await long
    await store.write(tx => insert('b').execute(tx))
    expect(await names(store)).toEqual(['b', 'long'])
  },
)

test.runIf(!isPostgres)('another process waits longer for a long transaction than for any other lock', async () => {
  const { store, storage } = await openWithTable()
  const path = join(storage.data, 'quoin.db')
  const otherStore = createStore(openSqlite({ path, timeout: 20, clock: storage.clock }))
  closing.unshift(otherStore)

  const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>()
  const { promise: end, resolve: release } = Promise.withResolvers<void>()
  const long = store.write(
    async tx => {
      await insert('a').execute(tx)
      begin()
      await end
    },
    { isLong: true },
  )
  await hasBegun
  const shortTimeoutStore = createStore(openSqlite({ path, timeout: 20, longTimeout: 20, clock: storage.clock }))
  closing.unshift(shortTimeoutStore)
  for (const isLong of [false, true]) {
    const refused = shortTimeoutStore.write(tx => insert('c').execute(tx), { isLong }).catch((error: unknown) => error)
    expect(shortTimeoutStore.isOutage(await refused)).toBe(true)
  }
  const writes = [false, true].map(isLong => otherStore.write(tx => insert(`long ${isLong}`).execute(tx), { isLong }))
  await sleep(200) // ten times the timeout of the other store for any other lock
  expect(otherStore.isWritingLong()).toBe(true)
  expect(await names(otherStore)).toEqual([])
  release()
  await Promise.all([long, ...writes])
  expect(await names(otherStore)).toEqual(['a', 'long false', 'long true'])
  expect(otherStore.isWritingLong()).toBe(false)

  const stuck = new DatabaseSync(path)
  stuck.exec('begin immediate')
  const refused = otherStore.write(tx => insert('b').execute(tx)).catch((error: unknown) => error)
  expect(otherStore.isOutage(await refused)).toBe(true)
  stuck.close()
})

test.runIf(!isPostgres)('the version changes with every commit of any process', async () => {
  const { store, storage } = await openWithTable()
  const otherStore = createStore(openSqlite({ path: join(storage.data, 'quoin.db') }))
  closing.unshift(otherStore)
  const versions = [store.version()!.number]
  await insert('a').execute(store.db)
  versions.push(store.version()!.number)
  expect(store.version()!.number).toBe(versions[1])
  await insert('b').execute(otherStore.db)
  versions.push(store.version()!.number)
  await store.write(async tx => {
    await insert('c').execute(tx)
    expect(store.version()!.number).toBe(versions[2])
  })
  versions.push(store.version()!.number)
  expect(new Set(versions).size).toBe(4)
})

test.runIf(!isPostgres)(
  'a locked store is an outage after the timeout, and waiting does not block the process',
  async () => {
    const { store, storage } = await openWithTable(400)
    const otherStore = createStore(openSqlite({ path: join(storage.data, 'quoin.db') }))
    closing.unshift(otherStore)
    let turns = 0
    let nextTurn = setImmediate(countTurn)
    function countTurn() {
      turns++
      nextTurn = setImmediate(countTurn)
    }
    const turnsOfAttempts: number[] = []
    // oxlint-disable-next-line typescript/unbound-method -- called with the database below
    const { exec } = DatabaseSync.prototype
    const spy = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, text) {
      if (text.startsWith('begin')) turnsOfAttempts.push(turns)
      exec.call(this, text)
    })
    try {
      await otherStore.write(async () => {
        const attemptsAtFailure: number[] = []
        const failures = await Promise.all(
          ['a', 'b', 'c'].map(name =>
            store
              .write(tx => insert(name).execute(tx))
              .then(String, (error: unknown) => error)
              .finally(() => attemptsAtFailure.push(turnsOfAttempts.length)),
          ),
        )
        for (const error of failures) expect(store.isOutage(error)).toBe(true)
        // The waiting writers have reached the timeout, too: each tries once more and gives up.
        const [first, , last] = attemptsAtFailure as [number, number, number]
        expect(first).toBeGreaterThan(2)
        expect(last - first, 'all gave up together').toBeLessThanOrEqual(2)
        // The first three may share a turn: that of the other store, and two before the first turn is counted.
        const distinct = new Set(turnsOfAttempts.slice(0, first))
        expect(distinct.size, 'the event loop turned between the attempts').toBeGreaterThanOrEqual(first - 2)
      })
    } finally {
      spy.mockRestore()
      clearImmediate(nextTurn)
    }
    await store.write(tx => insert('d').execute(tx))
    expect(await names(store)).toEqual(['d'])
  },
)

test.runIf(!isPostgres)('transactions that end at the same time share one fsync', async () => {
  const { store } = await openWithTable()
  const exec = vi.spyOn(DatabaseSync.prototype, 'exec')
  try {
    await Promise.all(Array.from({ length: 30 }, (_, number) => store.write(tx => insert(rowName(number)).execute(tx))))
    expect(exec.mock.calls.filter(([text]) => text === 'commit')).toHaveLength(1)
  } finally {
    exec.mockRestore()
  }
  expect(await names(store)).toHaveLength(30)
})

test.runIf(!isPostgres)('the search index has the committed rows', async () => {
  const { store } = await openWithTable()
  await sql`create virtual table search_index using fts5(heavy, light, place, content = '', contentless_delete = 1)`.execute(
    store.db,
  )
  const found = async (word: string) =>
    (await store.read(raw('select rowid as id from search_index where search_index match ?', [word]))).map(
      row => (row as { id: number }).id,
    )
  const put = (id: number, word: string | null, fails = false) =>
    store.write(async tx => {
      await insert(`${id} ${word}`).execute(tx)
      syncConnection(tx)!.index(id, word === null ? null : [word, '', ''])
      if (fails) throw new Error('changed my mind')
    })
  await Promise.allSettled([put(1, 'a'), put(2, 'a'), put(1, null, true), put(2, null), put(3, 'a', true), put(1, 'b')])
  expect([await found('a'), await found('b')]).toEqual([[], [1]])

  const many = Array.from({ length: 1201 }, (_, index) => index)
  const all = (word: string | null, fails: boolean) =>
    store.write(async tx => {
      for (const id of many) syncConnection(tx)!.index(id, word === null ? null : [word, '', ''])
      if (fails) throw new Error('changed my mind')
    })
  await Promise.allSettled([all('c', false), all(null, true), put(7, 'd'), all('e', true)])
  expect(await found('c')).toEqual(many.filter(id => id !== 7))
  expect(await found('d')).toEqual([7])
  expect([...(await found('b')), ...(await found('e'))]).toEqual([])
  await Promise.all([put(8, 'f'), all('g', false)])
  expect([await found('f'), await found('g')]).toEqual([[], many])

  let late: Tx | undefined
  await store.write(async tx => (late = tx))
  expect(() => syncConnection(late!)!.index(1, null)).toThrow('has ended')
  await store.write(async () => {
    expect(() => syncConnection(late!)!.index(1, null), 'while another one runs').toThrow('has ended')
  })

  await sql`drop table search_index`.execute(store.db)
  const outcomes = await Promise.allSettled([
    put(9, 'h'),
    store.write(tx => insert('alone').execute(tx)),
    put(10, null),
  ])
  expect(
    outcomes.map(({ status }) => status),
    'writes to the broken index fail',
  ).toEqual(['rejected', 'fulfilled', 'rejected'])
  expect(await names(store)).toEqual(expect.arrayContaining(['alone']))
  expect(await names(store)).not.toContain('9 h')
})

test.runIf(!isPostgres)('when one member rolls back the group, the others are retried', async () => {
  const { store } = await openWithTable()
  const outcomes = await Promise.allSettled([
    store.write(tx => insert('a').execute(tx)),
    store.write(async tx => {
      await insert('b').execute(tx)
      await sql`rollback`.execute(tx) // as a full disk does it
      throw new Error('no room')
    }),
    store.write(tx => insert('c').execute(tx)),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(outcomes[1]).toMatchObject({ reason: { message: 'no room' } })
  expect(await names(store)).toEqual(['a', 'c'])
})

// ---- PostgreSQL

test.runIf(isPostgres)('the PostgreSQL timeouts apply to every connection', async () => {
  const { store } = await openWithTable(3000)
  const read = async () => {
    const { rows } = await sql<{ name: string; setting: string }>`select name, setting from pg_settings
      where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout')`.execute(store.db)
    return Object.fromEntries(rows.map(({ name, setting }) => [name, Number(setting)]))
  }
  const answers = await Promise.all([read(), read(), read()])
  for (const answer of answers) {
    expect(answer).toEqual({
      idle_in_transaction_session_timeout: 15_000,
      lock_timeout: 1500,
      statement_timeout: 3000,
    })
  }
  await expect(sql`select pg_sleep(10)`.execute(store.db)).rejects.toThrow(/statement timeout/)
})

test.runIf(isPostgres)('timeouts, lost connections and locks are outages; a deadlock is retried', async () => {
  const { store } = await openWithTable(600)
  const slow = await sql`select pg_sleep(5)`.execute(store.db).catch((error: unknown) => error)
  expect(store.isOutage(slow)).toBe(true)
  await insert('a').execute(store.db)
  await insert('b').execute(store.db)
  await store.write(async tx => {
    await sql`update things set size = 2 where name = 'a'`.execute(tx)
    const locked = await sql`update things set size = 3 where name = 'a'`
      .execute(store.db)
      .catch((error: unknown) => error)
    expect(store.isOutage(locked)).toBe(true)
    expect(store.isConflict(locked)).toBe(false)
  })
  const lost = await store
    .write(async tx => {
      await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx)
    })
    .catch((error: unknown) => error)
  expect(store.isOutage(lost)).toBe(true)

  // The lock timeout ends before a deadlock is detected here, so the test throws the error of the server itself.
  let runs = 0
  await store.write(async tx => {
    await insert('c').execute(tx)
    if (++runs < 3) throw Object.assign(new Error('deadlock detected'), { code: '40P01' })
  })
  expect(runs).toBe(3)
  expect(await names(store)).toEqual(['a', 'b', 'c'])
  await expect(
    store.write(async () => {
      runs++
      throw Object.assign(new Error('could not serialize'), { code: '40001' })
    }),
  ).rejects.toThrow('could not serialize')
  expect(runs).toBe(6)
})

test.runIf(isPostgres)(
  'M13 an application clock that is a day off changes nothing: the store’s clock is used',
  async () => {
    const site = await createTestApp()
    const user = await addUser(site, { totp: true })
    const right = Date.now()
    const code = await totpCode(site.storage, user.secret)
    const browser = site.browser()
    for (const wrong of [86_400_000, -86_400_000]) {
      const spy = vi.spyOn(Date, 'now').mockImplementation(() => right + wrong)
      try {
        if (browser.cookies.size === 0) {
          const { session } = (await browser.client.auth.login({ email: user.email, password, code })) as {
            session: { authenticatedAt: string; expiresAt: string }
          }
          expect(Math.abs(Date.parse(session.authenticatedAt) - right)).toBeLessThan(60_000)
          expect(Math.abs(Date.parse(session.expiresAt) - right - 12 * 3_600_000)).toBeLessThan(60_000)
        }
        await browser.client.auth.get()
        expect(browser.last.statusCode).toBe(200)
      } finally {
        spy.mockRestore()
      }
    }
    await site.storage.moveClock(2 * 3_600_000)
    await expect(browser.client.auth.get()).rejects.toMatchObject({ key: 'error.auth' })
  },
)
