import { beforeAll, describe, expect, test } from 'vitest'
import { createTestStorage, createTestApp, type TestApp, writeBlueprints } from '../../../test/harness.ts'
import { addFile } from '../../../test/media.ts'
import { createTokenClient, type TokenClient } from '../../../test/pages.ts'
import { cookieName } from '../../access/session/cookies.ts'
import { api } from '../../api.ts'
import { done } from '../../http/answer.ts'
import { type Api, endpoint, listEndpoints } from '../../http/endpoint.ts'
import { until } from '../../../test/until.ts'

const blueprints = {
  'users/nobody.yml': 'title: Anonymous clients\n',
  'pages/note.yml': `fields:
  text: { type: text }
  price: { type: number, private: true }
  secret: { type: text, private: true }
  author: { type: users }
  related: { type: pages }
`,
  'pages/hidden.yml': 'options: { read: { nobody: false } }\nfields: { text: { type: text } }\n',
  'site.yml': 'fields: { slogan: { type: text }, budget: { type: text, private: true } }\n',
}

async function open(files: Record<string, string> = blueprints, settings = {}, tree: Api = api) {
  const storage = await createTestStorage()
  writeBlueprints(storage.data, files)
  return createTestApp({ storage, settings, quiet: true, api: tree })
}

let site: TestApp
let admin: TokenClient
const ids: Record<string, string> = {}

async function add(parent: string, slug: string, status: string, content: object = {}, template = 'note') {
  const at = parent === '' ? 'site/children' : `pages/${parent.replaceAll('/', '+')}/children`
  await admin.done('POST', at, { slug, title: `Title ${slug}`, template, content })
  const id = parent === '' ? slug : `${parent}/${slug}`
  if (status !== 'draft') await admin.done('PATCH', `pages/${id.replaceAll('/', '+')}/status`, { status })
  ids[slug] = (await admin.done('GET', `pages/${id.replaceAll('/', '+')}?select=uuid`)).data.uuid as string
}

