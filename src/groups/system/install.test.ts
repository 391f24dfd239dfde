import { connect } from 'node:net'
import type { InjectOptions } from 'fastify'
import { expect, test } from 'vitest'
import { type Browser, createTestStorage, createTestApp, type TestApp } from '../../../test/harness.ts'
import { createSite, quoin, serve } from '../../../test/program.ts'
import { isFirstEngine, isSlow, rounds } from '../../../test/slow.ts'
import {
  deviceCookie,
  eventsOf,
  everythingIn,
  newIp,
  postLogin,
  refusal,
  sessionCookie,
  withoutStore,
} from '../../../test/sign-in.ts'
import type { Settings } from '../../platform/config.ts'
import { randomToken } from '../../platform/lib/id.ts'
import { createUser } from '../users/users.ts'
import { createSetupToken } from './system.ts'
import { operatorContext } from '../../cli/site.ts'

const password = 'a heron stands among the reeds'
const account = { email: 'ada@example.org', password }

function install(browser: Browser, body: object | string, options: InjectOptions = {}) {
  return browser.send({
    method: 'POST',
    url: '/api/system/install',
    payload: typeof body === 'string' ? body : JSON.stringify(body),
    ...options,
    headers: { 'content-type': 'application/json', ...options.headers },
  })
}

/** A new site without accounts, and its printed setup token. */
async function fresh(settings: Settings = {}) {
  const site = await createTestApp({ settings })
  return { site, token: await createSetupToken(site.app) }
}

const anonymous = (site: TestApp) => site.browser({ ip: newIp() })
const atTheMachine = (site: TestApp) => site.browser({ ip: '127.0.0.1' })
const people = ({ app }: TestApp) =>
  app.store.db.selectFrom('users').select(['id', 'email', 'role', 'status']).execute()

// ---- the token

test('K15: the printed token creates the first administrator and signs in', async () => {
  const { site, token } = await fresh()
  const browser = anonymous(site)
  const answer = await install(browser, { ...account, name: 'Ada', language: 'de', token })
  expect(answer.statusCode).toBe(200)
  const body = answer.json<Record<string, unknown> & { user: { id: string }; csrf: string }>()
  expect(Object.keys(body)).toEqual(['code', 'status', 'token', 'user', 'session', 'csrf'])
  expect(body).toMatchObject({
    code: 200,
    status: 'ok',
    token: true,
    user: { email: account.email, name: 'Ada', language: 'de', role: { name: 'admin' } },
    session: { aal: 1, amr: ['pwd'], long: false, mustChangePassword: false },
  })
  expect(await people(site)).toEqual([{ id: body.user.id, email: account.email, role: 'admin', status: 'active' }])

  expect([...browser.cookies.keys()]).toEqual([sessionCookie, deviceCookie])
  expect(answer.body).not.toContain(browser.cookies.get(sessionCookie))
  const signedIn = (await browser.send({ url: '/api/auth' })).json<{ data: { id: string }; csrf: string }>()
  expect([signedIn.data.id, signedIn.csrf]).toEqual([body.user.id, body.csrf])
  expect((await postLogin(anonymous(site), account)).statusCode).toBe(200)

  const events = await eventsOf(site)
  expect(events.map(({ event, subject_id }) => [event, subject_id])).toEqual([
    ['user.created', body.user.id],
    ['system.installed', body.user.id],
    ['auth.login.ok', body.user.id],
    ['auth.login.ok', body.user.id],
  ])
  expect(events[1]).toMatchObject({ actor_id: body.user.id, session_id: expect.any(String) as string })
})

