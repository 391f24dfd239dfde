/** PostgreSQL behind PgBouncer in transaction mode, and URLs with several hosts. */
import { CompiledQuery, sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { startReplicated } from '../tools/postgres.ts'
import {
  createTestApp,
  createTestStorage,
  addUser,
  engine,
  password,
  type TestStorage,
  type TestApp,
} from './harness.ts'
import { openPostgres } from '../src/platform/store/postgres.ts'
import { openStore } from '../src/platform/store/open.ts'
import { addPage, createTokenClient } from './pages.ts'
import { hasPgBouncer, keepsStatements, startPgBouncer } from './pgbouncer.ts'
import { createProxy } from './proxy.ts'
import { getWith, sessionCookie } from './sign-in.ts'
import { isSlow } from './slow.ts'

const isSlowPostgres = engine === 'postgres' && isSlow
/** What the titles end with, so that the report says why these tests are skipped. */
const skipNote = hasPgBouncer ? '' : ' (skipped: PgBouncer is not installed)'

/** The storage with another URL of its database. */
const storageAt = (storage: TestStorage, url: string): TestStorage => ({
  ...storage,
  settings: { data: storage.data, database: { url } },
})

async function signIn(site: TestApp) {
  const { email } = await addUser(site)
  const browser = site.browser()
  await browser.client.auth.login({ email, password })
  return browser.cookies.get(sessionCookie)!
}

test.runIf(isSlowPostgres && hasPgBouncer)(`a site works behind PgBouncer in transaction mode${skipNote}`, async () => {
  const storage = await createTestStorage()
  const bouncer = await startPgBouncer(storage.settings.database!.url!, 3)
  const site = await createTestApp({ storage: storageAt(storage, bouncer.url), quiet: true })
  const logText = site.logged.map(line => line['msg']).join('\n')
  expect(logText).toMatch(/behind a pooler: wrote statement_timeout, lock_timeout, .*jit/)
  expect(logText.includes('does not keep prepared statements')).toBe(!keepsStatements)

  await bouncer.reconnect()
  const settingOf = async (name: string) => {
    const { rows } = await sql<{ value: string }>`select current_setting(${name}) as value`.execute(site.app.store.db)
    return rows[0]!.value
  }
  expect([await settingOf('statement_timeout'), await settingOf('lock_timeout'), await settingOf('jit')]).toEqual([
    '10s',
    '5s',
    'off',
  ])

  const token = await signIn(site)
  await addPage(site, '', { slug: 'a', title: 'A', draft: false })
  const admin = await createTokenClient(site)
  const addAndEditPage = async (number: number) => {
    await admin.done('POST', 'pages/a/children', { slug: `b-${number}`, title: `B ${number}` })
    expect((await getWith(site, token)).statusCode).toBe(200)
    await admin.done('PATCH', `pages/a+b-${number}`, { title: `C ${number}` })
    await admin.done('GET', 'pages/a/children?status=all')
  }
  await Promise.all(Array.from({ length: 30 }, (_, number) => addAndEditPage(number)))

  // A command has timeouts of its own, which are not those of the role.
  const command = await openStore(site.app.config, { isMaintenance: true })
  onTestFinished(() => command.close())
  const { rows } = await command.write(tx => sql`show statement_timeout`.execute(tx))
  expect(rows).toEqual([{ statement_timeout: '10min' }])
  expect(await settingOf('statement_timeout')).toBe('10s')

  // A second start finds everything in place.
  const second = await createTestApp({ storage: storageAt(storage, bouncer.url), quiet: true })
  expect(second.logged.map(line => line['msg']).join('\n')).not.toContain('wrote')
})

test.runIf(isSlowPostgres && hasPgBouncer)(
  `requests are answered with 503 while PgBouncer points to a standby${skipNote}`,
  async () => {
    const { primary, standby } = await startReplicated()
    const storage = await createTestStorage()
    const bouncer = await startPgBouncer(primary.url, 3)
    const site = await createTestApp({ storage: storageAt(storage, bouncer.url) })
    onTestFinished(async () => {
      await site.close()
      await standby.stop()
      await primary.stop()
    })
    const token = await signIn(site)
    const admin = await createTokenClient(site)
    expect((await getWith(site, token)).statusCode).toBe(200)
    await bouncer.redirectTo(standby.url)
    await expect.poll(async () => (await getWith(site, token)).statusCode, { timeout: 60_000 }).toBe(503)
    expect((await admin.call('GET', 'site')).status).toBe(503)
    expect((await site.request({ url: '/health/ready' })).statusCode).toBe(503)
    await bouncer.redirectTo(primary.url)
    await expect.poll(async () => (await getWith(site, token)).statusCode, { timeout: 60_000 }).toBe(200)
  },
)

test.runIf(engine === 'postgres')('a URL with several hosts uses the one that is available', async () => {
  const storage = await createTestStorage()
  const url = storage.settings.database!.url!
  const [one, two] = [await createProxy(url), await createProxy(url)]
  one.setState('down')
  const hosts = [one, two].map(proxy => new URL(proxy.url).host)
  const both = `${two.url.replace(hosts[1]!, hosts.join(','))}?target_session_attrs=read-write`
  const site = await createTestApp({ storage: storageAt(storage, both) })
  onTestFinished(async () => {
    await site.close()
    await one.close()
    await two.close()
  })
  const token = await signIn(site)
  one.setState('open')
  two.setState('down')
  await expect.poll(async () => (await getWith(site, token)).statusCode, { timeout: 60_000 }).toBe(200)
  one.setState('down')
  expect((await getWith(site, token)).statusCode).toBe(503)
})

test.runIf(engine === 'postgres')(
  'a host that does not answer is given up after three seconds, a busy one is not',
  async () => {
    const storage = await createTestStorage()
    const [silent, working] = await Promise.all([0, 1].map(() => createProxy(storage.settings.database!.url!)))
    silent!.setState('silent')
    const hosts = [silent!, working!].map(proxy => new URL(proxy.url).host)
    const url = working!.url.replace(hosts[1]!, hosts.join(','))
    const store = await openPostgres({ url, connections: 1, timeout: 10_000, onError: () => {} })
    onTestFinished(async () => {
      await store.close()
      await silent!.close()
      await working!.close()
    })
    const read = (text: string) => store.read(CompiledQuery.raw(text))
    const [, found] = await Promise.all([read('select pg_sleep(3.2)'), read('select 1 as one')])
    expect(found).toEqual([{ one: 1 }])
  },
)