async function ask(
  path: string,
  {
    on = site,
    method = 'GET',
    body,
    headers = {},
    ip,
  }: { on?: TestApp; method?: 'GET' | 'POST'; body?: unknown; headers?: Record<string, string>; ip?: string } = {},
) {
  const answer = await on.request({
    method,
    ...(ip !== undefined && { remoteAddress: ip }),
    url: `/api/${path}`,
    headers: {
      host: new URL(on.app.config.url).host,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  })
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows the shape
  const json: any = answer.body === '' ? {} : answer.json()
  return {
    status: answer.statusCode,
    headers: answer.headers,
    json,
    data: json.data,
    key: json.key as string | undefined,
  }
}

const idsOf = (data: { id: string }[]) => data.map(({ id }) => id)

beforeAll(async () => {
  site = await open()
  admin = await createTokenClient(site)
  await add('', 'open', 'listed', { text: 'pencil', price: 5, secret: 'plutonium', author: [`user://${admin.id}`] })
  await add('open', 'below', 'listed', { text: 'ink' })
  await add('', 'quiet', 'unlisted', { text: 'whisper' })
  await add('', 'draft', 'draft', { text: 'unready' })
  await add('draft', 'under', 'listed', { text: 'buried' })
  await add('', 'hidden', 'listed', { text: 'template' }, 'hidden')
  await admin.done('PATCH', 'pages/open', {
    related: [ids['quiet'], ids['below'], ids['draft'], ids['under'], ids['hidden']],
  })
  await admin.done('PATCH', 'site', { slogan: 'Hello', budget: '1000' })
})

test('without nobody.yml and api.public every endpoint stays 401', async () => {
  const { 'users/nobody.yml': _, ...rest } = blueprints
  const closed = await open(rest)
  for (const path of ['site', 'site/children', 'site/search?q=a', 'languages', 'pages/open'])
    expect([path, (await ask(path, { on: closed })).status]).toEqual([path, 401])
})

test('api.public opens the usual set; false closes the site whatever the file says', async () => {
  const { 'users/nobody.yml': _, ...rest } = blueprints
  const opened = await open(rest, { api: { public: true } })
  expect((await ask('site', { on: opened })).status).toBe(200)
  const closed = await open(blueprints, { api: { public: false } })
  expect((await ask('site', { on: closed })).status).toBe(401)
})

test('anonymous clients see published pages, also unlisted ones by their address, and nothing else', async () => {
  const statuses = await Promise.all(
    ['open', 'open+below', 'quiet', 'draft', 'draft+under', 'hidden', 'nowhere'].map(async id => [
      id,
      (await ask(`pages/${id}`)).status,
    ]),
  )
  expect(Object.fromEntries(statuses)).toEqual({
    open: 200, 'open+below': 200, quiet: 200, draft: 404, 'draft+under': 404, hidden: 404, nowhere: 404,
  }) // prettier-ignore
  expect((await ask(`pages/@${ids['under']!.slice(7)}`)).status).toBe(404)
})

test('lists and searches have listed pages only', async () => {
  for (const query of ['', '?status=all', '?status=published'])
    expect([query, idsOf((await ask(`site/children${query}`)).data)]).toEqual([query, ['open']])
  for (const query of ['?status=drafts', '?status=unlisted', '?status=draft']) {
    const { data, json } = await ask(`site/children${query}`)
    expect([query, data, json.pagination.total]).toEqual([query, [], 0])
  }
  for (const [q, found] of [
    ['pencil', ['open']],
    ['whisper', []],
    ['buried', []],
    ['unready', []],
    ['template', []],
    ['ink', ['open/below']],
  ] as const)
    // prettier-ignore
    expect([q, idsOf((await ask(`site/search?q=${q}&status=all`)).data)]).toEqual([q, found])
  const all = await ask('site/search', {
    method: 'POST',
    body: { filterBy: [{ field: 'status', operator: '!=', value: 'x' }] },
  })
  expect(idsOf(all.data).toSorted()).toEqual(['open', 'open/below'])
  expect((await ask('site/search', { method: 'POST', body: {} })).json.pagination.total).toBe(2)
  const found = await ask('site/find', { method: 'POST', body: ['open', 'quiet', 'draft', 'draft/under', 'hidden'] })
  expect(idsOf(found.data)).toEqual(['open', 'quiet'])
  expect((await ask('site?select=children')).data.children.map(({ id }: { id: string }) => id)).toEqual(['open'])
  expect((await ask('pages/quiet?select=siblings,prev,next')).data).toMatchObject({
    prev: null,
    next: null,
    siblings: [{ id: 'open' }],
  })
})

test('private fields, accounts and references to hidden pages are not shown', async () => {
  const { data } = await ask('pages/open')
  expect(data.content).toEqual({
    author: [],
    related: [expect.objectContaining({ id: 'open/below', text: 'Title below' })],
    text: 'pencil',
    title: 'Title open',
    uuid: expect.any(String) as string,
  })
  expect(Object.keys(data)).toEqual([
    'content',
    'id',
    'num',
    'parent',
    'slug',
    'status',
    'template',
    'title',
    'url',
    'uuid',
  ])
  expect((await ask('site')).data.content).toEqual({ slogan: 'Hello' })
  expect(JSON.stringify((await ask('pages/open?view=any')).json)).not.toMatch(
    /plutonium|options|blueprint|revision|draft|quiet|under/,
  )
})

test.each([
  'options',
  'drafts',
  'blueprint',
  'previewUrl',
  'errors',
  'revision',
  'schedule',
  'hasDrafts',
  'panelImage',
])('selecting %s is refused as unknown', async name => {
  const { status, key } = await ask(`pages/open?select=${name}`)
  expect([status, key]).toEqual([400, 'error.validation'])
})

test('a private field inside of a structure or blocks hides the structure or blocks as a whole', async () => {
  const inside = '{ name: { type: text }, phone: { type: text, private: true } }'
  const nested = await open({
    'users/nobody.yml': 'title: Anonymous clients\n',
    'pages/note.yml': `fields:
  text: { type: text }
  people: { type: structure, fields: ${inside} }
  body: { type: blocks, fieldsets: { card: { fields: ${inside} } } }
  open: { type: structure, fields: { name: { type: text } } }
`,
  })
  const owner = await createTokenClient(nested)
  const row = { name: 'Ada', phone: '555-0100' }
  const content = {
    text: 'ink',
    people: [row],
    body: [{ id: 'one', type: 'card', isHidden: false, content: row }],
    open: [{ name: 'Bo' }],
  }
  await owner.done('POST', 'site/children', { slug: 'a', template: 'note', content })
  await owner.done('PATCH', 'pages/a/status', { status: 'listed' })
  expect(JSON.stringify((await owner.done('GET', 'pages/a')).data.content).match(/555-0100/g)).toHaveLength(2)
  const { data } = await ask('pages/a', { on: nested })
  expect(data.content).toEqual({ uuid: expect.any(String) as string, text: 'ink', open: [{ name: 'Bo' }] })
  expect((await ask('site/search?q=0100', { on: nested })).data).toEqual([])
})

describe('private fields cannot be inferred', () => {
  test('filtering and sorting by them is refused', async () => {
    for (const body of [
      { filterBy: [{ field: 'price', operator: '>', value: 1 }] },
      { filterBy: [{ field: 'Secret', operator: '*=', value: 'plu' }] },
      { sortBy: 'price desc' },
    ])
      expect((await ask('site/search', { method: 'POST', body })).status).toBe(400)
  })

  test('searching does not find them', async () => {
    expect(idsOf((await ask('site/search?q=plutonium')).data)).toEqual([])
    expect(idsOf((await ask('site/children/search?q=pluton')).data)).toEqual([])
    for (const search of ['plutonium', { query: 'utoni', options: { minlength: 2 } }])
      expect((await ask('site/search', { method: 'POST', body: { search } })).data).toEqual([])
    expect(idsOf((await admin.done('GET', 'site/search?q=plutonium')).data)).toEqual(['open'])
  })
})

test('every other endpoint refuses anonymous clients with 401, and so does every method that writes', async () => {
  const readers: string[] = []
  for (const [name, { method, path, access }] of listEndpoints(api)) {
    if (access === 'public') continue
    if (access === 'reader') {
      readers.push(name)
      expect([name, method === 'GET' || /(search|find)$/.test(path)]).toEqual([name, true])
      continue
    }
    const url = path.replaceAll(/:\w+/g, 'open')
    const answer = await site.request({
      method,
      url: `/api${url}`,
      headers: { host: new URL(site.app.config.url).host },
    })
    expect([name, answer.statusCode]).toEqual([name, 401])
  }
  expect(readers.some(name => name.startsWith('users'))).toBe(false)
})

test('a client with invalid credentials is not an anonymous client', async () => {
  for (const headers of [
    { authorization: 'Bearer quoin_nonsense' },
    { authorization: 'Basic eDp5' },
    { cookie: `${cookieName(site.app.config, 'session')}=nonsense` },
    { 'x-csrf': 'panel' },
  ])
    expect([headers, (await ask('site', { headers })).status]).toEqual([headers, 401])
})

test('a token with the scope published sees what anonymous clients see, also on a site that is closed', async () => {
  const { 'users/nobody.yml': _, ...rest } = blueprints
  const closed = await open(rest)
  const owner = await createTokenClient(closed)
  const reader = await createTokenClient(closed, { scopes: ['published'] })
  await owner.done('POST', 'site/children', { slug: 'a', template: 'note', content: { text: 'ink', secret: 'x' } })
  expect((await reader.call('GET', 'pages/a')).status).toBe(404)
  await owner.done('PATCH', 'pages/a/status', { status: 'listed' })
  const { data, headers } = await reader.done('GET', 'pages/a')
  expect(data.content).toMatchObject({ text: 'ink' })
  expect(data.content).not.toHaveProperty('secret')
  expect(data).not.toHaveProperty('options')
  expect(headers['cache-control']).not.toContain('public')
  for (const path of ['users', 'pages/a/history', 'pages/a/blueprint', 'roles'])
    expect([path, (await reader.call('GET', path)).status]).toEqual([path, 403])
  expect((await reader.call('PATCH', 'pages/a', { text: 'y' })).status).toBe(403)
})

test.each([true, undefined, false])('with api.public: %s it sees no more than nobody.yml allows', async isPublic => {
  const files = {
    ...blueprints,
    'users/nobody.yml': "permissions: { files: { '*': false }, pages: { list: false } }\n",
  }
  const limited = await open(files, { api: isPublic === undefined ? {} : { public: isPublic }, site: { url: 'https://www.example.org' } }) // prettier-ignore
  const owner = await createTokenClient(limited)
  await owner.done('POST', 'site/children', { slug: 'a', template: 'note' })
  await owner.done('PATCH', 'pages/a/status', { status: 'listed' })
  await addFile(
    limited,
    (await owner.done('GET', 'pages/a?select=uuid')).data.uuid as string,
    'a.txt',
    Buffer.from('x'),
  )
  expect((await owner.done('GET', 'pages/a/files')).data).toHaveLength(1)
  const token = await createTokenClient(limited, { scopes: ['published'] })
  const { data: pass } = await owner.done('POST', 'site/preview')
  const headers = { authorization: `Bearer ${(pass as { token: string }).token}` }
  for (const path of ['pages/a/files', 'site/children']) {
    expect([path, (await token.done('GET', path)).data]).toEqual([path, []])
    expect([path, (await ask(path, { on: limited, headers })).data]).toEqual([path, []])
  }
})

test('the language is in the address: a header that caches do not know changes nothing', async () => {
  const spoken = await open()
  const owner = await createTokenClient(spoken)
  await owner.done('POST', 'languages', { code: 'en', name: 'English', default: true })
  await owner.done('POST', 'languages', { code: 'de', name: 'Deutsch' })
  await owner.done('POST', 'site/children', { slug: 'a', template: 'note', content: { text: 'ink' } })
  await owner.done('PATCH', 'pages/a?language=de', { text: 'Tinte' })
  await owner.done('PATCH', 'pages/a/status', { status: 'listed' })
  const textOf = async (path: string, headers = {}) => (await ask(path, { on: spoken, headers })).data.content.text
  expect(await textOf('pages/a', { 'x-language': 'de' })).toBe('ink')
  expect(await textOf('pages/a')).toBe('ink')
  expect(await textOf('pages/a?language=de')).toBe('Tinte')
  expect((await owner.done('GET', 'pages/a', undefined, { 'x-language': 'de' })).data.content.text).toBe('Tinte')
})

test('there is a limit per network', async () => {
  const limited = await open(blueprints, { api: { anonymousPerMinute: 3 } })
  const answers = []
  for (let index = 0; index < 4; index++) answers.push(await ask(`site?_=${index}`, { on: limited }))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429])
  expect(answers[3]).toMatchObject({ key: 'error.request.throttled', headers: { 'retry-after': '20' } })
  const statusFrom = async (ip: string) => (await ask(`site?_=${ip}`, { on: limited, ip })).status
  expect(await statusFrom('198.51.100.7'), 'another network').toBe(200)
  for (const end of [1, 2, 3]) expect(await statusFrom(`2001:db8:1:1::${end}`)).toBe(200)
  expect(await statusFrom('2001:db8:1:1:ffff::4'), 'the same /64').toBe(429)
  expect(await statusFrom('2001:db8:1:2::1')).toBe(200)
})

