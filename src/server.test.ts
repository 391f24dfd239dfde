import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  addUser,
  createTestApp,
  engine,
  password,
  type TestStorage,
  type TestApp,
  type TestUser,
} from '../test/harness.ts'
import { auth } from './groups/auth/api.ts'
import { fail } from './platform/errors.ts'
import { collection, done, model } from './http/answer.ts'
import { endpoint } from './http/endpoint.ts'
import type { NewApiToken } from './access/session/api-tokens.ts'
import { disableUser } from './groups/users/users.ts'
import { operatorContext } from './cli/site.ts'
import { noOptions, type PermissionTarget } from './access/authorize/authorize.ts'
import { addToken, removeToken } from '../test/tokens.ts'

// ---- test endpoints, one for each feature of the server

const thing = z.object({ id: z.string(), title: z.string() })
const things = new Map([['a', { id: 'a', title: 'First', secret: 'never shown' }]])
const steps: string[] = []

async function find({ params: { id } }: { params: { id: string } }) {
  steps.push('find')
  const found = things.get(id)
  if (!found) throw fail('notFound')
  return { ...found, ...noOptions }
}

const tree = {
  auth,
  probe: {
    open: endpoint({
      method: 'GET',
      path: '/open',
      summary: 'Public',
      access: 'public',
      query: z.strictObject({ pretty: z.string().optional(), page: z.string().max(3).optional() }),
      answer: model(z.object({ who: z.string().nullable(), ip: z.string(), method: z.string() })),
      handler: async ({ caller, exchange: { ip, method } }) => ({ who: caller?.user.id ?? null, ip, method }),
    }),
    openWrite: endpoint({
      method: 'POST',
      path: '/open',
      summary: 'Public, but it changes something',
      access: 'public',
      body: z.strictObject({ text: z.string() }).optional(),
      answer: done,
      handler: async () => {},
    }),
    mine: endpoint({
      method: 'GET',
      path: '/mine',
      summary: 'For every account',
      access: 'session',
      answer: model(z.object({ who: z.string() })),
      handler: async ({ caller }) => ({ who: caller.user.id }),
    }),
    list: endpoint({
      method: 'GET',
      path: '/things',
      summary: 'List things',
      access: 'pages.list',
      on: async () => noOptions,
      answer: collection(thing),
      handler: async () => ({ data: [...things.values()], pagination: { page: 1, total: 1, offset: 0, limit: 100 } }),
    }),
    create: endpoint({
      method: 'POST',
      path: '/things',
      summary: 'Create a thing',
      access: 'pages.create',
      on: async () => noOptions,
      body: z.strictObject({ title: z.string().min(1).max(50), tags: z.array(z.string()).optional() }),
      answer: model(thing),
      handler: async ({ body: { title } }) => ({ id: 'new', title }),
    }),
    get: endpoint({
      method: 'GET',
      path: '/things/:id',
      summary: 'Retrieve a thing',
      access: 'pages.read',
      on: find,
      answer: model(thing),
      handler: async ({ target }) => target,
    }),
    rename: endpoint({
      method: 'PATCH',
      path: '/things/:id',
      summary: 'Rename a thing',
      access: 'pages.changeTitle',
      on: find,
      body: z.strictObject({ title: z.string() }),
      answer: model(thing),
      handler: async ({ target, body: { title } }) => {
        steps.push('handle')
        return { ...target, title }
      },
    }),
    remove: endpoint({
      method: 'DELETE',
      path: '/things/:id',
      summary: 'Delete a thing',
      access: 'pages.delete',
      on: find,
      answer: done,
      handler: async () => {},
    }),
    withoutOptions: endpoint({
      method: 'GET',
      path: '/without-options/:of',
      summary: 'Its target lacks what its permission depends on',
      access: 'pages.read',
      on: async () => ({}) as PermissionTarget,
      answer: done,
      handler: async () => {},
    }),
    broken: endpoint({
      method: 'GET',
      path: '/broken/:how',
      summary: 'Fails unexpectedly',
      access: 'public',
      answer: done,
      handler: async ({ params }) => {
        if (params.how === 'null') throw null
        if (params.how === 'text') throw 'the password is swordfish'
        throw new Error('the password is swordfish', { cause: new TypeError('a deeper reason') })
      },
    }),
    lies: endpoint({
      method: 'GET',
      path: '/lies',
      summary: 'Answers with something else than it declared',
      access: 'public',
      answer: model(thing),
      handler: async () => ({ id: 'a' }) as { id: string; title: string },
    }),
    store: endpoint({
      method: 'POST',
      path: '/store',
      summary: 'Writes something',
      access: 'public',
      answer: done,
      handler: async ({ app }) => {
        await app.store.write(tx => tx.updateTable('users').set({ name: 'x' }).where('id', '=', 'nobody').execute())
      },
    }),
  },
}

const site = await createTestApp({ api: tree, settings: { auth: { throttle: false } } })
const at = 'http://127.0.0.1:4080'
const throttled = await createTestApp({ api: tree })
const friend = 'https://app.example.org'
const cors = await createTestApp({ api: tree, settings: { api: { cors: [friend] } } })
const proxied = await createTestApp({
  api: tree,
  settings: {
    url: 'https://example.org',
    trustedProxies: ['10.0.0.0/8'],
    panel: { origins: ['https://panel.example.org'] },
  },
})

async function signIn(options: TestUser = {}, { site: where = site }: { site?: TestApp } = {}) {
  const user = await addUser(where, options)
  const browser = where.browser()
  await browser.client.auth.login({ email: user.email, password: options.password ?? password })
  const { csrf } = browser.last.json<{ csrf: string }>()
  return { user, browser, csrf, signed: { 'x-csrf': csrf } }
}

async function tokenOf(options: Partial<NewApiToken> & { role?: string } = {}) {
  const owner = await addUser(site, options.role === undefined ? {} : { role: options.role })
  const { token, id } = await addToken(site.app, { userId: owner.id, name: 'test', scopes: ['*'], ...options })
  return { owner, id, headers: { authorization: `Bearer ${token}` } }
}

const asJson = { 'content-type': 'application/json' }
const json = (value: unknown) => ({ headers: asJson, payload: JSON.stringify(value) })
const keyOf = (answer: { body: string }) => (JSON.parse(answer.body) as { key?: string }).key

const admin = await tokenOf()
/** Sends a body to an endpoint that an administrator may use. */
const post = (payload: string | Buffer, headers: Record<string, string> = asJson, url = '/api/things') =>
  site.request({ method: 'POST', url, headers: { ...admin.headers, ...headers }, payload })