test('K15: a wrong token is 401 and creates nothing', async () => {
  const { site, token } = await fresh()
  const wrong = [randomToken(), token.slice(1), `${token}x`, token.toLowerCase(), 'x', '0'.repeat(100)]
  for (const wrongToken of wrong) {
    const answer = await install(anonymous(site), { ...account, token: wrongToken })
    expect(refusal(answer)).toMatchObject({ status: 401, key: 'error.system.token' })
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer/)
    expect(answer.headers['set-cookie']).toBeUndefined()
  }
  expect(refusal(await install(atTheMachine(site), { ...account, token: 'x' })), 'also at the machine').toMatchObject({
    key: 'error.system.token',
  })
  expect(await people(site)).toEqual([])
  expect((await eventsOf(site)).map(({ event }) => event)).toContain('system.install.fail')
  expect((await install(anonymous(site), { ...account, token })).statusCode).toBe(200)
})

test('K15: a used token is 401, and on the machine itself the installation is closed', async () => {
  const { site, token } = await fresh()
  const other = await createSetupToken(site.app)
  expect((await install(anonymous(site), { ...account, token })).statusCode).toBe(200)
  const closed = async () => {
    const before = await everythingIn(site)
    for (const used of [token, other, randomToken()]) {
      const answer = await install(anonymous(site), { email: 'eve@example.org', password, token: used })
      expect(refusal(answer)).toMatchObject({ status: 401, key: 'error.system.token' })
    }
    const here = await install(atTheMachine(site), { email: 'eve@example.org', password })
    expect(refusal(here)).toMatchObject({ status: 403, key: 'error.system.installed' })
    expect(await everythingIn(site), 'and nothing is written any more').toEqual(before)
  }
  await closed()
  await site.app.store.db.deleteFrom('users').execute()
  await closed()
})

test('K15: without the token a remote client is told where to find it', async () => {
  const { site } = await fresh()
  const before = await everythingIn(site)
  expect(refusal(await install(anonymous(site), account))).toMatchObject({ status: 403, key: 'error.system.install' })
  expect(await everythingIn(site)).toEqual(before)
})

test('K15: a token printed by one process is accepted by the others on the store', async () => {
  const { site, token } = await fresh()
  const second = await createTestApp({ storage: site.storage })
  await createSetupToken(second.app)
  expect((await install(anonymous(second), { ...account, token })).statusCode).toBe(200)
  expect(refusal(await install(anonymous(site), { ...account, token }))).toMatchObject({ key: 'error.system.token' })
})

test('K15: the store contains no token, and at most a hundred hashes', async () => {
  const { site, token } = await fresh()
  const stored = () => site.app.store.db.selectFrom('setup_tokens').selectAll().execute()
  expect(JSON.stringify(await stored())).not.toContain(token)
  const [row] = await stored()
  const answer = await install(anonymous(site), { ...account, token: row!.token_mac })
  expect(refusal(answer)).toMatchObject({ status: 401, key: 'error.system.token' })
  let last = ''
  for (let start = 0; start < 105; start++) last = await createSetupToken(site.app)
  expect(await stored()).toHaveLength(100)
  expect((await install(anonymous(site), { ...account, token: last })).statusCode).toBe(200)
  expect(await stored()).toEqual([])
})

test('K15: an account created on the command line closes the installation, too', async () => {
  const { site, token } = await fresh()
  await createUser(operatorContext(site.app), {
    shownReferences: 'all',
    email: 'grace@example.org',
    password,
    role: 'admin',
  })
  expect(refusal(await install(anonymous(site), { ...account, token }))).toMatchObject({ status: 401 })
  expect(refusal(await install(atTheMachine(site), account))).toMatchObject({ key: 'error.system.installed' })
  expect(await people(site)).toHaveLength(1)
})

// ---- at the machine

test('K15: a direct connection from the same machine needs no token', async () => {
  for (const [ip, host] of [
    ['127.0.0.1', '127.0.0.1:4080'],
    ['127.0.0.1', 'localhost:4080'],
    ['::1', '[::1]:4080'],
    ['::ffff:127.0.0.1', 'LOCALHOST:4080'],
  ]) {
    const { site } = await fresh()
    const answer = await install(site.browser({ ip: ip! }), account, { headers: { host: host! } })
    expect([host, answer.statusCode]).toEqual([host, 200])
  }
})

