import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LightMyRequestResponse as Answer } from 'fastify'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createHashQueue } from '../src/app.ts'
import { randomToken } from '../src/platform/lib/id.ts'
import { createLimiter } from '../src/platform/lib/concurrency-limiter.ts'
import {
  addUser,
  createTestStorage,
  createTestApp,
  engine,
  password,
  type TestStorage,
  type TestApp,
} from './harness.ts'
import { createSite, serve } from './program.ts'
import { createProxy } from './proxy.ts'
import { statementsOf } from './sign-in.ts'
import { isFirstEngine, isSlow } from './slow.ts'

const isPostgres = engine === 'postgres'

const cookieName = 'quoin_insecure'
let address = 0
const nextIp = () => `10.${(++address >> 8) & 255}.${address & 255}.7`

function call(site: TestApp, path: string, body?: object, token?: string, ip = nextIp()): Promise<Answer> {
  return site.request({
    method: body ? 'POST' : 'GET',
    url: path,
    remoteAddress: ip,
    headers: { host: '127.0.0.1:4080', ...(token !== undefined && { cookie: `${cookieName}=${token}` }) },
    ...(body && { payload: body }),
  })
}

const login = (site: TestApp, email: string, secret = password, ip?: string) =>
  call(site, '/api/auth/login', { email, password: secret }, undefined, ip)
const logout = (site: TestApp, token: string) => call(site, '/api/auth/logout', {}, token)
const get = (site: TestApp, token: string) => call(site, '/api/auth', undefined, token)
const tokenOf = (answer: Answer) => answer.cookies.find(({ name }) => name === cookieName)?.value

async function signIn(site: TestApp, email: string): Promise<string> {
  const answer = await login(site, email)
  expect(answer.statusCode, `with ${answer.body}`).toBe(200)
  return tokenOf(answer)!
}

function expectUnavailable(answer: Answer): void {
  expect(answer.statusCode, `with ${answer.body}`).toBe(503)
  expect(answer.json()).toMatchObject({ status: 'error', code: 503, key: 'error.unavailable' })
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
}

/** The numbers of sessions, devices and successful sign-ins of an account. */
async function countRows(site: TestApp, userId: string) {
  const { db } = site.app.store
  const sessions = await db.selectFrom('sessions').select('id').where('user_id', '=', userId).execute()
  const devices = await db.selectFrom('devices').select('device_mac').where('user_id', '=', userId).execute()
  const events = await db
    .selectFrom('audit_events')
    .select('session_id')
    .where('subject_id', '=', userId)
    .where('event', '=', 'auth.login.ok')
    .execute()
  return [sessions.length, devices.length, events.length]
}

// ---- PostgreSQL, through a proxy that fails

/**
 * Two apps on one store: `site` connects through a proxy that can cut its connections, `direct` reads the stored state.
 * `timeout` is in seconds, and long unless the test waits for it.
 */
async function createPair({ timeout = 60, connections = 10, throttle = true } = {}) {
  const storage = await createTestStorage()
  const url = storage.settings.database!.url!
  const proxy = await createProxy(url)
  const throughProxy: TestStorage = { ...storage, settings: { ...storage.settings, database: { url: proxy.url } } }
  const settings = { database: { timeout, connections }, auth: { throttle } }
  const site = await createTestApp({ storage: throughProxy, settings })
  const direct = await createTestApp({ storage })
  onTestFinished(async () => {
    await site.close()
    await proxy.close()
    await direct.close()
  })
  return { url, proxy, site, direct }
}

test.runIf(isPostgres)('M05 the store is down before the lookup: 503, no cookie, and it recovers', async () => {
  const { proxy, site, direct } = await createPair()
  const user = await addUser(direct)
  const token = await signIn(site, user.email)
  proxy.setState('down')
  for (const answer of [await login(site, user.email), await get(site, token)]) {
    expectUnavailable(answer)
    expect(answer.cookies).toEqual([])
  }
  expect((await call(site, '/health/live')).statusCode).toBe(200)
  expect((await call(site, '/health/ready')).statusCode).toBe(503)
  expect(await countRows(direct, user.id)).toEqual([1, 1, 1])

  proxy.setState('open')
  expect((await call(site, '/health/ready')).statusCode).toBe(200)
  expect((await get(site, token)).statusCode).toBe(200)
  expect((await login(site, user.email)).statusCode).toBe(200)
  const lost = site.logged.filter(line => line['msg'] === 'lost a database connection')
  expect(lost.length).toBeGreaterThan(0)
})

