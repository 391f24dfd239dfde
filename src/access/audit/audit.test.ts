import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { addUser, createTestStorage, createTestApp, password, type TestApp, totpCode } from '../../../test/harness.ts'
import {
  deviceCookie,
  eventsOf,
  newIp,
  postLogin,
  postLogout,
  sessionCookie,
  statementsOf,
  withoutStore,
} from '../../../test/sign-in.ts'
import { api } from '../../api.ts'
import { sweep } from '../../groups/auth/sweep.ts'
import { noOptions } from '../authorize/authorize.ts'
import { fail } from '../../platform/errors.ts'
import { done } from '../../http/answer.ts'
import { endpoint } from '../../http/endpoint.ts'
import { randomToken } from '../../platform/lib/id.ts'
import { unblockAll } from '../factors/unblock.ts'
import { endAllEpochs } from '../session/sessions.ts'
import { createUser, deleteUser, disableUser, enableUser, setPassword } from '../../groups/users/users.ts'
import type { EventName } from './audit.ts'
import { operatorContext } from '../../cli/site.ts'
import { addToken, removeToken } from '../../../test/tokens.ts'
import { isFirstEngine } from '../../../test/slow.ts'

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

test.runIf(isFirstEngine)('O01: no secret of a sign-in is logged or stored', async () => {
  const site = await createTestApp()
  const { email, id, secret, recovery } = await addUser(site, { totp: true, password: 'hunter2 hunter2' })
  const browser = visitorOf(site)
  await postLogin(browser, { email, password: 'a wrong passphrase' })
  const first = await postLogin(browser, { email, password: 'hunter2 hunter2' })
  const { challenge } = first.json<{ challenge: { id: string } }>()
  await postLogin(browser, { method: 'recovery', challenge: challenge.id, code: 'WRONG-RECOV-ERYCO-DE' })
  const code = await totpCode(site.storage, secret)
  const second = await postLogin(browser, { method: 'code', challenge: challenge.id, code })
  const { csrf } = second.json<{ csrf: string }>()
  const session = browser.cookies.get(sessionCookie)!
  const device = browser.cookies.get(deviceCookie)!
  const again = await postLogin(browser, { method: 'reauth', password: 'hunter2 hunter2' })
  const { challenge: next } = again.json<{ challenge: { id: string } }>()
  await postLogin(browser, { method: 'recovery', challenge: next.id, code: recovery[0] })
  const { token } = await addToken(site.app, { userId: id, name: 'ci', scopes: ['*'] })
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

test.runIf(isFirstEngine)('A02: credentials in the URL are refused and stored nowhere', async () => {
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
  for (const text of ['ada@', 'herons', encodeURIComponent(password)]) expect(found).not.toContain(text)
})

test.runIf(isFirstEngine)('O02: user input cannot forge a line of the log', async () => {
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

test.runIf(isFirstEngine)('O03: a password typed into the email field is not stored', async () => {
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

test.runIf(isFirstEngine)('O04: only the family of the browser and the network of the address are stored', async () => {
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

test.runIf(isFirstEngine)('O04: any user agent is reduced to one of a few names', async () => {
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

const causes: [EventName, (site: TestApp) => Promise<Record<string, number>>][] = [
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
  ['auth.csrf.denied', async site => {
    const { email } = await addUser(site)
    const browser = visitorOf(site)
    await postLogin(browser, { email, password })
    const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
    const url = '/api/users/account/name'
    return eventsDuring(site, () => browser.send({ method: 'PATCH', url, payload: '{"name":"Ada"}', headers }))
  }],
  ['auth.token.created', async site => {
    const { id } = await addUser(site)
    return eventsDuring(site, () => addToken(site.app, { userId: id, name: 'x', scopes: [] }))
  }],
  ['auth.token.first-used', async site => {
    const { id } = await addUser(site)
    const { token } = await addToken(site.app, { userId: id, name: 'x', scopes: [] })
    const headers = { authorization: `Bearer ${token}` }
    return eventsDuring(site, async () => {
      for (let round = 0; round < 3; round++) {
        await visitorOf(site).send({ url: '/api/auth', headers })
        await site.storage.moveClock(120_000)
      }
    })
  }],
  ['auth.token.revoked', async site => {
    const { id: owner } = await addUser(site)
    const { id } = await addToken(site.app, { userId: owner, name: 'x', scopes: [] })
    return eventsDuring(site, async () => {
      await removeToken(site.app, id)
      await removeToken(site.app, id)
    })
  }],
  ['auth.session.expired', async () => {
    const other = await createTestApp()
    const { email } = await addUser(other)
    await postLogin(visitorOf(other), { email, password })
    await other.storage.moveClock(26 * 60 * 60_000)
    return eventsDuring(other, async () => {
      await sweep(other.app)
      await sweep(other.app)
    })
  }],
  ['user.created', site =>
    eventsDuring(site, () => {
      const email = `${randomToken()}@example.org`
      return createUser(operatorContext(site.app), { shownReferences: 'all', email, password: 'a heron stands among the reeds', role: 'admin' })
    }),
  ],
  ['user.enabled', async site => {
    const { id } = await addUser(site, { status: 'disabled' })
    return eventsDuring(site, () => enableUser(operatorContext(site.app), { id }))
  }],
  ['user.deleted', async site => {
    const { id } = await addUser(site)
    await addUser(site)
    return eventsDuring(site, () => deleteUser(operatorContext(site.app), { id }))
  }],
  ['auth.epoch.bumped', async () => {
    const fresh = await createTestApp()
    return eventsDuring(fresh, () => endAllEpochs(operatorContext(fresh.app)))
  }],
  ['auth.throttle.cleared', site => eventsDuring(site, () => unblockAll(site.app))],
] // prettier-ignore

const site = await createTestApp()

test.each(causes)('O05: %s is recorded once', async (name, work) => {
  expect(await work(site)).toEqual({ [name]: 1 })
})

test('O05: a change with two subjects is recorded as two events', async () => {
  const { email, id, secret, recovery } = await addUser(site, { totp: true })
  const first = async () => {
    const answer = await postLogin(visitorOf(site), { email, password })
    return answer.json<{ challenge: { id: string } }>().challenge.id
  }
  const challenges = [await first(), await first()]
  const finish = (method: string, code: string) => () =>
    postLogin(visitorOf(site), { method, challenge: challenges.pop(), code })
  const byCode = await eventsDuring(site, finish('code', await totpCode(site.storage, secret)))
  expect(byCode).toEqual({ 'auth.mfa.ok': 1, 'auth.login.ok': 1 })
  const byRecovery = await eventsDuring(site, finish('recovery', recovery[0]!))
  expect(byRecovery).toEqual({ 'auth.factor.used-recovery': 1, 'auth.login.ok': 1 })
  const changed = await eventsDuring(site, () =>
    setPassword(operatorContext(site.app), { id }, 'a new password, long enough'),
  )
  expect(changed).toEqual({ 'auth.password.changed': 1, 'auth.epoch.bumped': 1 })
  await addUser(site)
  const disabled = await eventsDuring(site, () => disableUser(operatorContext(site.app), { id }))
  expect(disabled).toEqual({ 'user.disabled': 1, 'auth.epoch.bumped': 1 })
})

test('O05: an event names actor, subject, session and request', async () => {
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
  expect(Math.abs(event!.time - site.storage.clock())).toBeLessThan(30_000)
})

test('O05: a flood of failures is one row per minute, account and network', async () => {
  const other = await createTestApp({ settings: { auth: { throttle: false } } })
  const { email, id } = await addUser(other)
  await other.storage.moveClock(65_000 - (other.storage.clock() % 60_000)) // early in a minute
  for (let round = 0; round < 20; round++)
    await postLogin(visitorOf(other, '203.0.113.9'), { email, password: 'wrong' })
  await postLogin(visitorOf(other, '198.51.100.9'), { email, password: 'wrong' })
  const rows = await eventsOf(other, 'auth.login.fail')
  expect(rows.map(row => [row.subject_id, row.ip_prefix, row.count])).toEqual([
    [id, '203.0.113.0/24', 20],
    [id, '198.51.100.0/24', 1],
  ])
  await other.storage.moveClock(60_000)
  await postLogin(visitorOf(other, '203.0.113.9'), { email, password: 'wrong' })
  expect(await eventsOf(other, 'auth.login.fail')).toHaveLength(3)
})

test('O05: a rolled back change leaves no event', async () => {
  const { email } = await addUser(site)
  const written = await eventsDuring(site, async () => {
    const answer = await withoutStore(site, () => postLogin(visitorOf(site), { email, password }), { late: true })
    expect(answer.statusCode).toBe(503)
    expect(answer.headers['set-cookie']).toBeUndefined()
  })
  expect(written).toEqual({})
})

test('H13: the operator is warned at the 10th, 25th and 50th wrong password in a row', async () => {
  const other = await createTestApp({ settings: { auth: { throttle: false } } })
  const { email, id } = await addUser(other)
  for (let round = 0; round < 51; round++) await postLogin(visitorOf(other), { email, password: 'wrong' })
  for (let round = 0; round < 11; round++) await postLogin(visitorOf(other), { email: 'x@example.org', password })
  const warnings = other.logged.filter(line => line['event'] === 'auth.login.fail')
  expect(warnings.map(({ level, user, failures }) => [level, user, failures])).toEqual([
    [40, id, 10],
    [40, id, 25],
    [40, id, 50],
  ])
})

// ---- stored events

test('O09: the store refuses to change or delete an event', async () => {
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
])('O09: only the count of a counted event can change: not %s', async (_, change) => {
  const { email, id } = await addUser(site)
  await postLogin(visitorOf(site), { email, password: 'wrong' })
  const update = site.app.store.db.updateTable('audit_events').set(change).where('subject_id', '=', id)
  await expect(update.execute()).rejects.toThrow('audit events cannot be changed')
})

const day = 24 * 60 * 60_000

test('O09: after 90 days network and browser of an event can be cleared, only together, and nothing else', async () => {
  const other = await createTestApp()
  const { email } = await addUser(other)
  await postLogin(visitorOf(other), { email, password })
  await postLogin(visitorOf(other), { email, password: 'wrong' })
  const forget = (more: object = {}) =>
    other.app.store.db
      .updateTable('audit_events')
      .set({ ip_prefix: null, ua_family: null, gathered: null, ...more })
      .execute()
  await other.storage.moveClock(90 * day - 60_000)
  await expect(forget()).rejects.toThrow('audit events cannot be changed')
  await other.storage.moveClock(60_000)
  const before = await eventsOf(other)
  const more = [{ ip_prefix: '10.0.0.0/24' }, { ua_family: 'Firefox' }, { count: 5 }, { time: 1 }, { detail: '{}{}' }]
  for (const change of [...more, { event: 'x' }, { subject_id: null }, { request_id: null }, { session_id: 'x' }]) {
    await expect(forget(change)).rejects.toThrow('audit events cannot be changed')
  }
  expect(await eventsOf(other)).toEqual(before)
  await forget()
  expect(await eventsOf(other)).toEqual(
    before.map(event => ({ ...event, ip_prefix: null, ua_family: null, gathered: null })),
  )
})

test('O09: events older than a month can be deleted', async () => {
  const other = await createTestApp()
  const { email } = await addUser(other)
  await postLogin(visitorOf(other), { email, password })
  await other.storage.moveClock(31 * 24 * 60 * 60_000)
  await postLogin(visitorOf(other), { email, password })
  const [old, recent] = await eventsOf(other, 'auth.login.ok')
  await other.app.store.db.deleteFrom('audit_events').where('id', '=', old!.id).execute()
  expect((await eventsOf(other, 'auth.login.ok')).map(event => event.id)).toEqual([recent!.id])
})

// ---- retention

/** Inserts events of a given age directly into the store. */
async function addEvents(other: TestApp, count: number, age: number): Promise<void> {
  const time = other.storage.clock() - age
  const one = { time, event: 'auth.login.ok', detail: '{}', count: 1, ip_prefix: '10.0.0.0/24', ua_family: 'curl' }
  const rest = { actor_id: null, subject_id: 'x', session_id: null, request_id: null, gathered: null }
  for (let left = count; left > 0; left -= 1000) {
    const rows = Array.from({ length: Math.min(left, 1000) }, () => ({ ...one, ...rest }))
    await other.app.store.db.insertInto('audit_events').values(rows).execute()
  }
}

test('O10: network and browser are cleared after 90 days, and the event is deleted after 400', async () => {
  const other = await createTestApp()
  const { email } = await addUser(other)
  await other.storage.moveClock(65_000 - (other.storage.clock() % 60_000)) // early in a minute
  await postLogin(visitorOf(other), { email, password: 'wrong' })
  await postLogin(visitorOf(other), { email, password })
  const names = async () =>
    (await eventsOf(other)).map(({ event, ip_prefix, ua_family }) => [event, ip_prefix, ua_family])
  await sweep(other.app)
  const young = await names()
  expect(young).toEqual([
    ['auth.login.fail', expect.any(String), 'Firefox'],
    ['auth.login.ok', expect.any(String), 'Firefox'],
  ])
  await other.storage.moveClock(89 * day)
  await sweep(other.app)
  expect((await names()).slice(0, 2)).toEqual(young)
  await other.storage.moveClock(2 * day)
  await sweep(other.app)
  const [failed, ok] = await eventsOf(other)
  expect(failed).toMatchObject({ event: 'auth.login.fail', ip_prefix: null, ua_family: null, gathered: null, count: 1 })
  expect(ok).toMatchObject({ event: 'auth.login.ok', ip_prefix: null, ua_family: null })
  await other.storage.moveClock(308 * day)
  await sweep(other.app)
  expect((await names()).length).toBeGreaterThan(1)
  await other.storage.moveClock(2 * day)
  await sweep(other.app)
  expect(
    (await names()).map(([name]) => name),
    'only what the sweep itself wrote later',
  ).toEqual(['auth.session.expired'])
})

test('O10: an expired session is deleted, and after 30 days only its events are left', async () => {
  const other = await createTestApp()
  const { email } = await addUser(other)
  await postLogin(visitorOf(other), { email, password, long: true })
  await other.storage.moveClock(31 * day)
  await sweep(other.app)
  expect(await other.app.store.db.selectFrom('sessions').selectAll().execute()).toEqual([])
})

test.runIf(isFirstEngine)('O10: the retention of events is configurable', async () => {
  const other = await createTestApp({ settings: { audit: { keepDays: 30 } } })
  await addEvents(other, 3, 31 * day)
  await addEvents(other, 2, 29 * day)
  await sweep(other.app)
  expect(await eventsOf(other)).toHaveLength(2)
  await expect(createTestApp({ settings: { audit: { keepDays: 29 } } })).rejects.toThrow(
    'audit.keepDays: must be at least 30',
  )
})

test('O10: many old events are deleted in batches', async () => {
  const other = await createTestApp({ settings: { audit: { keepDays: 200 } } })
  await addEvents(other, 1400, 201 * day)
  await addEvents(other, 700, 100 * day)
  await addEvents(other, 5, day)
  const statements = await statementsOf(other, () => sweep(other.app))
  expect(statements.filter(text => text.startsWith('delete from "audit_events"'))).toHaveLength(3)
  const rest = await eventsOf(other)
  expect(rest.map(event => event.ip_prefix).filter(prefix => prefix !== null)).toHaveLength(5)
  expect(rest).toHaveLength(700 + 5)
})

test('O10: several processes can sweep at the same time', async () => {
  const other = await createTestApp()
  const second = await createTestApp({ storage: other.storage })
  await addEvents(other, 1200, 401 * day)
  await addEvents(other, 1200, 91 * day)
  await Promise.all([sweep(other.app), sweep(second.app), sweep(other.app)])
  const left = await eventsOf(other)
  expect(left).toHaveLength(1200)
  expect(left.every(event => event.ip_prefix === null)).toBe(true)
})

// ---- refusals

const guarded = {
  pages: {
    update: endpoint({
      method: 'POST',
      path: '/pages/:id',
      summary: 'Update a page',
      access: 'pages.update',
      on: async () => noOptions,
      body: z.strictObject({}),
      answer: done,
      handler: async () => {},
    }),
    inside: endpoint({
      method: 'GET',
      path: '/pages/:id/inside',
      summary: 'Look inside a page',
      access: 'session',
      answer: done,
      handler: async () => {
        throw fail('permission')
      },
    }),
    sensitive: endpoint({
      method: 'POST',
      path: '/pages/:id/keys',
      summary: 'Change the keys of a page',
      access: 'session',
      fresh: true,
      answer: done,
      handler: async () => {},
    }),
  },
  auth: api.auth,
}

test('O08: a denied request of an authenticated caller is recorded, counted once a minute', async () => {
  const storage = await createTestStorage()
  mkdirSync(join(storage.data, 'blueprints/users'), { recursive: true })
  writeFileSync(
    join(storage.data, 'blueprints/users/reader.yml'),
    'title: Reader\npermissions:\n  pages:\n    update: false\n',
  )
  const other = await createTestApp({ api: guarded, storage })
  const { id, email } = await addUser(other, { role: 'reader' })
  const browser = visitorOf(other, '203.0.113.9')
  const login = (await postLogin(browser, { email, password })).json<{ csrf: string; session: { id: string } }>()
  await other.storage.moveClock(65_000 - (other.storage.clock() % 60_000)) // early in a minute
  const update = () =>
    browser.send({
      method: 'POST',
      url: '/api/pages/secret+plans',
      payload: '{}',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', 'x-csrf': login.csrf },
    })
  for (let times = 0; times < 5; times++) {
    const answer = await update()
    expect([answer.statusCode, answer.json<{ key: string }>().key]).toEqual([403, 'error.page.update.permission'])
  }
  expect((await browser.send({ url: '/api/pages/secret+plans/inside' })).statusCode).toBe(403)
  const events = await eventsOf(other, 'auth.permission.denied')
  expect(events).toMatchObject([
    { actor_id: id, subject_id: id, session_id: login.session.id, ip_prefix: '203.0.113.0/24', count: 5 },
    { actor_id: id, subject_id: id, session_id: login.session.id, ip_prefix: '203.0.113.0/24', count: 1 },
  ])
  expect(events.map(event => JSON.parse(event.detail) as object)).toEqual([
    { method: 'POST', path: '/pages/:id' },
    { method: 'GET', path: '/pages/:id/inside' },
  ])
  expect(JSON.stringify(events), 'the request body is not recorded').not.toContain('secret')
  await other.storage.moveClock(60_000)
  await update()
  expect(await eventsOf(other, 'auth.permission.denied')).toHaveLength(3)
})

test('O08: a denial names the API token', async () => {
  const other = await createTestApp({ api: guarded })
  const { id } = await addUser(other)
  const { id: token, token: secret } = await addToken(other.app, { userId: id, name: 'ci', scopes: ['site.*'] })
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  for (const path of ['x', 'x/keys']) {
    const answer = await visitorOf(other).send({ method: 'POST', url: `/api/pages/${path}`, payload: '{}', headers })
    expect(answer.statusCode).toBe(403)
  }
  const events = await eventsOf(other, 'auth.permission.denied')
  expect(events.map(({ actor_id, session_id, detail }) => [actor_id, session_id, JSON.parse(detail)])).toEqual([
    [id, null, { method: 'POST', path: '/pages/:id', token }],
    [id, null, { method: 'POST', path: '/pages/:id/keys', token }],
  ])
})

test('O08: denied anonymous requests write nothing', async () => {
  const other = await createTestApp({ api: guarded })
  expect((await visitorOf(other).send({ url: '/api/pages/x/inside' })).statusCode).toBe(401)
  expect(await eventsOf(other)).toEqual([])
})

test('O08: a denial that cannot be recorded is answered with 503', async () => {
  const other = await createTestApp({ api: guarded })
  const { email } = await addUser(other)
  const browser = visitorOf(other)
  await postLogin(browser, { email, password })
  const answer = await withoutStore(other, () => browser.send({ url: '/api/pages/x/inside' }))
  expect(answer.statusCode).toBe(503)
})

// ---- every declared event is recorded

test('O05: every event name is recorded somewhere', () => {
  const root = join(import.meta.dirname, '../..')
  const [, names] = /export type EventName =([^]*?)\n\n/.exec(
    readFileSync(join(root, 'access/audit/names.ts'), 'utf8'),
  )!
  const sources = globSync('**/*.ts', { cwd: root })
    .filter(file => !file.endsWith('.test.ts') && file !== join('access', 'audit', 'names.ts'))
    .map(file => readFileSync(join(root, file), 'utf8'))
    .join('\n')
  const events = [...names!.matchAll(/'([^']+)'/g)].map(([, name]) => name!)
  expect(events.length).toBeGreaterThan(30)
  expect(events.filter(name => !sources.includes(`'${name}'`))).toEqual([])
})

// ---- when an account is deleted

test('O12: a permanently deleted account leaves only its events, which do not identify it', async () => {
  const other = await createTestApp({ settings: { trash: { days: 0 } } })
  await addUser(other)
  const { id, email } = await addUser(other, { totp: true, email: 'ada.lovelace@example.org' })
  const browser = visitorOf(other)
  await postLogin(browser, { email, password })
  await postLogin(browser, { email, password: 'wrong' })
  await addToken(other.app, { userId: id, name: 'ci', scopes: ['*'] })
  await deleteUser(operatorContext(other.app), { id })
  const { db } = other.app.store
  const tables = (await db.introspection.getTables()).map(table => table.name as 'users')
  expect(tables).toContain('audit_events')
  for (const table of tables) {
    const rows = JSON.stringify(await db.selectFrom(table).selectAll().execute())
    expect([table, rows.includes(id)]).toEqual([table, (table as string) === 'audit_events'])
    for (const text of [email, 'lovelace']) expect([table, rows.includes(text)]).toEqual([table, false])
  }
})
