import { expect, test } from 'vitest'
import { addUser, createTestStorage, createTestApp, password, type TestApp } from '../../../../test/harness.ts'
import { describeRole, lastMail, createSignedInUser, signIn, withMail } from '../../../../test/signed-in-user.ts'
import { eventsOf, newIp, postLogin, refusal } from '../../../../test/sign-in.ts'
import { endAllEpochs } from '../../../access/session/sessions.ts'
import { disableUser, enableUser, setPassword } from '../users.ts'
import { revokeTokens } from './tokens.ts'
import { operatorContext } from '../../../cli/site.ts'
import { addToken } from '../../../../test/tokens.ts'

const minutes = 60_000
const site = await createTestApp({ settings: withMail })

interface Created {
  token: string
  data: { id: string; name: string; prefix: string; scopes: string[]; expires: string | null; lastUsed: string | null }
}

const everything = { name: 'Deployment', scopes: ['*'] }
const createdIn = (answer: { body: string }) => JSON.parse(answer.body) as Created

function use(
  other: TestApp,
  token: string,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
) {
  return other.browser({ ip: newIp() }).send({
    method,
    url: `/api/${path}`,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { payload: JSON.stringify(body) }),
  })
}

test('a token is shown once, and works at once', async () => {
  const user = await createSignedInUser(site)
  const answer = await user.call('POST', 'account/tokens', { ...everything, lifetime: 3600 })
  const { token, data } = createdIn(answer)
  expect(token).toMatch(/^quoin_[0-9A-HJKMNP-TV-Z]{32}$/)
  expect(data).toMatchObject({ name: 'Deployment', scopes: ['*'], prefix: token.slice(0, 12), lastUsed: null })
  expect(Date.parse(data.expires!) - site.storage.clock()).toBeGreaterThan(59 * minutes)
  expect((await use(site, token, 'GET', 'auth')).json()).toMatchObject({ data: { id: user.id } })

  const list = await user.call('GET', 'account/tokens')
  expect(list.json()).toMatchObject({
    type: 'collection',
    data: [{ id: data.id, lastUsed: expect.stringMatching(/Z$/) }],
  })
  expect(list.body).not.toContain(token)
  const created = (await eventsOf(site, 'auth.token.created')).filter(event => event.subject_id === user.id)
  expect(created).toMatchObject([{ actor_id: user.id, detail: JSON.stringify({ token: data.id }) }])
  expect(await lastMail(site, user.email, 'tokenCreated')).toEqual({ name: 'Deployment' })
})

test('a revoked token is invalid from the next request on', async () => {
  const user = await createSignedInUser(site)
  const { token, data } = createdIn(await user.call('POST', 'account/tokens', everything))
  expect((await user.call('DELETE', `account/tokens/${data.id}`)).statusCode).toBe(200)
  expect((await use(site, token, 'GET', 'auth')).statusCode).toBe(401)
  expect(refusal(await user.call('DELETE', `account/tokens/${data.id}`))).toMatchObject({
    key: 'error.user.token.notFound',
  })
  const revoked = (await eventsOf(site, 'auth.token.revoked')).filter(event => event.subject_id === user.id)
  expect(revoked).toMatchObject([{ actor_id: user.id }])
})

test('N14: expired tokens and those of disabled or deleted owners are invalid', async () => {
  const otherSite = await createTestApp()
  const [one, two, three] = [
    await createSignedInUser(otherSite),
    await createSignedInUser(otherSite),
    await createSignedInUser(otherSite),
  ]
  const short = createdIn(await one.call('POST', 'account/tokens', { ...everything, lifetime: 60 })).token
  const disabled = createdIn(await two.call('POST', 'account/tokens', everything)).token
  const deleted = createdIn(await three.call('POST', 'account/tokens', everything)).token
  for (const token of [short, disabled, deleted])
    expect((await use(otherSite, token, 'GET', 'auth')).statusCode).toBe(200)
  await otherSite.storage.moveClock(61_000)
  const { db } = otherSite.app.store
  await db.updateTable('users').set({ status: 'disabled' }).where('id', '=', two.id).execute()
  await db.deleteFrom('users').where('id', '=', three.id).execute()
  for (const token of [short, disabled, deleted])
    expect((await use(otherSite, token, 'GET', 'auth')).statusCode).toBe(401)
})