test.runIf(isPostgres)('ready is 503 while the database does not answer, before any of its timeouts', async () => {
  const { proxy, site } = await createPair()
  const ready = async () => (await call(site, '/health/ready')).statusCode
  expect(await ready()).toBe(200) // the server is started by its first request
  proxy.setState('silent')
  expect(await ready()).toBe(503)
  expect(site.logged.map(({ msg }) => msg)).not.toContain('the store cannot be read or written') // logged after the timeouts
  proxy.setState('down') // otherwise open requests would wait for their timeouts
  proxy.setState('open')
  await expect.poll(ready).toBe(200)
})

test.runIf(isPostgres).each([
  ['during the look-up', { on: 'max_bcrypt_cost', act: 'cut' }],
  ['while the attempt is charged', { on: 'insert into "throttle"', act: 'cut' }],
  ['before the charge is committed', { on: 'commit', after: 'insert into "throttle"', act: 'cut' }],
  ['while the account is locked', { on: 'for no key update', act: 'cut' }],
  ['while the session is written', { on: 'insert into "sessions"', act: 'cut' }],
  ['while the session is written, with FIN instead of RST', { on: 'insert into "sessions"', act: 'half-close' }],
  ['with the reply to the inserted session', { on: 'insert into "sessions"', act: 'cut reply' }],
  ['before COMMIT', { on: 'commit', after: 'insert into "sessions"', act: 'cut' }],
  ['before COMMIT, with FIN instead of RST', { on: 'commit', after: 'insert into "sessions"', act: 'half-close' }],
] as const)('M05, M11 the connection breaks %s: 503, no cookie, no session', async (_, trap) => {
  const { proxy, site, direct } = await createPair()
  const user = await addUser(direct)
  proxy.setTrap(trap)
  const answer = await login(site, user.email)
  expect(proxy.fired).toBe(true)
  expectUnavailable(answer)
  expect(answer.cookies).toEqual([])
  // PostgreSQL notices the broken connection a little later.
  await expect.poll(() => countRows(direct, user.id)).toEqual([0, 0, 0])
  expect((await login(site, user.email)).statusCode).toBe(200)
  expect(await countRows(direct, user.id)).toEqual([1, 1, 1])
})

test.runIf(isPostgres)('M05 the connection breaks after COMMIT: 503, no cookie, and an unusable session', async () => {
  const { proxy, site, direct } = await createPair()
  const user = await addUser(direct)
  proxy.setTrap({ on: 'commit', after: 'insert into "sessions"', act: 'cut reply' })
  const answer = await login(site, user.email)
  expect(proxy.fired).toBe(true)
  expectUnavailable(answer)
  expect(answer.cookies).toEqual([])
  expect(await countRows(direct, user.id)).toEqual([1, 1, 1])
  expect((await login(site, user.email)).statusCode).toBe(200)
})

test.runIf(isPostgres)('M05 an attempt that could not be checked is not charged', async () => {
  const { proxy, site, direct } = await createPair()
  const user = await addUser(direct)
  for (let round = 0; round < 7; round++) {
    proxy.setTrap({ on: 'insert into "throttle"', act: 'cut' })
    expectUnavailable(await login(site, user.email, 'a wrong password'))
  }
  expect((await login(site, user.email)).statusCode).toBe(200)
})

test.runIf(isPostgres)('M05 logout with the store down is 503, and the cookie is cleared all the same', async () => {
  const { proxy, site, direct } = await createPair()
  const user = await addUser(direct)
  const token = await signIn(site, user.email)
  proxy.setState('down')
  const answer = await logout(site, token)
  expectUnavailable(answer)
  expect(answer.cookies).toContainEqual(expect.objectContaining({ name: cookieName, value: '', maxAge: 0 }))
  proxy.setState('open')
  expect((await logout(site, token)).statusCode).toBe(200)
  expect((await get(direct, token)).statusCode).toBe(401)
})