describe('the six steps', () => {
  const rename = { method: 'PATCH', url: '/api/things/a' } as const
  const lost = { method: 'PATCH', url: '/api/things/lost' } as const

  test('identify comes first: an anonymous client learns nothing, whatever else is wrong', async () => {
    for (const wrong of [
      { ...lost, ...json({ nonsense: 1 }) },
      { ...lost, headers: asJson, payload: '{broken' },
      { ...rename, headers: asJson, payload: Buffer.alloc(10_000_000, 'a') },
      { ...rename, ...json({ title: 'x' }) },
    ]) {
      const answer = await site.request(wrong)
      expect(answer.statusCode).toBe(401)
      expect(answer.headers['www-authenticate']).toBe('Bearer realm="quoin"')
      expect(answer.json()).toEqual({
        status: 'error',
        message: 'Please sign in.',
        code: 401,
        key: 'error.auth',
        details: { methods: ['password', 'passkey'] },
      })
    }
  })

  test('validate comes before find, find before authorize, authorize before the handler', async () => {
    const { browser, signed } = await signIn({ role: 'editor' })
    const send = async (request: object, body: unknown) => {
      steps.length = 0
      const answer = await browser.send({
        ...request,
        headers: { ...asJson, ...signed },
        payload: JSON.stringify(body),
      })
      return [answer.statusCode, keyOf(answer), ...steps]
    }
    expect(await send(lost, { title: 1 })).toEqual([400, 'error.validation'])
    expect(await send(lost, { title: 'x' })).toEqual([404, 'error.notFound', 'find'])
    expect(await send(rename, { title: 'x' })).toEqual([403, 'error.page.changeTitle.permission', 'find'])
  })

  test('the response is an envelope with declared fields only', async () => {
    steps.length = 0
    const answer = await site.request({
      ...rename,
      headers: { ...asJson, ...admin.headers },
      payload: '{"title":"New"}',
    })
    expect(answer.statusCode).toBe(200)
    expect(answer.body).toBe('{"code":200,"data":{"id":"a","title":"New"},"status":"ok","type":"model"}')
    expect(steps).toEqual(['find', 'handle'])
    const all = await site.request({ url: '/api/things', headers: admin.headers })
    expect(all.json()).toEqual({
      code: 200,
      data: [{ id: 'a', title: 'First' }],
      pagination: { page: 1, total: 1, offset: 0, limit: 100 },
      status: 'ok',
      type: 'collection',
    })
    const gone = await site.request({ method: 'DELETE', url: '/api/things/a', headers: admin.headers })
    expect(gone.body).toBe('{"status":"ok","message":"ok","code":200}')
  })
})

describe('authentication and permissions', () => {
  test('an anonymous client can only use public endpoints, and leaves no trace in the store', async () => {
    const count = async () => {
      const tables = ['sessions', 'challenges', 'devices', 'throttle', 'audit_events'] as const
      return Promise.all(tables.map(table => site.app.store.db.selectFrom(table).selectAll().execute()))
    }
    const before = await count()
    expect((await site.request({ url: '/api/open' })).json()).toMatchObject({ data: { who: null } })
    for (const url of ['/api/mine', '/api/things', '/api/things/a', '/api/things/lost']) {
      const answer = await site.request({ url })
      expect([url, answer.statusCode, keyOf(answer)]).toEqual([url, 401, 'error.auth'])
      expect(answer.headers['set-cookie']).toBeUndefined()
    }
    expect(await count()).toEqual(before)
  })

  test('a session has the permissions of its role', async () => {
    const asAdmin = await signIn()
    const asNobody = await signIn({ role: 'editor' })
    for (const url of ['/api/open', '/api/mine']) {
      for (const { browser, user } of [asAdmin, asNobody]) {
        expect((await browser.send({ url })).json()).toMatchObject({ data: { who: user.id } })
      }
    }
    for (const url of ['/api/things', '/api/things/a']) {
      expect((await asAdmin.browser.send({ url })).statusCode).toBe(200)
      const refused = await asNobody.browser.send({ url })
      expect([refused.statusCode, keyOf(refused)]).toEqual([403, 'error.permission'])
      expect(refused.headers['www-authenticate']).toBeUndefined()
    }
  })

  test('a target without options is refused, also to administrators', async () => {
    const { browser } = await signIn()
    expect((await browser.send({ url: '/api/without-options/a' })).statusCode).toBe(403)
  })

  test('the role is checked on every request', async () => {
    const { browser, user } = await signIn()
    expect((await browser.send({ url: '/api/things/a' })).statusCode).toBe(200)
    await site.app.store.db.updateTable('users').set({ role: 'editor' }).where('id', '=', user.id).execute()
    expect((await browser.send({ url: '/api/things/a' })).statusCode).toBe(403)
  })

  test.each([
    [['*'], 200, 200],
    [['pages.*'], 200, 200],
    [['pages.read'], 200, 403],
    [['pages.changeTitle'], 403, 200],
    [['files.read', 'users.*'], 403, 403],
    [['page', 'pages', 'pages.', '.read', '*.read', 'PAGES.READ', 'pages.rea'], 403, 403],
    [[], 403, 403],
  ])('an API token with the scopes %j reads with %i and renames with %i', async (scopes, read, rename) => {
    const { headers } = await tokenOf({ scopes })
    expect((await site.request({ url: '/api/things/a', headers })).statusCode).toBe(read)
    const body = { headers: { ...headers, ...asJson }, payload: '{"title":"x"}' }
    expect((await site.request({ method: 'PATCH', url: '/api/things/a', ...body })).statusCode).toBe(rename)
    expect((await site.request({ url: '/api/mine', headers })).statusCode).toBe(200)
  })

  test('N14: a token never has more permissions than its owner, and ends with it', async () => {
    const { owner, headers } = await tokenOf()
    const read = async () => (await site.request({ url: '/api/things/a', headers })).statusCode
    const users = site.app.store.db.updateTable('users').where('id', '=', owner.id)
    expect(await read()).toBe(200)
    await users.set({ role: 'editor' }).execute()
    expect(await read()).toBe(403)
    await users.set({ role: 'admin' }).execute()
    expect(await read()).toBe(200)
    await disableUser(operatorContext(site.app), { id: owner.id })
    expect(await read()).toBe(401)
  })

  test('N14: a revoked, mistyped or invented token is refused, even with a valid cookie', async () => {
    const { id, headers } = await tokenOf()
    const { browser } = await signIn()
    const right = headers.authorization
    const mistyped = right.slice(0, -1) + (right.endsWith('0') ? '1' : '0')
    for (const authorization of [mistyped, 'Bearer quoin_0', 'Bearer ', 'Bearer  x', 'bearer nonsense']) {
      const answer = await browser.send({ url: '/api/mine', headers: { authorization } })
      expect([authorization, answer.statusCode]).toEqual([authorization, 401])
    }
    expect((await site.request({ url: '/api/mine', headers })).statusCode).toBe(200)
    await removeToken(site.app, id)
    expect((await site.request({ url: '/api/mine', headers })).statusCode).toBe(401)
  })

  test('N15: a token in the query, in a cookie or in the body is ignored', async () => {
    const { headers } = await tokenOf()
    const token = headers.authorization.slice(7)
    expect((await site.request({ url: `/api/mine?token=${token}&access_token=${token}` })).statusCode).toBe(401)
    for (const name of ['token', 'quoin_insecure', 'authorization']) {
      expect((await site.request({ url: '/api/mine', headers: { cookie: `${name}=${token}` } })).statusCode).toBe(401)
    }
    const body = json({ title: 'x', token, authorization: headers.authorization })
    expect((await site.request({ method: 'PATCH', url: '/api/things/a', ...body })).statusCode).toBe(401)
  })

  test('N16: Basic credentials are ignored unless enabled', async () => {
    const { email } = await addUser(site)
    const authorization = `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}`
    expect((await site.request({ url: '/api/mine', headers: { authorization } })).statusCode).toBe(401)
    const { browser, user } = await signIn()
    const withSession = await browser.send({ url: '/api/mine', headers: { authorization } })
    expect(withSession.json()).toMatchObject({ data: { who: user.id } })
  })

  test('a session that must change its password can only use the Authentication group', async () => {
    const { browser, signed } = await signIn({ mustChangePassword: true })
    for (const request of [
      { url: '/api/open' },
      { url: '/api/mine' },
      { url: '/api/things' },
      { url: '/api/things/lost' },
      { method: 'PATCH', url: '/api/things/a', headers: { ...signed, ...asJson }, payload: '{broken' },
    ] as const) {
      const answer = await browser.send(request)
      expect([request.url, answer.statusCode, keyOf(answer)]).toEqual([request.url, 403, 'error.auth.forcedSetup'])
    }
    expect((await browser.send({ url: '/api/auth' })).json()).toMatchObject({ session: { mustChangePassword: true } })
    expect((await browser.send({ method: 'POST', url: '/api/auth/logout' })).statusCode).toBe(200)
  })
})

