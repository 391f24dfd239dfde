/** What operators rely on: log lines, health probes, start-up errors. */
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../src/platform/config.ts'
import { migrations } from '../src/platform/store/migrate.ts'
import { addUser, createTestStorage, createTestApp, engine, password } from './harness.ts'
import { addPage, createTokenClient } from './pages.ts'
import { createSite, quoin, serve } from './program.ts'

const linesOf = (output: string) =>
  output
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as Record<string, unknown>)

test('start, migrations and stop are logged', async () => {
  const server = await serve(await createSite({}, { migrated: false }))
  await server.stop('SIGTERM')
  const lines = linesOf(server.output())
  expect(lines[0]).toMatchObject({ msg: 'migrated the store', migrations: migrations.map(([name]) => name) })
  expect(lines.map(({ msg }) => msg)).toContain('started')
  expect(lines.at(-1)).toMatchObject({ msg: 'stopped', signal: 'SIGTERM' })
})

test('sign-ins and refusals are logged without personal data', async () => {
  const site = await createTestApp({ quiet: true })
  const { id, email } = await addUser(site)
  const browser = site.browser()
  await expect(browser.client.auth.login({ email, password: 'not the right password' })).rejects.toThrow('')
  await browser.client.auth.login({ email, password })
  expect(site.logged.filter(({ event }) => String(event).startsWith('auth.login'))).toMatchObject([
    { event: 'auth.login.refused', key: 'error.access.login', msg: 'refused a sign-in' },
    { event: 'auth.login.ok', user: id, msg: 'signed in' },
  ])
  expect(JSON.stringify(site.logged)).not.toContain(email)
  expect(JSON.stringify(site.logged)).not.toContain('127.0.0.1')
})

test('log.requests writes an access log, without queries', async () => {
  const site = await createTestApp({ quiet: true, settings: { log: { requests: true } } })
  const silent = await createTestApp({ quiet: true })
  for (const one of [site, silent])
    for (let times = 0; times < 2; times++) await one.request({ url: '/api/pages/notes?select=secret' })
  const line = { method: 'GET', path: '/api/pages/notes', route: '/api/pages/:id', status: 401, msg: 'answered' }
  expect(site.logged).toMatchObject([line, line])
  expect(JSON.stringify(site.logged)).not.toContain('secret')
  expect(silent.logged).toEqual([])
})

test.runIf(engine === 'sqlite')('an error about an unusable database names it', async () => {
  const site = await createSite()
  writeFileSync(join(site.storage.data, 'file'), '')
  const data = join(site.storage.data, 'file/data')
  const run = await quoin(['user', 'list', '--site', site.folder], {
    environment: { ...site.environment, QUOIN_DATA: data },
  })
  expect(run.code).toBe(1)
  expect(run.stderr).toContain(data)
})

test('with an unwritable store readiness fails', async () => {
  const storage = await createTestStorage()
  const site = await createTestApp({ storage })
  const ready = async () => (await site.request({ url: '/health/ready' })).statusCode
  expect(await ready()).toBe(200)
  if (engine === 'sqlite') {
    // Open files stay readable and new files cannot be written, as on a removed disk.
    renameSync(storage.data, `${storage.data}-away`)
    onTestFinished(() => renameSync(`${storage.data}-away`, storage.data))
  } else {
    const { db } = site.app.store
    const { sql } = await import('kysely')
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
    await sql`alter database ${sql.id(rows[0]!.name)} set default_transaction_read_only = on`.execute(db)
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(db)
    await sql`set default_transaction_read_only = on`.execute(db)
  }
  expect(await ready()).toBe(503)
  expect((await site.request({ url: '/health/live' })).statusCode).toBe(200)
})

test('with a base path the probes also work at the root', async () => {
  const site = await createTestApp({ settings: { url: 'http://localhost/cms' } })
  for (const url of ['/health/live', '/health/ready', '/cms/health/live', '/cms/health/ready'])
    expect([url, (await site.request({ url })).json()]).toEqual([url, { status: 'ok' }])
  expect((await site.request({ url: '/openapi.json' })).statusCode).toBe(404)
  expect((await site.request({ method: 'POST', url: '/health/live' })).statusCode).toBe(405)
})

test('a script without X-CSRF gets a helpful error', async () => {
  const site = await createTestApp()
  const { email } = await addUser(site)
  const browser = site.browser()
  await browser.client.auth.login({ email, password })
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const change = async (headers: Record<string, string>) => {
    const host = new URL(site.app.config.url).host
    const answer = await site.request({
      method: 'PATCH',
      url: '/api/site',
      headers: { host, cookie, ...headers },
      payload: { title: 'x' },
    })
    return answer.json<{ code: number; key: string; message: string }>()
  }
  expect(await change({})).toMatchObject({
    code: 403,
    key: 'error.auth.csrf',
    message: expect.stringContaining('X-CSRF') as string,
  })
  expect(await change({ 'x-csrf': 'x' })).toMatchObject({ code: 403, key: 'error.auth.csrf' })
  expect(await change({ origin: 'https://evil.example' })).toMatchObject({ code: 403, key: 'error.auth.origin' })
})

test('variables that Kubernetes sets for a service named quoin are not settings', async () => {
  const { data } = await createTestStorage()
  const config = await loadConfig({
    site: data,
    environment: {
      QUOIN_PORT: 'tcp://10.0.0.1:80',
      QUOIN_PORT_80_TCP: 'tcp://10.0.0.1:80',
      QUOIN_PORT_80_TCP_ADDR: '10.0.0.1',
      QUOIN_PORT_80_TCP_PORT: '80',
      QUOIN_PORT_80_TCP_PROTO: 'tcp',
      QUOIN_SERVICE_HOST: '10.0.0.1',
      QUOIN_SERVICE_PORT: '80',
      QUOIN_SERVICE_PORT_HTTP: '80',
    },
  })
  expect(config.port).toBe(4080)
  await expect(loadConfig({ site: data, environment: { QUOIN_PORT: 'http' } })).rejects.toThrow('QUOIN_PORT')
})

test('modified has one format everywhere', async () => {
  const site = await createTestApp()
  const admin = await createTokenClient(site)
  await addPage(site, '', { slug: 'a', title: 'A' })
  await admin.done('POST', 'pages/a/changes/save', { text: 'draft' })
  const page = (await admin.done('GET', 'pages/a?select=modified,created')).data
  const changes = (await admin.done('GET', 'pages/a/changes')).data
  const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/
  for (const time of [page.modified, page.created, changes.modified]) expect(time).toMatch(form)
})