test.runIf(isPostgres)('an unresponsive database server times out', async () => {
  const { proxy, site, direct } = await createPair({ timeout: 1 })
  const user = await addUser(direct)
  const token = await signIn(site, user.email)
  // Several idle connections stop answering, as if the database machine had lost power.
  await Promise.all(Array.from({ length: 8 }, () => login(site, user.email)))
  expect(proxy.connections).toBeGreaterThan(2)
  proxy.setState('silent')
  // Without the timeout these requests would never be answered.
  for (const answer of await Promise.all([login(site, user.email), get(site, token), logout(site, 'A'.repeat(43))]))
    expectUnavailable(answer)
  expect((await call(site, '/health/live')).statusCode).toBe(200)

  proxy.setState('open') // new connections work; the old ones stay silent
  await expect.poll(async () => (await login(site, user.email)).statusCode, { interval: 100 }).toBe(200)
  const healthy = await Promise.all(Array.from({ length: 20 }, () => get(site, token)))
  expect(new Set(healthy.map(answer => answer.statusCode))).toEqual(new Set([200]))
})

test.runIf(isPostgres)('a connection that timed out is not used again', async () => {
  const { proxy, site, direct } = await createPair({ timeout: 3, connections: 4 })
  const user = await addUser(direct)
  const token = await signIn(site, user.email)
  // Reads outside a transaction, on all connections of the pool.
  const lookUp = () =>
    call(site, '/api/auth/login', { method: 'code', challenge: randomToken(), code: '123456' }, undefined)
  await Promise.all(Array.from({ length: 8 }, lookUp))
  expect(proxy.connections).toBe(4)
  proxy.setState('silent')
  for (const answer of await Promise.all(Array.from({ length: 4 }, lookUp))) expectUnavailable(answer)
  proxy.setState('open')
  for (const answer of await Promise.all(Array.from({ length: 8 }, lookUp))) expect(answer.statusCode).toBe(401)
  expect((await get(site, token)).statusCode).toBe(200)
  expect((await login(site, user.email)).statusCode).toBe(200)
})

test.runIf(isPostgres)('a slow network causes no errors', async () => {
  const { proxy, site, direct } = await createPair()
  const user = await addUser(direct)
  proxy.delay = 40
  const token = await signIn(site, user.email)
  expect((await get(site, token)).statusCode).toBe(200)
  expect((await logout(site, token)).statusCode).toBe(200)
})

test.runIf(isPostgres)(
  'late replies are not taken for those to later statements, and nothing half-done stays',
  async () => {
    const { proxy, site, direct } = await createPair({ timeout: 1 })
    const users = await Promise.all(Array.from({ length: 4 }, () => addUser(direct)))
    for (const user of users) await signIn(site, user.email)
    proxy.delay = 2500 // later than the client waits
    const late = await Promise.all(users.map(user => login(site, user.email)))
    for (const answer of late) expectUnavailable(answer)
    proxy.delay = 0
    await sleep(3000)
    for (const user of users) {
      await expect.poll(async () => (await login(site, user.email)).statusCode, { interval: 50 }).toBe(200)
      const [sessions, devices, events] = await countRows(direct, user.id)
      expect([devices, events]).toEqual([sessions, sessions])
    }
    expect(await direct.app.store.db.selectFrom('sessions').select('id').execute()).toHaveLength(users.length * 2)
  },
)

test.runIf(isPostgres)(
  'M06 a locked table: 503 by the timeout, the pool is not exhausted, other routes work',
  async () => {
    const { url, site, direct } = await createPair({ timeout: 2 })
    const user = await addUser(direct)
    const token = await signIn(site, user.email)
    const other = new pg.Client(url)
    await other.connect()
    await other.query('begin; lock table sessions in access exclusive mode')

    const waiting = Array.from({ length: 15 }, () => login(site, user.email)) // more than there are connections
    await sleep(100)
    expect((await call(site, '/health/live')).statusCode).toBe(200)
    expect((await call(site, '/openapi.json')).statusCode).toBe(200)
    const answers = await Promise.all(waiting) // while the table is still locked
    for (const answer of answers) expect([429, 503]).toContain(answer.statusCode)
    expect(answers.some(answer => answer.statusCode === 503)).toBe(true)
    for (const answer of answers) expect(answer.cookies).toEqual([])
    expectUnavailable(await get(site, token))
    expect((await call(site, '/health/ready')).statusCode).toBe(200)
    expect((await login(site, 'nobody@example.org')).statusCode).toBe(401)

    await other.query('commit')
    await other.end()
    expect((await get(site, token)).statusCode).toBe(200)
    expect(await countRows(direct, user.id)).toEqual([1, 1, 1])
  },
)

