import { expect, test } from 'vitest'
import { createClient, createClientFor, QuoinError } from './client.ts'
import type { Routes } from './routes.ts'

/** What the client sent, and answers of our own: the only place where the other side is not the server itself. */
function wire(...answers: [body: unknown, status?: number, headers?: Record<string, string>][]) {
  const sent: { url: string; method: string; headers: Record<string, string>; body: unknown }[] = []
  const fetch = async (url: string, { method, headers, body }: RequestInit) => {
    sent.push({ url, method: method!, headers: headers as Record<string, string>, body })
    const [json, status = 200, extra = {}] = answers[Math.min(sent.length, answers.length) - 1]!
    return Response.json(json, { status, headers: extra })
  }
  return { sent, fetch }
}

const ok = { status: 'ok', message: 'ok', code: 200 }
const routes: Routes = {
  'pages.get': ['GET', '/pages/:id', 'query'],
  'pages.files.get': ['GET', '/pages/:id/files/:name', ''],
  'pages.changeSlug': ['PATCH', '/pages/:id/slug', 'body'],
  'pages.create': ['POST', '/pages', 'query body'],
  'pages.upload': ['POST', '/pages/:id/files', 'form options'],
  'site.create': ['POST', '/site', 'body options'],
  'site.get': ['GET', '/site', 'query'],
}
type Call = (...input: unknown[]) => Promise<unknown>
interface Methods {
  pages: { get: Call; changeSlug: Call; create: Call; upload: Call; unknown: Call; files: { get: Call } }
  site: { get: Call; create: Call }
}
const at = 'https://example.org/cms'

test('a call becomes a method, a URL and a body', async () => {
  const { sent, fetch } = wire([ok])
  const client = createClientFor<Methods>(routes, { url: `${at}/`, fetch })
  await client.pages.changeSlug({ id: 'a' }, { slug: 'b' })
  expect(sent).toEqual([
    {
      url: 'https://example.org/cms/api/pages/a/slug',
      method: 'PATCH',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: '{"slug":"b"}',
    },
  ])
})

test('path parameters are encoded; all other parameters become the query string', async () => {
  const { sent, fetch } = wire([ok])
  const client = createClientFor<Methods>(routes, { url: at, fetch })
  await client.pages.get({ id: 'a/b?c#d ü', view: 'compact', select: ['a', 'b'], nothing: undefined })
  await client.pages.get({ id: 'a', select: { role: 'compact', parent: ['id', 'title'] }, page: 2, draft: false })
  await client.pages.files.get({ id: 'a', name: 'b&c.jpg' })
  await client.pages.create({ pretty: '1' }, { title: 'x' })
  await client.site.get()
  await client.site.create({ slug: 'a' }, { strict: true })
  await client.site.create({ slug: 'a' })
  await client.pages.get({ id: 'page://kN6dFw4gSb8hJt2z' })
  await client.pages.upload({ id: 'a' }, new FormData(), { select: ['id'] })
  expect(sent.map(({ url }) => decodeURIComponent(url.replace('https://example.org/cms/api', '')))).toEqual([
    '/pages/a/b?c#d ü?view=compact&select[]=a&select[]=b',
    '/pages/a?select[role]=compact&select[parent][]=id&select[parent][]=title&page=2&draft=false',
    '/pages/a/files/b&c.jpg',
    '/pages?pretty=1',
    '/site',
    '/site?strict=true',
    '/site',
    '/pages/@kN6dFw4gSb8hJt2z',
    '/pages/a/files?select[]=id',
  ])
  expect(sent[0]!.url).toContain('/pages/a%2Fb%3Fc%23d%20%C3%BC?')
  expect(sent[2]!.url).toContain('/files/b%26c.jpg')
  expect(sent[4]).toMatchObject({ body: undefined, headers: { accept: 'application/json' } })
})

