import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  beforeCleanUp,
  createTestApp,
  createTestStorage,
  type TestApp,
  writeBlueprints,
} from '../../../../test/harness.ts'
import { addPage, createTokenClient, type TokenClient } from '../../../../test/pages.ts'
import type { Settings } from '../../../platform/config.ts'
import { startPurging } from './purge.ts'

const blueprints = {
  'users/nobody.yml': 'title: Anonymous clients\n',
  'pages/note.yml': `options: { changeTemplate: [other] }
sections:
  below: { type: pages, templates: [note, other] }
  form: { type: fields, fields: { text: { type: text }, related: { type: pages } } }
`,
  'pages/other.yml': 'fields: { text: { type: text } }\n',
}

interface Received {
  method: string
  url: string
  headers: IncomingMessage['headers']
  tags: string[]
  body: string
}

/** A cache that records its purge requests. */
async function createReceiver() {
  const received: Received[] = []
  const answers: ((response: ServerResponse) => void)[] = []
  const server = createServer((request, response) => {
    void text(request).then(body => {
      const { method = '', url = '', headers } = request
      const keys = headers['surrogate-key']
      const tags = typeof keys === 'string' ? keys.split(' ') : (JSON.parse(body) as { tags: string[] }).tags
      received.push({ method, url, headers, tags, body })
      const answer = answers.shift()
      if (answer) answer(response)
      else response.end('ok')
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  beforeCleanUp(async () => {
    server.closeAllConnections()
    server.close()
  })
  return { received, answers, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/purge?zone=7` }
}

type Kind = NonNullable<NonNullable<NonNullable<Settings['delivery']>['purge']>['kind']>

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

async function open({ kind = 'url', token }: { kind?: Kind; token?: string } = {}) {
  const storage = await createTestStorage()
  writeBlueprints(storage.data, blueprints)
  const cache = await createReceiver()
  const purge = { kind, url: cache.url, ...(token !== undefined && { token }) }
  const site = await createTestApp({ storage, settings: { delivery: { purge } }, quiet: true })
  const admin = await createTokenClient(site)
  const work = async () => void ends.push(await startPurging(site.app, { pollMs: 20 }))
  await work()
  await until(isIdle(site))
  cache.received.length = 0
  return { site, admin, cache, work, storage }
}

const headersOf = async (site: TestApp, path: string) =>
  (await site.request({ url: `/api/${path}`, headers: { host: new URL(site.app.config.url).host } })).headers
const tagsOf = async (site: TestApp, path: string) => String((await headersOf(site, path))['surrogate-key']).split(' ')

async function until(isSo: () => boolean | Promise<boolean>) {
  while (!(await isSo())) await new Promise(resolve => setTimeout(resolve, 10))
}

const isIdle = (site: TestApp) => async () => {
  const { count } = await site.app.store.db
    .selectFrom('jobs')
    .select(eb => eb.fn.countAll<number>().as('count'))
    .where('queue', '=', 'purge')
    .where('finished_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count === 0
}

/** The purged tags after a change. */
async function purgedBy({ site, cache }: Awaited<ReturnType<typeof open>>, change: () => Promise<unknown>) {
  await until(isIdle(site))
  cache.received.length = 0
  await change()
  await until(isIdle(site))
  return new Set(cache.received.flatMap(({ tags }) => tags))
}

describe('which answers a change concerns', () => {
  let place: Awaited<ReturnType<typeof open>>
  let admin: TokenClient
  const ids: Record<string, string> = {}

  beforeAll(async () => {
    place = await open()
    for (const end of ends.splice(0)) beforeCleanUp(end) // it runs for all tests of this group
    admin = place.admin
    const { site } = place
    for (const [path, template] of [
      ['a', 'note'],
      ['a/b', 'note'],
      ['a/b/c', 'note'],
      ['d', 'note'],
      ['d/e', 'note'],
      ['f', 'other'],
      ['f/g', 'note'],
    ] as const) {
      const at = path.lastIndexOf('/')
      const parent = at < 0 ? '' : ids[path.slice(0, at)]!
      ids[path] = await addPage(site, parent, {
        slug: path.slice(at + 1),
        template,
        content: { text: path },
        status: 'listed',
      })
    }
    await admin.done('PATCH', 'pages/f/status', { status: 'draft' })
    await admin.done('PATCH', 'pages/d+e', { related: [`page://${ids['a/b']}`, `page://${ids['f']}`] })
    await admin.done('PATCH', 'pages/a+b+c', { related: [`page://${ids['f/g']}`] })
  })

  const paths = [
    'pages/a',
    'pages/a+b',
    'pages/a+b+c',
    'pages/d',
    'pages/d+e',
    'site/children',
    'pages/a/children',
    'pages/a+b/children',
    'pages/a/files',
    'site',
    'site/search?q=a',
    'languages',
    'site/resolve?path=/a/b',
    'site/files',
  ]

  /** The addresses whose answers are dropped. Those whose answers differ must be among them. */
  async function droppedBy(change: () => Promise<unknown>): Promise<string[]> {
    const before = await Promise.all(
      paths.map(async path => ({
        path,
        tags: await tagsOf(place.site, path),
        etag: (await headersOf(place.site, path))['etag'],
      })),
    )
    const purged = await purgedBy(place, change)
    for (const { path, tags, etag } of before) {
      const isChanged = (await headersOf(place.site, path))['etag'] !== etag
      if (isChanged)
        expect(
          [path, tags.some(tag => purged.has(tag))],
          `${path}: ${tags.join(' ')} / ${[...purged].join(' ')}`,
        ).toEqual([path, true])
    }
    return before.filter(({ tags }) => tags.some(tag => purged.has(tag))).map(({ path }) => path)
  }

  test('the text of a page: what shows it (also as the parent), and searches', async () => {
    const dropped = await droppedBy(() => admin.done('PATCH', 'pages/a+b', { text: 'new' }))
    expect(dropped).toEqual([
      'pages/a+b',
      'pages/a+b+c',
      'pages/d+e',
      'pages/a/children',
      'pages/a+b/children',
      'site/search?q=a',
      'site/resolve?path=/a/b',
    ])
  })

  test('a title shown by a reference', async () => {
    expect(await droppedBy(() => admin.done('PATCH', 'pages/a+b/title', { title: 'New' }))).toContain('pages/d+e')
  })

  test('the status of a page: its siblings, its parent’s list, and all below', async () => {
    const dropped = await droppedBy(() => admin.done('PATCH', 'pages/a/status', { status: 'unlisted' }))
    expect(dropped).toEqual(expect.arrayContaining(['pages/a', 'pages/a+b', 'pages/a+b+c', 'pages/d', 'site/children']))
    expect(dropped).not.toContain('languages')
  })

  test('a draft that becomes visible drops what refers to it or to pages below, and is not named before', async () => {
    expect(await tagsOf(place.site, 'pages/d+e')).not.toContain(`page-${ids['f']}`)
    expect(await tagsOf(place.site, 'pages/a+b+c')).not.toContain(`page-${ids['f/g']}`)
    const dropped = await droppedBy(() => admin.done('PATCH', 'pages/f/status', { status: 'listed' }))
    expect(dropped).toEqual(expect.arrayContaining(['pages/d+e', 'pages/a+b+c']))
    expect(dropped).not.toContain('languages')
    expect(JSON.stringify(await place.site.request({ url: '/api/pages/d+e' }).then(answer => answer.body))).toContain(
      ids['f'],
    )
  })

  test('a slug: the old and the new address, and all below', async () => {
    expect(await droppedBy(() => admin.done('PATCH', 'pages/a+b/slug', { slug: 'ink' }))).toEqual(
      expect.arrayContaining(['pages/a+b', 'pages/a+b+c', 'pages/a/children', 'pages/a+b/children', 'pages/d+e']),
    )
    await admin.done('PATCH', 'pages/a+ink/slug', { slug: 'b' })
  })

  test('a move: the old and the new parent', async () => {
    const purged = await purgedBy(place, () => admin.done('PATCH', 'pages/a+b/move', { parent: 'd' }))
    expect(purged).toEqual(
      new Set([
        'any',
        `page-${ids['a/b']}`,
        'parent-a',
        'parent-a/b',
        'below-a/b',
        'parent-d',
        'parent-d/b',
        'below-d/b',
      ]),
    )
    await admin.done('PATCH', 'pages/d+b/move', { parent: 'a' })
  })

  test('a template: the one of before and the one of after', async () => {
    const purged = await purgedBy(place, () => admin.done('PATCH', 'pages/d/template', { template: 'other' }))
    expect([...purged]).toEqual(expect.arrayContaining([`page-${ids['d']}`, 'template-note', 'template-other']))
  })

  test('the site, a language, the deletion of a page', async () => {
    expect(await droppedBy(() => admin.done('PATCH', 'site/title', { title: 'Other' }))).toEqual([
      'site',
      'site/search?q=a',
      'site/files',
    ])
    expect(await droppedBy(() => admin.done('POST', 'languages', { code: 'en', default: true }))).toEqual(paths)
    expect((await tagsOf(place.site, 'pages/a')).slice(0, 2)).toEqual(['all', 'language-en'])
    expect(await droppedBy(() => admin.done('DELETE', 'pages/a+b', { force: true }))).toEqual(
      expect.arrayContaining(['pages/a+b', 'pages/a+b+c', 'pages/a/children', 'pages/d+e']),
    )
  })

  test('accounts and tokens that read everything get no tags; tokens that read what is published do', async () => {
    expect((await admin.done('GET', 'pages/a')).headers).not.toHaveProperty('surrogate-key')
    const reader = await createTokenClient(place.site, { scopes: ['published'] })
    expect((await reader.done('GET', 'pages/a')).headers['cache-tag']).toContain(`,page-${ids['a']},`)
    expect((await headersOf(place.site, 'pages/nowhere'))['surrogate-key']).toBe(undefined)
  })

  test('a site without purges has tags only if it asks for them', async () => {
    const plain = await createTestApp({ storage: place.storage, quiet: true })
    expect((await headersOf(plain, 'pages/a'))['surrogate-key']).toBe(undefined)
    const tagged = await createTestApp({ storage: place.storage, settings: { delivery: { tags: true } }, quiet: true })
    expect(await tagsOf(tagged, 'pages/a')).toContain(`page-${ids['a']}`)
  })
})

test.each<[Kind, object]>([
  [
    'url',
    {
      method: 'POST',
      url: '/purge?zone=7',
      headers: { authorization: 'Bearer secret', 'content-type': 'application/json' },
    },
  ],
  ['cloudflare', { method: 'POST', headers: { authorization: 'Bearer secret' } }],
  ['fastly', { method: 'POST', headers: { 'fastly-key': 'secret', 'surrogate-key': 'any site' } }],
  ['varnish', { method: 'PURGE', headers: { authorization: 'Bearer secret', 'surrogate-key': 'any site' } }],
])('%s is told in its own way', async (kind, request) => {
  const { admin, cache, site } = await open({ kind, token: 'secret' })
  await admin.done('PATCH', 'site/title', { title: 'Told' })
  await until(isIdle(site))
  expect(cache.received).toMatchObject([{ ...request, tags: ['any', 'site'] }])
})

test('a start purges everything: what visitors may see can depend on new blueprints and settings', async () => {
  const { cache, site, work } = await open()
  for (const end of ends.splice(0)) await end()
  await work()
  await until(isIdle(site))
  expect(cache.received.map(({ tags }) => tags)).toEqual([['all']])
})

test('changes at the same time are one purge', async () => {
  const { admin, cache, site } = await open()
  await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      admin.done('POST', 'site/children', { slug: `n${index}`, template: 'note' }),
    ),
  )
  await until(isIdle(site))
  expect(cache.received.length).toBeLessThan(5)
  expect(cache.received.flatMap(({ tags }) => tags).filter(tag => tag.startsWith('page-'))).toHaveLength(10)
})