const denied = async (subject: string) =>
  site.app.store.db
    .selectFrom('audit_events')
    .selectAll()
    .where('event', '=', 'auth.csrf.denied')
    .where('subject_id', '=', subject)
    .execute()

describe('X-CSRF', () => {
  test('F08: a cookie-authenticated change without the right token is refused and recorded', async () => {
    const { browser, csrf, user } = await signIn()
    const own = { email: user.email, password }
    const other = await signIn()
    const sameUser = site.browser()
    await sameUser.client.auth.login(own)
    const otherSession = sameUser.last.json<{ csrf: string }>().csrf
    const wrong = [
      undefined,
      '',
      'x',
      csrf.slice(1),
      `${csrf}A`,
      csrf.toLowerCase() === csrf ? csrf.toUpperCase() : csrf.toLowerCase(),
      'é'.repeat(43),
      otherSession,
      other.csrf,
      [...browser.cookies.values()][0]!,
    ]
    for (const wrongToken of wrong) {
      for (const request of [
        { method: 'PATCH', url: '/api/things/a', payload: '{"title":"x"}' },
        { method: 'DELETE', url: '/api/things/a', payload: '{}' },
        { method: 'POST', url: '/api/open', payload: '{"text":"x"}' },
      ] as const) {
        steps.length = 0
        const headers = {
          ...asJson,
          'sec-fetch-site': 'same-origin',
          ...(wrongToken !== undefined && { 'x-csrf': wrongToken }),
        }
        const answer = await browser.send({ ...request, headers })
        expect([wrongToken, answer.statusCode, keyOf(answer)]).toEqual([wrongToken, 403, 'error.auth.csrf'])
        expect(steps).toEqual([])
      }
    }
    const rows = await denied(user.id)
    expect(rows.reduce((sum, row) => sum + row.count, 0)).toBe(wrong.length * 3)
    expect(rows.length).toBeLessThanOrEqual(2) // gathered by the minute
    expect(rows[0]).toMatchObject({ ip_prefix: '192.0.2.0/24', detail: '{}' })
    expect(rows[0]!.session_id).toBeTruthy()
    const right = { ...asJson, 'x-csrf': csrf }
    const answer = await browser.send({
      method: 'PATCH',
      url: '/api/things/a',
      headers: right,
      payload: '{"title":""}',
    })
    expect(answer.statusCode).toBe(200)
  })

  test('F08: the token of a previous session is refused', async () => {
    const { browser, csrf, user } = await signIn()
    await browser.client.auth.login({ method: 'reauth', password })
    const next = browser.last.json<{ csrf: string }>().csrf
    const change = async (token: string) => {
      const headers = { ...asJson, 'sec-fetch-site': 'same-origin', 'x-csrf': token }
      return (await browser.send({ method: 'POST', url: '/api/open', headers, payload: '{"text":"x"}' })).statusCode
    }
    expect(next).not.toBe(csrf)
    expect(await change(csrf)).toBe(403)
    expect(await change(next)).toBe(200)
    expect(await denied(user.id)).toMatchObject([{ count: 1 }])
  })

  test('F09: the token is not read from the query, the body or a cookie', async () => {
    const { browser, csrf, user } = await signIn()
    const headers = { ...asJson, 'sec-fetch-site': 'same-origin' }
    const patch = { method: 'PATCH', url: '/api/things/a', headers, payload: '{"title":"x"}' } as const
    browser.cookies.set('x-csrf', csrf).set('csrf', csrf)
    for (const request of [
      { ...patch, url: `/api/things/a?x-csrf=${csrf}&csrf=${csrf}` },
      { ...patch, payload: JSON.stringify({ title: 'x', csrf, 'x-csrf': csrf }) },
      patch,
    ]) {
      const answer = await browser.send(request)
      expect([answer.statusCode, keyOf(answer)]).toEqual([403, 'error.auth.csrf'])
    }
    expect(await denied(user.id)).toMatchObject([{ count: 3 }])
  })

  test('GET requires no token, GET /api/auth returns it, and API tokens need none', async () => {
    const { browser, csrf } = await signIn()
    expect((await browser.send({ url: '/api/things/a' })).statusCode).toBe(200)
    expect((await browser.send({ url: '/api/auth' })).json()).toMatchObject({ csrf })
    expect((await post('{"title":"x"}')).statusCode).toBe(200)
  })

  test('F02: a cross-site change is refused before authentication', async () => {
    const { browser, signed, user } = await signIn()
    for (const from of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    ]) {
      const headers = { ...asJson, ...signed, ...from }
      const answer = await browser.send({ method: 'PATCH', url: '/api/things/a', headers, payload: '{"title":"x"}' })
      expect([from, answer.statusCode, keyOf(answer)]).toEqual([from, 403, 'error.auth.origin'])
    }
    expect(await denied(user.id)).toEqual([])
    const headers = { ...asJson, ...signed, origin: at }
    const own = await browser.send({ method: 'PATCH', url: '/api/things/a', headers, payload: '{"title":"x"}' })
    expect(own.statusCode).toBe(200)
  })
})

