/** Permissions of every endpoint: called with and without the declared permission. */
import type { LightMyRequestResponse as Answer } from 'fastify'
import { beforeAll, describe, expect, test } from 'vitest'
import { api } from '../src/api.ts'
import { type AnyEndpoint, listEndpoints } from '../src/http/endpoint.ts'
import { catalogue, type Permission } from '../src/blueprints/permissions/permissions.ts'
import { dump, mustStayUnchanged } from './dump.ts'
import { addUser, createTestStorage, createTestApp, password } from './harness.ts'
import { describeRole } from './signed-in-user.ts'
import { bodiesOf, describeModels, createModels, sentTo, type SampleModels, urlOf } from './samples.ts'
import { newIp, postLogin, sessionCookie } from './sign-in.ts'
import { addToken } from './tokens.ts'

const endpoints = [...listEndpoints(api)]

// ---- exceptions, and their reasons

/** Open to anonymous clients. */
const open: Record<string, string> = {
  'auth.login': 'they want to sign in',
  'auth.logout': 'signing out works whatever the session is worth',
  'system.get': 'the screen on which they sign in needs it, and gets no more than that',
  'system.install': 'there is no account yet; it asks for the token that the server printed',
  'translations.list': 'the words of the screen on which they sign in',
  'translations.get': 'the words of the screen on which they sign in',
}

/** Every signed-in account may call them; they show only what the caller may see. */
const filtered: Record<string, string> = {
  'auth.get': 'the own account',
  'languages.list': 'names, which forms need',
  'languages.get': 'as the list',
  'roles.list': 'names, which forms need; `canBe` asks for more',
  'roles.get': 'as the list',
  'site.children.list': 'pages that the role may see; below',
  'site.children.search': 'as the list',
  'site.children.query': 'as the list',
  'site.search': 'pages that the role may list; below',
  'site.query': 'as the search',
  'site.find': 'as the search',
  'site.drafts': 'pages that the role may list and update; src/groups/site/unpublished/unpublished.test.ts',
  'site.events.list': 'events of what the role may see; src/groups/site/events/api.test.ts',
  'site.library.list': 'files that the role may list, of what it may see; src/groups/site/library/library.test.ts',
  'site.library.move': 'each file that the role may delete and create; as the list',
  'site.library.copy': 'each file that the role may see and create; as the list',
  'site.library.delete': 'each file that the role may delete; as the list',
  'site.presence': 'pages and accounts that the role may see; src/groups/site/presence/presence.test.ts',
  'site.releases.list': 'items that the role may see; src/groups/site/releases/releases.test.ts',
  'site.releases.get': 'as the list',
  'site.resolve': 'a page that the role may see; src/groups/site/redirects/resolve.test.ts',
  'site.reviews': 'pages that the role may list and update; src/groups/pages/review/review.test.ts',
  'site.searchFiles': 'files that the role may list, of what it may see; src/groups/site/all-files/search.test.ts',
  'site.schedules': 'pages that the role may list; src/groups/site/unpublished/unpublished.test.ts',
  'site.sitemap': 'pages that the role may list; src/groups/site/sitemap/sitemap.test.ts',
  'site.trash.list': 'what the role may see as pages, files and accounts; src/groups/site/trash/api.test.ts',
  'site.trash.empty': 'as the list, and what the role may delete',
  'site.references': 'what the role may see; src/forms/references/backlinks.test.ts',
  'users.list': 'those the role may see, at least the own account; src/groups/users/listing/list.test.ts',
  'users.search': 'as the list',
  'users.query': 'as the list',
}

/** The required permission depends on the body, or on each item of it. */
const inside: Record<string, Permission> = {
  'pages.changeStatus': 'pages.changeStatus',
  'pages.files.sort': 'files.update',
  'site.files.sort': 'files.update',
  'users.files.sort': 'files.update',
}

/**
 * Writes whose permission the server checks before the operation, with the reason. All others check it once, on the locked
 * row.
 */
const checkedBefore: [names: RegExp, reason: string][] = [
  [/\.files\.(upload|replace)$|\.avatar\.upload$/, 'the body is large'],
  [/^users\.changePassword$/, 'hashing is expensive'],
  [/^site\.library\.edit$/, 'editing an image is expensive'],
]

