import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CompiledQuery } from 'kysely'
import { expect, test } from 'vitest'
import {
  addUser,
  type Browser,
  createTestStorage,
  createTestApp,
  password,
  type TestApp,
} from '../../../../test/harness.ts'
import { everythingIn, newIp, postLogin, refusal, replacing } from '../../../../test/sign-in.ts'
import { disableUser } from '../users.ts'
import { operatorContext } from '../../../cli/site.ts'
import { addToken } from '../../../../test/tokens.ts'

const storage = await createTestStorage()
mkdirSync(join(storage.data, 'blueprints/users'), { recursive: true })
writeFileSync(join(storage.data, 'blueprints/users/editor.yml'), 'title: Editor\n')
const site = await createTestApp({ storage })
const admin = await addUser(site)
const editor = await addUser(site, { role: 'editor' })

interface ShownEvent {
  id: number
  time: string
  event: string
  [field: string]: unknown
}

interface EventList {
  code: number
  data: ShownEvent[]
  pagination: { page: number; total: number; offset: number; limit: number }
  status: string
  type: string
}

const listWith = async (browser: Browser, id: string, query = '') =>
  (await browser.send({ url: `/api/users/${id}/events${query}` })).json<EventList>()

async function signedIn({ email }: { email: string }): Promise<Browser> {
  const browser = site.browser({ ip: newIp() })
  expect((await postLogin(browser, { email, password })).statusCode).toBe(200)
  return browser
}

const asAdmin = await signedIn(admin)
const asEditor = await signedIn(editor)

/** An account with events of its own, one a second, the oldest first. */
async function addUserWithEvents({ app, storage: { clock } }: TestApp, events: string[], detail = '{}') {
  const user = await addUser(site)
  const start = clock() - events.length * 1000
  const rows = events.map((event, index) => ({
    time: start + index * 1000,
    event,
    actor_id: user.id,
    subject_id: user.id,
    session_id: null,
    ip_prefix: null,
    ua_family: null,
    request_id: null,
    detail,
    count: 1,
    gathered: null,
  }))
  await app.store.db.insertInto('audit_events').values(rows).execute()
  return { ...user, start, at: (index: number) => new Date(start + index * 1000).toISOString() }
}

// ---- shown properties

test('events are listed newest first, with all their fields', async () => {
  const user = await addUser(site)
  const browser = site.browser({ ip: '203.0.113.77', headers: { 'user-agent': 'curl/8.0' } })
  await postLogin(browser, { email: user.email, password: 'wrong' })
  const login = await postLogin(browser, { email: user.email, password })
  const { session } = login.json<{ session: { id: string } }>()
  await disableUser(operatorContext(site.app), { id: user.id })
  const { data, ...rest } = await listWith(asAdmin, user.id)
  expect(rest).toEqual({
    code: 200,
    pagination: { page: 1, total: 4, offset: 0, limit: 100 },
    status: 'ok',
    type: 'collection',
  })
  expect(data.map(({ event }) => event).slice(2)).toEqual(['auth.login.ok', 'auth.login.fail'])
  expect(data.slice(0, 2).map(({ event }) => event)).toEqual(['user.disabled', 'auth.epoch.bumped'])
  expect(data[2]).toEqual({
    actor: user.id,
    browser: 'curl',
    count: 1,
    detail: { amr: 'pwd', aal: 1, long: false, knownBrowser: false },
    event: 'auth.login.ok',
    id: expect.any(Number) as number,
    network: '203.0.113.0/24',
    request: login.headers['x-request-id'],
    session: session.id,
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
  })
  expect(data[3]).toMatchObject({ actor: null, count: 1, session: null })
})

test('only selected fields are shown', async () => {
  const { id } = await addUserWithEvents(site, ['auth.login.ok'])
  const { data } = await listWith(asAdmin, id, '?select=event,count')
  expect(data).toEqual([{ count: 1, event: 'auth.login.ok' }])
})

test('neither keyed hashes nor aggregation keys nor typed passwords are shown', async () => {
  const mac = site.app.secrets.mac('session', 'audit', 'somebody@example.org')
  const { id } = await addUserWithEvents(
    site,
    ['auth.login.fail'],
    JSON.stringify({ email: mac, method: 'code', aal: 1 }),
  )
  const user = await addUser(site)
  await postLogin(site.browser({ ip: newIp() }), { email: user.email, password: 'My-Secret' })
  for (const list of [await listWith(asAdmin, id), await listWith(asAdmin, user.id)]) {
    const text = JSON.stringify(list)
    expect(list.data).toHaveLength(1)
    for (const hidden of [mac, 'gathered', 'My-Secret', '|']) expect(text).not.toContain(hidden)
  }
  expect((await listWith(asAdmin, id)).data[0]!['detail']).toEqual({ method: 'code', aal: 1 })
})