const trusting = { trustedProxies: ['127.0.0.1', '::1'] }
const passedOn: [string, Settings, InjectOptions][] = [
  ['X-Forwarded-For', {}, { headers: { 'x-forwarded-for': '203.0.113.5' } }],
  ['X-Forwarded-For that names this machine', {}, { headers: { 'x-forwarded-for': '127.0.0.1' } }],
  ['an empty X-Forwarded-For', {}, { headers: { 'x-forwarded-for': '' } }],
  ['X-Forwarded-For of a trusted proxy', trusting, { headers: { 'x-forwarded-for': '127.0.0.1' } }],
  ['a trusted proxy that says nothing', trusting, {}],
  ['X-Forwarded-Proto', {}, { headers: { 'x-forwarded-proto': 'https' } }],
  ['Forwarded', {}, { headers: { forwarded: 'for=127.0.0.1' } }],
  ['Via', {}, { headers: { via: '1.1 example' } }],
  ['X-Real-IP', {}, { headers: { 'x-real-ip': '127.0.0.1' } }],
  ['CF-Connecting-IP', {}, { headers: { 'cf-connecting-ip': '203.0.113.5' } }],
  ['an address of another machine', {}, { remoteAddress: '10.0.0.7' }],
  ['an address that only looks like loopback', {}, { remoteAddress: '::ffff:10.127.0.1' }],
  ['a page of another origin', {}, { headers: { origin: 'https://example.org', 'sec-fetch-site': 'same-origin' } }],
  ['a server that listens to other machines', { host: '0.0.0.0' }, { headers: { host: 'localhost:4080' } }],
] // prettier-ignore

test.runIf(isFirstEngine).each(passedOn)(
  'K15: a local connection with %s is not trusted',
  async (_, settings, options) => {
    const { site } = await fresh(settings)
    const answer = await install(atTheMachine(site), account, options)
    expect(refusal(answer)).toMatchObject({ status: 403, key: 'error.system.install' })
    expect(await people(site)).toEqual([])
  },
)

test.runIf(isFirstEngine)(
  'K15: a site with a public URL cannot be installed over loopback without the token',
  async () => {
    const { site, token } = await fresh({ url: 'https://example.org', trustedProxies: ['10.0.0.1'] })
    const over = (host: string) =>
      install(atTheMachine(site), account, { headers: { host, 'x-forwarded-proto': 'https' } })
    expect(refusal(await over('localhost:4080'))).toMatchObject({ status: 421, key: 'error.request.host' })
    expect(refusal(await over('example.org'))).toMatchObject({ status: 403 })
    const proxied = await install(site.browser({ ip: '10.0.0.1' }), { ...account, token }, {})
    expect(proxied.statusCode).toBe(200)
  },
)

/** Forwards requests as nginx does with only `proxy_pass`. */
function asNginx(port: number, body: object): Promise<string> {
  const payload = JSON.stringify(body)
  const lines = [
    'POST /api/system/install HTTP/1.0',
    `Host: 127.0.0.1:${port}`,
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(payload)}`,
  ]
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n${payload}`))
    socket.on('data', chunk => (text += String(chunk)))
    socket.on('error', reject)
    socket.on('close', () => resolve(text))
  })
}

test.runIf(isFirstEngine)(
  'K15: a local proxy without forwarding headers does not make remote clients local',
  async () => {
    const { site, token } = await fresh()
    const port = await site.listen()
    expect(await asNginx(port, account)).toMatch(/^HTTP\/1\.1 403 [^]*error\.system\.install"/)
    const direct = await fetch(`http://127.0.0.1:${port}/api/system`)
    expect(await direct.json()).toMatchObject({ data: { isInstallable: true } })
    expect(await asNginx(port, { ...account, token })).toMatch(/^HTTP\/1\.1 200 /)
  },
)

// ---- refusals

test.runIf(isFirstEngine)('K15: a cross-site request cannot install', async () => {
  const { site, token } = await fresh()
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: 'http://localhost:3000' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ] as Record<string, string>[]) {
    for (const [browser, body] of [
      [anonymous(site), { ...account, token }],
      [atTheMachine(site), account],
    ] as const) {
      expect(refusal(await install(browser, body, { headers }))).toMatchObject({
        status: 403,
        key: 'error.auth.origin',
      })
    }
  }
  const form = { headers: { 'content-type': 'text/plain' } }
  expect(refusal(await install(atTheMachine(site), account, form))).toMatchObject({ status: 415 })
  expect(await people(site)).toEqual([])
})