test.runIf(isPostgres)('M06 a locked account: 503 by the timeout, others can sign in', async () => {
  const { url, site, direct } = await createPair({ timeout: 2 })
  const [user, neighbour] = [await addUser(direct), await addUser(direct)]
  const other = new pg.Client(url)
  await other.connect()
  await other.query('begin')
  await other.query('select 1 from users where id = $1 for update', [user.id])
  expectUnavailable(await login(site, user.email)) // while the row is still locked
  expect((await login(site, neighbour.email)).statusCode).toBe(200)
  await other.query('rollback')
  await other.end()
  expect((await login(site, user.email)).statusCode).toBe(200)
})

test.runIf(isPostgres)('a database restart fails requests, never the process', async () => {
  const { site, direct, url } = await createPair({ throttle: false })
  const user = await addUser(direct)
  const token = await signIn(site, user.email)
  const otherUser = await addUser(direct) // signs in so often that the sessions of `user` would reach their limit
  const admin = new pg.Client(url)
  await admin.connect()
  const killAll = () =>
    admin.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
  await killAll()
  await expect.poll(async () => (await get(site, token)).statusCode).toBe(200)

  let answered = 0
  const until = { over: false }
  const traffic = Array.from({ length: 6 }, async (_, index) => {
    while (!until.over) {
      const answer = await (index % 2 === 0 ? get(site, token) : login(site, otherUser.email))
      if (answer.statusCode === 503) expectUnavailable(answer)
      else {
        expect(answer.statusCode).toBe(200)
        answered++
      }
    }
  })
  for (let round = 0; round < 30; round++) {
    const before = answered
    await killAll()
    await vi.waitUntil(() => answered > before, { timeout: 60_000, interval: 5 })
  }
  until.over = true
  await Promise.all(traffic)
  await admin.end()
  // New sign-ins and sessions work, also if a broken connection has left sessions behind.
  await expect.poll(async () => (await login(site, user.email)).statusCode).toBe(200)
  expect((await get(site, await signIn(site, user.email))).statusCode).toBe(200)
  const [sessions] = await countRows(direct, user.id)
  expect(sessions).toBeLessThanOrEqual(10)
})

// ---- SQLite, locked, full and read-only

/** Another process that holds the write lock until it is released. */
async function holdLock(storage: TestStorage) {
  const script = `
    const { DatabaseSync } = require('node:sqlite')
    const db = new DatabaseSync(process.argv[1])
    db.exec('begin immediate')
    console.log('held')
    setTimeout(() => {}, 2 ** 30)`
  const child = spawn(process.execPath, ['-e', script, join(storage.data, 'quoin.db')])
  onTestFinished(() => void child.kill())
  await once(child.stdout, 'data')
  return { ended: once(child, 'exit'), release: () => child.kill() }
}

test.runIf(!isPostgres)('M06 another process holds the lock briefly: writers wait, readers do not notice', async () => {
  const site = await createTestApp({ settings: { database: { timeout: 120 } } })
  const user = await addUser(site)
  const token = await signIn(site, user.email)
  const { ended, release } = await holdLock(site.storage)
  const order: string[] = []
  const waiting = login(site, user.email).then(answer => {
    order.push('written')
    return answer
  })
  for (let reads = 0; reads < 20; reads++) {
    expect((await get(site, token)).statusCode).toBe(200)
    await sleep(5)
  }
  order.push('read')
  release()
  await ended
  expect((await waiting).statusCode).toBe(200)
  expect(order, 'a lock blocks neither readers nor the event loop').toEqual(['read', 'written'])
})

test.runIf(!isPostgres)('M06 another process holds the lock for too long: 503 for all waiting requests', async () => {
  const site = await createTestApp({ settings: { database: { timeout: 1 } } })
  const user = await addUser(site)
  const token = await signIn(site, user.email)
  const { ended, release } = await holdLock(site.storage)
  // The lock is still held when they are answered.
  const answers = await Promise.all([
    login(site, user.email),
    login(site, user.email),
    login(site, user.email),
    logout(site, token),
  ])
  for (const answer of answers) expectUnavailable(answer)
  for (const answer of answers.slice(0, 3)) expect(answer.cookies).toEqual([])
  expect(answers[3].cookies[0]).toMatchObject({ name: cookieName, value: '', maxAge: 0 })
  expect((await get(site, token)).statusCode).toBe(200)
  expect((await call(site, '/health/ready')).statusCode).toBe(200)
  release()
  await ended
  expect(await countRows(site, user.id)).toEqual([1, 1, 1])
  await expect.poll(async () => (await login(site, user.email)).statusCode).toBe(200)
})