test('reading events is not recorded', async () => {
  const before = await everythingIn(site)
  await listWith(asAdmin, admin.id)
  expect(await everythingIn(site)).toEqual(before)
})

// ---- filters

const names = ['user.created', 'auth.login.ok', 'auth.logout', 'auth.login.ok', 'auth.login.fail', 'auth.mfa.ok']
const userWithEvents = await addUserWithEvents(site, names)
const listEvents = (query: string) => listWith(asAdmin, userWithEvents.id, query)
const listEventNames = async (query: string) => (await listEvents(query)).data.map(({ event }) => event)

test.each([
  ['auth.login.ok', ['auth.login.ok', 'auth.login.ok']],
  ['auth.login.', ['auth.login.fail', 'auth.login.ok', 'auth.login.ok']],
  ['auth.', names.slice(1).toReversed()],
  ['user.', ['user.created']],
  ['auth.log', []],
  ['pages.', []],
  ['.', []],
])('?event=%s finds events with that name, or with that prefix up to a dot', async (event, expected) => {
  expect(await listEventNames(`?event=${event}`)).toEqual(expected)
})

test('a time range includes its start and not its end', async () => {
  const { at } = userWithEvents
  expect(await listEventNames(`?from=${at(4)}`)).toEqual(['auth.mfa.ok', 'auth.login.fail'])
  expect(await listEventNames(`?until=${at(1)}`)).toEqual(['user.created'])
  expect(await listEventNames(`?from=${at(1)}&until=${at(3)}`)).toEqual(['auth.logout', 'auth.login.ok'])
  expect(await listEventNames(`?from=${at(1)}&until=${at(4)}&event=auth.login.ok`)).toHaveLength(2)
  expect(await listEventNames(`?from=${at(4)}&until=${at(1)}`)).toEqual([])
})

test('pages have the requested length and the total', async () => {
  const first = await listEvents('?limit=4')
  const second = await listEvents('?limit=4&page=2')
  expect(first.pagination).toEqual({ page: 1, total: 6, offset: 0, limit: 4 })
  expect(second.pagination).toEqual({ page: 2, total: 6, offset: 4, limit: 4 })
  expect([...first.data, ...second.data].map(({ event }) => event)).toEqual(names.toReversed())
  expect((await listEvents('?page=0')).pagination.page).toBe(1)
  expect((await listEvents('?event=auth.login.ok&limit=1&page=2')).pagination).toMatchObject({ total: 2, offset: 1 })
  expect((await listEvents('?event=pages.')).pagination).toEqual({ page: 0, total: 0, offset: 0, limit: 100 })
})

test('events of the same time have a stable order', async () => {
  const { id } = await addUser(site)
  const [one] = await site.app.store.db.selectFrom('audit_events').selectAll().limit(1).execute()
  const { id: _, ...row } = one!
  const rows = Array.from({ length: 30 }, (__, index) => ({
    ...row,
    subject_id: id,
    gathered: null,
    detail: JSON.stringify({ index }),
  }))
  for (const value of rows) await site.app.store.db.insertInto('audit_events').values(value).execute()
  const shown: number[] = []
  for (const number of [1, 2, 3]) {
    const { data } = await listWith(asAdmin, id, `?limit=10&page=${number}`)
    shown.push(...data.map(({ detail }) => (detail as { index: number }).index))
  }
  expect(shown).toEqual(Array.from({ length: 30 }, (__, index) => 29 - index))
})

test.each([
  'limit=0',
  'limit=1001',
  'limit=ten',
  'limit=1.5',
  'limit=-1',
  'page=-1',
  'page=x',
  'page=1e12',
  'event=AUTH.',
  'event=auth%25',
  "event=auth'--",
  'event=',
  'from=yesterday',
  'from=2025-13-01T00:00:00Z',
  'until=1700000000000',
  'until=2025-01-01',
])('?%s is 400', async query => {
  const answer = await asAdmin.send({ url: `/api/users/${userWithEvents.id}/events?${query}` })
  const { status, key, details } = refusal(answer)
  expect([status, key]).toEqual([400, 'error.validation'])
  expect(Object.keys(details)).toEqual([query.split('=')[0]])
})

test('a missing page is 404', async () => {
  const answer = await asAdmin.send({ url: `/api/users/${userWithEvents.id}/events?page=2` })
  expect(refusal(answer)).toMatchObject({ status: 404, key: 'error.errorPage' })
})

