/** Who may call what: every endpoint there is, whoever wrote it, asked by those who may and by those who may not. */
import type { LightMyRequestResponse as Answer } from 'fastify'
import { beforeAll, expect, test } from 'vitest'
import { api } from '../src/api.ts'
import { type AnyEndpoint, list } from '../src/http/endpoint.ts'
import { catalogue, type Permission } from '../src/permissions/permissions.ts'
import { createApiToken } from '../src/session/api-tokens.ts'
import { dump } from './dump.ts'
import { addUser, createPlace, createTestApp, password } from './harness.ts'
import { describeRole } from './person.ts'
import { bodiesOf, urlOf } from './samples.ts'
import { newIp, postLogin, sessionCookie } from './sign-in.ts'

const endpoints = [...list(api)]

// ---- what is not as everywhere, and why

/** Open to strangers. */
const open: Record<string, string> = {
  'auth.login': 'they want to sign in',
  'auth.logout': 'signing out works whatever the session is worth',
  'system.get': 'the screen on which they sign in needs it, and gets no more than that',
  'system.install': 'there is no account yet; it asks for the token that the server printed',
  'translations.list': 'the words of the screen on which they sign in',
  'translations.get': 'the words of the screen on which they sign in',
}

/** Whoever may enter may call them: they show only what the caller may see. */
const filtered: Record<string, string> = {
  'auth.get': 'the own account',
  'roles.list': 'names, which forms need; `canBe` asks for more',
  'roles.get': 'as the list',
  'users.list': 'those the role may see, at least the own account; src/users/list.test.ts',
  'users.search': 'as the list',
  'users.query': 'as the list',
}

/** Secrets are for the owner of the account, and not even for administrators. */
const own = new Set([
  'users.confirmEmail',
  'users.totp.begin',
  'users.totp.confirm',
  'users.recoveryCodes.renew',
  'users.tokens.create',
  'users.passkeys.begin',
  'users.passkeys.create',
  'users.passkeys.changeName',
])

// ---- a site with a role for every right, which has all others

const isPermission = (access: string): access is Permission => access.includes('.')
const asked = [...new Set(endpoints.map(([, { access }]) => access).filter(isPermission))]
const roleWithout = (permission: Permission) => `without-${permission.replace('.', '-')}`

const place = await createPlace()
for (const permission of asked) {
  const [category, action] = permission.split('.') as [string, string]
  const inOwn = category === 'users' && (catalogue.user as readonly string[]).includes(action)
  const lines = [category, ...(inOwn ? ['user'] : [])].map(name => `  ${name}: { ${action}: false }`)
  describeRole(place, roleWithout(permission), `permissions:\n${lines.join('\n')}`)
}
describeRole(place, 'outsider', 'permissions: { access: { panel: false } }')
describeRole(place, 'alone', 'permissions: { access: { users: false } }')
const site = await createTestApp({ place, settings: { auth: { throttle: false } } })

interface Caller {
  id: string
  headers: Record<string, string>
}

const callers = new Map<string, Caller>()
let member: { id: string }

beforeAll(async () => {
  member = await addUser(site, { role: 'editor' })
  for (const role of [...asked.map(roleWithout), 'outsider', 'alone']) callers.set(role, await signedIn(role))
})

/** Of its own for every call that may end it. */
async function signedIn(role: string): Promise<Caller> {
  const { id, email } = await addUser(site, { role })
  const browser = site.browser({ ip: newIp() })
  const { csrf } = (await postLogin(browser, { email, password })).json<{ csrf: string }>()
  return { id, headers: { cookie: `${sessionCookie}=${browser.cookies.get(sessionCookie)!}`, 'x-csrf': csrf } }
}