test('a purge is sent the gathering time after the commits it is for; later changes wait for the next one', async () => {
  const { admin, cache, site, storage } = await open()
  for (const end of ends.splice(0)) await end()
  const entered: (() => void)[] = []
  const gather = async () => new Promise<void>(resolve => entered.push(resolve))
  const next = async () => {
    await until(() => entered.length > 0)
    return entered.shift()!
  }
  ends.push(await startPurging(site.app, { pollMs: 20, gather }))
  ;(await next())() // what every start purges
  await until(isIdle(site))
  cache.received.length = 0

  await admin.done('PATCH', 'site/title', { title: 'One' })
  const endFirst = await next()
  expect(cache.received).toEqual([])
  // An answer that was read before this change may reach the cache at any time until its own gathering time is over.
  await admin.done('POST', 'site/children', { slug: 'late', template: 'note' })
  endFirst()
  const endSecond = await next()
  expect(cache.received.map(({ tags }) => tags)).toEqual([['any', 'site']])
  endSecond()
  await until(isIdle(site))
  expect(cache.received[1]!.tags).toContain('parent-site')

  // A server that stops leaves the job to others, and shows no failure.
  await admin.done('PATCH', 'site/title', { title: 'Two' })
  const endThird = await next()
  const stopped = ends.pop()!()
  endThird()
  await stopped
  expect((await admin.done('GET', 'system/purge')).data).toMatchObject({ waiting: 1, retrying: null })
  const second = await createTestApp({
    storage,
    settings: { delivery: { purge: { kind: 'url', url: cache.url } } },
    quiet: true,
  })
  ends.push(await startPurging(second.app, { pollMs: 20, gather: async () => {} }))
  await until(isIdle(site))
  expect(cache.received).toHaveLength(3)
})

