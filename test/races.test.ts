import { randomInt } from 'node:crypto'
import type { LightMyRequestResponse as Answer } from 'fastify'
import { expect, test } from 'vitest'
import { sweep } from '../src/groups/auth/sweep.ts'
import { refreshHash } from '../src/access/factors/password.ts'
import { selectAccountById } from '../src/access/factors/queries.ts'
import { removeTotp } from '../src/access/factors/totp.ts'
import { hashArgon2 } from '../src/platform/lib/argon2.ts'
import { createLimiter } from '../src/platform/lib/concurrency-limiter.ts'
import { randomToken } from '../src/platform/lib/id.ts'
import { endEpoch } from '../src/access/session/sessions.ts'
import { charge, chargeFor } from '../src/platform/throttle/throttle.ts'
import { deleteUser, disableUser, enableUser, setPassword } from '../src/groups/users/users.ts'
import {
  addUser,
  createTestStorage,
  createTestApp,
  engine,
  password,
  type TestApp,
  type TestUser,
  totpCode,
} from './harness.ts'
import { inEitherOrder, shortly } from './concurrently.ts'
import { rounds as repeat } from './slow.ts'
import { operatorContext } from '../src/cli/site.ts'

/** Two instances on one store. The race is in the store, so the hash queue and attempts are not limited. */
const settings = { auth: { throttle: false }, database: { timeout: 60 } }
const firstSite = withoutHashLimit(await createTestApp({ settings, quiet: true }))
const secondSite = withoutHashLimit(await createTestApp({ settings, quiet: true, storage: firstSite.storage }))
const otherPassword = 'quite another long password'
const day = 24 * 60 * 60_000

function withoutHashLimit(site: TestApp): TestApp {
  site.app.hashing = createLimiter({ slots: 16, maxWaiting: 10_000, timeoutMs: 30_000 })
  return site
}

/**
 * The number of rounds of each race, from `QUOIN_TEST_ROUNDS`; in the slow run 200 on both engines together. SQLite has
 * one writer at a time, so it needs fewer.
 */
const times = Number(process.env['QUOIN_TEST_ROUNDS'] ?? repeat(10, engine === 'sqlite' ? 50 : 150))

/** Many rounds, some of them at once, so that they also race with each other. */
async function rounds(count: number, work: (round: number) => Promise<void>, atOnce = 8): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < count) await work(next++)
    }),
  )
}

const parallel = <Value>(count: number, work: (index: number) => Promise<Value>): Promise<Value[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))
const either = (index: number) => (index % 2 === 0 ? firstSite : secondSite)

const add = (options: TestUser = {}) => addUser(firstSite, { role: 'editor', ...options })

let count = 0
/** Every request comes from its own network. */
const nextIp = () => `10.${(++count >> 8) & 255}.${count & 255}.7`

async function call(site: TestApp, path: string, body?: object, token?: string): Promise<Answer> {
  return site.request({
    method: body ? 'POST' : 'GET',
    url: `/api/auth${path}`,
    remoteAddress: nextIp(),
    headers: {
      host: '127.0.0.1:4080',
      'sec-fetch-site': 'same-origin',
      ...(token !== undefined && { cookie: `quoin_insecure=${token}` }),
    },
    ...(body && { payload: body }),
  })
}

const login = (site: TestApp, body: object, token?: string) => call(site, '/login', body, token)
const logout = (site: TestApp, token: string) => call(site, '/logout', {}, token)
const get = (site: TestApp, token: string) => call(site, '', undefined, token)

function tokenOf(answer: Answer): string | undefined {
  return answer.cookies.find(({ name }) => name === 'quoin_insecure')?.value
}

async function signIn(site: TestApp, email: string, more: object = {}): Promise<string> {
  const answer = await login(site, { email, password, ...more })
  expect(answer.statusCode, `with ${answer.body}`).toBe(200)
  return tokenOf(answer)!
}

async function challengeOf(site: TestApp, email: string): Promise<string> {
  const answer = await login(site, { email, password })
  expect(answer.statusCode, `with ${answer.body}`).toBe(202)
  return answer.json<{ challenge: { id: string } }>().challenge.id
}

async function sessionsOf(userId: string) {
  return firstSite.app.store.db.selectFrom('sessions').selectAll().where('user_id', '=', userId).execute()
}

async function countEvents(event: string, column: 'subject_id' | 'session_id', id: string): Promise<number> {
  const rows = await firstSite.app.store.db
    .selectFrom('audit_events')
    .select('id')
    .where('event', '=', event)
    .where(column, '=', id)
    .execute()
  return rows.length
}