test.runIf(!isPostgres)('M10 a full disk: 507, nothing half-written, and it recovers', async () => {
  const site = await createTestApp({ settings: { auth: { throttle: false, session: { perAdmin: 1000 } } } })
  const user = await addUser(site)
  const { db } = site.app.store
  const token = await signIn(site, user.email)
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db)
  await sql`pragma max_page_count = ${sql.lit(rows[0]!.page_count)}`.execute(db)
  let done = 1
  let full: Answer | undefined
  while (!full && done < 500) {
    const answer = await login(site, user.email)
    if (answer.statusCode === 200) done++
    else full = answer
  }
  expect([full!.statusCode, full!.json().key]).toEqual([507, 'error.storage.full'])
  expect(full!.cookies).toEqual([])
  expect(await countRows(site, user.id)).toEqual([done, done, done])
  expect((await get(site, token)).statusCode).toBe(200)
  const { rows: check } = await sql`pragma integrity_check`.execute(db)
  expect(check).toEqual([{ integrity_check: 'ok' }])

  await sql`pragma max_page_count = 1000000`.execute(db)
  expect((await login(site, user.email)).statusCode).toBe(200)
  expect(await countRows(site, user.id)).toEqual([done + 1, done + 1, done + 1])
})

test.runIf(!isPostgres)('M10 a read-only disk: 503 for writers, readers continue', async () => {
  const site = await createTestApp()
  const user = await addUser(site)
  const token = await signIn(site, user.email)
  await sql`pragma query_only = 1`.execute(site.app.store.db)
  expectUnavailable(await login(site, user.email))
  const ended = await logout(site, token)
  expectUnavailable(ended)
  expect(ended.cookies[0]).toMatchObject({ name: cookieName, value: '', maxAge: 0 })
  expect((await get(site, token)).statusCode).toBe(200)
  await sql`pragma query_only = 0`.execute(site.app.store.db)
  expect((await logout(site, token)).statusCode).toBe(200)
  expect(await countRows(site, user.id)).toEqual([0, 1, 1])
})

// ---- too much at once

/** The maximum number of hashes that ran at the same time. */
function watchHashes({ app }: TestApp): { max: number } {
  const { hashing } = app
  const peak = { max: 0 }
  let running = 0
  app.hashing = {
    slots: hashing.slots,
    hasRoom: client => hashing.hasRoom(client),
    get running() {
      return hashing.running
    },
    get waiting() {
      return hashing.waiting
    },
    run: (client, work) =>
      hashing.run(client, async () => {
        peak.max = Math.max(peak.max, ++running)
        try {
          return await work()
        } finally {
          running--
        }
      }),
  }
  return peak
}

function expectBusy(answer: Answer): void {
  expect(answer.statusCode, `with ${answer.body}`).toBe(503)
  expect(answer.json()).toMatchObject({ key: 'error.busy' })
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  expect(answer.cookies).toEqual([])
}

test.runIf(isSlow)(
  'M01 at 500 concurrent logins no more are hashed at a time than there are slots; refused ones get Retry-After',
  async () => {
    const site = await createTestApp({ expensive: true, settings: { database: { timeout: 20 } } })
    const { email } = await addUser(site)
    const token = await signIn(site, email)
    const hashes = watchHashes(site)
    const logins = Array.from({ length: 500 }, (_, index) =>
      login(site, index % 200 ? `nobody${index}@example.org` : email),
    )
    const reads: Answer[] = []
    const until = { over: false }
    const reading = (async () => {
      while (!until.over) {
        reads.push(await get(site, token))
        await sleep(20)
      }
    })()
    const answers = await Promise.all(logins)
    until.over = true
    await reading
    expect(hashes.max).toBe(site.app.hashing.slots)
    const checked = answers.filter(answer => answer.statusCode !== 503)
    for (const answer of checked) expect([200, 401]).toContain(answer.statusCode)
    expect(checked.length).toBeGreaterThan(0)
    expect(checked.length).toBeLessThan(400)
    for (const answer of answers) if (answer.statusCode === 503) expectBusy(answer)
    expect(reads.length).toBeGreaterThan(0)
    expect(new Set(reads.map(answer => answer.statusCode))).toEqual(new Set([200]))
    expect(site.app.hashing.waiting).toBe(0)
    expect(site.app.hashing.running).toBe(0)
  },
)

