import { expect, test } from 'vitest'
import { addUser, createTestApp, password, type TestApp, totpCode } from '../../test/harness.ts'
import {
  deviceCookie,
  eventsOf,
  newIp,
  postLogin,
  postLogout,
  sessionCookie,
  withoutStore,
} from '../../test/sign-in.ts'
import { sweep } from '../auth/sweep.ts'
import { createToken } from '../lib/id.ts'
import { createApiToken, revokeApiToken } from '../session/api-tokens.ts'
import { endAllEpochs } from '../session/sessions.ts'
import { createUser, deleteUser, disableUser, enableUser, setPassword } from '../users/users.ts'
import type { EventName } from './audit.ts'

const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0 Secret/1.0'
const visitorOf = (site: TestApp, ip = newIp()) => site.browser({ ip, headers: { 'user-agent': userAgent } })

/** Names of the events that the work wrote, with their count. */
async function eventsDuring(site: TestApp, work: () => Promise<unknown>): Promise<Record<string, number>> {
  const counts = async () => {
    const found: Record<string, number> = {}
    for (const { event, count } of await eventsOf(site)) found[event] = (found[event] ?? 0) + count
    return found
  }
  const before = await counts()
  await work()
  const after = await counts()
  const changed = Object.entries(after).map(([event, count]) => [event, count - (before[event] ?? 0)] as const)
  return Object.fromEntries(changed.filter(([, count]) => count > 0))
}

/** Everything that was logged or kept as an event. */
async function traces(site: TestApp): Promise<string> {
  return JSON.stringify([site.logged, await eventsOf(site)])
}

test('O01: no secret of a sign-in is logged or kept', async () => {
  const site = await createTestApp()
  const { email, id, secret, recovery } = await addUser(site, { totp: true, password: 'hunter2 hunter2' })
  const browser = visitorOf(site)
  await postLogin(browser, { email, password: 'a wrong passphrase' })
  const first = await postLogin(browser, { email, password: 'hunter2 hunter2' })
  const { challenge } = first.json<{ challenge: { id: string } }>()
  await postLogin(browser, { method: 'recovery', challenge: challenge.id, code: 'WRONG-RECOV-ERYCO-DE' })
  const code = await totpCode(site.place, secret)
  const second = await postLogin(browser, { method: 'code', challenge: challenge.id, code })
  const { csrf } = second.json<{ csrf: string }>()
  const session = browser.cookies.get(sessionCookie)!
  const device = browser.cookies.get(deviceCookie)!
  const again = await postLogin(browser, { method: 'reauth', password: 'hunter2 hunter2' })
  const { challenge: next } = again.json<{ challenge: { id: string } }>()
  await postLogin(browser, { method: 'recovery', challenge: next.id, code: recovery[0] })
  const { token } = await createApiToken(site.app, { owner: id, name: 'ci', scopes: ['*'] })
  await browser.send({ url: '/api/auth', headers: { authorization: `Bearer ${token}` } })
  await browser.send({ url: '/api/auth', headers: { authorization: 'Basic c2VjcmV0OnNlY3JldA==' } })
  await browser.send({ url: `/api/auth/login?password=hunter3` })
  await browser.send({ url: '/api/auth/login?password=hunter3', method: 'POST' })
  await postLogin(browser, '{"password":"hunter4')
  await postLogout(browser)

  const found = await traces(site)
  expect(site.logged.length).toBeGreaterThan(5)
  const macs = ['sessions', 'challenges', 'devices'] as const
  const stored: string[] = [site.app.secrets.mac('session', 'session', session)]
  for (const table of macs) {
    const rows = (await site.app.store.db.selectFrom(table).selectAll().execute()) as unknown as Record<
      string,
      string
    >[]
    stored.push(
      ...rows.flatMap(row => [row['token_mac'], row['id_mac'], row['device_mac']].filter(mac => mac !== undefined)),
    )
  }
  const recoveryWords = [recovery[0]!, recovery[0]!.replaceAll('-', ''), 'WRONG-RECOV', 'WRONGRECOV']
  const secrets = [
    'hunter',
    'a wrong passphrase',
    'c2VjcmV0',
    code,
    secret,
    session,
    device,
    csrf,
    token,
    challenge.id,
    next.id,
    ...recoveryWords,
    ...stored,
  ]
  for (const text of secrets) expect(found, `found ${text}`).not.toContain(text)
})