const statuses = (answers: Answer[]) => answers.map(answer => answer.statusCode)
const only = (answers: Answer[], status: number) => answers.filter(answer => answer.statusCode === status)

// ---- the account changes during a sign-in

test('L01 a login during a password change leaves no session of the old password', async () => {
  const results = new Set<number>()
  await rounds(times, async round => {
    const user = await add()
    const [answer] = await inEitherOrder(
      round,
      () => login(either(round), { email: user.email, password }),
      () => setPassword(operatorContext(either(round + 1).app), user, otherPassword),
    )
    results.add(answer.statusCode)
    expect([200, 401]).toContain(answer.statusCode)
    if (answer.statusCode === 200) expect((await get(either(round), tokenOf(answer)!)).statusCode).toBe(401)
    else expect(tokenOf(answer)).toBeUndefined()
    expect(await sessionsOf(user.id)).toEqual([])
  })
  expect(results, 'both orders have happened').toEqual(new Set([200, 401]))
})

test('L01 a session is refused if the password changes between check and start', async () => {
  const user = await add()
  const slow = withoutHashLimit(await createTestApp({ settings, quiet: true, storage: firstSite.storage }))
  const { hashing } = slow.app
  // The change happens at the worst moment: when the old password has just been found right.
  slow.app.hashing = {
    ...hashing,
    run: async (client, work) => {
      const value = await hashing.run(client, work)
      await setPassword(operatorContext(secondSite.app), user, otherPassword)
      return value
    },
  }
  const answer = await login(slow, { email: user.email, password })
  expect(answer.statusCode).toBe(401)
  expect(answer.cookies).toEqual([])
  expect(await sessionsOf(user.id)).toEqual([])
  await slow.close()
})

test('L04 a login while the account is disabled or deleted leaves no valid session', async () => {
  await add() // the last account could not be deleted
  await rounds(times, async round => {
    const user = { ...(await add()), role: 'editor' }
    const remove = round % 2 === 0 ? disableUser : deleteUser
    const [answer] = await Promise.all([
      shortly(2).then(() => login(either(round >> 1), { email: user.email, password })),
      shortly(12).then(() => remove(operatorContext(either((round >> 1) + 1).app), user)),
    ])
    expect([200, 401]).toContain(answer.statusCode)
    if (answer.statusCode === 200) expect((await get(secondSite, tokenOf(answer)!)).statusCode).toBe(401)
    expect(await sessionsOf(user.id)).toEqual([])
  })
})

test('L04 of two administrators who disable each other concurrently one remains', async () => {
  const { db } = firstSite.app.store
  await rounds(
    repeat(20, 100),
    async round => {
      const [left, right] = [await add({ role: 'admin' }), await add({ role: 'admin' })]
      const remove = round % 2 === 0 ? disableUser : deleteUser
      const results = await Promise.allSettled([
        remove(operatorContext(firstSite.app), { id: left.id }),
        remove(operatorContext(secondSite.app), { id: right.id }),
      ])
      expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      await db.deleteFrom('users').where('id', 'in', [left.id, right.id]).execute()
    },
    1,
  )
})

test('L05 a change of role applies to the next request, in every process', async () => {
  await rounds(times, async round => {
    const user = await add({ role: round % 2 === 0 ? 'admin' : 'editor' })
    const token = await signIn(either(round >> 1), user.email)
    await Promise.all([
      get(firstSite, token),
      secondSite.app.store.db
        .updateTable('users')
        .set({ role: round % 2 === 0 ? 'editor' : 'admin' })
        .where('id', '=', user.id)
        .execute(),
    ])
    for (const site of [firstSite, secondSite]) {
      const { data } = (await get(site, token)).json<{
        data: { role: { name: string }; permissions: { users: { create: boolean } } }
      }>()
      expect(data.role.name).toBe(round % 2 === 0 ? 'editor' : 'admin')
      expect(data.permissions.users.create).toBe(round % 2 === 1)
    }
  })
})

test('L15 a rehash during a password change does not restore the old password', async () => {
  await rounds(times, async round => {
    const cheaper = { memory: 32, passes: 1, parallelism: 1 }
    const user = await add({ hash: await hashArgon2(password, cheaper, firstSite.app.secrets.keys.pepper[0]) })
    const account = (await selectAccountById(firstSite.app.store, user.id))[0]!
    const renewals: Promise<void>[] = []
    const app = { ...either(round).app, background: (work: () => Promise<void>) => void renewals.push(work()) }
    await Promise.all([
      shortly(1).then(() => refreshHash(app, account, password)),
      shortly(1).then(() => setPassword(operatorContext(either(round + 1).app), user, otherPassword)),
    ])
    await Promise.all(renewals)
    expect(renewals).toHaveLength(1)
    expect((await login(firstSite, { email: user.email, password })).statusCode).toBe(401)
    expect((await login(secondSite, { email: user.email, password: otherPassword })).statusCode).toBe(200)
  })
})

