import { randomInt } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { visitorCharges } from '../src/access/factors/credentials.ts'
import { migrate, migrations } from '../src/platform/store/migrate.ts'
import { openPostgres } from '../src/platform/store/postgres.ts'
import { openSqlite } from '../src/platform/store/sqlite.ts'
import { addUser, createTestApp, engine, password, type TestApp } from './harness.ts'
import { createSite, openServer, quoin, type Received, serve, type Server, type Site } from './program.ts'
import { isFirstEngine, isSlow, rounds } from './slow.ts'

/** Finds what hangs: beside other load starting a process can take half a minute. */
const slow = 900_000
const trusting = { QUOIN_TRUSTED_PROXIES: '127.0.0.1', QUOIN_LOG_LEVEL: 'error' }

/** Opens the store of a site in this process while the work runs. */
async function inside<Value>(site: Site, work: (app: TestApp) => Promise<Value>): Promise<Value> {
  const app = await createTestApp({ storage: site.storage, expensive: true })
  try {
    return await work(app)
  } finally {
    await app.close()
  }
}

type Answering = Pick<Server, 'send'>

const login = (server: Answering, email: string, ip = '192.0.2.1', secret = password) =>
  server.send({ path: '/api/auth/login', body: { email, password: secret }, ip })
const wrong = (server: Answering, email: string, ip: string) => login(server, email, ip, 'a wrong password')
const logout = (server: Answering, token: string) => server.send({ path: '/api/auth/logout', body: {}, token })
const get = (server: Answering, token: string) => server.send({ path: '/api/auth', token })

async function signIn(server: Answering, email: string, secret = password): Promise<string> {
  const answer = await login(server, email, '192.0.2.1', secret)
  expect(answer.status, `with ${answer.body}`).toBe(200)
  return answer.token!
}

// ---- starting

/** On an empty and on an old store; `QUOIN_TEST_STARTS` is how often. */
const starts = Number(process.env['QUOIN_TEST_STARTS'] ?? rounds(1, 3))

async function startTogether(site: Site, thoroughly: boolean): Promise<void> {
  const servers = await Promise.all([serve(site, trusting), serve(site, trusting)])
  for (const server of servers) expect((await server.send({ path: '/health/ready' })).status).toBe(200)
  // One set of secrets and one schema: each accepts the tokens of the other.
  if (thoroughly) {
    const { id, email } = await inside(site, addUser)
    const token = await signIn(servers[0], email)
    const answer = await get(servers[1], token)
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.body)).toMatchObject({ data: { id } })
  }
  for (const server of servers) await server.stop('SIGKILL')
  expect(servers.map(server => server.output())).toEqual(['', ''])
  expect(readdirSync(site.storage.data).filter(name => name.startsWith('secrets'))).toEqual(['secrets.json'])
}

test.runIf(isSlow)('two processes can start concurrently on an empty store', { timeout: slow }, async () => {
  for (let round = 0; round < starts; round++) await startTogether(await createSite({}, { migrated: false }), round < 2)
})

test.runIf(isSlow)('two processes can start concurrently on an old store', { timeout: slow }, async () => {
  for (let round = 0; round < starts; round++) {
    const site = await createSite({}, { migrated: false })
    const { url } = site.storage.settings.database ?? {}
    const store =
      url === undefined
        ? openSqlite({ path: join(site.storage.data, 'quoin.db') })
        : await openPostgres({ url, connections: 1, timeout: 5000, onError: () => {} })
    await migrate(store, '0.0.1', migrations.slice(0, 1))
    await store.close()
    await startTogether(site, round < 2)
    await inside(site, async ({ app }) => {
      const applied = await app.store.db.selectFrom('migrations').select(['name', 'release']).orderBy('name').execute()
      expect(applied.map(({ name }) => name)).toEqual(migrations.map(([name]) => name))
      expect(applied[0]!.release).toBe('0.0.1')
    })
  }
})

// ---- changes are visible to other processes

