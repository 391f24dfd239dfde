import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { createTestStorage, engine, type TestStorage } from '../../../test/harness.ts'
import { migrate, migrations, NewerStore, pendingMigrations } from './migrate.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'
import type { Engine } from './store.ts'

const closing: Engine[] = []
afterAll(async () => {
  for (const one of closing) await one.close()
})

async function open(storage: TestStorage): Promise<Engine> {
  const { url } = storage.settings.database ?? {}
  const opened =
    url === undefined
      ? openSqlite({ path: join(storage.data, 'quoin.db') })
      : await openPostgres({ url, connections: 3, timeout: 5000, onError: () => {} })
  closing.unshift(opened)
  return opened
}

const all = migrations.map(([name]) => name)

/** Names of everything that is stored: tables, indexes, functions. */
async function everything({ db, name }: Engine): Promise<string[]> {
  const { rows } = await (
    name === 'postgres'
      ? sql<{ name: string }>`select relname as name from pg_class where relnamespace = 'public'::regnamespace
          union all select proname from pg_proc where pronamespace = 'public'::regnamespace`
      : sql<{ name: string }>`select name from sqlite_master`
  ).execute(db)
  return rows.map(row => row.name).toSorted()
}

test('an empty store is migrated once', async () => {
  const store = await open(await createTestStorage({ migrated: false }))
  const before = Date.now()
  expect(await pendingMigrations(store)).toEqual(all)
  expect(await everything(store), 'asking changes nothing').toEqual([])
  expect(await migrate(store, '1.2.3')).toEqual(all)
  const tables = await everything(store)
  expect(tables).toContain('sessions')
  expect(await migrate(store, '1.2.4')).toEqual([])
  expect(await pendingMigrations(store)).toEqual([])
  expect(await everything(store)).toEqual(tables)
  const rows = await store.db.selectFrom('migrations').selectAll().orderBy('name').execute()
  expect(rows.map(({ name, release }) => ({ name, release }))).toEqual(all.map(name => ({ name, release: '1.2.3' })))
  for (const { applied_at: time } of rows) {
    expect(time).toBeGreaterThanOrEqual(before - 1)
    expect(time).toBeLessThanOrEqual(Date.now() + 1)
  }
})

test('an old store gets only the missing migrations', async () => {
  const store = await open(await createTestStorage({ migrated: false }))
  expect(await migrate(store, '0.0.1', migrations.slice(0, 1))).toEqual(all.slice(0, 1))
  expect(await pendingMigrations(store)).toEqual(all.slice(1))
  expect(await migrate(store, '0.0.2')).toEqual(all.slice(1))
  const fresh = await open(await createTestStorage({ migrated: false }))
  await migrate(fresh, '0.0.2')
  expect(await everything(store)).toEqual(await everything(fresh))
})

test('files of an old store are found by the file search only', async () => {
  const store = await open(await createTestStorage({ migrated: false }))
  await migrate(store, '0.0.1', migrations.slice(0, 9))
  await sql`insert into search_rows (owner, language, page, title_key, digest)
    values ('page://a', '', 'a', 'map', ''), ('file://b', '', null, 'map.png', ''), ('file://c', '', null, 'x', '')`.execute(
    store.db,
  )
  await (
    store.name === 'postgres'
      ? sql`insert into search_index (id, words) values (1, array_to_tsvector(array['amap', 'cin'])),
          (2, array_to_tsvector(array['amap', 'bcoast'])), (3, array_to_tsvector(array['ax']))`
      : sql`insert into search_index (rowid, heavy, light, place) values (1, 'map', '', 'in'), (2, 'map png', 'coast', ''), (3, 'x', '', '')`
  ).execute(store.db)
  await migrate(store, '0.0.2')
  const found = async (lexemes: string, words: string) => {
    const { rows } = await (
      store.name === 'postgres'
        ? sql<{ id: number }>`select id from search_index where words @@ ${lexemes}::tsquery`
        : sql<{ id: number }>`select rowid as id from search_index where search_index match ${words}`
    ).execute(store.db)
    return rows.map(({ id }) => id)
  }
  expect(await found(`'amap' & 'cfile'`, 'heavy : map AND place : file')).toEqual([2])
  expect(await found(`'bcoast' & 'cfile'`, 'light : coast AND place : file')).toEqual([2])
  expect(await found(`'cfile'`, 'place : file')).toEqual([2, 3])
  expect(await found(`'amap' & 'cin'`, 'heavy : map AND place : in')).toEqual([1])
})

test('queued and failed mails of an old store become jobs', async () => {
  const store = await open(await createTestStorage({ migrated: false }))
  await migrate(
    store,
    '0.0.1',
    migrations.filter(([name]) => name < '015'),
  )
  await sql`insert into mails (id, sealed, attempts, due_at, created_at, problem) values
    ('b', 'k.b', 2, 3000, 2000, 'down'), ('a', 'k.a', 0, 1000, 1000, null), ('c', 'k.c', 9, 8640000000000000, 900, 'gone')`.execute(
    store.db,
  )
  await migrate(store, '0.0.2')
  const mail = { queue: 'mail', lane: null, sealed: 1, result: null }
  expect(await store.db.selectFrom('jobs').selectAll().orderBy('number').execute()).toMatchObject([
    { ...mail, id: 'c', payload: 'k.c', attempts: 9, created_at: 900, finished_at: 900, problem: 'gone' },
    { ...mail, id: 'a', payload: 'k.a', attempts: 0, due_at: 1000, finished_at: null, problem: null },
    { ...mail, id: 'b', payload: 'k.b', attempts: 2, due_at: 3000, finished_at: null, problem: 'down' },
  ])
})

// oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
const tomorrow = async (db: Kysely<any>) => void (await sql`create table tomorrow (id text)`.execute(db))