test.runIf(isSlow)(
  'M02 a flood of logins takes no more memory than the slots allow',
  { timeout: 300_000 },
  async ({ skip }) => {
    if (process.platform !== 'linux') skip()
    const site = await createSite({ QUOIN_TRUSTED_PROXIES: '127.0.0.1', QUOIN_LOG_LEVEL: 'silent' })
    const server = await serve(site)
    const memory = (field: string) =>
      Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${server.child.pid}/status`, 'utf8'))![1]) /
      1024
    const flood = (count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, index) =>
          server.send({
            path: '/api/auth/login',
            body: { email: `nobody${index}@example.org`, password: 'a wrong password' },
            ip: nextIp(),
          }),
        ),
      )
    await flood(20) // until everything is loaded
    const before = memory('VmHWM')
    const answers = await flood(500)
    for (const { status, headers } of answers) {
      expect([401, 503]).toContain(status)
      if (status === 503) expect(headers['retry-after']).toBe('2')
    }
    expect(memory('VmHWM') - before).toBeLessThan(64 + 2 * 19)
    expect(await server.stop('SIGTERM')).toEqual({ code: 0, signal: null })
  },
)

test('M04 many logins from one address do not fill the queue: others still get in', async () => {
  const site = await createTestApp({ expensive: true, settings: { auth: { throttle: false } } })
  site.app.hashing = createHashQueue(site.app.hashing.slots, 120_000) // this tests the number of slots, not the timeout
  const { email } = await addUser(site)
  const hashes = watchHashes(site)
  const flood = Array.from({ length: 40 }, () => login(site, 'nobody@example.org', 'wrong', '192.0.2.66'))
  const others = Array.from({ length: 4 }, () => login(site, email))
  const [flooded, answers] = [await Promise.all(flood), await Promise.all(others)]
  for (const answer of answers) expect(answer.statusCode, `with ${answer.body}`).toBe(200)
  const checked = flooded.filter(answer => answer.statusCode === 401)
  expect(checked.length).toBeGreaterThan(0)
  expect(checked.length).toBeLessThanOrEqual(site.app.hashing.slots + 8)
  for (const answer of flooded) if (answer.statusCode !== 401) expectBusy(answer)
  expect(hashes.max).toBe(site.app.hashing.slots)
})

test.runIf(isFirstEngine)(
  'anonymous clients whom the queue refuses are not looked up, and few lines are logged',
  async () => {
    const site = await createTestApp({ quiet: true })
    site.app.hashing = createLimiter({ slots: 1, maxWaiting: 0, reserved: 1, timeoutMs: 60_000 })
    const { email } = await addUser(site)
    const { promise, resolve } = Promise.withResolvers<void>()
    onTestFinished(() => resolve())
    void site.app.hashing.run('the only slot', () => promise)
    const flood = async () => {
      for (let times = 0; times < 20; times++) expectBusy(await login(site, times % 2 ? email : 'nobody@example.org'))
    }
    const statements = await statementsOf(site, flood, { warm: true })
    expect(statements.filter(statement => /users|throttle/.test(statement))).toEqual([])
    const overloads = site.logged.filter(({ event }) => event === 'auth.hash.overload')
    expect(overloads.length).toBeGreaterThan(0)
    expect(overloads.length).toBeLessThan(10)
  },
)

test('M04 attempts refused by the queue are not charged', async () => {
  const site = await createTestApp({ expensive: true })
  const { email } = await addUser(site)
  const answers = await Promise.all(Array.from({ length: 5 }, () => login(site, email, 'wrong', '192.0.2.66')))
  const checked = answers.filter(answer => answer.statusCode === 401).length
  expect(checked).toBeLessThan(5)
  for (let left = 5 - checked; left > 0; left--) expect((await login(site, email, 'wrong')).statusCode).toBe(401)
  expect((await login(site, email)).statusCode).toBe(429)
})