// ---- second factors

test('L06 of 40 parallel uses of one time-based code one starts a session', async () => {
  await rounds(
    times,
    async round => {
      const { id, email, secret } = await add({ totp: true })
      const challenges = await parallel(round < 2 ? 40 : 3, index => challengeOf(either(index), email))
      const code = await totpCode(firstSite.storage, secret)
      const answers = await Promise.all(
        challenges.map((challenge, index) => login(either(index), { method: 'code', challenge, code })),
      )
      expect(only(answers, 200)).toHaveLength(1)
      expect(only(answers, 401)).toHaveLength(answers.length - 1)
      expect(await sessionsOf(id)).toHaveLength(1)
    },
    4,
  )
})

test('L06 a code sent with the password works once, too', async () => {
  await rounds(times, async () => {
    const { id, email, secret } = await add({ totp: true })
    const code = await totpCode(firstSite.storage, secret)
    const answers = await parallel(4, index => login(either(index), { email, password, code }))
    expect(only(answers, 200)).toHaveLength(1)
    expect(only(answers, 401)).toHaveLength(3)
    expect(await sessionsOf(id)).toHaveLength(1)
  })
})

test('L07 of 30 parallel uses of one recovery code one starts a session', async () => {
  await rounds(
    times,
    async round => {
      const { id, email, recovery } = await add({ totp: true })
      const challenges = await parallel(round < 2 ? 30 : 3, index => challengeOf(either(index), email))
      const answers = await Promise.all(
        challenges.map((challenge, index) =>
          login(either(index), { method: 'recovery', challenge, code: recovery[0] }),
        ),
      )
      expect(only(answers, 200)).toHaveLength(1)
      expect(only(answers, 401)).toHaveLength(answers.length - 1)
      expect(await sessionsOf(id)).toHaveLength(1)
      expect(await countEvents('auth.factor.used-recovery', 'subject_id', id)).toBe(1)
    },
    4,
  )
})

test('L08 of correct and wrong codes on one challenge at most 5 are checked and one starts a session', async () => {
  const opened = new Set<number>()
  await rounds(times, async round => {
    const { id, email, recovery } = await add({ totp: true })
    const challenge = await challengeOf(firstSite, email)
    const size = round < 2 ? 30 : 4
    // Ten different codes are right, so that only the challenge itself can refuse the second one. In some rounds the
    // first one has been answered before the others come.
    const first = Promise.withResolvers<unknown>()
    const answers = await parallel(2 * size, async index => {
      if (index > 0) await (round % 5 === 1 ? first.promise : shortly(1))
      const code = index % 2 === 0 ? recovery[(index / 2) % 10]! : 'ABCDE-ABCDE-ABCDE-ABCDE-ABCDE'
      const answer = await login(either(index >> 1), { method: 'recovery', challenge, code })
      if (index === 0) first.resolve(answer)
      return answer
    })
    const right = only(answers, 200).length
    opened.add(right)
    expect(right).toBeLessThanOrEqual(1)
    expect(only(answers, 401)).toHaveLength(answers.length - right)
    expect(await sessionsOf(id)).toHaveLength(right)
    const checked = right + (await countEvents('auth.mfa.fail', 'subject_id', id))
    expect(checked).toBeLessThanOrEqual(5)
    const used = firstSite.app.store.db.selectFrom('recovery_codes').select('used_at').where('user_id', '=', id)
    expect((await used.execute()).filter(row => row.used_at !== null)).toHaveLength(right)
  })
  expect(opened, 'codes were right in time at least once').toContain(1)
})

test('L08 of 7 wrong codes on one challenge exactly 5 are checked', async () => {
  await rounds(times, async () => {
    const { id, email } = await add({ totp: true })
    const challenge = await challengeOf(secondSite, email)
    const answers = await parallel(7, index => login(either(index), { method: 'code', challenge, code: '000000x' }))
    expect(only(answers, 401)).toHaveLength(7)
    expect(await countEvents('auth.mfa.fail', 'subject_id', id)).toBe(5)
  })
})