test.each(['pages.fly', 'everything', 'pages', '.', '', 'pages.*.read', '*.*', 'toString.call', '__proto__.*'])(
  'the scope %j is unknown',
  async scope => {
    const user = await createSignedInUser(site)
    const answer = await user.call('POST', 'account/tokens', { name: 'x', scopes: ['pages.read', scope] })
    expect(refusal(answer)).toMatchObject({ status: 400, key: 'error.user.token.scope' })
  },
)

test.each([
  ['no name', { scopes: ['*'] }],
  ['a blank name', { name: '  ', scopes: ['*'] }],
  ['no scopes', { name: 'x', scopes: [] }],
  ['a scope that is not a string', { name: 'x', scopes: [1] }],
  ['a lifetime of no time', { name: 'x', scopes: ['*'], lifetime: 0 }],
  ['a lifetime of centuries', { name: 'x', scopes: ['*'], lifetime: 1e10 }],
  ['an owner', { name: 'x', scopes: ['*'], owner: 'somebody' }],
])('a token with %s is refused', async (_, body) => {
  const user = await createSignedInUser(site)
  expect(refusal(await user.call('POST', 'account/tokens', body))).toMatchObject({
    status: 400,
    key: 'error.validation',
  })
})

test('an administrator lists and revokes tokens', async () => {
  const [admin, one] = [await createSignedInUser(site), await createSignedInUser(site)]
  const { token, data } = createdIn(await one.call('POST', 'account/tokens', everything))
  expect((await admin.call('GET', `${one.id}/tokens`)).json()).toMatchObject({ data: [{ id: data.id }] })
  expect((await admin.call('DELETE', `${admin.id}/tokens/${data.id}`)).statusCode, 'not under another account').toBe(
    404,
  )
  expect((await admin.call('DELETE', `${one.id}/tokens/${data.id}`)).statusCode).toBe(200)
  expect((await use(site, token, 'GET', 'auth')).statusCode).toBe(401)
})

test('N08: creating and revoking a token requires a fresh sign-in', async () => {
  const otherSite = await createTestApp()
  const user = await createSignedInUser(otherSite)
  await otherSite.storage.moveClock(15 * minutes + 1000)
  for (const answer of [
    await user.call('POST', 'account/tokens', everything),
    await user.call('DELETE', 'account/tokens/x'),
  ]) {
    expect(refusal(answer)).toMatchObject({ status: 401, key: 'error.auth.fresh' })
  }
})

test.each([
  ['POST', 'tokens', everything],
  ['DELETE', 'tokens/x', undefined],
  ['POST', 'totp', undefined],
  ['PUT', 'totp', { challenge: 'x', code: '123456' }],
  ['DELETE', 'totp', undefined],
  ['POST', 'recovery-codes', undefined],
  ['DELETE', 'sessions', undefined],
  ['DELETE', 'sessions/x', undefined],
  ['PATCH', 'password', { currentPassword: 'x', password: 'x' }],
  ['PATCH', 'email', { email: 'new@example.org' }],
  ['PUT', 'email', { token: 'x' }],
  ['POST', 'password-reset', undefined],
  ['POST', 'invitation', undefined],
] as const)('N16: a token with every permission cannot %s %s', async (method, path, body) => {
  const one = await createSignedInUser(site)
  const { token } = createdIn(await one.call('POST', 'account/tokens', everything))
  const { id } = await addUser(site)
  for (const user of ['account', id]) {
    const answer = await use(site, token, method, `users/${user}/${path}`, body)
    expect(refusal(answer)).toMatchObject({ status: 403, key: 'error.auth.needsSession' })
  }
})

test('N15: a token works only in its header', async () => {
  const user = await createSignedInUser(site)
  const { token } = createdIn(await user.call('POST', 'account/tokens', everything))
  const browser = site.browser({ ip: newIp() })
  for (const [url, headers] of [
    [`/api/users/account/sessions?token=${token}`, {}],
    [`/api/users/account/sessions?access_token=${token}`, {}],
    ['/api/users/account/sessions', { cookie: `quoin_insecure=${token}` }],
    ['/api/users/account/sessions', { 'x-token': token }],
    ['/api/users/account/sessions', { authorization: `Token ${token}` }],
    ['/api/users/account/sessions', { authorization: token }],
  ] as const) {
    expect((await browser.send({ url, headers })).statusCode).toBe(401)
  }
  expect((await use(site, token, 'GET', 'users/account/sessions')).statusCode).toBe(200)
})

