import { request } from 'node:http'
import { expect, test } from 'vitest'
import { createTestApp, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { createTokenClient } from '../../test/pages.ts'
import { until } from '../../test/until.ts'
import { defineExtension, documents, endpoint, json, z } from '../index.ts'

const notes = documents('notes', { value: z.string() })
const ok = json(z.object({ ok: z.literal(true) }))

interface Call {
  signal: AbortSignal
  /** How the handler ends after its signal was aborted. */
  ending: Promise<unknown>
}
const calls: Call[] = []

/** Waits for its signal, then writes a document. */
const waiting = (path: `/${string}`, timeout?: number) =>
  endpoint({
    method: 'POST',
    path,
    summary: 'Wait until the request is over',
    access: 'public',
    ...(timeout !== undefined && { timeout }),
    answer: ok,
    handler: async ({ cms, signal }) => {
      const aborted = new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))
      const ending = aborted.then(() => cms.store(notes).put(path, 'written')).catch((error: unknown) => error)
      calls.push({ signal, ending })
      await ending
      return { ok: true as const }
    },
  })

const reading = (path: `/${string}`, more: { sharedMaxAge?: number } = {}) =>
  endpoint({ method: 'GET', path, summary: 'Read', access: 'reader', ...more, answer: ok, handler: async () => ({ ok: true as const }) }) // prettier-ignore

const slow = defineExtension({
  name: 'slow',
  store: [notes],
  endpoints: {
    hasty: waiting('/hasty', 20),
    patient: waiting('/patient'),
    read: reading('/read'),
    kept: reading('/kept', { sharedMaxAge: 10 }),
  },
})

async function open() {
  const storage = await createTestStorage()
  writeBlueprints(storage.data, { 'users/nobody.yml': 'title: Everyone' })
  const site = await createTestApp({ storage, settings: { extensions: [slow] } })
  calls.length = 0
  return site
}

test('an endpoint that takes too long is answered with 503, and can store nothing any more', async () => {
  const site = await open()
  const client = await createTokenClient(site)
  expect(await client.call('POST', 'extensions/slow/hasty')).toMatchObject({
    status: 503,
    key: 'error.extension.timeout',
    message: 'The extension “slow” did not respond to POST /api/extensions/slow/hasty in time.',
  })
  expect(calls[0]!.signal.aborted).toBe(true)
  expect(await calls[0]!.ending).toMatchObject({ message: 'no answer within 20 ms' })
  expect(await site.app.store.db.selectFrom('documents').select('key').execute()).toEqual([])
  expect(site.logged.filter(({ event }) => event === 'extension.timeout')).toMatchObject([
    { extension: 'slow', part: 'POST /api/extensions/slow/hasty' },
  ])
})

test('the signal is aborted when the client goes; what was begun can be stored', async () => {
  const site = await open()
  const port = await site.listen()
  const { host } = new URL(site.app.config.url)
  const sent = request({ port, method: 'POST', path: '/api/extensions/slow/patient', headers: { host } })
  sent.on('error', () => {}).end()
  await until(() => expect(calls).toHaveLength(1))
  expect(calls[0]!.signal.aborted).toBe(false)
  sent.destroy()
  expect(await calls[0]!.ending).toMatchObject({ key: '/patient', version: 1 })
  expect(calls[0]!.signal.reason).toMatchObject({ message: 'the client has gone' })
})

test('shared caches keep what visitors read only if the endpoint says for how long', async () => {
  const site = await open()
  const { host } = new URL(site.app.config.url)
  const headersOf = async (path: string) =>
    (await site.request({ url: `/api/extensions/slow/${path}`, headers: { host } })).headers
  expect(await headersOf('read')).toMatchObject({ 'cache-control': 'private, no-cache', etag: expect.any(String) })
  expect(await headersOf('kept')).toMatchObject({
    'cache-control': 'public, max-age=0, s-maxage=10, stale-while-revalidate=60',
  })
})

const of = (answer: Parameters<typeof json>[0], more: object = {}) =>
  endpoint({ method: 'GET', path: '/a', summary: 'A', access: 'public', ...more, answer: json(answer), handler: async () => ({}) }) // prettier-ignore

test('an answer that cannot be JSON, and wrong limits, are refused at the start', async () => {
  const problemOf = async (one: ReturnType<typeof of>) => {
    const extensions = [defineExtension({ name: 'shop', endpoints: { a: one } })]
    const opened = await createTestApp({ settings: { extensions } }).catch((error: unknown) => error)
    return (opened as Error).message
  }
  expect(await problemOf(of(z.object({ at: z.date() })))).toMatch(
    /shop \(.*\): endpoints\.a: its answer must be JSON: Date cannot/,
  )
  expect(await problemOf(of(z.string().transform(text => text.length)))).toMatch(/endpoints\.a: .*Transforms cannot/)
  expect(await problemOf(of(z.object({}), { timeout: 0 }))).toMatch(/endpoints\.a: timeout must be/)
  expect(await problemOf(of(z.object({}), { sharedMaxAge: -1 }))).toMatch(/endpoints\.a: sharedMaxAge must be/)
})

test('what an answer breaks of its schema is logged without its values, also if the schema is asynchronous', async () => {
  const schema = z.object({ count: z.int(), list: z.array(z.strictObject({ name: z.string().refine(async name => name !== 'SECRET', 'taken') })) }) // prettier-ignore
  const shop = defineExtension({
    name: 'shop',
    endpoints: {
      a: endpoint({
        method: 'POST',
        path: '/a',
        summary: 'Answer what is sent',
        access: 'session',
        body: z.unknown(),
        answer: json(schema),
        handler: async ({ body }) => body as z.output<typeof schema>,
      }),
    },
  })
  const site = await createTestApp({ settings: { extensions: [shop] } })
  const client = await createTokenClient(site)
  const fine = { count: 1, list: [{ name: 'a' }] }
  expect(await client.call('POST', 'extensions/shop/a', fine)).toMatchObject({ status: 200, ...fine })
  const wrong = { count: 'SECRET', list: [{ name: 'a' }, { name: 'SECRET' }] }
  expect(await client.call('POST', 'extensions/shop/a', wrong)).toMatchObject({
    status: 500,
    key: 'error.extension.answer',
  })
  const line = site.logged.find(({ msg }) => String(msg).includes('has answered what its schema forbids'))
  expect(line).toMatchObject({
    extension: 'shop',
    part: 'POST /api/extensions/shop/a',
    issues: expect.arrayContaining([
      { path: 'count', message: 'Invalid input: expected number, received string' },
      { path: 'list.1.name', message: 'taken' },
    ]) as object,
  })
  expect(JSON.stringify(line)).not.toContain('SECRET')
})