test('L16 removing the second factor during its use: either order, and nothing in between', async () => {
  const results = new Set<number>()
  await rounds(times, async round => {
    const { id, email, secret } = await add({ totp: true })
    const challenge = await challengeOf(firstSite, email)
    const code = await totpCode(firstSite.storage, secret)
    const [answer, before] = await inEitherOrder(
      round,
      () => login(either(round), { method: 'code', challenge, code }),
      () =>
        either(round + 1).app.store.write(async tx => {
          await removeTotp(operatorContext(firstSite.app), tx, id)
          return tx.selectFrom('sessions').select('aal').where('user_id', '=', id).execute()
        }),
    )
    results.add(answer.statusCode)
    expect([200, 401]).toContain(answer.statusCode)
    // There is a session with two factors only if it was created before the factor was removed.
    expect(before).toHaveLength(answer.statusCode === 200 ? 1 : 0)
    expect(await sessionsOf(id)).toHaveLength(before.length)
    expect((await login(secondSite, { method: 'code', challenge, code })).statusCode).toBe(401)
  })
  expect(results, 'both orders have happened').toEqual(new Set([200, 401]))
})

// ---- sessions

test('L09 20 parallel logouts all succeed and end one session', async () => {
  await rounds(times, async round => {
    const user = await add()
    const token = await signIn(either(round), user.email)
    const [session] = await sessionsOf(user.id)
    const answers = await parallel(round < 10 ? 20 : 5, index => logout(either(index), token))
    expect(only(answers, 200)).toHaveLength(answers.length)
    expect(await countEvents('auth.logout', 'session_id', session!.id)).toBe(1)
    expect(await sessionsOf(user.id)).toEqual([])
    expect((await get(either(round + 1), token)).statusCode).toBe(401)
  })
})

test('L10 parallel logins of one account never leave more sessions than allowed', async () => {
  const limited = { ...settings, auth: { throttle: false, session: { perUser: 2 } } }
  const pair = [
    withoutHashLimit(await createTestApp({ settings: limited, quiet: true, storage: firstSite.storage })),
    withoutHashLimit(await createTestApp({ settings: limited, quiet: true, storage: firstSite.storage })),
  ]
  await rounds(
    times,
    async () => {
      const user = await add()
      const answers = await parallel(4, index => login(pair[index % 2]!, { email: user.email, password }))
      expect(only(answers, 200)).toHaveLength(4)
      expect(await sessionsOf(user.id)).toHaveLength(2)
    },
    4,
  )
  for (const site of pair) await site.close()
})

test('L17 a session revoked during an activity update stays revoked', async () => {
  await rounds(times, async round => {
    const user = await add()
    const token = await signIn(firstSite, user.email)
    const { db } = firstSite.app.store
    await db.updateTable('sessions').set({ last_seen_at: 0 }).where('user_id', '=', user.id).execute()
    const [answer] = await Promise.all([
      shortly(2).then(() => get(either(round), token)),
      shortly(2).then(() =>
        either(round + 1).app.store.write(tx => endEpoch(operatorContext(either(round + 1).app), tx, user.id, 'test')),
      ),
    ])
    expect([200, 401]).toContain(answer.statusCode)
    expect(await sessionsOf(user.id)).toEqual([])
    expect((await get(either(round), token)).statusCode).toBe(401)
  })
})

test('L18 sweeping during logins deletes only expired rows', async () => {
  await rounds(times, async round => {
    const user = await add({ totp: round % 4 === 0 })
    const { db } = firstSite.app.store
    const stale = { email: user.email, password, code: await totpCode(firstSite.storage, user.secret || 'AAAA', -1) }
    const old = tokenOf(await login(firstSite, user.secret ? stale : { email: user.email, password }))!
    await db
      .updateTable('sessions')
      .set({ idle_until: firstSite.storage.clock() - 2 * day })
      .where('user_id', '=', user.id)
      .execute()
    const [answer] = await Promise.all([
      login(either(round), { email: user.email, password }),
      shortly(2).then(() => sweep(firstSite.app)),
      shortly(2).then(() => sweep(secondSite.app)),
    ])
    expect((await get(firstSite, old)).statusCode).toBe(401)
    if (user.secret) {
      const challenge = answer.json<{ challenge: { id: string } }>().challenge.id
      const code = await totpCode(firstSite.storage, user.secret, 1)
      expect((await login(secondSite, { method: 'code', challenge, code })).statusCode).toBe(200)
    } else {
      expect((await get(either(round + 1), tokenOf(answer)!)).statusCode).toBe(200)
    }
    expect(await sessionsOf(user.id)).toHaveLength(1)
  })
})

