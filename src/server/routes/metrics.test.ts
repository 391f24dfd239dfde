import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createClient } from '../../../client/client.ts'
import { addUser, createTestApp, password, type TestApp } from '../../../test/harness.ts'
import { parsePrometheus } from '../../../test/prometheus.ts'

const token = 'a-token-of-some-length'

async function scrape(site: TestApp, headers: Record<string, string> = {}, url = '/metrics') {
  return site.request({ url, headers: { host: '127.0.0.1:4080', ...headers } })
}

test('only direct clients on this machine get the metrics without a token', async () => {
  const site = await createTestApp()
  const answer = await scrape(site)
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
  for (const headers of [
    { 'x-forwarded-for': '127.0.0.1' },
    { forwarded: 'for=127.0.0.1' },
    { via: '1.1 proxy' },
    { host: 'example.org' },
    { authorization: `Bearer ${token}` },
  ])
    expect([headers, (await scrape(site, headers)).statusCode]).toEqual([headers, 404])
  expect((await site.request({ url: '/metrics', remoteAddress: '192.0.2.1' })).statusCode).toBe(404)

  const behindProxy = await createTestApp({ settings: { trustedProxies: ['127.0.0.1'] } })
  expect((await scrape(behindProxy)).statusCode).toBe(404)
})

test('every client with the token gets them', async () => {
  const settings = { url: 'https://example.org/cms', host: '0.0.0.0', metrics: { token } }
  const site = await createTestApp({ settings })
  for (const url of ['/metrics', '/cms/metrics'])
    expect((await scrape(site, { authorization: `Bearer ${token}` }, url)).statusCode).toBe(200)
  for (const given of ['', 'Bearer ', `Bearer ${token}x`, `Basic ${token}`])
    expect([given, (await scrape(site, { authorization: given })).statusCode]).toEqual([given, 401])
})

test('requests are counted by endpoint and status, also those that the cache answers, and sign-ins by result', async () => {
  const site = await createTestApp({ quiet: true })
  const url = `http://127.0.0.1:${await site.listen()}`
  const { email } = await addUser(site)
  const read = async (path: string) => (await fetch(url + path, { headers: { connection: 'close' } })).status
  for (let count = 0; count < 3; count++) expect(await read('/api/pages/home')).toBe(401)
  expect(await read('/nothing')).toBe(404)
  expect((await fetch(`${url}/health/live`, { method: 'HEAD' })).status).toBe(200)
  const client = createClient({ url })
  await client.auth.login({ email, password })
  await client.auth.login({ email, password: `${password}.` }).catch(() => {})

  const metrics = parsePrometheus(await (await fetch(`${url}/metrics`)).text())
  const valueOf = (name: string, labels = '') => metrics.get(name)?.values.get(labels ? `${name}{${labels}}` : name)
  expect(valueOf('quoin_http_requests_total', 'endpoint="pages.get",status="401"')).toBe(3)
  expect(valueOf('quoin_http_cached_responses_total', 'endpoint="pages.get"')).toBe(2)
  expect(valueOf('quoin_http_requests_total', 'endpoint="unknown",status="404"')).toBe(1)
  expect(valueOf('quoin_http_requests_total', 'endpoint="auth.login",status="200"')).toBe(1)
  expect(valueOf('quoin_http_requests_total', 'endpoint="health",status="200"')).toBe(1)
  const durations = metrics.get('quoin_http_request_duration_seconds')!
  expect(durations.values.get('quoin_http_request_duration_seconds_count{endpoint="auth.login"}')).toBe(2)
  expect(valueOf('quoin_sign_ins_total', 'result="ok"')).toBe(1)
  expect(valueOf('quoin_sign_ins_total', 'result="failed"')).toBe(1)
  for (const queue of ['mail', 'webhooks', 'purge']) expect(valueOf('quoin_jobs_waiting', `queue="${queue}"`)).toBe(0)
  expect(valueOf('quoin_queue_length', 'queue="passwords",state="running"')).toBe(0)
  expect(valueOf('quoin_store_up')).toBe(1)
  const { values: transactions } = metrics.get('quoin_store_transaction_duration_seconds')!
  expect(transactions.get('quoin_store_transaction_duration_seconds_count')).toBeGreaterThan(0)
  expect(valueOf('process_resident_memory_bytes')).toBeGreaterThan(10_000_000)
  expect([...metrics.get('quoin_build_info')!.values.keys()][0]).toContain(`store="${site.app.store.name}"`)
  const again = parsePrometheus(await (await fetch(`${url}/metrics`)).text())
  expect(
    again.get('quoin_http_requests_total')!.values.get('quoin_http_requests_total{endpoint="metrics",status="200"}'),
  ).toBe(1)
  await expect
    .poll(async () =>
      parsePrometheus(await (await fetch(`${url}/metrics`)).text()).has('quoin_event_loop_delay_seconds'),
    )
    .toBe(true)
})

test('a store that cannot be read is reported, and the scrape goes on', async () => {
  const site = await createTestApp()
  await sql.raw('alter table jobs rename to lost').execute(site.app.store.db)
  const metrics = parsePrometheus((await scrape(site)).body)
  expect(metrics.get('quoin_store_up')!.values.get('quoin_store_up')).toBe(0)
})