function call(endpoint: AnyEndpoint, user: string, headers: Record<string, string> = {}): Promise<Answer> {
  const body = bodiesOf(endpoint)[0]
  return site.request({
    method: endpoint.method,
    url: urlOf(endpoint, user),
    remoteAddress: '192.0.2.9',
    headers: {
      host: new URL(site.app.config.url).host,
      'sec-fetch-site': 'same-origin',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  })
}

const told = (answer: Answer) => `${answer.statusCode} ${answer.json<{ key?: string }>().key ?? 'done'}`
const denial = /^403 error\.(permission|\w+\.\w+\.permission)$/

/** Refusals of people who are known are events, and nothing else is stored by them. */
const untouched = () => dump(site, ({ event }) => event === 'auth.permission.denied')

test('what is open to strangers is listed here, with the reason', () => {
  expect(endpoints.filter(([, { access }]) => access === 'public').map(([name]) => name)).toEqual(Object.keys(open))
})

test('what asks for no right is listed here, with the reason, unless it is about an account', () => {
  const free = endpoints.filter(([, { access, path }]) => access === 'session' && !path.startsWith('/users/:id'))
  expect(free.map(([name]) => name)).toEqual(Object.keys(filtered))
})

const closed = endpoints.filter(([name]) => !(name in open))

test.each(closed)('%s is not for strangers', async (_, endpoint) => {
  const before = await dump(site)
  for (const headers of [{}, { cookie: `${sessionCookie}=${'x'.repeat(43)}` }, { authorization: 'Bearer x' }])
    expect(told(await call(endpoint, member.id, headers))).toBe('401 error.auth')
  expect(await dump(site)).toEqual(before)
})

test.each(closed)('%s is not for those who may not enter', async (_, endpoint) => {
  const before = await untouched()
  const { headers } = callers.get('outsider')!
  for (const user of [member.id, 'account'])
    expect(told(await call(endpoint, user, headers))).toBe('401 error.access.panel')
  expect(await untouched()).toEqual(before)
})

test.each(closed.filter(([, { access }]) => isPermission(access)))(
  '%s is not for those who may all else',
  async (_, endpoint) => {
    const before = await untouched()
    const { headers } = callers.get(roleWithout(endpoint.access as Permission))!
    const users = endpoint.path.includes('/users/:id') ? [member.id, 'account'] : ['']
    for (const user of users) expect(told(await call(endpoint, user, headers))).toMatch(denial)
    expect(await untouched()).toEqual(before)
  },
)

test.each(closed.filter(([, { access }]) => isPermission(access)))(
  '%s is not for a token that was made for something else',
  async (_, endpoint) => {
    const { id } = await addUser(site)
    const { token } = await createApiToken(site.app, { owner: id, name: 'x', scopes: ['pages.read', 'access.*'] })
    const headers = { authorization: `Bearer ${token}` }
    await call(endpoint, member.id, headers) // that it is used is noted
    const before = await untouched()
    for (const user of [member.id, 'account']) expect(told(await call(endpoint, user, headers))).toMatch(denial)
    expect(await untouched()).toEqual(before)
  },
)

test.each(closed.filter(([, { path }]) => path.startsWith('/users/:id')))(
  '%s finds nobody whom the caller may not see',
  async (_, endpoint) => {
    const before = await untouched()
    const { headers } = callers.get('alone')!
    expect(told(await call(endpoint, member.id, headers))).toBe('404 error.user.notFound')
    expect(await untouched()).toEqual(before)
  },
)

test.each(closed)('%s is for those who may', async (name, endpoint) => {
  const { headers } = await signedIn('admin')
  const target = await addUser(site, { role: 'editor' })
  const answer = await call(endpoint, own.has(name) ? 'account' : target.id, headers)
  expect(told(answer)).toMatch(/^(20[02] done|4\d\d error\.)/)
  expect(told(answer)).not.toMatch(/error\.(auth(\..*)?|permission|access\.panel|\w+\.\w+\.permission)$/)
})

test.each([...own])('%s is for the owner of the account only', async name => {
  const endpoint = new Map(endpoints).get(name)!
  const { headers } = await signedIn('admin')
  const before = await untouched()
  expect(told(await call(endpoint, member.id, headers))).toMatch(denial)
  expect(await untouched()).toEqual(before)
})