test('L22 a long session rotated during its logout is ended under both tokens', async () => {
  let rotations = 0
  await rounds(times, async round => {
    const user = await add()
    const token = await signIn(firstSite, user.email, { long: true })
    const { db } = firstSite.app.store
    await db.updateTable('sessions').set({ rotated_at: 0 }).where('user_id', '=', user.id).execute()
    const [[first, second], ended] = await inEitherOrder(
      round,
      () => Promise.all([get(firstSite, token), get(secondSite, token)]),
      () => logout(either(round), token),
    )
    expect(ended.statusCode).toBe(200)
    for (const answer of [first, second]) {
      expect([200, 401]).toContain(answer.statusCode)
      const next = tokenOf(answer)
      if (next === undefined) continue
      rotations++
      for (const site of [firstSite, secondSite]) expect((await get(site, next)).statusCode).toBe(401)
    }
    for (const site of [firstSite, secondSite]) expect((await get(site, token)).statusCode).toBe(401)
    expect(await sessionsOf(user.id)).toEqual([])
  })
  expect(rotations).toBeGreaterThan(0)
})

test('L22 parallel requests of a long session all get the same new token', async () => {
  await rounds(times, async () => {
    const user = await add()
    const token = await signIn(firstSite, user.email, { long: true })
    const { db } = firstSite.app.store
    await db.updateTable('sessions').set({ rotated_at: 0 }).where('user_id', '=', user.id).execute()
    const answers = await parallel(4, index => get(either(index), token))
    expect(only(answers, 200)).toHaveLength(4)
    const tokens = new Set(answers.map(tokenOf))
    tokens.delete(undefined)
    expect(tokens.size).toBe(1)
    for (const site of [firstSite, secondSite]) expect((await get(site, [...tokens][0]!)).statusCode).toBe(200)
    expect(await sessionsOf(user.id)).toHaveLength(1)
  })
})

// ---- limits

test('L11 of 50 wrong and 1 correct password in parallel only 5 are checked before the correct one', async () => {
  const limited = { database: { timeout: 60 } }
  const pair = [
    withoutHashLimit(await createTestApp({ settings: limited, quiet: true, storage: firstSite.storage })),
    withoutHashLimit(await createTestApp({ settings: limited, quiet: true, storage: firstSite.storage })),
  ]
  const checked = new Map<string, number>()
  for (const { app } of pair) {
    const { hashing } = app
    const run: typeof hashing.run = (client, work) => {
      const account = accountOf.get((client as { network: string }).network)!
      checked.set(account, (checked.get(account) ?? 0) + 1)
      return hashing.run(client, work)
    }
    app.hashing = { ...hashing, run }
  }
  const accountOf = new Map<string, string>()
  const outcomes = new Set<boolean>()
  await rounds(
    times,
    async round => {
      const { id, email } = await add()
      const size = round < 2 ? 50 : 7
      const right = randomInt(size + 1)
      const send = (index: number) => {
        const remoteAddress = nextIp()
        accountOf.set(`${remoteAddress}/32`, id)
        return pair[index % 2]!.request({
          method: 'POST',
          url: '/api/auth/login',
          remoteAddress,
          headers: { host: '127.0.0.1:4080' },
          payload: { email, password: index === right ? password : 'a wrong one, certainly' },
        })
      }
      // In some rounds the right password is certainly the first or the last one.
      const others = () => parallel(size + 1, async index => (index === right ? [] : [await send(index)]))
      const [rightAnswer, otherAnswers] = await inEitherOrder(round, () => send(right), others)
      const answers = [rightAnswer, ...otherAnswers.flat()]
      const inside = rightAnswer.statusCode === 200
      outcomes.add(inside)
      expect(inside ? [200] : [429]).toContain(rightAnswer.statusCode)
      const wrong = only(answers, 401).length
      expect(only(answers, 429)).toHaveLength(size + 1 - wrong - (inside ? 1 : 0))
      expect(checked.get(id)).toBe(wrong + (inside ? 1 : 0))
      // Without the success exactly 5. A success clears the account, so that 5 more may follow it.
      if (inside) expect(wrong).toBeLessThanOrEqual(9)
      else expect(wrong).toBe(5)
    },
    4,
  )
  expect(outcomes.size, 'the right password came in time, and too late').toBe(2)
  for (const site of pair) await site.close()
})