describe('paths and methods', () => {
  test.each([
    '/api',
    '/api/',
    '/api/unknown',
    '/API/open',
    '/api/things/a/b',
    '/api/v1/open',
    '/v1/api/open',
    '/favicon.ico',
    '/.env',
  ])('%s is not found', async url => {
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS'] as const) {
      const answer = await site.request({ method, url, ...(method === 'POST' && json({})) })
      expect(answer.statusCode).toBe(404)
      expect(answer.headers['allow']).toBeUndefined()
      if (method === 'GET')
        expect(answer.json()).toEqual({
          status: 'error',
          message: 'There is nothing at this URL.',
          code: 404,
          key: 'error.notFound',
          details: {},
        })
    }
  })

  test.each([
    ['/api/open', ['PUT', 'PATCH', 'DELETE', 'TRACE'], 'GET, HEAD, POST'],
    ['/api/things', ['PUT', 'PATCH', 'DELETE'], 'GET, HEAD, POST'],
    ['/api/things/a', ['POST', 'PUT'], 'GET, HEAD, PATCH, DELETE'],
    ['/api/things/a?x=y', ['POST', 'PUT'], 'GET, HEAD, PATCH, DELETE'],
    ['/api/mine', ['POST', 'PUT', 'PATCH', 'DELETE'], 'GET, HEAD'],
    ['/api/auth', ['POST', 'PUT', 'PATCH', 'DELETE'], 'GET, HEAD'],
    ['/api/auth/login', ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'], 'POST'],
  ])('A01: %s refuses %j and allows %s', async (url, methods, allow) => {
    for (const method of methods) {
      const answer = await site.request({ method, url })
      expect([method, answer.statusCode, answer.headers['allow']]).toEqual([method, 405, allow])
      if (method !== 'HEAD') expect(keyOf(answer)).toBe('error.methodNotAllowed')
    }
    const options = await site.request({ method: 'OPTIONS', url })
    expect([options.statusCode, options.headers['allow'], options.body]).toEqual([204, allow, ''])
  })

  test.each([
    ['text/plain', 'not JSON'],
    ['application/json', '{broken'],
    ['application/json', 'x'.repeat(2_000_000)],
    ['nonsense', 'x'],
  ])('A01: an unknown path or method is refused with any body (%s, %.20s)', async (type, payload) => {
    for (const [method, url, status] of [
      ['POST', '/api/unknown', 404],
      ['PUT', '/api/auth', 405],
      ['PUT', '/api/auth/login', 405],
      ['DELETE', '/api/open', 405],
      ['OPTIONS', '/api/open', 204],
    ] as const) {
      const answer = await site.request({ method, url, headers: { 'content-type': type }, payload })
      expect([method, url, answer.statusCode]).toEqual([method, url, status])
    }
  })

  test('A04: HEAD has the headers of GET, with the same checks', async () => {
    const { browser } = await signIn()
    const get = await browser.send({ url: '/api/things/a' })
    const head = await browser.send({ method: 'HEAD', url: '/api/things/a' })
    expect(head.statusCode).toBe(200)
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(get.body)))
    expect(head.headers['content-type']).toBe(get.headers['content-type'])
    const anonymous = await site.request({ method: 'HEAD', url: '/api/things/a' })
    expect(anonymous.statusCode).toBe(401)
  })

  test('POST becomes PATCH or DELETE by method override, outside the Authentication group', async () => {
    const send = async (url: string, override: string, method: 'POST' | 'GET' = 'POST') => {
      const headers = { ...admin.headers, ...asJson, 'x-http-method-override': override }
      const body = override === 'DELETE' && url.startsWith('/api/things') ? '{}' : '{"title":"x"}'
      const payload = method === 'POST' ? body : undefined
      return site.request({ method, url, headers, ...(payload !== undefined && { payload }) })
    }
    expect((await send('/api/things/a', 'PATCH')).json()).toMatchObject({ data: { title: 'x' } })
    expect((await send('/api/things/a', 'patch')).statusCode).toBe(200)
    expect((await send('/api/things/a', 'DELETE')).json()).toMatchObject({ message: 'ok' })
    for (const other of ['PUT', 'GET', 'TRACE', 'nonsense', '']) {
      expect((await send('/api/things/a', other)).statusCode).toBe(405)
    }
    expect((await send('/api/things/a', 'DELETE', 'GET')).json()).toMatchObject({ type: 'model' })
    // The token makes it 400: it is the login that looked at it, not a 405.
    expect(keyOf(await send('/api/auth/login', 'DELETE'))).toBe('error.validation')
    expect(keyOf(await send('/api/auth/logout', 'PATCH'))).toBe('error.validation')
    expect((await site.request({ method: 'POST', url: '/api/things/a?_method=DELETE' })).statusCode).toBe(405)
  })

  test('an overridden method has the same checks', async () => {
    const { browser } = await signIn()
    const headers = { ...asJson, 'x-http-method-override': 'DELETE' }
    const answer = await browser.send({ method: 'POST', url: '/api/things/a', headers, payload: '{}' })
    expect([answer.statusCode, keyOf(answer)]).toEqual([403, 'error.auth.csrf'])
    const anonymous = await site.request({ method: 'POST', url: '/api/things/a', headers, payload: '{}' })
    expect(anonymous.statusCode).toBe(401)
  })

  test.each([
    ['/api/things/%zz', 400],
    ['/api/things/%', 400],
    ['/api/things/%ff', 400],
    ['/api/things/%00', 404],
    ['/api/things/..%2fopen', 404],
    [`/api/things/${'a'.repeat(1000)}`, 404],
    [`/api/things/${'a'.repeat(2000)}`, 404],
    ['/api/things/__proto__', 404],
  ])('an unusual path such as %s is an ordinary error', async (url, status) => {
    const answer = await site.request({ url, headers: admin.headers })
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([status, 'application/json; charset=utf-8'])
    expect(answer.headers['x-content-type-options']).toBe('nosniff')
    expect(answer.body).not.toMatch(/FST_|Fastify/)
  })

  test('unknown query parameters are ignored in reads, and refused in writes', async () => {
    for (const url of [
      '/api/mine?_=1700',
      '/api/mine?swordfish=x',
      '/api/things?__proto__=x',
      '/api/open?constructor=x',
    ]) {
      const answer = await site.request({ url, headers: admin.headers })
      expect([url, answer.statusCode, answer.body]).toEqual([url, 200, expect.any(String)])
    }
    const long = await site.request({ url: '/api/open?page=1234' })
    expect(long.json()).toMatchObject({
      details: { page: { label: 'page', message: { maxlength: 'This can have at most 3 characters.' } } },
    })
    for (const path of ['login', 'logout']) {
      const answer = await site.request({ method: 'POST', url: `/api/auth/${path}?x=1`, ...json({}) })
      expect([answer.statusCode, keyOf(answer)]).toEqual([400, 'error.validation'])
    }
  })

  test('pretty=true formats the same document on several lines', async () => {
    const plain = await site.request({ url: '/api/open' })
    expect(plain.body).not.toContain('\n')
    for (const value of ['1', 'true', 'yes']) {
      const pretty = await site.request({ url: `/api/open?pretty=${value}` })
      expect(pretty.headers['content-type']).toBe('application/json; charset=utf-8')
      expect(pretty.body).toBe(JSON.stringify(plain.json(), undefined, 4))
    }
    for (const value of ['', '0'])
      expect((await site.request({ url: `/api/open?pretty=${value}` })).body).toBe(plain.body)
  })
})