test.runIf(isFirstEngine)('a session ended in one process is ended in the others', { timeout: slow }, async () => {
  const site = await createSite({ ...trusting, QUOIN_AUTH_THROTTLE: 'false' })
  await inside(site, app => addUser(app)) // the last account could not be deleted
  const { email } = await inside(site, app => addUser(app, { role: 'editor' }))
  const command = async (...args: string[]) => {
    const input = 'herons wade through the terminal'
    const run = await quoin([...args, '--site', site.folder, '--json'], { environment: site.environment, input })
    expect(run).toMatchObject({ code: 0, stderr: '' })
  }
  const [left, right] = [await serve(site), await openServer(site)]
  async function bothKnow(token: string): Promise<void> {
    for (const server of [left, right]) expect((await get(server, token)).status).toBe(200)
  }
  async function bothRefuse(token: string): Promise<void> {
    for (const server of [right, left]) expect((await get(server, token)).status).toBe(401)
  }

  const byLogout = await signIn(left, email)
  await bothKnow(byLogout)
  expect((await logout(left, byLogout)).status).toBe(200)
  await bothRefuse(byLogout)

  const byPassword = await signIn(right, email)
  await bothKnow(byPassword)
  await command('user', 'password', email, '--password-stdin')
  await bothRefuse(byPassword)
  expect((await login(left, email)).status).toBe(401)

  const byDisabling = await signIn(left, email, 'herons wade through the terminal')
  await bothKnow(byDisabling)
  await command('user', 'disable', email)
  await bothRefuse(byDisabling)
  expect((await login(right, email, '192.0.2.1', 'herons wade through the terminal')).status).toBe(401)
  await command('user', 'enable', email)
  await bothRefuse(byDisabling)

  const byRevoking = await signIn(right, email, 'herons wade through the terminal')
  await bothKnow(byRevoking)
  await command('auth', 'revoke-all')
  await bothRefuse(byRevoking)

  const byDeleting = await signIn(right, email, 'herons wade through the terminal')
  await bothKnow(byDeleting)
  await command('user', 'delete', email)
  await bothRefuse(byDeleting)
  await left.stop('SIGTERM')
  await right.close()
})

test.runIf(isSlow)('H26 limits apply across two processes and a restart', { timeout: slow }, async () => {
  const site = await createSite(trusting)
  const { email } = await inside(site, addUser)
  let [left, right] = await Promise.all([serve(site), serve(site)])

  // One account, from many networks: exactly five attempts.
  const answers: Received[] = []
  for (const [index, server] of [left, right, left, right].entries()) {
    answers.push(await wrong(server, email, `198.51.${index}.1`))
  }
  await left.stop('SIGKILL')
  left = await serve(site)
  answers.push(await wrong(left, email.toUpperCase(), '198.51.100.1'))
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401])
  for (const server of [right, left]) {
    const refused = await login(server, email, '198.51.101.1')
    expect(refused.status).toBe(429)
    expect(Number(refused.headers['retry-after'])).toSatisfy(seconds => seconds > 0 && seconds <= 30)
  }

  // One address, many accounts: thirty in five minutes; one is refilled every ten seconds.
  const start = performance.now()
  let checked = 0
  for (let index = 0; index < 40; index++) {
    if (index === 20) {
      await right.stop('SIGTERM')
      right = await serve(site)
    }
    const { status } = await wrong(index % 2 ? left : right, `nobody${index}@example.org`, '203.0.113.9')
    expect([401, 429]).toContain(status)
    if (status === 401) checked++
  }
  expect(checked).toBeGreaterThanOrEqual(30)
  expect(checked).toBeLessThanOrEqual(30 + Math.ceil((performance.now() - start) / 10_000))
  for (const server of [left, right]) await server.stop('SIGKILL')
})

// ---- stopping

/** Whether logins from all these places have been charged: they wait for their hash, or have it. */
async function areCharged({ app }: TestApp, ips: string[]): Promise<boolean> {
  const buckets = ips.map(ip => visitorCharges(app, { ip, userAgent: '', requestId: '' })[0]!.bucket)
  const rows = await app.store.db.selectFrom('throttle').select('bucket').where('bucket', 'in', buckets).execute()
  return rows.length === ips.length
}

test.runIf(isSlow)(
  'M19 a stopping process finishes the logins in flight and exits with 0',
  { timeout: slow },
  async () => {
    // A hash slow enough that the signal arrives while it runs, and fast enough to end within ten seconds on a busy machine.
    const site = await createSite({ ...trusting, QUOIN_AUTH_ARGON2_MEMORY: '32768', QUOIN_AUTH_ARGON2_PASSES: '2' })
    const { id, email } = await inside(site, addUser)
    const server = await serve(site)
    const ips = ['192.0.2.1', '192.0.2.2']
    const logins = ips.map(ip => login(server, email, ip))
    await inside(site, async app => {
      while (!(await areCharged(app, ips))) await sleep(5)
    })
    const ended = server.stop('SIGTERM')
    const answers = await Promise.all(logins)
    // The first attempts got a slot of the hash queue; later ones may have timed out, in any order.
    const statuses = answers.map(({ status }) => status)
    expect(statuses, `with ${answers.map(({ body }) => body).join()}`).toContain(200)
    for (const status of statuses) expect([200, 503]).toContain(status)
    expect([await ended, server.output()]).toEqual([{ code: 0, signal: null }, ''])
    await expect(login(server, email)).rejects.toThrow('ECONNREFUSED')

    const again = await serve(site)
    const tokens = answers.flatMap(({ token }) => token ?? [])
    expect(tokens).toHaveLength(answers.filter(({ status }) => status === 200).length)
    for (const token of tokens) expect((await get(again, token)).status).toBe(200)
    expect(await again.stop('SIGINT'), 'an idle process').toEqual({ code: 0, signal: null })
    await inside(site, async ({ app }) => {
      const sessions = await app.store.db.selectFrom('sessions').select('user_id').execute()
      expect(sessions).toEqual(tokens.map(() => ({ user_id: id })))
    })
  },
)