test('A02: credentials in the address of a request are refused and nowhere kept', async () => {
  const site = await createTestApp()
  await addUser(site, { email: 'ada@example.org' })
  const url = `/api/auth/login?email=ada@example.org&password=${encodeURIComponent(password)}`
  for (const method of ['GET', 'PUT', 'DELETE', 'PATCH'] as const) {
    const answer = await visitorOf(site).send({ method, url })
    expect([answer.statusCode, answer.headers['allow']]).toEqual([405, 'POST'])
    expect(answer.headers['set-cookie']).toBeUndefined()
  }
  expect((await visitorOf(site).send({ method: 'POST', url })).statusCode).toBe(400)
  const found = await traces(site)
  expect(site.logged).toHaveLength(5)
  for (const text of ['ada@', 'staple', encodeURIComponent(password)]) expect(found).not.toContain(text)
})

test('O02: nothing that was typed can forge a line of the log', async () => {
  const site = await createTestApp()
  const browser = visitorOf(site)
  const forged = 'x\r\n{"level":50,"event":"forged"}'
  await postLogin(browser, { email: forged, password: forged, [forged]: forged })
  await browser.send({
    url: '/api/auth',
    headers: { cookie: `${sessionCookie}="${'\u00e9'.repeat(3)}{"event":"forged"}` },
  })
  await browser.send({ url: `/api/${encodeURIComponent(forged)}` })
  expect(site.logged.filter(line => line['event'] === 'forged')).toEqual([])
  expect(await traces(site)).not.toContain('forged')
})

test('O03: a password typed into the field of the address is not kept', async () => {
  const site = await createTestApp()
  const browser = visitorOf(site)
  await postLogin(browser, { email: 'My-Secret-Passw0rd@work', password })
  await postLogin(browser, { email: 'nobody@example.org', password })
  const found = (await traces(site)).toLowerCase()
  for (const text of ['secret-passw0rd', 'nobody@', 'example.org']) expect(found).not.toContain(text)
  const events = await eventsOf(site, 'auth.login.fail')
  expect(events).toHaveLength(2)
  expect(events.map(event => event.subject_id)).toEqual([null, null])
  const [one, two] = events.map(event => JSON.parse(event.detail) as { email: string })
  expect(one!.email).toMatch(/^[\w-]{43}$/)
  expect(one!.email, 'the same address can still be recognised').not.toBe(two!.email)
})

test('O04: of the browser only its family is kept, of the address only its network', async () => {
  const site = await createTestApp()
  const { email } = await addUser(site)
  await postLogin(visitorOf(site, '203.0.113.77'), { email, password })
  await postLogin(visitorOf(site, '2001:db8:1:2:3:4:5:6'), { email, password: 'wrong' })
  const events = await eventsOf(site)
  expect(events.map(event => event.ua_family)).toEqual(['Firefox', 'Firefox'])
  expect(events.map(event => event.ip_prefix)).toEqual(['203.0.113.0/24', '20010db8000100000000000000000000/48'])
  const rows = await site.app.store.db.selectFrom('sessions').select(['ip_prefix', 'ua_family']).execute()
  expect(rows).toEqual([{ ip_prefix: '203.0.113.0/24', ua_family: 'Firefox' }])
  const found = await traces(site)
  for (const text of ['Mozilla', 'Secret/1.0', '203.0.113.77', '2001:db8:1:2']) expect(found).not.toContain(text)
})

test('O04: whatever a browser calls itself, one of a few words is kept', async () => {
  const site = await createTestApp()
  const { email } = await addUser(site)
  for (const name of ['', 'x'.repeat(5000), '<script>', 'curl/8.0', '\u00ff']) {
    const browser = site.browser({ ip: newIp(), headers: { 'user-agent': name } })
    expect((await postLogin(browser, { email, password })).statusCode).toBe(200)
  }
  const families = (await eventsOf(site, 'auth.login.ok')).map(event => event.ua_family)
  expect(families).toEqual(['other', 'other', 'other', 'curl', 'other'])
})

// ---- each event once