// ---- visibility

test('every account may read its own events, by any of its names', async () => {
  for (const name of ['account', editor.id, editor.email]) {
    const { data } = await listWith(asEditor, name)
    expect(data.map(({ event }) => event)).toContain('auth.login.ok')
  }
  const short = (await asEditor.send({ url: '/api/account/events' })).json<EventList>()
  expect(short.data).toEqual((await listWith(asEditor, editor.id)).data)
})

test('O08: only administrators read the events of other accounts, and a denial is recorded', async () => {
  const answer = await asEditor.send({ url: `/api/users/${admin.id}/events` })
  expect(refusal(answer)).toMatchObject({ status: 403, key: 'error.permission' })
  const { data } = await listWith(asAdmin, editor.id, '?event=auth.permission.denied')
  expect(data).toMatchObject([{ actor: editor.id, detail: { method: 'GET', path: '/users/:id/events' } }])
})

test('anonymous clients read no events', async () => {
  const answer = await site.browser({ ip: newIp() }).send({ url: `/api/users/${admin.id}/events` })
  expect(refusal(answer)).toMatchObject({ status: 401, key: 'error.auth' })
})

test('an unknown account is 404', async () => {
  const answer = await asAdmin.send({ url: '/api/users/nobody/events' })
  expect(refusal(answer)).toMatchObject({ status: 404, key: 'error.user.notFound' })
})

test('an API token reads events only if its scopes allow it', async () => {
  const status = async (scopes: string[], id: string) => {
    const { token } = await addToken(site.app, { userId: admin.id, name: 'audit', scopes })
    const headers = { authorization: `Bearer ${token}` }
    return (await site.browser({ ip: newIp() }).send({ url: `/api/users/${id}/events`, headers })).statusCode
  }
  expect(await status(['*'], editor.id)).toBe(200)
  expect(await status(['access.users', 'access.system'], editor.id)).toBe(200)
  expect(await status(['access.users'], editor.id)).toBe(403)
  expect(await status(['pages.*'], editor.id)).toBe(404)
  expect(await status(['access.account'], admin.id)).toBe(200)
})

test('O12: an account can list every event about it', async () => {
  const browser = await signedIn(editor)
  const all = await listWith(browser, 'account', '?limit=1000')
  const stored = await site.app.store.db
    .selectFrom('audit_events')
    .select('id')
    .where('subject_id', '=', editor.id)
    .orderBy('time', 'desc')
    .orderBy('id', 'desc')
    .execute()
  expect(all.data.map(({ id }) => id)).toEqual(stored.map(({ id }) => id))
})

// ---- large numbers

const manyEvents = Array.from({ length: 100 }, () => names).flat()
const busyUser = await addUserWithEvents(site, manyEvents)
for (let others = 0; others < 10; others++) await addUserWithEvents(site, manyEvents)
const { store } = site.app
await store.db.executeQuery(CompiledQuery.raw(store.name === 'sqlite' ? 'analyze' : 'vacuum analyze audit_events'))

/** The query plans of the statements that read events while the work runs. */
async function plansOf(work: () => Promise<unknown>): Promise<string[]> {
  const queries: CompiledQuery[] = []
  const recordQueries = (original: typeof store) => ({
    read(query: CompiledQuery) {
      if (query.sql.includes('"audit_events"')) queries.push(query)
      return original.read(query)
    },
  })
  await replacing(store, recordQueries, work)
  const explain = store.name === 'sqlite' ? 'explain query plan' : 'explain'
  return Promise.all(
    queries.map(async ({ sql, parameters }) => {
      const { rows } = await store.db.executeQuery(CompiledQuery.raw(`${explain} ${sql}`, [...parameters]))
      return rows.map(row => Object.values(row as object).join(' ')).join('\n')
    }),
  )
}

test.each(['', '&event=auth.login.ok', '&event=auth.', `&from=${busyUser.at(100)}&until=${busyUser.at(500)}`])(
  'the events of "?limit=10%s" are found by an index, in order',
  async query => {
    const plans = await plansOf(() => listWith(asAdmin, busyUser.id, `?limit=10${query}`))
    expect(plans).toHaveLength(2)
    for (const plan of plans) {
      expect(plan).toMatch(/audit_events_(subject|kind)/)
      expect(plan).not.toMatch(/Seq Scan|SCAN audit_events/)
    }
    // One sort, of the rows of the page; not of all events of the account.
    expect(plans[1]!.match(/TEMP B-TREE|Sort Key/g)).toHaveLength(1)
  },
)