/** Secrets and settings are only for the owner of the account, not for administrators. */
const own = new Set([
  'users.confirmEmail',
  'users.totp.begin',
  'users.totp.confirm',
  'users.recoveryCodes.renew',
  'users.passkeys.begin',
  'users.passkeys.create',
  'users.passkeys.changeName',
  'users.settings.get',
  'users.settings.change',
])

// ---- a site with one role per permission, which has all other permissions

const isPermission = (access: string): access is Permission => access.includes('.')
const rightFor = (name: string, { access }: AnyEndpoint) => inside[name] ?? (isPermission(access) ? access : undefined)
const requiredPermissions = [...new Set(endpoints.flatMap(([name, endpoint]) => rightFor(name, endpoint) ?? []))]
const roleWithout = (permission: Permission) => `without-${permission.replace('.', '-')}`

const storage = await createTestStorage()
for (const permission of requiredPermissions) {
  const [category, action] = permission.split('.') as [string, string]
  const inOwn = category === 'users' && (catalogue.user as readonly string[]).includes(action)
  const lines = [category, ...(inOwn ? ['user'] : [])].map(name => `  ${name}: { ${action}: false }`)
  describeRole(storage, roleWithout(permission), `permissions:\n${lines.join('\n')}`)
}
describeModels(storage)
/** Roles that may not see one kind of model, so every endpoint of it is refused. */
const rolesWithoutAccess = {
  alone: 'access: { users: false }',
  pageless: 'pages: { access: false }',
  fileless: 'files: { read: false }',
  siteless: 'access: { site: false }',
  roomless: '',
}
for (const [role, rights] of Object.entries(rolesWithoutAccess))
  describeRole(storage, role, `permissions: { ${rights} }`)
describeRole(storage, 'outsider', 'permissions: { access: { panel: false } }')
const site = await createTestApp({
  storage,
  settings: { auth: { throttle: false }, site: { url: 'https://www.example.org' } },
})

interface Caller {
  id: string
  headers: Record<string, string>
}

const callers = new Map<string, Caller>()
let admin: Caller
let models: SampleModels
let ownModels: SampleModels

beforeAll(async () => {
  models = await createModels(site)
  ownModels = { ...models, user: 'account' }
  admin = await signedIn('admin')
  for (const role of [...requiredPermissions.map(roleWithout), 'outsider', ...Object.keys(rolesWithoutAccess)])
    callers.set(role, await signedIn(role))
})

/** A new session, because a call may end it. */
async function signedIn(role: string): Promise<Caller> {
  const { id, email } = await addUser(site, { role })
  const browser = site.browser({ ip: newIp() })
  const { csrf } = (await postLogin(browser, { email, password })).json<{ csrf: string }>()
  return { id, headers: { cookie: `${sessionCookie}=${browser.cookies.get(sessionCookie)!}`, 'x-csrf': csrf } }
}

function call(
  endpoint: AnyEndpoint,
  sample: SampleModels,
  headers: Record<string, string> = {},
  query = '',
): Promise<Answer> {
  const [required, complete = required] = bodiesOf(endpoint)
  const sent = sentTo(endpoint, endpoint.path.endsWith('/children') ? complete : required)
  return site.request({
    method: endpoint.method,
    url: urlOf(endpoint, sample) + query,
    remoteAddress: '192.0.2.9',
    ...sent,
    headers: {
      host: new URL(site.app.config.url).host,
      'sec-fetch-site': 'same-origin',
      ...sent.headers,
      ...headers,
    },
  })
}

const outcomeOf = (answer: Answer) => `${answer.statusCode} ${answer.json<{ key?: string }>().key ?? 'done'}`
const denial = /^403 error\.(permission|auth\.needsSession|\w+\.\w+\.permission)$/

/** A refusal of an authenticated caller records an event, and nothing else. */
const isDenial = ({ event }: Record<string, unknown>) => event === 'auth.permission.denied'
const untouched = () => dump(site, isDenial)

test('every public endpoint is listed here, with the reason', () => {
  expect(endpoints.filter(([, { access }]) => access === 'public').map(([name]) => name)).toEqual(Object.keys(open))
})

test('every endpoint without a permission is listed here, with the reason, unless its target may be invisible', () => {
  const free = endpoints.filter(
    ([name, endpoint]) => ['reader', 'session'].includes(endpoint.access) && !(name in inside),
  )
  expect(free.flatMap(([name, { on, path }]) => (on && /^.(pages|users|site)/.test(path) ? [] : [name]))).toEqual(
    Object.keys(filtered),
  )
})