test('tokens are paginated', async () => {
  const user = await createSignedInUser(site)
  for (let round = 0; round < 3; round++) await user.call('POST', 'account/tokens', { ...everything, name: `${round}` })
  const page = await user.call('GET', 'account/tokens?limit=2&page=2&select=name')
  expect(page.json()).toMatchObject({ data: [{}], pagination: { page: 2, total: 3, offset: 2, limit: 2 } })
  expect((await user.call('GET', 'account/tokens')).json()).toMatchObject({ pagination: { total: 3, limit: 100 } })
  expect(refusal(await user.call('GET', 'account/tokens?limit=2&page=3'))).toMatchObject({ key: 'error.errorPage' })
})

const scopesIn = (answer: { body: string }) => (JSON.parse(answer.body) as { readScopes: string[] }).readScopes

test('the list has the scopes of a token that only reads, as far as its owner and the caller may', async () => {
  const storage = await createTestStorage()
  describeRole(storage, 'editor', 'title: Editor\npermissions:\n  files:\n    list: false\n')
  const otherSite = await createTestApp({ storage })
  const admin = await createSignedInUser(otherSite)
  const editor = await createSignedInUser(otherSite, { role: 'editor' })
  const all = ['access.site', 'files.access', 'files.list', 'files.read', 'pages.access', 'pages.list', 'pages.read']
  expect(scopesIn(await admin.call('GET', 'account/tokens')).toSorted()).toEqual(all)
  const own = scopesIn(await editor.call('GET', 'account/tokens'))
  expect(own.toSorted()).toEqual(all.filter(scope => scope !== 'files.list'))
  expect(scopesIn(await admin.call('GET', `${editor.id}/tokens`))).toEqual(own)
  const { token } = createdIn(await editor.call('POST', 'account/tokens', { name: 'Reader', scopes: own }))
  expect((await use(otherSite, token, 'GET', 'site')).statusCode).toBe(200)
})

test('sessions are paginated', async () => {
  const user = await createSignedInUser(site)
  await signIn(site, user.email)
  const page = await user.call('GET', 'account/sessions?limit=1&page=2')
  expect(page.json()).toMatchObject({ data: [{}], pagination: { page: 2, total: 2, offset: 1, limit: 1 } })
})

test('passkeys are paginated', async () => {
  const user = await createSignedInUser(site)
  const page = await user.call('GET', 'account/passkeys?limit=1&page=1')
  expect(page.json()).toMatchObject({ data: [], pagination: { page: 0, total: 0, offset: 0, limit: 1 } })
})

test('an account has at most a hundred tokens, however many are created concurrently', async () => {
  const user = await createSignedInUser(site)
  const owner = { userId: user.id, name: 'x', scopes: ['*'] }
  for (let round = 0; round < 98; round++) await addToken(site.app, owner)
  const answers = await Promise.all(Array.from({ length: 5 }, () => user.call('POST', 'account/tokens', everything)))
  expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(2)
  const refused = answers.find(({ statusCode }) => statusCode !== 200)!
  expect(refusal(refused)).toMatchObject({ status: 400, key: 'error.user.token.limit' })
  const list = (await user.call('GET', 'account/tokens')).json<{ data: { id: string }[] }>().data
  expect(list).toHaveLength(100)
  await user.call('DELETE', `account/tokens/${list[0]!.id}`)
  expect((await user.call('POST', 'account/tokens', everything)).statusCode).toBe(200)
})

// ---- after a compromise

const silent = await createTestApp()
const next = 'quite another long password'

async function withToken(other: TestApp, role = 'admin') {
  const user = await createSignedInUser(other, { role })
  const { token } = createdIn(await user.call('POST', 'account/tokens', everything))
  const works = async () => (await use(other, token, 'GET', 'auth')).statusCode === 200
  expect(await works()).toBe(true)
  return { ...user, works }
}