test.runIf(isSlow)('an idle process stops at once', { timeout: slow }, async () => {
  const site = await createSite(trusting)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const server = await serve(site)
    // After ten seconds of waiting for requests it would end with 1.
    expect(await server.stop(signal)).toEqual({ code: 0, signal: null })
  }
})

test.runIf(isSlow)('M11 a killed process keeps every acknowledged write', { timeout: slow }, async () => {
  const site = await createSite({
    ...trusting,
    QUOIN_AUTH_THROTTLE: 'false',
    QUOIN_AUTH_SESSION_PER_USER: '1000',
  })
  const emails = await inside(site, app =>
    Promise.all(Array.from({ length: 6 }, async () => (await addUser(app, { role: 'editor' })).email)),
  )
  const alive = new Set<string>()
  const over = new Set<string>()
  const counts = { logins: 0, logouts: 0, kills: 0, addresses: 0 }
  const written = () => counts.logins + counts.logouts

  async function worker(server: Server, dead: () => boolean): Promise<void> {
    while (!dead()) {
      try {
        const ip = `10.0.${++counts.addresses >> 8}.${counts.addresses & 255}`
        const answer = await login(server, emails[randomInt(emails.length)]!, ip)
        if (answer.status === 503) continue // the queue of hashes
        expect(answer.status).toBe(200)
        counts.logins++
        alive.add(answer.token!)
        if (randomInt(5) < 2) continue
        const token = [...alive][randomInt(alive.size)]!
        alive.delete(token) // unknown until it is acknowledged
        const ended = await logout(server, token)
        expect(ended.status).toBe(200)
        counts.logouts++
        over.add(token)
      } catch (error) {
        expect((error as { code?: string }).code).toMatch(/^ECONN(RESET|REFUSED)|EPIPE|HPE_/)
        return
      }
    }
  }

  while (written() < 100 || counts.kills < 5) {
    const server = await serve(site)
    const state = { isOver: false }
    const workers = Promise.all(Array.from({ length: 5 }, () => worker(server, () => state.isOver)))
    // Killed after a number of writes, not after a time: on a busy machine few writes fit into any time.
    const enough = written() + randomInt(5, 40)
    const untilEnough = async () => {
      while (written() < enough && !state.isOver) await sleep(randomInt(1, 20))
    }
    await Promise.race([untilEnough(), workers])
    state.isOver = true
    await server.stop('SIGKILL')
    counts.kills++
    await workers
    if (engine === 'sqlite') {
      const file = new DatabaseSync(join(site.storage.data, 'quoin.db'))
      expect(file.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
      expect(file.prepare('pragma foreign_key_check').all()).toEqual([])
      file.close()
    }
  }

  const server = await serve(site)
  for (const token of alive) expect((await get(server, token)).status, 'an acknowledged login').toBe(200)
  for (const token of over) expect((await get(server, token)).status, 'an acknowledged logout').toBe(401)
  await server.stop('SIGTERM')
  expect(alive.size).toBeGreaterThan(10)
  expect(over.size).toBeGreaterThan(10)

  await inside(site, async ({ app }) => {
    const { db } = app.store
    const users = await db.selectFrom('users').select(['id', 'auth_epoch']).execute()
    const sessions = await db.selectFrom('sessions').selectAll().execute()
    const events = await db.selectFrom('audit_events').select(['event', 'session_id', 'subject_id']).execute()
    const started = events.filter(({ event }) => event === 'auth.login.ok')
    const ended = new Set(events.filter(({ event }) => event === 'auth.logout').map(({ session_id: id }) => id))
    for (const session of sessions) {
      expect(users).toContainEqual({ id: session.user_id, auth_epoch: session.auth_epoch })
      expect(session).toMatchObject({ aal: 1, amr: 'pwd', long: 0, prev_mac: null, prev_until: null })
      expect(session.token_mac).toMatch(/^[\w-]{43}$/)
      expect(session.id).toMatch(/^[a-z0-9]{16}$/)
      expect(session.idle_until - session.created_at).toBeGreaterThanOrEqual(3_599_000)
      expect(session.absolute_until).toBeGreaterThan(session.idle_until)
    }
    // Neither a session without its event nor an event without its session.
    const sessionIds = new Set(sessions.map(({ id }) => id))
    expect(new Set(started.map(({ session_id: id }) => id))).toEqual(new Set([...sessionIds, ...ended]))
    expect(started).toHaveLength(sessionIds.size + ended.size)
    expect(sessions.length).toBeGreaterThanOrEqual(alive.size)
  })
})
