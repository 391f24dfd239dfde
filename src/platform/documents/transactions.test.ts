import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { QuoinError } from '../../../client/client.ts'
import { routes } from '../../../client/routes.ts'
import { type Dump, dump } from '../../../test/dump.ts'
import { samplesOf } from '../../../test/guide-samples.ts'
import { createTestApp, createTestStorage, type TestApp, writeBlueprints } from '../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'
import { bodiesOf, createModels, describeModels, type SampleModels, urlOf } from '../../../test/samples.ts'
import { isSlow } from '../../../test/slow.ts'
import { addToken } from '../../../test/tokens.ts'
import { api } from '../../api.ts'
import { type AnyEndpoint, listEndpoints } from '../../http/endpoint.ts'
import { defineExtension, documents, endpoint, type Extension, json, z } from '../../index.ts'

const orders = documents('orders', {
  value: z.strictObject({ product: z.string(), count: z.int() }),
  index: ['product'],
})
const counts = documents('counts', { value: z.number() })
const dates = documents('dates', { value: z.date() })
const undeclared = documents('undeclared', { value: z.unknown() })

type Call = (...input: unknown[]) => Promise<unknown>
const methodOf = (client: object, name: string): Call =>
  name.split('.').reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], client) as Call

const shop = defineExtension({
  name: 'shop',
  store: [orders, counts, dates],
  endpoints: {
    write: endpoint({
      method: 'POST',
      path: '/write',
      summary: 'Write several documents',
      access: 'session',
      body: z.strictObject({ changes: z.array(z.tuple([z.string(), z.string(), z.unknown(), z.int().optional()])) }),
      answer: json(z.object({ problem: z.string().nullable() })),
      handler: async ({ cms, body }) => ({
        problem: await problemOf(() =>
          cms.write(
            body.changes.map(([name, key, value, version]) => {
              const collection = { orders, counts, undeclared }[name] as typeof undeclared
              return value === null ? collection.delete(key, { version }) : collection.put(key, value, { version })
            }),
          ),
        ),
      }),
    }),
    with: endpoint({
      method: 'POST',
      path: '/with',
      summary: 'Call a method, and write a document with it',
      access: 'session',
      body: z.strictObject({
        name: z.string(),
        input: z.array(z.unknown()),
        key: z.string(),
        version: z.int().optional(),
        upload: z.boolean().default(false),
      }),
      answer: json(z.object({ problem: z.string().nullable() })),
      handler: async ({ cms, body: { name, input, key, version, upload } }) => ({
        problem: await problemOf(() =>
          methodOf(cms.with([orders.put(key, { product: name, count: 1 }, { version })]), name)(
            ...input,
            ...(upload ? [formOf(name)] : []),
          ),
        ),
      }),
    }),
    stale: endpoint({
      method: 'POST',
      path: '/stale',
      summary: 'Write a document that has changed meanwhile, in every way',
      access: 'session',
      answer: json(z.array(z.string().nullable())),
      handler: async ({ cms }) => {
        const change = counts.put('a', 2, { version: 7 })
        await cms.store(counts).put('a', 1)
        return Promise.all(
          [
            () => cms.store(counts).put('a', 2, { version: 7 }),
            () => cms.store(counts).delete('a', { version: 7 }),
            () => cms.write([change]),
            () => cms.with([change]).site.children.create({ slug: 'stale', template: 'note' }),
          ].map(problemOf),
        )
      },
    }),
    twice: endpoint({
      method: 'POST',
      path: '/twice',
      summary: 'Use `with` for two calls',
      access: 'session',
      answer: json(z.object({ problem: z.string().nullable() })),
      handler: async ({ cms }) => {
        const both = cms.with([counts.put('twice', 1)])
        await both.site.children.create({ slug: 'one', template: 'note' })
        return { problem: await problemOf(() => both.site.children.create({ slug: 'two', template: 'note' })) }
      },
    }),
    date: endpoint({
      method: 'POST',
      path: '/date',
      summary: 'Write what would be read as something else',
      access: 'session',
      answer: json(z.object({ problem: z.string().nullable() })),
      handler: async ({ cms }) => ({ problem: await problemOf(() => cms.store(dates).put('a', new Date())) }),
    }),
  },
})

function formOf(name: string): FormData {
  const form = new FormData()
  form.set('file', new File([`# ${name}`], 'other.md', { type: 'text/markdown' }))
  return form
}

async function problemOf(call: () => Promise<unknown>): Promise<string | null> {
  try {
    await call()
    return null
  } catch (error) {
    return error instanceof QuoinError ? error.key : String(error)
  }
}