test('a failure is repeated and shown, and no redirect is followed', async () => {
  const { admin, cache, site } = await open({ token: 'secret' })
  cache.answers.push(
    response => response.writeHead(503).end(),
    response => response.writeHead(302, { location: cache.url }).end(),
    response => void response.socket?.destroy(),
  )
  await admin.done('PATCH', 'site/title', { title: 'One' })
  for (const problem of ['The response was 503.', 'The response was 302.']) {
    await until(async () => (await admin.done('GET', 'system/purge')).data.retrying?.problem === problem)
    await admin.done('PATCH', 'site/title', { title: problem })
    await site.app.store.db.updateTable('jobs').set({ due_at: 0 }).where('queue', '=', 'purge').execute()
  }
  await until(async () =>
    String((await admin.done('GET', 'system/purge')).data.retrying?.problem).startsWith('ECONNRESET'),
  )
  await site.app.store.db.updateTable('jobs').set({ due_at: 0 }).where('queue', '=', 'purge').execute()
  await until(isIdle(site))
  const { data } = await admin.done('GET', 'system/purge')
  expect(data).toMatchObject({ kind: 'url', host: new URL(cache.url).host, waiting: 0, retrying: null, failures: [] })
  expect(data.lastDone).toMatch(/^\d{4}-/)
  expect(JSON.stringify(data)).not.toContain('secret')
  expect(cache.received).toHaveLength(4)
})

