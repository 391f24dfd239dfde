/** PostgreSQL that changes under the server: versions of the data, standbys, failover. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { snapshotVersion } from '../src/platform/store/postgres-version.ts'
import { startReplicated } from '../tools/postgres.ts'
import { addUser, createTestApp, createTestStorage, engine, password, type TestApp } from './harness.ts'
import { addPage, createTokenClient } from './pages.ts'
import { createProxy } from './proxy.ts'
import { getWith, refusal, sessionCookie } from './sign-in.ts'
import { isSlow, rounds } from './slow.ts'

const isPostgres = engine === 'postgres'

async function signIn(site: TestApp, email: string): Promise<string> {
  const browser = site.browser()
  await browser.client.auth.login({ email, password })
  return browser.cookies.get(sessionCookie)!
}

const any = (below: number) => Math.floor(Math.random() * below)

const ready = async (site: TestApp) => (await site.request({ url: '/health/ready' })).statusCode

test.runIf(isPostgres)('equal versions mean equal data, whatever is committed and rolled back meanwhile', async () => {
  const storage = await createTestStorage()
  const pool = new pg.Pool({ connectionString: storage.settings.database!.url!, max: 12 })
  onTestFinished(() => pool.end())
  const { sql: version } = snapshotVersion.compile((await createTestApp({ storage })).app.store.db)
  await pool.query('create table things (id int primary key, value int)')
  await pool.query('insert into things select n, 0 from generate_series(1, 20) n')

  const until = { over: false }
  const write = async () => {
    for (let step = 0; !until.over; step++) {
      const client = await pool.connect()
      try {
        await client.query('begin')
        const change = () => client.query('update things set value = value + 1 where id = $1', [1 + any(20)])
        await change()
        if (any(3) === 0) {
          await client.query('savepoint part')
          await change()
          await client.query(any(2) === 0 ? 'rollback to part' : 'release part')
        }
        await client.query(any(4) === 0 ? 'rollback' : 'commit')
      } catch {
        await client.query('rollback') // a deadlock
      } finally {
        client.release()
      }
      if (any(5) === 0) await sleep(any(4)) // moments without any transaction
    }
  }
  const known = new Map<string, string>()
  let repeated = 0
  const learn = (of: string, data: string) => {
    const before = known.get(of)
    if (before !== undefined) repeated++
    else known.set(of, data)
    expect([of, data]).toEqual([of, before ?? data])
  }
  const read = async () => {
    for (let step = 0; step < rounds(150, 3000); step++) {
      // As a request does: the version first, the data later, the version again when the answer is requested again.
      const ask = async () => (await pool.query<{ version: string }>(`select ${version} as version`)).rows[0]!.version
      const first = await ask()
      const { rows } = await pool.query<{ version: string; data: string }>(
        `select ${version} as version, (select string_agg(id || ':' || value, ',' order by id) from things) as data`,
      )
      learn(rows[0]!.version, rows[0]!.data)
      if ((await ask()) === first) learn(first, rows[0]!.data)
    }
  }
  const writers = Array.from({ length: 4 }, write)
  await Promise.all(Array.from({ length: 4 }, read))
  until.over = true
  await Promise.all(writers)
  expect(repeated).toBeGreaterThan(10)
  expect(known.size).toBeGreaterThan(10)
})

test.runIf(isPostgres)('a database that is read-only: writers get 503, readers continue, ready is 503', async () => {
  const site = await createTestApp()
  const { email } = await addUser(site)
  const token = await signIn(site, email)
  const { db } = site.app.store
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
  await sql`alter database ${sql.id(rows[0]!.name)} set default_transaction_read_only = on`.execute(db)
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(db)
  await sql`set default_transaction_read_only = on`.execute(db)
  const browser = site.browser()
  const payload = { email, password }
  const answer = await browser.send({ method: 'POST', url: '/api/auth/login', payload })
  expect(refusal(answer)).toMatchObject({ status: 503, key: 'error.unavailable' })
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  expect((await getWith(site, token)).statusCode).toBe(200)
  expect(await ready(site)).toBe(503)
})

test.runIf(isPostgres && isSlow)('connections are replaced after database.maxLifetime', async () => {
  const site = await createTestApp({ settings: { database: { maxLifetime: 1, connections: 1 } } })
  const pid = async () => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(site.app.store.db)
    return rows[0]!.pid
  }
  const first = await pid()
  await expect.poll(pid, { timeout: 60_000 }).not.toBe(first)
})

test.runIf(isPostgres && isSlow)(
  'a process that hangs in a transaction blocks the others for seconds only',
  async () => {
    const hanging = await createTestApp()
    const site = await createTestApp({ storage: hanging.storage })
    const admin = await createTokenClient(site)
    const { id, email } = await addUser(site)
    await addPage(site, '', { slug: 'parent', draft: false })
    const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const hung = hanging.app.store.write(async tx => {
      await tx.selectFrom('users').select('id').where('id', '=', id).forUpdate().execute()
      await tx.selectFrom('pages').select('uuid').where('path', '=', 'parent').forUpdate().execute()
      locked.resolve()
      await released.promise // as if the process were stopped
      await tx.selectFrom('users').select('id').execute()
    })
    hung.catch(() => {})
    await locked.promise
    const creates = Array.from({ length: 20 }, (_, number) =>
      admin.call('POST', 'pages/parent/children', { slug: `a-${number}`, title: `A ${number}` }),
    )
    const login = site.browser().send({ method: 'POST', url: '/api/auth/login', payload: { email, password } })
    // More writers wait than there are connections; one that needs no lock of these is not held up by them.
    expect((await admin.call('PATCH', 'site/title', { title: 'Other' })).status).toBe(200)
    expect(new Set((await Promise.all(creates)).map(({ status }) => status))).toEqual(new Set([200]))
    expect((await login).statusCode).toBe(200)
    released.resolve() // all of that while it still hung
    await expect(hung).rejects.toThrow('')
  },
)

test.runIf(isPostgres && isSlow)('a standby serves nothing: 503 until it is promoted', async () => {
  const { primary, standby } = await startReplicated()
  const proxy = await createProxy(primary.url)
  const folder = await createTestStorage()
  const site = await createTestApp({
    storage: { ...folder, settings: { data: folder.data, database: { url: proxy.url } } },
    settings: { api: { public: true } },
  })
  onTestFinished(async () => {
    await site.close()
    await proxy.close()
    await standby.stop()
    await primary.stop()
  })
  const { email } = await addUser(site)
  const [kept, revoked] = [await signIn(site, email), await signIn(site, email)]
  const replica = new pg.Client(standby.url)
  await replica.connect()
  onTestFinished(() => replica.end())
  const isReplayed = async () =>
    (await replica.query<{ n: number }>('select count(*)::int as n from sessions')).rows[0]!.n === 2
  await expect.poll(isReplayed, { timeout: 60_000 }).toBe(true)
  await replica.query('select pg_wal_replay_pause()')
  const ending = site.browser()
  ending.cookies.set(sessionCookie, revoked)
  const headers = { 'sec-fetch-site': 'same-origin' }
  expect((await ending.send({ method: 'POST', url: '/api/auth/logout', headers })).statusCode).toBe(200)

  // A statement that begins a request fails on a standby, also on a connection that led to a primary before.
  const { sql: version } = snapshotVersion.compile(site.app.store.db)
  await expect(replica.query(`select ${version}`)).rejects.toMatchObject({ code: '55000' })

  proxy.redirectTo(standby.url) // as a DNS record that names the wrong server
  const requests = {
    kept: () => getWith(site, kept),
    revoked: () => getWith(site, revoked),
    anonymous: () => site.request({ url: '/api/site?select=title', headers: { host: '127.0.0.1:4080' } }),
    login: () => site.browser().send({ method: 'POST', url: '/api/auth/login', payload: { email, password } }),
  }
  for (const [name, send] of Object.entries(requests)) {
    const answer = await send()
    expect([name, answer.statusCode, answer.json().key]).toEqual([name, 503, 'error.unavailable'])
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  }
  expect(await ready(site)).toBe(503)
  expect((await site.request({ url: '/health/live' })).statusCode).toBe(200)
  expect(JSON.stringify(site.logged)).toContain('is a standby')

  await replica.query('select pg_wal_replay_resume()')
  await expect.poll(async () => (await replica.query('select 1 from sessions')).rowCount, { timeout: 60_000 }).toBe(1)
  await replica.query('select pg_promote()')
  await expect.poll(() => ready(site), { timeout: 60_000 }).toBe(200)
  expect([(await requests.kept()).statusCode, (await requests.revoked()).statusCode]).toEqual([200, 401])
  expect((await requests.login()).statusCode).toBe(200)
  const now = await site.app.store.readVersion()
  expect(String(now!.number)).toMatch(/^00000002 /) // the timeline
})