const events: [EventName, (site: TestApp) => Promise<Record<string, number>>][] = [
  ['auth.login.ok', async site => {
    const { email } = await addUser(site)
    return eventsDuring(site, () => postLogin(visitorOf(site), { email, password }))
  }],
  ['auth.login.fail', async site => {
    const { email } = await addUser(site)
    return eventsDuring(site, () => postLogin(visitorOf(site), { email, password: 'wrong' }))
  }],
  ['auth.login.challenge', async site => {
    const { email } = await addUser(site, { totp: true })
    return eventsDuring(site, () => postLogin(visitorOf(site), { email, password }))
  }],
  ['auth.login.throttled', async site => {
    const { email } = await addUser(site)
    for (let round = 0; round < 5; round++) await postLogin(visitorOf(site), { email, password: 'wrong' })
    return eventsDuring(site, () => postLogin(visitorOf(site), { email, password }))
  }],
  ['auth.mfa.fail', async site => {
    const { email } = await addUser(site, { totp: true })
    return eventsDuring(site, () => postLogin(visitorOf(site), { email, password, code: 'wrong' }))
  }],
  ['auth.logout', async site => {
    const { email } = await addUser(site)
    const browser = visitorOf(site)
    await postLogin(browser, { email, password })
    const cookie = `${sessionCookie}=${browser.cookies.get(sessionCookie)}`
    return eventsDuring(site, async () => {
      for (let round = 0; round < 3; round++) await postLogout(browser, { headers: { cookie } })
    })
  }],
  ['auth.reauth.ok', async site => {
    const { email } = await addUser(site)
    const browser = visitorOf(site)
    await postLogin(browser, { email, password })
    return eventsDuring(site, () => postLogin(browser, { method: 'reauth', password }))
  }],
  ['auth.token.created', async site => {
    const { id } = await addUser(site)
    return eventsDuring(site, () => createApiToken(site.app, { owner: id, name: 'x', scopes: [] }))
  }],
  ['auth.token.first-used', async site => {
    const { id } = await addUser(site)
    const { token } = await createApiToken(site.app, { owner: id, name: 'x', scopes: [] })
    const headers = { authorization: `Bearer ${token}` }
    return eventsDuring(site, async () => {
      for (let round = 0; round < 3; round++) {
        await visitorOf(site).send({ url: '/api/auth', headers })
        await site.place.moveClock(120_000)
      }
    })
  }],
  ['auth.token.revoked', async site => {
    const { id: owner } = await addUser(site)
    const { id } = await createApiToken(site.app, { owner, name: 'x', scopes: [] })
    return eventsDuring(site, async () => {
      await revokeApiToken(site.app, id)
      await revokeApiToken(site.app, id)
    })
  }],
  ['auth.session.expired', async () => {
    const other = await createTestApp()
    const { email } = await addUser(other)
    await postLogin(visitorOf(other), { email, password })
    await other.place.moveClock(26 * 60 * 60_000)
    return eventsDuring(other, async () => {
      await sweep(other.app)
      await sweep(other.app)
    })
  }],
  ['user.created', site =>
    eventsDuring(site, () => createUser(site.app, { email: `${createToken()}@example.org`, password, role: 'admin' })),
  ],
  ['user.enabled', async site => {
    const { id } = await addUser(site, { status: 'disabled' })
    return eventsDuring(site, () => enableUser(site.app, { id }))
  }],
  ['user.deleted', async site => {
    const { id } = await addUser(site)
    await addUser(site)
    return eventsDuring(site, () => deleteUser(site.app, { id, role: 'admin' }))
  }],
  ['auth.epoch.bumped', site => eventsDuring(site, () => endAllEpochs(site.app))],
] // prettier-ignore

const site = await createTestApp()

test.each(events)('O05: %s is written once', async (name, work) => {
  expect(await work(site)).toEqual({ [name]: 1 })
})

test('O05: what has two sides is two events', async () => {
  const { email, id, secret, recovery } = await addUser(site, { totp: true })
  const first = async () => {
    const answer = await postLogin(visitorOf(site), { email, password })
    return answer.json<{ challenge: { id: string } }>().challenge.id
  }
  const challenges = [await first(), await first()]
  const finish = (method: string, code: string) => () =>
    postLogin(visitorOf(site), { method, challenge: challenges.pop(), code })
  const byCode = await eventsDuring(site, finish('code', await totpCode(site.place, secret)))
  expect(byCode).toEqual({ 'auth.mfa.ok': 1, 'auth.login.ok': 1 })
  const byRecovery = await eventsDuring(site, finish('recovery', recovery[0]!))
  expect(byRecovery).toEqual({ 'auth.factor.used-recovery': 1, 'auth.login.ok': 1 })
  const changed = await eventsDuring(site, () => setPassword(site.app, { id }, 'a new password, long enough'))
  expect(changed).toEqual({ 'auth.password.changed': 1, 'auth.epoch.bumped': 1 })
  await addUser(site)
  const disabled = await eventsDuring(site, () => disableUser(site.app, { id, role: 'admin' }))
  expect(disabled).toEqual({ 'user.disabled': 1, 'auth.epoch.bumped': 1 })
})