test.each([
  ['no argument', undefined],
  ['an object without it', {}],
  ['null', { id: null }],
])('a missing path parameter is refused before anything is sent: %s', async (_, parameters) => {
  const { sent, fetch } = wire([ok])
  const client = createClientFor<Methods>(routes, { url: at, fetch })
  await expect(client.pages.get(parameters)).rejects.toThrow(new TypeError('The parameter id is missing'))
  await expect(client.pages.changeSlug(parameters, {})).rejects.toThrow(TypeError)
  expect(sent).toEqual([])
})

test('a model is returned without its envelope; all other responses are returned unchanged', async () => {
  const model = { code: 200, status: 'ok', type: 'model', data: { id: 'a' } }
  const list = { ...model, type: 'collection', data: [], pagination: { page: 1 } }
  const { fetch } = wire([model], [{ ...model, session: {} }], [list], [ok])
  const client = createClientFor<Methods>(routes, { url: at, fetch })
  expect(await client.site.get()).toEqual({ id: 'a' })
  expect(await client.site.get()).toEqual({ ...model, session: {} })
  expect(await client.site.get()).toEqual(list)
  expect(await client.site.get()).toEqual(ok)
})

test('the last received CSRF token is sent with every write and with no read', async () => {
  const { sent, fetch } = wire([ok], [{ ...ok, csrf: 'first' }], [ok], [ok], [{ ...ok, csrf: 'second' }], [ok])
  const client = createClientFor<Methods>(routes, { url: at, fetch })
  const change = () => client.pages.changeSlug({ id: 'a' }, { slug: 'b' })
  await change()
  await client.site.get()
  await change()
  await client.site.get()
  await client.site.get()
  await change()
  expect(sent.map(({ headers }) => headers['x-csrf'])).toEqual([
    undefined,
    undefined,
    'first',
    undefined,
    undefined,
    'second',
  ])
})

test('an API token is sent with every request, and no CSRF token with it', async () => {
  const { sent, fetch } = wire([{ ...ok, csrf: 'x' }])
  const client = createClientFor<Methods>(routes, { url: at, token: 'quoin_x', fetch })
  await client.site.get()
  await client.pages.changeSlug({ id: 'a' }, { slug: 'b' })
  expect(sent.map(({ headers }) => [headers['authorization'], headers['x-csrf']])).toEqual([
    ['Bearer quoin_x', undefined],
    ['Bearer quoin_x', undefined],
  ])
})

test('an API error becomes a QuoinError with key, details and retry time', async () => {
  const body = { status: 'error', message: 'No.', code: 429, key: 'error.auth.throttled', details: { a: 1 } }
  const { fetch } = wire([body, 429, { 'retry-after': '30' }], [body, 400], [{}, 500])
  const client = createClientFor<Methods>(routes, { url: at, fetch })
  const errors: unknown[] = []
  for (let count = 0; count < 3; count++) await client.site.get().catch((error: unknown) => errors.push(error))
  expect(errors[0]).toBeInstanceOf(QuoinError)
  expect(errors[0]).toMatchObject({
    status: 429,
    message: 'No.',
    key: 'error.auth.throttled',
    details: { a: 1 },
    retryAfter: 30,
  })
  expect(errors[1]).toMatchObject({ status: 400, retryAfter: undefined })
  expect(errors[2]).toMatchObject({ status: 500, key: null, details: {}, message: 'The server answered with 500.' })
})

test('an unknown endpoint throws at once, without a request', async () => {
  const { sent, fetch } = wire([ok])
  const client = createClientFor<Methods>(routes, { url: at, fetch })
  await expect(client.pages.unknown()).rejects.toThrow('There is no endpoint pages.unknown')
  expect(sent).toEqual([])
})

test('a client can be awaited and printed: it is not mistaken for a promise', async () => {
  const client = createClient({ url: at })
  const group = await Promise.resolve(client.auth)
  expect(typeof group.login).toBe('function')
  expect((client as unknown as Record<symbol, unknown>)[Symbol.iterator]).toBeUndefined()
})