test('every write that the server checks before its operation is listed here, with the reason', () => {
  const names = endpoints
    .filter(
      ([, { method, access, authorizedByOperation }]) =>
        method !== 'GET' && isPermission(access) && !authorizedByOperation,
    )
    .map(([name]) => name)
  expect(names.filter(name => !checkedBefore.some(([pattern]) => pattern.test(name)))).toEqual([])
  expect(checkedBefore.filter(([pattern]) => !names.some(name => pattern.test(name)))).toEqual([])
})

const closed = endpoints.filter(([name]) => !(name in open))
const withRight = closed.filter(([name, endpoint]) => rightFor(name, endpoint))

describe('an anonymous client', () => {
  mustStayUnchanged(() => dump(site))
  test.each(closed)('%s is refused for anonymous clients', async (_, endpoint) => {
    for (const headers of [{}, { cookie: `${sessionCookie}=${'x'.repeat(43)}` }, { authorization: 'Bearer x' }])
      expect(outcomeOf(await call(endpoint, models, headers))).toBe('401 error.auth')
  })
})

describe('an account without access', () => {
  mustStayUnchanged(untouched)
  test.each(closed)('%s is refused for accounts without access', async (_, endpoint) => {
    const { headers } = callers.get('outsider')!
    for (const sample of [models, ownModels])
      expect(outcomeOf(await call(endpoint, sample, headers))).toBe('401 error.access.panel')
  })
})

describe('an account with all other permissions', () => {
  mustStayUnchanged(untouched)
  test.each(withRight)('%s is refused for accounts with all other permissions', async (name, endpoint) => {
    const { headers } = callers.get(roleWithout(rightFor(name, endpoint)!))!
    const { path } = endpoint
    const samples = path.includes('/users/:id') && !path.includes('/files') ? [models, ownModels] : [models]
    for (const sample of samples) expect(outcomeOf(await call(endpoint, sample, headers))).toMatch(denial)
  })
})

describe('a token with other scopes', () => {
  const tokens = new Map<string, string>()
  beforeAll(async () => {
    const { id } = await addUser(site, { hash: null })
    for (const more of ['access.*', 'files.list']) {
      const scopes = ['pages.read', 'files.read', more]
      const { token } = await addToken(site.app, { userId: id, name: more, scopes })
      tokens.set(more, token)
      const headers = { authorization: `Bearer ${token}` }
      await call(new Map(endpoints).get('pages.get')!, models, headers) // records the use of the token
    }
  })
  mustStayUnchanged(untouched)
  test.each(withRight)('%s is refused for a token with other scopes', async (_, endpoint) => {
    const other = endpoint.access.startsWith('access.') ? 'files.list' : 'access.*'
    const headers = { authorization: `Bearer ${tokens.get(other)!}` }
    for (const sample of endpoint.path.includes('/files') ? [models] : [models, ownModels])
      expect(outcomeOf(await call(endpoint, sample, headers))).toMatch(denial)
  })
})

test('a token with scopes for files finds them', async () => {
  const { id } = await addUser(site, { hash: null })
  const scopes = ['pages.read', 'files.update']
  const { token } = await addToken(site.app, { userId: id, name: 'x', scopes })
  const byName = new Map(endpoints)
  const ask = async (name: string) =>
    outcomeOf(await call(byName.get(name)!, models, { authorization: `Bearer ${token}` }))
  expect(await ask('pages.files.history.list')).toBe('200 done')
  expect(await ask('pages.files.delete')).toMatch(denial)
})

/** Endpoints that answer 404 for what the caller may not see. */
const hidden: [role: keyof typeof rolesWithoutAccess, refusal: string, paths: RegExp][] = [
  ['alone', '404 error.user.notFound', /^.users.:id(?!.files)/],
  ['alone', '404 error.user.undefined', /^.users.:id.files/],
  ['pageless', '404 error.page.notFound', /^.pages.:id/],
  ['fileless', '404 error.file.notFound', /:filename/],
  [
    'siteless',
    '403 error.site.access.permission',
    /^.site(?!.(children|drafts|library|reviews|schedules|search|find|references|trash|events|presence|releases(?!.:release.preview)|resolve|sitemap))/,
  ],
]