test('L12 of 500 parallel attempts on one bucket exactly its limit is accepted', async () => {
  const limited = { database: { timeout: 60 } }
  const pair = [
    await createTestApp({ settings: limited, quiet: true, storage: firstSite.storage }),
    await createTestApp({ settings: limited, quiet: true, storage: firstSite.storage }),
  ]
  for (const { policy, limit, tries, back } of [
    { policy: 'ip', limit: 30, tries: 500, back: 10_000 },
    { policy: 'dev', limit: 10, tries: 100, back: 90_000 },
    { policy: 'acct', limit: 5, tries: 100, back: 30_000 },
  ] as const) {
    const value = randomToken()
    const startedAt = firstSite.storage.clock()
    const results = await parallel(tries, async index => {
      const { app } = pair[index % 2]!
      try {
        await app.store.write(tx => charge(app, tx, [chargeFor(app, policy, value)]))
        return 'in'
      } catch (error) {
        return (error as { key?: string }).key ?? String(error)
      }
    })
    // One more for each attempt that was refilled meanwhile on a slow machine.
    const refilled = Math.floor((firstSite.storage.clock() - startedAt) / back)
    const checked = results.filter(result => result === 'in').length
    expect(checked).toBeGreaterThanOrEqual(limit)
    expect(checked).toBeLessThanOrEqual(limit + refilled)
    expect(results.filter(result => result === 'auth.throttled')).toHaveLength(tries - checked)
  }
  for (const site of pair) await site.close()
})

test('L12 an attempt refused by one bucket is not charged to the others', async () => {
  const site = await createTestApp({ storage: firstSite.storage, settings: { database: { timeout: 60 } } })
  const { app } = site
  await rounds(times, async () => {
    const [network, account] = [randomToken(), randomToken()]
    const charges = [chargeFor(app, 'net', network), chargeFor(app, 'acct', account)]
    const startedAt = firstSite.storage.clock()
    await Promise.allSettled(Array.from({ length: 8 }, () => app.store.write(tx => charge(app, tx, charges))))
    const rows = await app.store.db
      .selectFrom('throttle')
      .select(['bucket', 'tat', 'fails'])
      .where(
        'bucket',
        'in',
        charges.map(({ bucket }) => bucket),
      )
      .execute()
    const [ofNetwork, ofAccount] = charges.map(({ bucket }) => rows.find(row => row.bucket === bucket)!)
    expect(ofAccount!.fails).toBe(5)
    const stepsSince = (time: number) => (ofNetwork!.tat - time) / 3000
    expect(Math.ceil(stepsSince(firstSite.storage.clock()))).toBeLessThanOrEqual(5)
    expect(stepsSince(startedAt)).toBeGreaterThan(3)
  })
  await site.close()
})

// ---- keys

test('L20 no session is lost during a key rotation under load', async () => {
  const storage = await createTestStorage()
  const [first, second, pepper, vault] = ['one', 'two', 'three', 'four'].map(id => `${id}:${randomToken()}`) as [
    string,
    string,
    string,
    string,
  ]
  const open = async (...session: string[]) =>
    withoutHashLimit(
      await createTestApp({
        storage,
        settings: { ...settings, secrets: { session, pepper: [pepper], vault: [vault] } },
      }),
    )
  const before = await open(first)
  const users = await parallel(repeat(12, 40), () => addUser(before, { role: 'editor' }))
  const tokens: string[] = []
  for (const [index, user] of users.entries()) {
    tokens.push(await signIn(before, user.email, { long: index % 2 === 0 }))
  }

  /** Every session is used on all instances concurrently; a browser keeps the last cookie that it got. */
  async function traffic(sites: TestApp[]): Promise<void> {
    await rounds(tokens.length, async index => {
      const answers = await Promise.all(sites.map(site => get(site, tokens[index]!)))
      expect(statuses(answers)).toEqual(sites.map(() => 200))
      const newTokens = answers.map(tokenOf).filter(token => token !== undefined)
      for (const token of newTokens) {
        for (const site of sites) expect((await get(site, token)).statusCode, 'a new token works everywhere').toBe(200)
      }
      tokens[index] = newTokens.at(-1) ?? tokens[index]!
    })
  }

  // Machines are restarted one after the other: first all learn the new key, then all use it, then the old one goes.
  const learning = await open(first, second)
  await traffic([before, learning])
  await before.close()
  const using = await open(second, first)
  for (let round = 0; round < 3; round++) {
    await learning.app.store.db.updateTable('sessions').set({ rotated_at: 0 }).execute()
    await traffic([learning, using])
  }
  // Each accepts new sessions of the other, and their X-CSRF tokens.
  for (const [index, site] of [learning, using].entries()) {
    const answer = await login(site, { email: users[index]!.email, password })
    const token = tokenOf(answer)!
    for (const reader of [learning, using]) expect((await get(reader, token)).statusCode).toBe(200)
  }
  await learning.close()
  await using.app.store.db.updateTable('sessions').set({ rotated_at: 0 }).execute()
  await traffic([using])

  // Dropping the old key ends only what was never renewed under the new one.
  const after = await open(second)
  const answers = await parallel(tokens.length, index => get(after, tokens[index]!))
  expect(answers.filter((_, index) => index % 2 === 0).every(answer => answer.statusCode === 200)).toBe(true)
})