async function open() {
  const storage = await createTestStorage()
  describeModels(storage)
  const site = await createTestApp({ storage, settings: { extensions: [shop] } })
  const admin = await createTokenClient(site)
  const post = async (path: string, body?: object) =>
    ((await admin.done('POST', `extensions/shop/${path}`, body)) as unknown as { problem: string | null }).problem
  return {
    site,
    admin,
    write: (...changes: [string, string, unknown, number?][]) => post('write', { changes }),
    with: (name: string, input: unknown[], more: { key?: string; version?: number; upload?: boolean } = {}) =>
      post('with', { name, input, key: name, ...more }),
    post,
    stored: async () =>
      (await site.app.store.db.selectFrom('documents').select(['collection', 'key']).orderBy('key').execute()).map(
        ({ collection, key }) => `${collection} ${key}`,
      ),
  }
}

const order = { product: 'lamp', count: 1 }
const changed = 'error.document.changed'

test('several documents are written in one transaction, or none of them', async () => {
  const { write, stored, post } = await open()
  expect(await write(['orders', 'a', order], ['counts', 'a', 1], ['counts', 'b', 2])).toBeNull()
  expect(await stored()).toEqual(['counts a', 'orders a', 'counts b'])
  expect(await write(['counts', 'c', 3], ['orders', 'a', order, 0])).toBe(changed)
  expect(await write(['counts', 'b', null, 2], ['orders', 'z', order])).toBe(changed)
  expect(await write(['counts', 'b', null], ['counts', 'none', null], ['orders', 'z', order, 0])).toBeNull()
  expect(await stored()).toEqual(['counts a', 'orders a', 'orders z'])
  expect(await write(['counts', 'x', 1], ['orders', 'x', { product: 5 }])).toMatch(/expected string/)
  expect(await write(['counts', 'x', 1], ['counts', 'x', 2])).toMatch(/"x" of the documents "counts" is changed twice/)
  expect(await write(['counts', 'x', 1], ['undeclared', 'x', 2])).toMatch(/\[undeclared\] is not declared/)
  expect(await write(...Array.from({ length: 1001 }, (_, key) => ['counts', `${key}`, 1] as never))).toMatch(/1000/)
  expect(await post('date')).toMatch(/does not accept its own values/)
  expect(await stored()).toEqual(['counts a', 'orders a', 'orders z'])
})

test('a document that has changed meanwhile is the same error, however it is written', async () => {
  const { admin } = await open()
  const answer = await admin.call('POST', 'extensions/shop/stale')
  expect(Object.values(answer).filter(value => typeof value === 'string')).toEqual(Array(4).fill(changed))
})

test('with is for one call, and says so', async () => {
  const { post, admin } = await open()
  expect(await post('twice')).toBe('TypeError: with: the documents are written with one call; call `with` again')
  expect((await admin.call('GET', 'pages/two')).status).toBe(404)
})

test('of concurrent transactions with the same documents each is complete', async () => {
  const { write, site } = await open()
  const keys = ['a', 'b', 'c']
  await Promise.all(
    Array.from({ length: 12 }, (_, number) =>
      write(...(number % 2 ? keys : keys.toReversed()).map(key => ['counts', key, number] as [string, string, number])),
    ),
  )
  const rows = await site.app.store.db.selectFrom('documents').select(['value', 'version']).execute()
  expect(rows.map(({ version }) => version)).toEqual([12, 12, 12])
  expect(new Set(rows.map(({ value }) => value)).size).toBe(1)
})

test('a document is stored with the change of content, or neither is', async () => {
  const { admin, with: change, stored } = await open()
  await admin.done('POST', 'site/children', { slug: 'lamp', template: 'note', content: { title: 'Lamp' } })
  const text = async () => (await admin.done('GET', 'pages/lamp?select=content,revision')).data as object
  expect(await change('pages.update', [{ id: 'lamp' }, { text: 'One' }], { version: 0 })).toBeNull()
  expect([await stored(), await text()]).toMatchObject([['orders pages.update'], { content: { text: 'One' } }])
  // The document is refused.
  expect(await change('pages.update', [{ id: 'lamp' }, { text: 'Two' }], { version: 0 })).toBe('error.document.changed')
  expect(await text()).toMatchObject({ content: { text: 'One' }, revision: 2 })
  // The change is refused.
  const stale = [{ id: 'lamp', ifMatch: 1 }, { text: 'Two' }]
  expect(await change('pages.update', stale, { key: 'new' })).toBe('error.content.changed')
  expect(await change('pages.update', [{ id: 'none' }, { text: 'Two' }], { key: 'new' })).toBe('error.page.notFound')
  expect(await stored()).toEqual(['orders pages.update'])
  // Nothing to change, a draft, an upload, a deletion.
  expect(await change('pages.update', [{ id: 'lamp' }, { text: 'One' }], { key: '1' })).toBeNull()
  expect(await change('pages.changes.save', [{ id: 'lamp' }, { text: 'Draft' }], { key: '2' })).toBeNull()
  expect(await change('pages.files.upload', [{ id: 'lamp' }], { key: '3', upload: true })).toBeNull()
  expect(await change('pages.delete', [{ id: 'lamp' }, {}], { key: '4' })).toBeNull()
  expect(await stored()).toEqual(['orders 1', 'orders 2', 'orders 3', 'orders 4', 'orders pages.update'])
  expect(await change('pages.get', [{ id: 'lamp' }])).toMatch(/pages\.get changes no content/)
  expect(await change('system.webhooks.create', [{}])).toMatch(/changes no content/)
})