test('tokens of an old store keep publishing', async () => {
  const store = await open(await createTestStorage({ migrated: false }))
  await migrate(
    store,
    '0.0.1',
    migrations.filter(([name]) => name < '022'),
  )
  await sql`insert into users (id, email, email_key, name, role, language, status, created_at, modified_at)
    values ('one', 'a@example.org', 'a@example.org', 'A', 'admin', 'en', 'active', 1, 1)`.execute(store.db)
  const scopes = [
    ['pages.read', 'pages.update'],
    ['pages.changeStatus'],
    ['pages.*', 'pages.update'],
    ['*'],
    ['pages.read', 'files.update'],
  ]
  for (const [index, one] of scopes.entries())
    await sql`insert into api_tokens (id, token_mac, prefix, name, owner_id, scopes, created_at)
      values (${`t${index}`}, ${`m${index}`}, 'x', 'x', 'one', ${JSON.stringify(one)}, 1)`.execute(store.db)
  await migrate(store, '0.0.2')
  const rows = await store.db.selectFrom('api_tokens').select('scopes').orderBy('id').execute()
  expect(rows.map(row => JSON.parse(row.scopes) as string[])).toEqual([
    ['pages.read', 'pages.update', 'pages.publish'],
    ['pages.changeStatus', 'pages.publish'],
    ...scopes.slice(2),
  ])
})

test('a store of a newer release is refused and not changed', async () => {
  const store = await open(await createTestStorage({ migrated: false }))
  await migrate(store, '7.8.9', [...migrations, ['999-tomorrow', tomorrow]])
  const before = await everything(store)
  for (const attempt of [() => migrate(store, '1.0.0'), () => pendingMigrations(store)]) {
    const error = await attempt().catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(NewerStore)
    expect((error as Error).message).toContain('Quoin 7.8.9')
    expect((error as Error).message).toMatch(/newer than this program/)
  }
  expect(await everything(store)).toEqual(before)
})

test('a failed migration leaves nothing behind, and can be repeated', async () => {
  const store = await open(await createTestStorage({ migrated: false }))
  await migrate(store, '1.0.0')
  const before = await everything(store)
  let fails = true
  // oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
  const half = async (db: Kysely<any>) => {
    await sql`create table half (id text)`.execute(db)
    await sql`create index half_id on half (id)`.execute(db)
    await sql`insert into half values ('a')`.execute(db)
    if (fails) throw new Error('in the middle')
  }
  const list: typeof migrations = [...migrations, ['900-whole', async () => {}], ['901-half', half]]
  await expect(migrate(store, '1.1.0', list)).rejects.toThrow('in the middle')
  expect(await everything(store)).toEqual(before)
  expect(await pendingMigrations(store, list)).toEqual(['900-whole', '901-half'])
  fails = false
  expect(await migrate(store, '1.1.0', list)).toEqual(['900-whole', '901-half'])
})

test('a failed first migration leaves an empty store', async () => {
  const store = await open(await createTestStorage({ migrated: false }))
  const failing: typeof migrations = [
    migrations[0]!,
    [
      '002-broken',
      async () => {
        throw new Error('broken')
      },
    ],
  ]
  await expect(migrate(store, '1.0.0', failing)).rejects.toThrow('broken')
  expect(await everything(store)).toEqual([])
})

test('of several concurrent migrations one runs, and all succeed', async () => {
  for (let round = 0; round < 5; round++) {
    const storage = await createTestStorage({ migrated: false })
    const stores = await Promise.all(Array.from({ length: 4 }, () => open(storage)))
    const ran = await Promise.all(stores.map(store => migrate(store, '1.0.0')))
    expect(ran.filter(names => names.length > 0)).toEqual([all])
    for (const store of stores) await closing.splice(closing.indexOf(store), 1)[0]!.close()
  }
})

const user = (id: string, status: string) => sql`insert into users
  (id, email, email_key, name, role, language, status, created_at, modified_at)
  values (${id}, 'a', ${id}, '', 'admin', 'en', ${status}, 0, 0)`
const session = (userId: string) => sql`insert into sessions
  (id, token_mac, user_id, auth_epoch, aal, amr, long, ip_prefix, ua_family, created_at, rotated_at,
   authenticated_at, last_seen_at, idle_until, absolute_until)
  values (${userId}, ${userId}, ${userId}, 1, 1, 'pwd', 0, '', '', 0, 0, 0, 0, 0, 0)`

test('the tables refuse invalid rows', async () => {
  const store = await open(await createTestStorage({ migrated: false }))
  await migrate(store, '1.0.0')
  await user('a', 'active').execute(store.db)
  await expect(user('b', 'lurking').execute(store.db)).rejects.toThrow(/check/i)
  await expect(session('nobody').execute(store.db)).rejects.toThrow(/foreign key/i)
  await session('a').execute(store.db)
  await sql`delete from users where id = 'a'`.execute(store.db)
  expect(await store.db.selectFrom('sessions').selectAll().execute()).toEqual([])

  await sql`insert into audit_events (time, event, detail, count) values (${Date.now()}, 'test', '{}', 1)`.execute(
    store.db,
  )
  await expect(sql`update audit_events set event = 'other'`.execute(store.db)).rejects.toThrow(/cannot be changed/)
  await expect(sql`delete from audit_events`.execute(store.db)).rejects.toThrow(/cannot be deleted/)
  if (engine === 'sqlite') {
    await expect(sql`update users set auth_epoch = 'text'`.execute(store.db)).resolves.toBeDefined()
    await user('c', 'active').execute(store.db)
    await expect(sql`update users set auth_epoch = 'text'`.execute(store.db)).rejects.toThrow(/cannot store TEXT/)
  }
})