test.runIf(isFirstEngine)('K15: a browser with an old session cookie can install', async () => {
  const { site, token } = await fresh()
  const headers = { cookie: `${sessionCookie}=${randomToken()}`, 'sec-fetch-site': 'same-origin' }
  expect((await install(anonymous(site), { ...account, token }, { headers })).statusCode).toBe(200)
})

test.runIf(isFirstEngine)('an API token cannot install', async () => {
  const { site } = await fresh()
  const headers = { authorization: 'Bearer quoin_x' }
  expect(refusal(await install(atTheMachine(site), account, { headers }))).toMatchObject({
    status: 400,
    key: 'error.auth.notSession',
  })
})

const wrongBodies: [string, object | string, string][] = [
  ['nothing', '', 'error.validation'],
  ['no object', '[]', 'error.validation'],
  ['no JSON', '{', 'error.request.malformed'],
  ['no address', { password }, 'error.validation'],
  ['no password', { email: 'ada@example.org' }, 'error.validation'],
  ['an invalid address', { email: 'ada', password }, 'error.user.email.invalid'],
  ['a password that is not a string', { email: 'ada@example.org', password: { $gt: '' } }, 'error.validation'],
  ['a short password', { email: 'ada@example.org', password: 'short' }, 'error.user.password.invalid'],
  ['an id', { ...account, id: 'root' }, 'error.validation'],
  ['another role', { ...account, role: 'editor' }, 'error.validation'],
  ['a language we do not speak', { ...account, language: 'tlh' }, 'error.validation'],
  ['a name that is not a string', { ...account, name: 5 }, 'error.validation'],
  ['a token that is not a string', { ...account, token: 5 }, 'error.validation'],
  ['a token that is empty', { ...account, token: '' }, 'error.validation'],
] // prettier-ignore

const untouched = await fresh()

test.runIf(isFirstEngine).each(wrongBodies)('%s is 400, and the token is not consumed', async (_, body, key) => {
  const before = await everythingIn(untouched.site)
  const sent = typeof body === 'string' || 'token' in body ? body : { ...body, token: untouched.token }
  for (const browser of [anonymous(untouched.site), atTheMachine(untouched.site)]) {
    const answer = await install(browser, sent)
    expect(refusal(answer)).toMatchObject({ status: 400, key })
    expect(answer.headers['set-cookie']).toBeUndefined()
  }
  const after = await everythingIn(untouched.site)
  expect({ ...after, throttle: [] }).toEqual({ ...before, throttle: [] })
})

test.runIf(isFirstEngine)('a local user may mistype often, a remote client may not guess', async () => {
  const { site, token } = await fresh()
  const ip = newIp()
  const from = (body: object) => install(site.browser({ ip }), body)
  for (let times = 0; times < 40; times++) {
    expect((await from({ ...account, password: 'short', token })).statusCode).toBe(400)
  }
  for (let times = 0; times < 30; times++) {
    expect((await from({ ...account, token: randomToken() })).statusCode).toBe(401)
  }
  const refused = await from({ ...account, token })
  expect(refusal(refused)).toMatchObject({ status: 429, key: 'error.auth.throttled' })
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  const fails = await eventsOf(site, 'system.install.fail')
  expect(fails.length).toBeLessThanOrEqual(2)
  expect(fails.reduce((sum, { count }) => sum + count, 0)).toBe(30)
  expect((await install(anonymous(site), { ...account, token })).statusCode).toBe(200)
})