describe('responses', () => {
  /** Written out here: what the code calls the headers of every answer must be what the design says they are. */
  const always = {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    vary: 'Cookie, Authorization, Origin, Sec-Fetch-Site, Accept-Language',
    'x-content-type-options': 'nosniff',
  }

  test.each([
    [200, { url: '/api/open' }],
    [200, { url: '/health/live' }],
    [200, { url: '/health/ready' }],
    [204, { method: 'OPTIONS', url: '/api/open' }],
    [400, { url: '/api/open?page=1234' }],
    [400, { url: '/api/things/%zz' }],
    [401, { url: '/api/auth' }],
    [403, { method: 'POST', url: '/api/open', headers: { origin: 'https://evil.example' } }],
    [404, { url: '/nowhere' }],
    [405, { method: 'PUT', url: '/api/open' }],
    [413, { method: 'POST', url: '/api/auth/login', headers: asJson, payload: Buffer.alloc(9000, ' ') }],
    [415, { method: 'POST', url: '/api/auth/login', headers: { 'content-type': 'text/plain' }, payload: 'x' }],
    [421, { url: '/api/open', headers: { host: 'evil.example' } }],
    [500, { url: '/api/broken/error' }],
  ] as const)('A28: %i has the security headers, a length, a type and a request id (%j)', async (status, request) => {
    const { statusCode, headers, body } = await site.request(request)
    expect(statusCode).toBe(status)
    expect(headers).toMatchObject(always)
    expect(headers['x-request-id']).toMatch(/^[a-z0-9]{8}-[a-z0-9]+$/)
    for (const name of ['server', 'x-powered-by', 'etag', 'set-cookie', 'access-control-allow-origin']) {
      expect(headers).not.toHaveProperty(name)
    }
    if (status === 204) return
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(headers['content-length']).toBe(String(Buffer.byteLength(body)))
    expect(() => JSON.parse(body) as unknown).not.toThrow()
  })

  test('every request has its own id, whatever the client sends', async () => {
    const ids = new Set<unknown>()
    for (let count = 0; count < 20; count++) {
      const answer = await site.request({ url: '/api/open', headers: { 'x-request-id': 'mine', 'request-id': 'mine' } })
      ids.add(answer.headers['x-request-id'])
    }
    expect(ids.size).toBe(20)
    expect(ids).not.toContain('mine')
  })

  test('F22: a conditional request gets a full response, never 304', async () => {
    const headers = { 'if-none-match': '*', 'if-modified-since': 'Mon, 01 Jan 2035 00:00:00 GMT' }
    const answer = await site.request({ url: '/api/open', headers })
    expect([answer.statusCode, answer.headers['etag']]).toEqual([200, undefined])
  })

  test.each([
    [undefined, 'json'],
    ['*/*', 'json'],
    ['application/json', 'json'],
    ['text/html', 'json'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'json'],
    ['nonsense', 'json'],
    ['application/problem+json', 'problem+json'],
    ['application/json, application/problem+json', 'problem+json'],
  ])('A26: Accept %s gets errors as application/%s', async (accept, type) => {
    const answer = await site.request({ url: '/api/auth', headers: accept === undefined ? {} : { accept } })
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([401, `application/${type}; charset=utf-8`])
    const common = { key: 'error.auth', details: { methods: ['password', 'passkey'] } }
    expect(answer.json()).toEqual(
      type === 'json'
        ? { status: 'error', code: 401, message: 'Please sign in.', ...common }
        : {
            type: 'urn:quoin:error.auth',
            title: 'Unauthorized',
            status: 401,
            detail: 'Please sign in.',
            methods: ['password', 'passkey'],
            ...common,
          },
    )
    const right = await site.request({ url: '/api/open', headers: accept === undefined ? {} : { accept } })
    expect([right.statusCode, right.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
  })
})

describe('unexpected errors', () => {
  test.each(['error', 'text', 'null'])(
    'M20: an unexpected exception (%s) is a fixed message for the caller and a cause in the log',
    async how => {
      site.logged.length = 0
      for (const accept of ['application/json', 'application/problem+json']) {
        const answer = await site.request({ url: `/api/broken/${how}`, headers: { accept } })
        expect(answer.statusCode).toBe(500)
        expect(answer.body).not.toMatch(/swordfish|deeper|stack|\.ts|node_modules|Error:/)
        expect(answer.json()).toMatchObject({ key: 'error.general', details: {} })
      }
      const lines = site.logged.filter(({ level }) => level === 50)
      expect(lines).toHaveLength(2)
      expect(lines[0]).toMatchObject({ msg: 'a request failed', route: '/api/broken/:how' })
      expect(lines[0]!['request']).toMatch(/^[a-z0-9]{8}-/)
      if (how === 'error') {
        expect(JSON.stringify(lines[0]!['err'])).toMatch(/swordfish.*deeper/)
        expect((lines[0]!['err'] as { stack: string }).stack).toContain('server.test.ts')
      }
    },
  )

  test('a response that violates its schema is a 500, and none of it is sent', async () => {
    const answer = await site.request({ url: '/api/lies' })
    expect([answer.statusCode, keyOf(answer)]).toEqual([500, 'error.general'])
    expect(answer.body).not.toContain('title')
  })

  test('no input appears in the log of a refused request', async () => {
    site.logged.length = 0
    await site.request({ url: '/api/auth/login?email=ada&password=swordfish' })
    await post('{"title": "swordfish", "swordfish": 1}')
    await post('{"swordfish')
    expect(site.logged.length).toBeGreaterThan(0)
    expect(JSON.stringify(site.logged)).not.toContain('swordfish')
  })

  test('M05: an unavailable store is 503 with Retry-After, and the server continues', async () => {
    const apart = await createTestApp({ api: tree, settings: { database: { timeout: 1 } } })
    const release = await blockWrites(apart.storage)
    const answer = await apart.request({ method: 'POST', url: '/api/store' })
    expect([answer.statusCode, keyOf(answer), answer.headers['retry-after']]).toEqual([503, 'error.unavailable', '2'])
    expect(answer.body).not.toMatch(/sql|lock|postgres|busy/i)
    expect(apart.logged).toContainEqual(expect.objectContaining({ level: 50, msg: 'the store did not answer' }))
    expect((await apart.request({ url: '/api/open' })).statusCode).toBe(200)
    await release()
    expect((await apart.request({ method: 'POST', url: '/api/store' })).statusCode).toBe(200)
  })
})

/** What another process can do to the store: hold the lock that every write needs. */
async function blockWrites({ settings, data }: TestStorage): Promise<() => Promise<void>> {
  if (engine === 'sqlite') {
    const other = new DatabaseSync(join(data, 'quoin.db'))
    other.exec('begin immediate')
    return async () => other.close()
  }
  const other = new pg.Client(settings.database?.url)
  await other.connect()
  await other.query('begin; lock table users in access exclusive mode')
  return () => other.end()
}

const allowing = (headers: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')))

describe('other origins', () => {
  const preflight = { method: 'OPTIONS', url: '/api/things/a' } as const
  const asking = { 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'content-type,x-csrf' }

  test('CORS is off unless it is configured', async () => {
    for (const origin of [friend, at, 'null', '*', 'https://evil.example']) {
      for (const request of [{ url: '/api/open' }, { url: '/api/auth' }, preflight, { url: '/nowhere' }]) {
        const answer = await site.request({ ...request, headers: { origin, ...asking } })
        expect(allowing(answer.headers)).toEqual({})
      }
    }
  })

  test('a listed origin may read responses and errors, with credentials', async () => {
    for (const request of [{ url: '/api/open' }, { url: '/api/auth' }, { url: '/nowhere' }, { url: '/api/open?x=1' }]) {
      const answer = await cors.request({ ...request, headers: { origin: friend } })
      expect(allowing(answer.headers)).toEqual({
        'access-control-allow-origin': friend,
        'access-control-allow-credentials': 'true',
        'access-control-expose-headers': 'ETag, Retry-After, X-Request-Id',
      })
      expect(answer.headers['cross-origin-resource-policy']).toBe('cross-origin')
      expect(answer.headers['vary']).toContain('Origin')
    }
    const headers = { origin: friend, 'sec-fetch-site': 'cross-site', ...asJson }
    const change = await cors.request({ method: 'POST', url: '/api/open', headers, payload: '{"text":"x"}' })
    expect(change.statusCode).toBe(200)
  })

  test('the list is exact: similar origins are refused', async () => {
    for (const origin of [
      'http://app.example.org',
      'https://app.example.org:444',
      'https://app.example.org/',
      'https://app.example.org.evil.example',
      'https://evil.app.example.org',
      'https://example.org',
      'null',
      '*',
    ]) {
      for (const request of [{ url: '/api/open' }, preflight]) {
        const answer = await cors.request({ ...request, headers: { origin, ...asking } })
        expect([origin, allowing(answer.headers)]).toEqual([origin, {}])
      }
    }
  })

  test('F13: a preflight lists the methods of the path, for ten minutes, and never *', async () => {
    const answer = await cors.request({
      ...preflight,
      headers: { origin: friend, ...asking, 'access-control-request-private-network': 'true' },
    })
    expect(answer.statusCode).toBe(204)
    expect(allowing(answer.headers)).toEqual({
      'access-control-allow-origin': friend,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': 'ETag, Retry-After, X-Request-Id',
      'access-control-allow-methods': 'GET, HEAD, PATCH, DELETE',
      'access-control-allow-headers':
        'Authorization, Content-Type, If-Match, If-None-Match, Last-Event-ID, X-CSRF, X-Language',
      'access-control-max-age': '600',
    })
    expect(JSON.stringify(answer.headers)).not.toContain('*')
  })
})

const call = (remoteAddress: string, headers: Record<string, string> = {}, url = '/api/open') =>
  proxied.request({ url, remoteAddress, headers: { host: 'example.org', ...headers } })
const ipOf = async (peer: string, forwarded?: string) =>
  (await call(peer, forwarded === undefined ? {} : { 'x-forwarded-for': forwarded })).json<{
    data: { ip: string }
  }>().data.ip

describe('hosts and protocols', () => {
  test('A27: plain HTTP is refused for an HTTPS site: no redirect, no cookie', async () => {
    for (const headers of [{}, { 'x-forwarded-proto': 'https' }, { forwarded: 'proto=https' }]) {
      const answer = await call('192.0.2.7', headers)
      expect([answer.statusCode, keyOf(answer)]).toEqual([403, 'error.auth.https'])
      expect(answer.headers).not.toHaveProperty('location')
    }
    const { email } = await addUser(proxied)
    const login = { method: 'POST', url: '/api/auth/login', ...json({ email, password }) } as const
    const headers = { ...asJson, host: 'example.org' }
    const refused = await proxied.request({ ...login, headers, remoteAddress: '192.0.2.7' })
    expect([refused.statusCode, refused.headers['set-cookie']]).toEqual([403, undefined])
    const accepted = await proxied.request({ ...login, headers, remoteAddress: '10.0.0.1' })
    expect(accepted.statusCode).toBe(200)
    expect(accepted.headers['set-cookie']).toMatchObject([
      expect.stringMatching(/^__Host-Http-quoin=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict$/),
      expect.stringMatching(
        /^__Host-Http-quoindev=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=\d+$/,
      ),
    ])
  })

  test.each([
    [undefined, 200],
    ['https', 200],
    ['HTTPS', 200],
    ['http, https', 200],
    ['http', 403],
    ['https, http', 403],
    ['', 403],
    ['https,', 403],
    ['ws', 403],
  ])('A27: a trusted proxy with the protocol %s gets %i', async (proto, status) => {
    const answer = await call('10.1.2.3', proto === undefined ? {} : { 'x-forwarded-proto': proto })
    expect(answer.statusCode).toBe(status)
    expect(answer.headers['strict-transport-security']).toBe('max-age=31536000')
  })

  test("the client's address is the nearest hop that is not a trusted proxy", async () => {
    expect(await ipOf('10.1.2.3')).toBe('10.1.2.3')
    expect(await ipOf('10.1.2.3', '198.51.100.4')).toBe('198.51.100.4')
    expect(await ipOf('10.1.2.3', '1.2.3.4, 198.51.100.4, 10.9.9.9')).toBe('198.51.100.4')
    expect(await ipOf('10.1.2.3', '198.51.100.4, nonsense')).toBe('10.1.2.3')
    expect(await ipOf('::ffff:10.1.2.3', '[2001:db8::1]:443')).toBe('2001:db8::1')
    const direct = await site.request({
      url: '/api/open',
      remoteAddress: '192.0.2.9',
      headers: { 'x-forwarded-for': '1.2.3.4' },
    })
    expect(direct.json()).toMatchObject({ data: { ip: '192.0.2.9' } })
  })

  test('an unknown host is 421', async () => {
    for (const host of [
      'evil.example',
      'example.org.evil.example',
      'example.org:444',
      'localhost',
      '127.0.0.1',
      'example.org.',
      'user@example.org',
    ]) {
      const answer = await call('10.1.2.3', { host })
      expect([host, answer.statusCode, keyOf(answer)]).toEqual([host, 421, 'error.request.host'])
    }
    for (const host of ['example.org', 'EXAMPLE.org', 'panel.example.org']) {
      expect([host, (await call('10.1.2.3', { host })).statusCode]).toEqual([host, 200])
    }
    expect((await call('10.1.2.3', { host: 'evil.example', 'x-forwarded-host': 'example.org' })).statusCode).toBe(421)
  })

  test('a site on loopback accepts all of its names, and no other', async () => {
    for (const host of ['localhost', 'localhost:1234', '127.0.0.1:4080', '127.9.9.9', '[::1]:4080']) {
      expect([host, (await site.request({ url: '/api/open', headers: { host } })).statusCode]).toEqual([host, 200])
    }
    for (const host of ['localhost.evil.example', '127.0.0.1.evil.example', '0.0.0.0', 'evil:4080']) {
      expect([host, (await site.request({ url: '/api/open', headers: { host } })).statusCode]).toEqual([host, 421])
    }
  })
})

describe('a site below a path', () => {
  test('serves everything there and nothing above it', async () => {
    const below = await createTestApp({
      api: tree,
      settings: { url: 'https://example.org/cms/', trustedProxies: ['192.0.2.0/24'] },
    })
    const { user, browser } = await signIn({}, { site: below })
    expect(browser.last.headers['set-cookie']).toMatchObject([
      expect.stringMatching(/^__Http-quoin=[\w-]{43}; Path=\/cms; Secure; HttpOnly; SameSite=Strict$/),
      expect.stringMatching(/^__Http-quoindev=.*Path=\/cms;/),
    ])
    expect((await browser.send({ url: '/cms/api/mine' })).json()).toMatchObject({ data: { who: user.id } })
    for (const path of ['/api/open', '/openapi.json']) {
      expect([path, (await browser.send({ url: `/cms${path}` })).statusCode]).toEqual([path, 200])
      expect([path, (await browser.send({ url: path })).statusCode]).toEqual([path, 404])
    }
    const document = (await browser.send({ url: '/cms/openapi.json' })).json<{ servers: unknown; paths: object }>()
    expect(document.servers).toEqual([{ url: 'https://example.org/cms' }])
    expect(Object.keys(document.paths)).toContain('/api/auth/login')
    const wrong = await browser.send({ method: 'PUT', url: '/cms/api/auth/login' })
    expect([wrong.statusCode, wrong.headers['allow']]).toEqual([405, 'POST'])
    const headers = { 'x-http-method-override': 'DELETE', ...asJson }
    const login = await browser.send({ method: 'POST', url: '/cms/api/auth/login', headers, payload: '{}' })
    expect(login.statusCode).not.toBe(405)
    const out = await browser.send({ method: 'POST', url: '/cms/api/auth/logout' })
    expect(out.headers['set-cookie']).toContain(
      '__Http-quoin=; Path=/cms; Secure; HttpOnly; SameSite=Strict; Max-Age=0',
    )
  })
})

const details = (answer: { body: string }) => (JSON.parse(answer.body) as { details: Record<string, unknown> }).details
const nested = (depth: number) => `{"title":"x","tags":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`

describe('bodies', () => {
  test('a missing required body is 400, and an optional one may be missing', async () => {
    const none = await site.request({ method: 'POST', url: '/api/things', headers: admin.headers })
    expect([none.statusCode, keyOf(none)]).toEqual([400, 'error.validation'])
    expect(details(none)).toEqual({ body: { label: 'body', message: { type: 'This must be an object.' } } })
    expect((await site.request({ method: 'POST', url: '/api/open' })).statusCode).toBe(200)
    const typed = await site.request({ method: 'POST', url: '/api/open', headers: asJson })
    expect([typed.statusCode, typed.body]).toEqual([200, '{"status":"ok","message":"ok","code":200}'])
  })

  test.each(['null', '[]', '""', '1', 'true', '[{}]'])('B01: the body %s is 400', async payload => {
    const answer = await post(payload)
    expect([answer.statusCode, keyOf(answer)]).toEqual([400, 'error.validation'])
  })

  test.each([
    '{',
    '{"title":"x"',
    '{"title":"x",}',
    "{'title':'x'}",
    '{title:"x"}',
    '{"title":NaN}',
    '{"title":"x"} {"title":"y"}',
    '{"title":"x"}x',
    '// comment\n{"title":"x"}',
    '\ufeff{"title":"x"}',
    '{"title":"line\nbreak"}',
    '\0',
    ' ',
  ])('B02: the invalid JSON %j is 400 and not repeated', async payload => {
    const answer = await post(payload)
    expect([answer.statusCode, keyOf(answer), details(answer)]).toEqual([400, 'error.request.malformed', {}])
    expect(answer.body).not.toContain('title')
  })

  test.each([
    ['the same key twice', '{"title":"a","title":"b"}'],
    ['the same key twice, once escaped', '{"title":"a","t\\u0069tle":"b"}'],
    ['__proto__', '{"title":"a","__proto__":{"role":"admin"}}'],
    ['__proto__, escaped', '{"title":"a","__pr\\u006fto__":{"role":"admin"}}'],
    ['constructor.prototype', '{"title":"a","constructor":{"prototype":{"role":"admin"}}}'],
    ['prototype, further in', '{"title":"a","tags":[{"prototype":{"role":"admin"}}]}'],
    ['a lone surrogate', '{"title":"\\ud800"}'],
    ['a lone surrogate in a key', '{"\\udc00":"a"}'],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
    ['65 levels', `{"title":${'['.repeat(64)}${']'.repeat(64)}}`],
    ['10,000 levels', '['.repeat(10_000)],
    ['100,001 members', `[${'1,'.repeat(100_001)}1]`],
  ])('B03, B04, B10, B14: a body with %s is 400', async (_, payload) => {
    const answer = await post(payload)
    expect([answer.statusCode, keyOf(answer)]).toEqual([400, 'error.request.malformed'])
    expect(({} as { role?: string }).role).toBeUndefined()
  })

  test('depth is limited, and more so in the Authentication group', async () => {
    expect(keyOf(await post(nested(64)))).toBe('error.validation')
    expect(keyOf(await post(nested(65)))).toBe('error.request.malformed')
    expect(keyOf(await post(nested(4), asJson, '/api/auth/login'))).toBe('error.validation')
    expect(keyOf(await post(nested(5), asJson, '/api/auth/login'))).toBe('error.request.malformed')
  })

  test('B11: unknown fields are refused by name, several at once', async () => {
    const answer = await post('{"title":"x","role":"admin","isAdmin":true}')
    expect([answer.statusCode, keyOf(answer)]).toEqual([400, 'error.validation'])
    expect(details(answer)).toEqual({
      role: { label: 'role', message: { unknown: 'There is no such field.' } },
      isAdmin: { label: 'isAdmin', message: { unknown: 'There is no such field.' } },
    })
  })

  test('a value of 100,000 characters is 400 and not repeated; an emoji is one of fifty characters', async () => {
    const answer = await post(JSON.stringify({ title: 'q'.repeat(100_000) }))
    expect([answer.statusCode, keyOf(answer)]).toEqual([400, 'error.validation'])
    expect(details(answer)).toEqual({
      title: { label: 'title', message: { maxlength: 'This can have at most 50 characters.' } },
    })
    expect(answer.body.length).toBeLessThan(500)
    const names = await post(JSON.stringify({ title: 'x', ['q'.repeat(100_000)]: 1 }))
    expect([names.statusCode, keyOf(names)]).toEqual([400, 'error.validation'])
    expect(names.body.length).toBeLessThan(1000)
  })

  test.each([
    ['/api/things', 10_000_000, 1024 * 1024],
    ['/api/things', 1024 * 1024 + 1, 1024 * 1024],
    ['/api/auth/login', 10_000_000, 8192],
    ['/api/auth/login', 8193, 8192],
  ])('%s refuses a body of %i bytes with 413: its limit is %i', async (url, size, limit) => {
    const answer = await post(Buffer.alloc(size, ' '), asJson, url)
    expect([answer.statusCode, keyOf(answer)]).toEqual([413, 'error.request.tooLarge'])
    expect(answer.json<{ message: string }>().message).toContain(String(limit))
    const largest = await post(Buffer.alloc(limit, ' '), asJson, url)
    expect(keyOf(largest)).toBe('error.request.malformed')
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    '',
    'application/json;charset=latin1',
    'application/json; charset=utf-8; charset=utf-8',
    'application/jsonx',
    'application/json, text/plain',
    'text/json',
    'application/problem+json',
    'nonsense',
  ])('A07: a body of the type %j is 415 and charges nothing', async type => {
    const { email } = await addUser(throttled)
    for (const url of ['/api/auth/login', '/api/open']) {
      const payload = JSON.stringify({ email, password })
      const answer = await throttled.request({ method: 'POST', url, payload, headers: { 'content-type': type } })
      expect([answer.statusCode, keyOf(answer)]).toEqual([415, 'error.request.mediaType'])
      expect(answer.headers).toMatchObject({ accept: 'application/json', 'accept-post': 'application/json' })
      expect(answer.headers).not.toHaveProperty('set-cookie')
    }
    expect(await throttled.app.store.db.selectFrom('throttle').selectAll().execute()).toEqual([])
  })

  test('A07: a body without a type is 415', async () => {
    const payload = Buffer.from('{"title":"x"}')
    const answer = await post(payload, { 'content-length': String(payload.length) }, '/api/auth/login')
    expect([answer.statusCode, keyOf(answer)]).toEqual([415, 'error.request.mediaType'])
  })

  test.each(['application/json', 'application/json;charset=utf-8', 'Application/JSON; Charset="UTF-8"'])(
    'a body of the type %s is accepted',
    async type => {
      expect((await post('{"title":"x"}', { 'content-type': type })).statusCode).toBe(200)
    },
  )

  test('A09: a compressed body is refused without decompressing it', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000))
    expect(bomb.length).toBeLessThan(12_000)
    for (const encoding of ['gzip', 'deflate', 'br', 'x', 'gzip, identity']) {
      for (const url of ['/api/things', '/api/auth/login']) {
        const answer = await post(bomb.subarray(0, 8000), { ...asJson, 'content-encoding': encoding }, url)
        expect([encoding, answer.statusCode, keyOf(answer)]).toEqual([encoding, 415, 'error.request.mediaType'])
      }
    }
    expect((await post('{"title":"x"}', { ...asJson, 'content-encoding': 'identity' })).statusCode).toBe(200)
  })

  test('an unexpected body is refused, unless it is empty', async () => {
    const headers = { ...admin.headers, ...asJson }
    const remove = (payload: string) => site.request({ method: 'DELETE', url: '/api/things/a', headers, payload })
    expect(keyOf(await remove('{"id":"b"}'))).toBe('error.validation')
    for (const payload of ['{}', '']) expect((await remove(payload)).statusCode).toBe(200)
  })
})