test.each<[string, (id: string, email: string) => Promise<unknown>]>([
  ['quoin user password', async (id, email) => setPassword(operatorContext(silent.app), { id, email }, next)],
  ['quoin auth revoke-all', async () => endAllEpochs(operatorContext(silent.app))],
  [
    'disabling, also after enabling',
    async id => {
      await disableUser(operatorContext(silent.app), { id })
      await enableUser(operatorContext(silent.app), { id })
    },
  ],
  [
    'a password that another account sets',
    async id => {
      const otherUser = await createSignedInUser(silent)
      expect((await otherUser.call('PATCH', `${id}/password`, { password: next })).statusCode).toBe(200)
    },
  ],
  ['quoin token revoke --user', async id => revokeTokens(operatorContext(silent.app), { id })],
])('N20: API tokens are revoked by %s', async (_, work) => {
  // prettier-ignore
  await addUser(silent)
  const one = await withToken(silent)
  await work(one.id, one.email)
  await silent.app.store.db.updateTable('users').set({ must_change_password: 0 }).where('id', '=', one.id).execute()
  expect(await one.works()).toBe(false)
  const revoked = (await eventsOf(silent, 'auth.token.revoked')).filter(event => event.subject_id === one.id)
  expect(revoked).toHaveLength(1)
})

test('N20: API tokens are revoked by a password reset', async () => {
  const one = await withToken(site)
  const browser = site.browser({ ip: newIp() })
  const reset = await postLogin(browser, { method: 'reset', email: one.email })
  const { code } = await lastMail(site, one.email, 'reset')
  const { challenge } = reset.json<{ challenge: { id: string } }>()
  const done = await postLogin(browser, { method: 'reset', challenge: challenge.id, code, password: next })
  expect(done.statusCode, `with ${done.body}`).toBe(200)
  expect(await one.works()).toBe(false)
})

test.each([[undefined, true], [false, true], [true, false]])(
  'N20: with endTokens %s on a change of the own password they stay valid: %s',
  async (endTokens, works) => {
    const one = await withToken(silent)
    const change = { currentPassword: password, password: next, ...(endTokens !== undefined && { endTokens }) }
    expect((await one.call('PATCH', 'account/password', change)).statusCode).toBe(200)
    expect(await one.works()).toBe(works)
  },
) // prettier-ignore

// ---- for the account of a service

test('N21: an administrator creates a token for another account, limited to its rights', async () => {
  const admin = await createSignedInUser(site)
  const service = await addUser(site, { role: 'editor' })
  const { token, data } = createdIn(await admin.call('POST', `${service.id}/tokens`, everything))
  expect((await use(site, token, 'GET', 'auth')).json()).toMatchObject({ data: { id: service.id } })
  expect((await use(site, token, 'POST', 'users', { email: 'x@example.org' })).statusCode, 'the owner may not').toBe(
    403,
  )
  expect((await admin.call('GET', `${service.id}/tokens`)).body).not.toContain(token)
  const created = (await eventsOf(site, 'auth.token.created')).filter(event => event.subject_id === service.id)
  expect(created).toMatchObject([{ actor_id: admin.id }])
  expect(await lastMail(site, service.email, 'tokenCreated')).toEqual({ name: 'Deployment' })
  expect(
    refusal(await admin.call('POST', `${service.id}/tokens`, { name: 'x', scopes: ['users.delete'] })),
  ).toMatchObject({
    status: 400,
    key: 'error.user.token.scope',
  })
  expect((await admin.call('DELETE', `${service.id}/tokens/${data.id}`)).statusCode).toBe(200)
  expect((await use(site, token, 'GET', 'auth')).statusCode).toBe(401)
})

test('N21: a token made by another account does not gain rights with the account', async () => {
  const storage = await createTestStorage()
  describeRole(storage, 'keeper', 'permissions: { pages: false }')
  describeRole(storage, 'service', 'permissions: { "*": false, access: { panel: true, account: true, site: true } }')
  const otherSite = await createTestApp({ storage })
  const keeper = await createSignedInUser(otherSite, { role: 'keeper' })
  const { id } = await addUser(otherSite, { role: 'service' })
  const { token, data } = createdIn(await keeper.call('POST', `${id}/tokens`, everything))
  expect(data.scopes).toEqual(['access.account', 'access.panel', 'access.site'])
  await otherSite.app.store.db.updateTable('users').set({ role: 'admin' }).where('id', '=', id).execute()
  expect((await use(otherSite, token, 'GET', 'auth')).statusCode).toBe(200)
  expect((await use(otherSite, token, 'POST', 'users', { email: 'x@example.org' })).statusCode).toBe(403)
})

test('N21: an inactive account gets no token', async () => {
  const admin = await createSignedInUser(site)
  const { id } = await addUser(site, { status: 'disabled' })
  expect(refusal(await admin.call('POST', `${id}/tokens`, everything))).toMatchObject({ key: 'error.user.inactive' })
})