test.runIf(isFirstEngine)('the language of the first account is that of its browser', async () => {
  const { site, token } = await fresh()
  const answer = await install(anonymous(site), { ...account, token }, { headers: { 'accept-language': 'fr-CH, de' } })
  expect(answer.json()).toMatchObject({ user: { language: 'fr' } })
})

test('a failed write leaves no installation', async () => {
  const { site, token } = await fresh()
  const before = await everythingIn(site)
  const answer = await withoutStore(site, () => install(atTheMachine(site), account), { late: true })
  expect(refusal(answer)).toMatchObject({ status: 503, key: 'error.unavailable' })
  expect(answer.headers['set-cookie']).toBeUndefined()
  expect(await everythingIn(site)).toEqual(before)
  expect((await install(anonymous(site), { ...account, token })).statusCode).toBe(200)
})

// ---- races

test.each(['with the token', 'at the machine'])('K15: of fifty concurrent installations %s one succeeds', async how => {
  for (let round = 0; round < rounds(1, 3); round++) {
    const storage = await createTestStorage()
    const sites = [await createTestApp({ storage }), await createTestApp({ storage })] as const
    const token = how === 'with the token' ? await createSetupToken(sites[0].app) : undefined
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => {
        const site = sites[index % 2]!
        const browser = token === undefined ? atTheMachine(site) : anonymous(site)
        return install(browser, { email: `admin${index}@example.org`, password, token })
      }),
    )
    const statuses = answers.map(({ statusCode }) => statusCode)
    expect(statuses.filter(status => status === 200)).toHaveLength(1)
    expect(statuses.filter(status => ![200, 401, 403, 503].includes(status))).toEqual([])
    expect(await people(sites[0])).toHaveLength(1)
    const sessions = await sites[0].app.store.db.selectFrom('sessions').select('id').execute()
    expect(sessions).toHaveLength(1)
    expect(answers.filter(({ headers }) => headers['set-cookie'] !== undefined)).toHaveLength(1)
    for (const event of ['system.installed', 'user.created']) expect(await eventsOf(sites[0], event)).toHaveLength(1)
  }
})

test('K15: while an account is created on the command line, the link works only if it was first', async () => {
  for (let round = 0; round < rounds(2, 5); round++) {
    const { site, token } = await fresh()
    const [answer] = await Promise.all([
      install(anonymous(site), { ...account, token }),
      createUser(operatorContext(site.app), {
        shownReferences: 'all',
        email: 'grace@example.org',
        password,
        role: 'admin',
      }),
    ])
    expect([200, 401]).toContain(answer.statusCode)
    expect(await people(site)).toHaveLength(answer.statusCode === 200 ? 2 : 1)
  }
})

test.runIf(isSlow)(
  'K15: of fifty requests to two processes one installs, and the next start prints no link',
  { timeout: 300_000 },
  async () => {
    const site = await createSite({ QUOIN_LOG_LEVEL: 'error', QUOIN_TRUSTED_PROXIES: '127.0.0.1' })
    const servers = [await serve(site), await serve(site)] as const
    const tokens = servers.map(({ setup }) => /\/panel\/install#token=([\w-]{43})$/.exec(setup!)![1]!)
    expect(new Set(tokens).size).toBe(2)
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        servers[index % 2]!.send({
          path: '/api/system/install',
          body: { email: `admin${index}@example.org`, password, token: tokens[(index >> 1) % 2] },
          ip: newIp(),
        }),
      ),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter(status => status === 200)).toHaveLength(1)
    expect(statuses.filter(status => ![200, 401, 503].includes(status))).toEqual([])
    const { stdout } = await quoin(['user', 'list', '--site', site.folder, '--json'], { environment: site.environment })
    expect(JSON.parse(stdout)).toHaveLength(1)
    for (const server of servers) await server.stop('SIGTERM')
    const again = await serve(site)
    expect(again.setup).toBeUndefined()
  },
)