test('a purge that fails for a day is given up, and the next one runs', async () => {
  const { admin, cache, site, storage } = await open()
  cache.answers.push(
    response => response.writeHead(500).end(),
    response => response.writeHead(500).end(),
  )
  await admin.done('PATCH', 'site/title', { title: 'One' })
  await until(async () => (await admin.done('GET', 'system/purge')).data.retrying !== null)
  await storage.moveClock(25 * 60 * 60_000)
  await until(isIdle(site))
  expect((await admin.done('GET', 'system/purge')).data.failures).toMatchObject([
    { problem: 'The response was 500.', attempts: 2 },
  ])
  expect(
    await purgedBy({ admin, cache, site, storage, work: async () => {} }, () =>
      admin.done('PATCH', 'site/title', { title: 'Two' }),
    ),
  ).toContain('site')
})

test('everything can be purged by hand; without a cache that is refused, and changes cause no jobs', async () => {
  const { admin, cache, site, storage } = await open()
  await admin.done('POST', 'system/purge')
  await until(isIdle(site))
  expect(cache.received.map(({ tags }) => tags)).toEqual([['all']])
  const editor = await createTokenClient(site, { scopes: ['pages'] })
  expect((await editor.call('POST', 'system/purge')).status).toBe(403)
  for (const end of ends.splice(0)) await end()
  const plain = await createTestApp({ storage, quiet: true })
  ends.push(await startPurging(plain.app))
  const otherClient = await createTokenClient(plain)
  expect(await otherClient.call('POST', 'system/purge')).toMatchObject({ status: 400, key: 'error.purge.off' })
  expect((await otherClient.done('GET', 'system/purge')).data).toMatchObject({ kind: null, host: null, waiting: 0 })
  await otherClient.done('PATCH', 'site/title', { title: 'Quiet' })
  expect(await isIdle(plain)()).toBe(true)
})
