import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestApp, createTestStorage, type TestApp } from '../../../test/harness.ts'
import { createTokenClient } from '../../../test/pages.ts'
import { defineExtension, documents, endpoint, json, z } from '../../index.ts'
import { loadConfig } from '../config.ts'
import { openMedia } from '../media/open.ts'
import { backup } from '../../transfer/backup/backup.ts'
import { restore } from '../../transfer/backup/restore.ts'

const subscribers = documents('subscribers', {
  value: z.strictObject({ email: z.string(), list: z.string(), count: z.int().default(0) }),
  index: ['email', 'list'],
})
const secret = documents('secret', { value: z.unknown() })

const change = z.strictObject({ key: z.string(), value: z.unknown(), version: z.int().optional() })
const query = z.strictObject({
  list: z.string().optional(),
  prefix: z.string().optional(),
  after: z.string().optional(),
  limit: z.coerce.number().optional(),
})

const newsletter = defineExtension({
  name: 'newsletter',
  store: [subscribers],
  endpoints: {
    list: endpoint({
      method: 'GET',
      path: '/subscribers',
      summary: 'List',
      access: 'session',
      query,
      answer: json(z.object({ keys: z.array(z.string()), next: z.string().nullable(), total: z.int() })),
      handler: async ({ cms, query: { list, ...paging } }) => {
        const where = { list }
        const { data, next = null } = await cms.store(subscribers).list({ where, ...paging })
        return { keys: data.map(({ key }) => key), next, total: await cms.store(subscribers).count(where) }
      },
    }),
    get: endpoint({
      method: 'GET',
      path: '/subscribers/:key',
      summary: 'Retrieve',
      access: 'session',
      answer: json(z.object({ found: z.unknown() })),
      handler: async ({ cms, params }) => ({ found: (await cms.store(subscribers).get(params.key)) ?? null }),
    }),
    put: endpoint({
      method: 'POST',
      path: '/subscribers',
      summary: 'Subscribe',
      access: 'session',
      body: change,
      answer: json(z.object({ version: z.int() })),
      handler: async ({ cms, body: { key, value, version } }) => {
        const put = cms.store(subscribers).put(key, value as z.output<(typeof subscribers)['value']>, { version })
        return { version: (await put).version }
      },
    }),
    delete: endpoint({
      method: 'DELETE',
      path: '/subscribers/:key/:version',
      summary: 'Unsubscribe',
      access: 'session',
      answer: json(z.object({ deleted: z.boolean() })),
      handler: async ({ cms, params: { key, version } }) => {
        const options = version === 'any' ? {} : { version: Number(version) }
        return { deleted: await cms.store(subscribers).delete(key, options) }
      },
    }),
    other: endpoint({
      method: 'GET',
      path: '/other',
      summary: 'Open what is not declared',
      access: 'session',
      answer: json(z.unknown()),
      handler: async ({ cms }) => cms.store(secret).get('a'),
    }),
  },
})

async function open(storage?: TestApp['storage']) {
  const site = await createTestApp({ settings: { extensions: [newsletter] }, ...(storage && { storage }) })
  const client = await createTokenClient(site)
  const path = 'extensions/newsletter/subscribers'
  return {
    site,
    other: () => client.call('GET', 'extensions/newsletter/other'),
    list: (asked = '') => client.call('GET', `${path}${asked}`),
    get: (key: string) => client.call('GET', `${path}/${key}`),
    put: (key: string, value: unknown, version?: number) => client.call('POST', path, { key, value, version }),
    remove: (key: string, version: number | 'any' = 'any') => client.call('DELETE', `${path}/${key}/${version}`),
  }
}

const ada = { email: 'ada@example.org', list: 'news' }

test('documents are written, read, listed by index and prefix, counted and deleted', async () => {
  const { list, get, put, remove, other } = await open()
  expect(await get('a1')).toMatchObject({ found: null })
  expect(await put('a1', ada)).toMatchObject({ version: 1 })
  expect(await put('a1', { ...ada, count: 2 })).toMatchObject({ version: 2 })
  for (const key of ['a2', 'B1', 'b1', 'é']) await put(key, { email: `${key}@example.org`, list: 'jobs' })
  expect(await get('a1')).toMatchObject({ found: { key: 'a1', value: { ...ada, count: 2 }, version: 2 } })
  expect(await list()).toMatchObject({ keys: ['B1', 'a1', 'a2', 'b1', 'é'], next: null, total: 5 })
  expect(await list('?list=jobs')).toMatchObject({ keys: ['B1', 'a2', 'b1', 'é'], total: 4 })
  expect(await list('?prefix=a')).toMatchObject({ keys: ['a1', 'a2'] })
  expect(await list('?limit=2')).toMatchObject({ keys: ['B1', 'a1'], next: 'a1' })
  expect(await list('?limit=2&after=a1&list=jobs')).toMatchObject({ keys: ['a2', 'b1'], next: 'b1' })
  expect([await remove('a1'), await remove('a1')]).toMatchObject([{ deleted: true }, { deleted: false }])
  expect(await other()).toMatchObject({ status: 500, key: 'error.extension.failed' })
})

test('what does not fit is refused, and a document that has changed meanwhile', async () => {
  const { get, list, put, remove } = await open()
  for (const [key, value] of [
    ['', ada],
    ['x'.repeat(201), ada],
    ['x', { email: 5 }],
    ['x', { ...ada, more: 1 }],
    ['x', { ...ada, list: 'x'.repeat(1_000_001) }],
    ['x', { ...ada, list: 'x'.repeat(201) }],
    ['x', { ...ada, list: 'a\0b' }],
    ['a\0b', ada],
  ] as const)
    expect((await put(key, value)).status).toBeGreaterThanOrEqual(400)
  expect(await get('x')).toMatchObject({ found: null })
  expect(await list('?limit=0.5')).toMatchObject({ keys: [] })
  expect(await put('x', ada, 0)).toMatchObject({ version: 1 })
  const stale = { status: 412, key: 'error.document.changed' }
  expect([await put('x', ada, 0), await put('x', ada, 2), await remove('x', 2)]).toMatchObject([stale, stale, stale])
  const races = await Promise.all(Array.from({ length: 5 }, () => put('x', ada, 1)))
  expect(races.filter(({ status }) => status === 200)).toHaveLength(1)
  expect([await remove('x', 2), await remove('x', 2)]).toMatchObject([{ deleted: true }, stale])
})

test('they are in backups, and restored with their versions', async () => {
  const { site, put, get } = await open()
  await put('a1', ada)
  await put('a1', { ...ada, count: 1 })
  const storage = await createTestStorage({ migrated: false })
  const file = join(storage.data, 'backup.tar')
  await backup(site.app, file)
  const config = await loadConfig({ site: storage.data, options: storage.settings })
  await restore({ config, media: openMedia(config, site.app.log) }, file)
  const restored = await open(storage)
  expect((await restored.get('a1'))['found' as never]).toEqual((await get('a1'))['found' as never])
  expect(await restored.put('a1', ada, 2)).toMatchObject({ version: 3 })
  expect(await restored.list('?list=news')).toMatchObject({ keys: ['a1'] })
})