describe.each(hidden)('a caller who is %s', (role, refusal, paths) => {
  mustStayUnchanged(untouched)
  test.each(closed.filter(([, { path }]) => paths.test(path)))('gets 404 from %s', async (_, endpoint) => {
    const { headers } = callers.get(role)!
    expect(outcomeOf(await call(endpoint, models, headers))).toBe(refusal)
  })
})

async function listed(endpoint: AnyEndpoint, sample: SampleModels, headers: Record<string, string>) {
  const answer = await call(
    endpoint,
    sample,
    headers,
    endpoint.method === 'GET' && endpoint.path.endsWith('/search') ? '?q=note+room+hall' : '',
  )
  const { pagination, data } = answer.json<{ pagination?: { total: number }; data?: unknown[] }>()
  return { total: pagination?.total ?? outcomeOf(answer), data }
}

const ofPages = /^(pages|site)\.children\.(list|search|query)$|^site\.(search|query)$/
const ofFiles = /\.files\.(list|search|query)$/

test.each(closed.filter(([name]) => ofPages.test(name) || ofFiles.test(name)))(
  '%s lists and counts nothing invisible',
  async (name, endpoint) => {
    const isBelow = name.startsWith('pages.children.')
    const sample = isBelow ? { ...models, page: models.page.replace('+room', '') } : models
    const adminList = await listed(endpoint, sample, (await signedIn('admin')).headers)
    expect(adminList.total).toBeGreaterThan(0)
    const { headers } = callers.get(isBelow ? 'roomless' : ofFiles.test(name) ? 'fileless' : 'pageless')!
    expect(await listed(endpoint, sample, headers)).toEqual({ total: 0, data: [] })
  },
)

/** Samples that do not fit the existing models. */
const unmatched: Record<string, string> = {
  'pages.sortSection': '404 error.section.notFound',
  'site.sortSection': '404 error.section.notFound',
  'users.sortSection': '404 error.section.notFound',
  'site.find': '404 error.notFound',
  'site.resolve': '400 error.validation',
  'site.redirects.update': '404 error.redirect.notFound',
  'site.redirects.delete': '404 error.redirect.notFound',
  'site.library.edit': '404 error.file.version.notFound',
  'site.releases.get': '404 error.release.notFound',
  'site.releases.update': '404 error.release.notFound',
  'site.releases.delete': '404 error.release.notFound',
  'site.releases.publish': '404 error.release.notFound',
  'site.releases.preview': '404 error.release.notFound',
  'site.trash.get': '404 error.trash.notFound',
  'site.trash.restore': '404 error.trash.notFound',
  'site.trash.delete': '404 error.trash.notFound',
  'pages.comments.change': '404 error.page.comment.notFound',
  'pages.comments.delete': '404 error.page.comment.notFound',
  'users.avatar.get': '404 error.file.avatar.notFound',
  'users.avatar.delete': '404 error.file.avatar.notFound',
}

test.each(closed)('%s is allowed with the permission', async (name, endpoint) => {
  // A change may end the session or delete the model; reading changes nothing. The site is the same for all.
  const isReading = endpoint.method === 'GET' && /^\/(pages|users)\b/.test(endpoint.path)
  const { headers } = isReading ? admin : await signedIn('admin')
  const fresh = isReading ? models : await createModels(site, path => endpoint.path.startsWith(path), headers)
  const answer = await call(endpoint, own.has(name) ? { ...fresh, user: 'account' } : fresh, headers)
  const isContent = /\.(files|changes|history|schedule|avatar|children)\.|^(pages|site|languages)\.|section/i.test(name)
  if (isContent) expect(outcomeOf(answer)).toBe(unmatched[name] ?? '200 done')
  else expect(outcomeOf(answer)).toMatch(/^(20[02] done|4\d\d error\.)/)
  expect(outcomeOf(answer)).not.toMatch(/error\.(auth(\..*)?|permission|access\.panel|\w+\.\w+\.permission)$/)
})

describe('an administrator', () => {
  mustStayUnchanged(untouched)
  test.each([...own])('%s is for the owner of the account only', async name => {
    const endpoint = new Map(endpoints).get(name)!
    expect(outcomeOf(await call(endpoint, models, admin.headers))).toMatch(denial)
  })
})