const writes = [...listEndpoints(api)].filter(
  ([name, { method }]) =>
    method !== 'GET' && /^(?:pages|site|users|languages)\./.test(name) && !/\.(?:find|query)$/.test(name),
)

/** As the client takes it: parameters of the path, then the body. */
function inputOf(name: string, called: AnyEndpoint, models: SampleModels, body: unknown): unknown[] {
  const names = [...called.path.matchAll(/:(\w+)/g)].map(([, param]) => param!)
  const pattern = new RegExp(`${called.path.replaceAll(/:\w+/g, '([^/]+)')}$`)
  const [, ...values] = pattern.exec(urlOf(called, models))!
  const params = Object.fromEntries(names.map((param, at) => [param, decodeURIComponent(values[at]!)]))
  const [, , takes] = routes[name]!
  return [...(names.length > 0 || takes.includes('query') ? [params] : []), ...(body === undefined ? [] : [body])]
}

const isUpload = ({ upload }: AnyEndpoint) => upload !== undefined

/** Without what is written besides the change: claimed bytes, refusals, and when a token was used. */
async function contentOf(site: TestApp): Promise<Dump> {
  const besides = new Set(['blobs', 'audit_events', 'api_tokens', 'throttle'])
  return Object.fromEntries(Object.entries(await dump(site)).filter(([table]) => !besides.has(table)))
}

test('no change of content, accounts or languages is stored without its document', { timeout: 240_000 }, async () => {
  const { site, admin, with: change, stored } = await open()
  const { token } = await addToken(site.app, { userId: admin.id, name: 'x', scopes: ['*'] })
  const models = await createModels(site, undefined, { authorization: `Bearer ${token}` })
  const before = await contentOf(site)
  const joined = new Set<string>()
  for (const [name, called] of writes)
    for (const body of isSlow ? bodiesOf(called) : bodiesOf(called).slice(-1)) {
      const input = inputOf(name, called, models, body)
      // No document has this version, so every change is rolled back.
      const problem = await change(name, input, { version: 7, upload: isUpload(called) })
      expect([name, body, problem]).not.toEqual([name, body, null])
      if (problem === 'error.document.changed') joined.add(name)
    }
  expect(await contentOf(site)).toEqual(before)
  for (const name of ['pages.update', 'pages.changes.publish', 'site.files.upload', 'users.create', 'languages.create'])
    expect(joined).toContain(name)
  expect(joined.size).toBeGreaterThan(45)

  // The other way round: what is refused leaves no document.
  for (const [name, called] of writes) {
    const problem = await change(name, inputOf(name, called, models, bodiesOf(called).at(-1)), {
      upload: isUpload(called),
    })
    expect([name, problem, (await stored()).includes(`orders ${name}`)]).toEqual([name, problem, problem === null])
  }
})

test('the sample of the guide: orders that are written with the stock, and with the page when it is sold out', async () => {
  const sample = samplesOf('docs/guide/extending.md').find(({ code }) => code.startsWith('// extensions/stock.ts'))!
  const storage = await createTestStorage()
  writeBlueprints(storage.data, { 'pages/product.yml': 'fields: { soldout: { type: toggle } }' })
  const program = join(import.meta.dirname, '../../index.ts')
  writeFileSync(join(storage.data, 'stock.ts'), sample.code.replace("'quoin'", JSON.stringify(program)))
  const { stockroom } = (await import(/* @vite-ignore */ join(storage.data, 'stock.ts'))) as { stockroom: Extension }
  const site = await createTestApp({ storage, settings: { extensions: [stockroom] } })
  await addPage(site, '', { slug: 'lamp', template: 'product', status: 'listed' })
  const left = { extension: 'stock', collection: 'stock', key: 'lamp', value: '{"left":3}', version: 1 }
  const nothing = { index_1: null, index_2: null, index_3: null, created_at: 0, modified_at: 0 }
  await site.app.store.db
    .insertInto('documents')
    .values({ ...left, ...nothing })
    .execute()
  const admin = await createTokenClient(site)
  const buy = (id: string, count: number) =>
    admin.call('POST', `extensions/stock/orders/${id}`, { product: 'lamp', count })
  const soldout = async () =>
    ((await admin.done('GET', 'pages/lamp?select=content')).data as { content: { soldout?: boolean } }).content.soldout
  expect(await buy('1', 2)).toMatchObject({ left: 1 })
  expect(await soldout()).toBeFalsy()
  expect(await buy('2', 2)).toMatchObject({ status: 409, key: 'error.stock.soldOut' })
  expect(await buy('1', 1)).toMatchObject({ status: 412, key: 'error.document.changed' })
  expect(await soldout()).toBeFalsy()
  expect(await buy('2', 1)).toMatchObject({ left: 0 })
  expect(await soldout()).toBe(true)
})