test('O05: an event names who, whose, which session and which request', async () => {
  const { email, id } = await addUser(site)
  const browser = visitorOf(site, '203.0.113.9')
  const answer = await postLogin(browser, { email, password, long: true })
  const event = (await eventsOf(site, 'auth.login.ok')).find(one => one.subject_id === id)
  expect(event).toMatchObject({
    actor_id: id,
    subject_id: id,
    session_id: answer.json<{ session: { id: string } }>().session.id,
    ip_prefix: '203.0.113.0/24',
    ua_family: 'Firefox',
    request_id: answer.headers['x-request-id'],
    count: 1,
  })
  expect(JSON.parse(event!.detail)).toEqual({ amr: 'pwd', aal: 1, long: true, knownBrowser: false })
  expect(Math.abs(event!.time - site.place.clock())).toBeLessThan(30_000)
})

test('O05: a flood of failures is one row a minute for each account and network', async () => {
  const other = await createTestApp({ settings: { auth: { throttle: false } } })
  const { email, id } = await addUser(other)
  await other.place.moveClock(65_000 - (other.place.clock() % 60_000)) // early in a minute
  for (let round = 0; round < 20; round++)
    await postLogin(visitorOf(other, '203.0.113.9'), { email, password: 'wrong' })
  await postLogin(visitorOf(other, '198.51.100.9'), { email, password: 'wrong' })
  const rows = await eventsOf(other, 'auth.login.fail')
  expect(rows.map(row => [row.subject_id, row.ip_prefix, row.count])).toEqual([
    [id, '203.0.113.0/24', 20],
    [id, '198.51.100.0/24', 1],
  ])
  await other.place.moveClock(60_000)
  await postLogin(visitorOf(other, '203.0.113.9'), { email, password: 'wrong' })
  expect(await eventsOf(other, 'auth.login.fail')).toHaveLength(3)
})

test('O05: what did not happen leaves no event', async () => {
  const { email } = await addUser(site)
  const written = await eventsDuring(site, async () => {
    const answer = await withoutStore(site, () => postLogin(visitorOf(site), { email, password }), { late: true })
    expect(answer.statusCode).toBe(503)
    expect(answer.headers['set-cookie']).toBeUndefined()
  })
  expect(written).toEqual({})
})

// ---- the store keeps them

test('O09: the store refuses to change or to delete an event', async () => {
  const { email, id } = await addUser(site)
  await postLogin(visitorOf(site), { email, password })
  const { db } = site.app.store
  const mine = (await eventsOf(site)).filter(event => event.subject_id === id)
  expect(mine.length).toBeGreaterThan(0)
  await expect(
    db.updateTable('audit_events').set({ event: 'x' }).where('subject_id', '=', id).execute(),
  ).rejects.toThrow('audit events cannot be changed')
  await expect(db.updateTable('audit_events').set({ count: 2 }).where('subject_id', '=', id).execute()).rejects.toThrow(
    'audit events cannot be changed',
  )
  await expect(db.deleteFrom('audit_events').where('subject_id', '=', id).execute()).rejects.toThrow(
    'audit events cannot be deleted',
  )
  expect((await eventsOf(site)).filter(event => event.subject_id === id)).toEqual(mine)
})

test.each([
  ['its name', { event: 'x' }],
  ['its time', { time: 1 }],
  ['its subject', { subject_id: null }],
  ['its network', { ip_prefix: 'x' }],
  ['its detail', { detail: '{}{}' }],
  ['what it is gathered by', { gathered: null }],
  ['its count, downwards', { count: 0 }],
])('O09: of an event that is counted nothing changes but the count: not %s', async (_, change) => {
  const { email, id } = await addUser(site)
  await postLogin(visitorOf(site), { email, password: 'wrong' })
  const update = site.app.store.db.updateTable('audit_events').set(change).where('subject_id', '=', id)
  await expect(update.execute()).rejects.toThrow('audit events cannot be changed')
})

test('O09: events older than a month may go', async () => {
  const other = await createTestApp()
  const { email } = await addUser(other)
  await postLogin(visitorOf(other), { email, password })
  await other.place.moveClock(31 * 24 * 60 * 60_000)
  await postLogin(visitorOf(other), { email, password })
  const [old, recent] = await eventsOf(other, 'auth.login.ok')
  await other.app.store.db.deleteFrom('audit_events').where('id', '=', old!.id).execute()
  expect((await eventsOf(other, 'auth.login.ok')).map(event => event.id)).toEqual([recent!.id])
})