test('a query that reads all contents counts as fifty requests', async () => {
  for (const path of ['site/search', 'site/children/search', 'site/files/search', 'pages/a/children/search']) {
    const limited = await open(blueprints, { api: { anonymousPerMinute: 120 } })
    const owner = await createTokenClient(limited)
    await owner.done('POST', 'site/children', { slug: 'a', template: 'note' })
    await owner.done('PATCH', 'pages/a/status', { status: 'listed' })
    const query = { on: limited, method: 'POST', body: { limit: 1 } } as const
    const statuses = []
    for (let index = 0; index < 3; index++) statuses.push((await ask(path, query)).status)
    expect([path, ...statuses]).toEqual([path, 200, 200, 429])
    expect([path, (await ask('site', { on: limited })).status], 'enough for other requests').toEqual([path, 200])
    expect((await owner.call('POST', path, query.body)).status, 'accounts').toBe(200)
  }
  const small = await open(blueprints, { api: { anonymousPerMinute: 3 } })
  expect((await ask('site/search', { on: small, method: 'POST', body: {} })).status, 'a small limit').toBe(200)
})

test('of such queries few run at once and few wait, per network, too', async () => {
  const running: (() => void)[] = []
  let maxRunning = 0
  const scan = endpoint({
    method: 'POST',
    path: '/scan',
    summary: 'Reads all contents',
    access: 'reader',
    readsAll: true,
    answer: done,
    handler: async () => {
      const waits = Promise.withResolvers<void>()
      running.push(waits.resolve)
      maxRunning = Math.max(maxRunning, running.length)
      await waits.promise
    },
  })
  const crowded = await open(blueprints, {}, { scan })
  const answers: Awaited<ReturnType<typeof ask>>[] = []
  const requests = Array.from({ length: 14 }, async () =>
    answers.push(await ask('scan', { on: crowded, method: 'POST' })),
  )
  await until(() => expect(answers).toHaveLength(2))
  for (const answer of answers)
    expect(answer).toMatchObject({ status: 503, key: 'error.busy', headers: { 'retry-after': '2' } })
  const reader = await createTokenClient(crowded)
  const other = reader.call('POST', 'scan')
  await until(() => expect(running).toHaveLength(3))
  expect(maxRunning, 'two, and that of an account').toBe(3)
  const finish = setInterval(() => running.shift()?.(), 1)
  await Promise.all([...requests, other])
  clearInterval(finish)
  expect(answers.map(({ status }) => status)).toEqual([503, 503, ...Array<number>(12).fill(200)])
  expect(maxRunning).toBe(3)
})

test('answers to anonymous clients have a validator and may be kept by shared caches; those to tokens may not', async () => {
  const first = await ask('pages/open')
  expect(first.headers).toMatchObject({
    'cache-control': 'public, max-age=0, s-maxage=60, stale-while-revalidate=60',
    vary: 'Authorization, Cookie, X-CSRF',
    etag: expect.stringMatching(/^"[\w-]{22}"$/) as string,
  })
  const etag = String(first.headers['etag'])
  for (const known of [etag, `W/${etag}`, `"x", ${etag}`]) {
    const same = await ask('pages/open', { headers: { 'if-none-match': known } })
    expect([same.status, same.json, same.headers['etag']]).toEqual([304, {}, etag])
  }
  await admin.done('PATCH', 'pages/open+below/title', { title: 'Renamed' })
  const other = await ask('pages/open', { headers: { 'if-none-match': etag } })
  expect([other.status, other.headers['etag'] === etag], 'it shows the title of a related page').toEqual([200, false])
  expect((await ask('pages/draft')).headers['cache-control']).toBe('no-store')
  const { headers } = await admin.done('GET', 'pages/open')
  expect(headers['cache-control']).toBe('no-store')
})