// ---- everything at once

const pick = <Value>(list: readonly Value[]): Value => list[randomInt(list.length)]!

/** The hash queue may be full; no other error is accepted. */
function passed(answer: Answer): Answer {
  if (answer.statusCode >= 500) {
    const { key } = answer.json<{ key: string }>()
    expect(`${answer.statusCode} ${key}`).toBe('503 error.busy')
  }
  return answer
}

test('L21 a random mix of operations has no deadlock and breaks no invariant', async () => {
  const storage = await createTestStorage()
  const mix = { database: { timeout: 60 }, auth: { session: { perUser: 4, perAdmin: 3 } } }
  const sites = [
    withoutHashLimit(await createTestApp({ storage, quiet: true, settings: mix })),
    withoutHashLimit(await createTestApp({ storage, quiet: true, settings: mix })),
  ] as const
  const { db } = sites[0].app.store
  const passwords = [password, otherPassword]
  const people = await parallel(10, async index => ({
    ...(await addUser(sites[0], { role: index < 3 ? 'admin' : 'editor', totp: index % 2 === 1 })),
    role: index < 3 ? 'admin' : 'editor',
    changing: false,
  }))
  interface Ticket {
    token: string
    person: (typeof people)[number]
    /** From this moment on it must be refused. */
    dead: boolean
  }
  const tickets: Ticket[] = []
  const uses = new Map<string, number>()
  const done = new Map<string, number>()
  const anywhere = () => pick(sites)

  function keep(answer: Answer, person: Ticket['person']): void {
    const token = tokenOf(answer)
    if (answer.statusCode === 200 && token !== undefined) tickets.push({ token, person, dead: false })
  }

  /** Runs work that ends all sessions of an account: tokens issued before it began must be refused after it. */
  async function ending(person: Ticket['person'], work: () => Promise<void>): Promise<void> {
    const ownTickets = tickets.filter(ticket => ticket.person === person)
    await work()
    for (const ticket of ownTickets) ticket.dead = true
  }

  const operations: Record<string, { weight: number; run: () => Promise<void> }> = {
    login: {
      weight: 30,
      run: async () => {
        const person = pick(people)
        const old = pick([undefined, ...tickets.slice(-5)])
        const code = person.secret && randomInt(2) ? await totpCode(storage, person.secret) : undefined
        const body = { email: person.email, password: pick(passwords), long: randomInt(3) === 0, ...(code && { code }) }
        const answer = passed(await login(anywhere(), body, old?.token))
        keep(answer, person)
        if (code && answer.statusCode === 200) {
          const use = `${person.id} ${code}`
          uses.set(use, (uses.get(use) ?? 0) + 1)
        }
      },
    },
    wrong: {
      weight: 8,
      run: async () => {
        const email = randomInt(2) ? pick(people).email : 'nobody@example.org'
        const answer = passed(await login(anywhere(), { email, password: 'wrong wrong wrong' }))
        expect([401, 429]).toContain(answer.statusCode)
      },
    },
    logout: {
      weight: 15,
      run: async () => {
        const ticket = pick([undefined, ...tickets.slice(-30)])
        const answer = passed(await logout(anywhere(), ticket?.token ?? randomToken()))
        expect(answer.statusCode).toBe(200)
        if (ticket) ticket.dead = true
      },
    },
    get: {
      weight: 40,
      run: async () => {
        const ticket = pick([undefined, ...tickets.slice(-40)])
        const wasDead = ticket?.dead ?? true
        const answer = passed(await get(anywhere(), ticket?.token ?? randomToken()))
        if (wasDead) expect(answer.statusCode).toBe(401)
        if (answer.statusCode !== 200) expect(answer.statusCode).toBe(401)
        else if (ticket) expect(answer.json<{ data: { id: string } }>().data.id).toBe(ticket.person.id)
      },
    },
    reauth: {
      weight: 10,
      run: async () => {
        const ticket = pick([undefined, ...tickets.slice(-10)])
        if (!ticket) return
        const body = { method: 'reauth', password: pick(passwords) }
        const answer = passed(await login(anywhere(), body, ticket.token))
        if (ticket.dead) return
        keep(answer, ticket.person)
        if (answer.statusCode === 200) ticket.dead = true
      },
    },
    recovery: {
      weight: 10,
      run: async () => {
        const person = pick(people.filter(({ recovery }) => recovery.length > 0))
        const first = passed(await login(anywhere(), { email: person.email, password: pick(passwords) }))
        if (first.statusCode !== 202) return
        const { challenge } = first.json<{ challenge: { id: string } }>()
        const code = pick(person.recovery)
        const bodies = [code, code].map(each => ({ method: 'recovery', challenge: challenge.id, code: each }))
        for (const answer of await Promise.all(bodies.map(body => login(anywhere(), body)))) {
          keep(passed(answer), person)
          if (answer.statusCode !== 200) continue
          const use = `${person.id} ${code}`
          uses.set(use, (uses.get(use) ?? 0) + 1)
        }
      },
    },
    password: {
      weight: 4,
      run: async () => {
        const person = pick(people)
        await ending(person, () => setPassword(operatorContext(anywhere().app), person, pick(passwords)))
      },
    },
    disable: {
      weight: 4,
      run: async () => {
        const person = pick(people.filter(({ changing }) => !changing))
        person.changing = true
        try {
          await ending(person, () => disableUser(operatorContext(anywhere().app), person))
          await shortly(10)
          await enableUser(operatorContext(anywhere().app), person)
        } catch (error) {
          expect((error as { key?: string }).key).toBe('user.disable.lastAdmin')
        } finally {
          person.changing = false
        }
      },
    },
    sweep: { weight: 3, run: () => sweep(anywhere().app) },
    age: {
      weight: 3,
      run: async () => {
        for (const { id } of await db.selectFrom('sessions').select('id').where('long', '=', 1).execute()) {
          await db.updateTable('sessions').set({ rotated_at: 0, last_seen_at: 0 }).where('id', '=', id).execute()
        }
      },
    },
    forgive: {
      weight: 6,
      run: async () => {
        for (const { bucket } of await db.selectFrom('throttle').select('bucket').limit(50).execute()) {
          await db.deleteFrom('throttle').where('bucket', '=', bucket).execute()
        }
      },
    },
    count: {
      weight: 3,
      run: async () => {
        const counted = await db
          .selectFrom('sessions')
          .innerJoin('users', 'users.id', 'sessions.user_id')
          .select(eb => ['users.role', eb.fn.countAll<number>().as('sessions')])
          .groupBy(['users.id', 'users.role'])
          .execute()
        for (const { role, sessions } of counted) expect(sessions).toBeLessThanOrEqual(role === 'admin' ? 3 : 4)
      },
    },
  }
  const wheel = Object.entries(operations).flatMap(([name, { weight }]) => Array.from({ length: weight }, () => name))

  const enough = repeat(120, 5000)
  let operated = 0
  const isMixed = () => Object.keys(operations).every(name => (done.get(name) ?? 0) > 5)
  await parallel(20, async () => {
    while (operated++ < enough || !isMixed()) {
      const name = pick(wheel)
      await operations[name]!.run()
      done.set(name, (done.get(name) ?? 0) + 1)
    }
  })

  for (const [use, often] of uses) expect(often, `the code ${use} was accepted once`).toBe(1)
  // At rest: a token is accepted if, and only if, its row belongs to the present epoch of an active account. Whatever the mix
  // ended with, some are signed in.
  await db.deleteFrom('throttle').execute()
  for (const person of people) {
    for (const each of passwords) keep(passed(await login(anywhere(), { email: person.email, password: each })), person)
  }
  const rows = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['sessions.token_mac', 'sessions.auth_epoch as epoch', 'users.auth_epoch', 'users.status'])
    .execute()
  let alive = 0
  for (const ticket of tickets.slice(-300)) {
    const answer = await get(anywhere(), ticket.token)
    if (ticket.dead) expect(answer.statusCode).toBe(401)
    const row = rows.find(({ token_mac: mac }) => mac === sites[0].app.secrets.mac('session', 'session', ticket.token))
    if (answer.statusCode === 200 && row) {
      expect(row.epoch).toBe(row.auth_epoch)
      expect(row.status).toBe('active')
      alive++
    }
  }
  expect(alive).toBeGreaterThan(0)
  expect(sites.flatMap(site => site.logged.filter(line => Number(line['level']) >= 50))).toEqual([])
  if (engine === 'postgres') {
    const { sql } = await import('kysely')
    const { rows: stats } = await sql<{
      deadlocks: number
    }>`select deadlocks from pg_stat_database where datname = current_database()`.execute(db)
    expect(stats).toEqual([{ deadlocks: 0 }])
  }
})
