import { beforeAll, expect, test } from 'vitest'
import { createTestApp, createTestStorage, type TestApp, writeBlueprints } from '../../test/harness.ts'
import { shop } from '../../test/extension.ts'
import { createTokenClient, type TokenClient } from '../../test/pages.ts'

let site: TestApp
let admin: TokenClient
const clerkRole = 'title: Clerk\npermissions: { "*": false, access: { panel: true }, shop: { orders: true } }'

beforeAll(async () => {
  const storage = await createTestStorage()
  writeBlueprints(storage.data, { 'users/clerk.yml': clerkRole, 'pages/order.yml': 'title: Order' })
  site = await createTestApp({ storage, settings: { extensions: [shop({ currency: 'EUR' })] } })
  admin = await createTokenClient(site)
})

const path = 'extensions/shop'
const get = (url: string, headers: Record<string, string> = {}) =>
  site.request({ url: `/api/${path}/${url}`, headers: { host: new URL(site.app.config.url).host, ...headers } })

test('an endpoint is served below the name of its extension, with its own throttle', async () => {
  const statuses: number[] = []
  for (let count = 0; count < 7; count++) statuses.push((await get('currency')).statusCode)
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429])
  expect((await site.request({ url: '/api/shop/currency' })).statusCode).toBe(404)
})

test('its permissions are those of roles, tokens and accounts', async () => {
  const editor = await createTokenClient(site, { role: 'editor' })
  const clerk = await createTokenClient(site, { role: 'clerk' })
  const narrow = await createTokenClient(site, { scopes: ['pages.*', 'site.*'] })
  const named = await createTokenClient(site, { scopes: ['shop.orders', 'site.*', 'pages.*'] })
  expect(
    await Promise.all([admin, editor, clerk, narrow, named].map(by => by.call('GET', `${path}/orders`))),
  ).toMatchObject(
    // The clerk may call the endpoint, but sees no pages: `cms` has the permissions of the caller.
    [
      { status: 200 },
      { status: 403, key: 'error.permission' },
      { status: 200, data: [], caller: 'clerk' },
      { status: 403 },
      { status: 200 },
    ],
  )
  expect(await admin.call('GET', `${path}/drafts`), 'a permission on pages').toMatchObject({ status: 200 })
  expect(await clerk.call('GET', `${path}/drafts`)).toMatchObject({ status: 403, key: 'error.page.update.permission' })
  const { data } = (await admin.done('GET', 'roles/clerk')) as unknown as { data: { permissions: object } }
  expect(data.permissions).toMatchObject({ shop: { orders: true, prices: false }, pages: { read: false } })
})

test('a caller without the permissions of an extension cannot give a role that has them', async () => {
  const storage = await createTestStorage()
  writeBlueprints(storage.data, {
    'users/clerk.yml': clerkRole,
    'users/boss.yml': 'permissions: { shop: false }',
  })
  const other = await createTestApp({ storage, settings: { extensions: [shop({ currency: 'EUR' })] } })
  const roles = async (role: string) => {
    const { data } = (await (
      await createTokenClient(other, { role })
    ).done('GET', 'roles?canBe=created')) as unknown as {
      data: { name: string }[]
    }
    return data.map(({ name }) => name)
  }
  expect([await roles('admin'), await roles('boss')]).toEqual([
    ['admin', 'boss', 'clerk', 'editor'],
    ['boss', 'editor'],
  ])
})

test('query and body are validated, and cms acts as the caller or as the extension', async () => {
  const create = (by: TokenClient, product: string, body: object) => by.call('POST', `${path}/orders/${product}`, body)
  expect(await admin.call('GET', `${path}/orders?limit=11`)).toMatchObject({ status: 400, details: { limit: {} } })
  expect(await create(admin, 'tea', { amount: -1 })).toMatchObject({ status: 400, details: { amount: {} } })
  expect(await create(admin, 'tea', { amount: 2 })).toMatchObject({ status: 200, title: '2 × tea' })
  const clerk = await createTokenClient(site, { role: 'clerk' })
  expect(await create(clerk, 'cake', { amount: 1 })).toMatchObject({ status: 400, key: 'error.page.template.invalid' })
  expect(await create(clerk, 'cake', { amount: 1, asSystem: true })).toMatchObject({ status: 200, id: 'cake' })
  expect(await create(clerk, 'cake', { amount: 1, asSystem: true })).toMatchObject({
    status: 400,
    key: 'error.page.draft.duplicate',
  })
  const { data } = await admin.done('GET', 'site/events?limit=10')
  const entries = (data as unknown as { event: string; user: object | null; detail: object }[]).filter(
    ({ event }) => event === 'page.created',
  )
  expect(entries).toMatchObject([
    { user: { id: clerk.id }, detail: { path: 'cake', extension: 'shop', asSystem: true } },
    { user: { id: admin.id }, detail: { path: 'tea', extension: 'shop' } },
  ])
  expect(entries[1]!.detail).not.toHaveProperty('asSystem')
  const { data: versions } = await admin.done('GET', 'pages/cake/history')
  expect(versions, 'the history').toMatchObject([{ user: { id: clerk.id } }])
})

test('errors of the extension have its key and the language of the reader', async () => {
  const ask = (headers: Record<string, string>) => admin.call('POST', `${path}/orders/tea`, { amount: 0 }, headers)
  expect(await ask({})).toMatchObject({
    status: 422,
    key: 'error.shop.priceMissing',
    message: 'The product "tea" needs a price.',
  })
  await admin.done('PATCH', 'users/account/language', { language: 'de' })
  expect(await ask({})).toMatchObject({
    key: 'error.shop.priceMissing',
    message: 'Das Produkt „tea“ braucht einen Preis.',
  })
  expect(await ask({ accept: 'application/problem+json' })).toMatchObject({
    type: 'urn:quoin:error.shop.priceMissing',
    detail: 'Das Produkt „tea“ braucht einen Preis.',
  })
})

const brokenAnswer = async (name: string) => (await get(`broken/${name}`)).json<object>()

test('what fails names the extension and nothing of the program', async () => {
  expect(await brokenAnswer('answer')).toMatchObject({
    code: 500,
    key: 'error.extension.answer',
    message:
      'The extension “shop” returned a response for GET /api/extensions/shop/broken/answer that does not match its schema.',
  })
  for (const name of ['throws', 'unknown'])
    expect(await brokenAnswer(name)).toMatchObject({
      code: 500,
      key: 'error.extension.failed',
      message: `The extension “shop” has failed: GET /api/extensions/shop/broken/${name}`,
    })
  const failures = site.logged.filter(({ msg }) => msg === 'an extension has failed')
  expect(failures).toMatchObject([
    { extension: 'shop', err: { message: 'secret of the program' } },
    { extension: 'shop', err: { message: '"nothing" is not among the errors of the extension' } },
  ])
})

test('the OpenAPI document has its endpoints after the eight groups', async () => {
  const { tags, paths } = (await site.request({ url: '/openapi.json' })).json<{
    tags: { name: string }[]
    paths: Record<string, Record<string, { tags: string[]; operationId: string }>>
  }>()
  expect(tags.map(({ name }) => name).slice(7)).toEqual(['Users', 'Extension: shop'])
  expect(paths['/api/extensions/shop/orders']?.['get']).toMatchObject({
    operationId: 'extensions.shop.orders.list',
    tags: ['Extension: shop'],
  })
  expect(JSON.stringify(paths)).not.toContain('"description":""')
  expect(Object.keys(paths).filter(one => one.startsWith('/api/auth'))).toHaveLength(3)
})
