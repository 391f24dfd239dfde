import { expect, test } from 'vitest'
import { createLimiter } from '../src/platform/lib/concurrency-limiter.ts'
import { invite } from '../src/groups/users/invitation/invitation.ts'
import { startReset } from '../src/groups/users/password/reset.ts'
import { addUser, createTestApp, password, type TestApp, totpCode } from './harness.ts'
import { inEitherOrder, shortly } from './concurrently.ts'
import { lastMail, createSignedInUser, signIn, withMail } from './signed-in-user.ts'
import { eventsOf, getWith, newIp, postLogin, sessionCookie, sessionsOf, userRow } from './sign-in.ts'
import { isSlow } from './slow.ts'
import { operatorContext } from '../src/cli/site.ts'

/** Two instances on one store. The race is in the store, so the hash queue and attempts are not limited. */
const settings = { ...withMail, auth: { throttle: false }, database: { timeout: 60 } }
const firstSite = withoutHashLimit(await createTestApp({ settings, quiet: true }))
const secondSite = withoutHashLimit(await createTestApp({ settings, quiet: true, storage: firstSite.storage }))

const next = 'quite another long password'
const third = 'and a third one, longer still'

function withoutHashLimit(site: TestApp): TestApp {
  site.app.hashing = createLimiter({ slots: 16, maxWaiting: 10_000, timeoutMs: 30_000 })
  return site
}

const either = (index: number) => (index % 2 === 0 ? firstSite : secondSite)
const post = (site: TestApp, body: object) => postLogin(site.browser({ ip: newIp() }), body)
const only = (answers: { statusCode: number }[], status: number) =>
  answers.filter(({ statusCode }) => statusCode === status).length
const parallel = <Value>(count: number, work: (index: number) => Promise<Value>): Promise<Value[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))

/** Several rounds run concurrently, so that they also race with each other. In `npm test` there are ten at most. */
async function rounds(slow: number, work: (round: number) => Promise<void>, atOnce = 4): Promise<void> {
  const count = isSlow ? slow : Math.min(slow, 10)
  let round = 0
  await parallel(atOnce, async () => {
    while (round < count) await work(round++)
  })
}

/** A started reset, without sending a mail. */
async function openReset(user: { id: string }) {
  const { handle, code } = await firstSite.app.store.write(tx =>
    startReset(firstSite.app, tx, { id: user.id, auth_epoch: 1 }),
  )
  return { challenge: handle, code }
}

const finish = (site: TestApp, { challenge, code }: { challenge: string; code: string }, newPassword = next) =>
  post(site, { method: 'reset', challenge, code, password: newPassword })

test('K08: of hundreds of parallel guesses five are checked, and the correct code comes too late', async () => {
  const user = await addUser(firstSite)
  const reset = await openReset(user)
  const wrong = reset.code === '00000000' ? '11111111' : '00000000'
  for (let batch = 0; batch < 3; batch++) {
    const answers = await parallel(100, index => finish(either(index), { ...reset, code: wrong }))
    expect(only(answers, 401)).toBe(100)
  }
  const failures = (await eventsOf(firstSite, 'auth.login.fail')).filter(event => event.subject_id === user.id)
  expect(failures.reduce((sum, { count }) => sum + count, 0)).toBe(5)
  expect((await finish(secondSite, reset)).statusCode).toBe(401)
})

test('K08: a correct code sent concurrently sets one password', async () => {
  await rounds(10, async () => {
    const user = await addUser(firstSite)
    const reset = await openReset(user)
    const answers = await parallel(6, index => finish(either(index), reset, index % 2 === 0 ? next : third))
    expect([only(answers, 200), only(answers, 401)]).toEqual([1, 5])
    expect((await userRow(firstSite, user.id)).auth_epoch).toBe(2)
  })
})

test('K12: of many concurrent acceptances of one invitation one succeeds', async () => {
  await rounds(10, async () => {
    const { id, email } = await addUser(firstSite, { status: 'invited', hash: null })
    await firstSite.app.store.write(tx =>
      invite(operatorContext(firstSite.app), tx, {
        id,
        email,
        language: 'en',
        auth_epoch: 1,
        role: 'admin',
        revision: 1,
      }),
    )
    const { token } = await lastMail(firstSite, email, 'invite')
    const answers = await parallel(4, index =>
      post(either(index), { method: 'invite', token, password: index % 2 === 0 ? next : third }),
    )
    expect([only(answers, 200), only(answers, 401)]).toEqual([1, 3])
  })
})

test('L01: a login during the own password change leaves no session of the old password', async () => {
  const statuses = new Set<number>()
  await rounds(30, async round => {
    const user = await createSignedInUser(either(round))
    const [answer, changed] = await inEitherOrder(
      round,
      () => post(either(round + 1), { email: user.email, password }),
      () => user.call('PATCH', 'account/password', { currentPassword: password, password: next }),
    )
    expect(changed.statusCode, `with ${changed.body}`).toBe(200)
    statuses.add(answer.statusCode)
    expect([200, 401]).toContain(answer.statusCode)
    const token = answer.cookies.find(({ name }) => name === sessionCookie)?.value
    if (token !== undefined) expect((await getWith(either(round), token)).statusCode).toBe(401)
    expect(await sessionsOf(firstSite, user.id), 'the one in which it was changed').toHaveLength(1)
    expect((await getWith(either(round + 1), user.token()!)).statusCode).toBe(200)
  })
  expect(statuses, 'both orders have happened').toEqual(new Set([200, 401]))
})

test('L02: a login during a reset leaves no session of the old password', async () => {
  const statuses = new Set<number>()
  await rounds(40, async round => {
    const user = await addUser(firstSite)
    const reset = await openReset(user)
    const [answer, done] = await inEitherOrder(
      round,
      () => post(either(round), { email: user.email, password }),
      () => finish(either(round + 1), reset),
    )
    expect(done.statusCode, `with ${done.body}`).toBe(200)
    statuses.add(answer.statusCode)
    expect([200, 401]).toContain(answer.statusCode)
    expect(await sessionsOf(firstSite, user.id)).toEqual([])
  })
  expect(statuses, 'both orders have happened').toEqual(new Set([200, 401]))
})

test('L13: of two changes with the same current password one succeeds', async () => {
  await rounds(20, async round => {
    const user = await createSignedInUser(firstSite)
    const otherSession = await signIn(secondSite, user.email)
    const answers = await Promise.all([
      user.call('PATCH', 'account/password', { currentPassword: password, password: next }),
      shortly(2).then(() =>
        otherSession.call('PATCH', 'account/password', { currentPassword: password, password: third }),
      ),
    ])
    expect([only(answers, 200), only(answers, 401)], `round ${round}`).toEqual([1, 1])
    const winner = answers[0].statusCode === 200 ? next : third
    expect((await post(firstSite, { email: user.email, password: winner })).statusCode).toBe(200)
    expect((await post(secondSite, { email: user.email, password: winner === next ? third : next })).statusCode).toBe(
      401,
    )
    expect((await userRow(firstSite, user.id)).auth_epoch).toBe(2)
  })
})

test('L13: a change that comes after a logout starts no session', async () => {
  await rounds(20, async round => {
    const user = await createSignedInUser(firstSite)
    const token = user.token()!
    const [changed] = await Promise.all([
      user.call('PATCH', 'account/password', { currentPassword: password, password: next }),
      shortly(10).then(() =>
        either(round)
          .browser({ ip: newIp() })
          .send({
            method: 'POST',
            url: '/api/auth/logout',
            headers: { cookie: `${sessionCookie}=${token}`, 'sec-fetch-site': 'same-origin' },
          }),
      ),
    ])
    expect([200, 401]).toContain(changed.statusCode)
    expect((await getWith(secondSite, token)).statusCode, 'the former token is invalid in any case').toBe(401)
    const renewed = changed.cookies.find(({ name }) => name === sessionCookie)?.value
    expect(await sessionsOf(firstSite, user.id)).toHaveLength(renewed === undefined ? 0 : 1)
  })
})

test('L16: removing a second factor during its use: either order, and nothing in between', async () => {
  const statuses = new Set<number>()
  await rounds(30, async round => {
    const user = await createSignedInUser(firstSite, { totp: true })
    const first = await post(either(round), { email: user.email, password })
    const challenge = first.json<{ challenge: { id: string } }>().challenge.id
    const code = await totpCode(firstSite.storage, user.secret, 1)
    const [answer, removed] = await inEitherOrder(
      round,
      () => post(either(round), { method: 'code', challenge, code }),
      () => user.call('DELETE', 'account/totp', { endOthers: true }),
    )
    expect(removed.statusCode, `with ${removed.body}`).toBe(200)
    statuses.add(answer.statusCode)
    expect([200, 401]).toContain(answer.statusCode)
    // In any order: removing the factor ends all sessions except the one that removed it.
    const sessions = await sessionsOf(firstSite, user.id)
    expect(sessions).toHaveLength(1)
    expect((await getWith(secondSite, user.token()!)).statusCode).toBe(200)
  })
  expect(statuses, 'both orders have happened').toEqual(new Set([200, 401]))
})

test('L16: of many confirmations of one authenticator app one succeeds', async () => {
  await rounds(10, async () => {
    const user = await createSignedInUser(firstSite)
    const setup = await user.call('POST', 'account/totp')
    const { secret, challenge } = setup.json<{ data: { secret: string; challenge: string } }>().data
    const code = await totpCode(firstSite.storage, secret)
    const answers = await parallel(4, () => user.call('PUT', 'account/totp', { challenge, code }))
    expect(only(answers, 200)).toBe(1)
    expect(only(answers, 401)).toBe(3)
    const added = (await eventsOf(firstSite, 'auth.factor.added')).filter(event => event.subject_id === user.id)
    expect(added).toHaveLength(1)
  })
})

test('L17: a session ended by an administrator during an activity update stays ended', async () => {
  const admin = await createSignedInUser(secondSite)
  await rounds(30, async round => {
    const user = await addUser(firstSite, { role: 'editor' })
    const session = await signIn(either(round), user.email)
    const { db } = firstSite.app.store
    await db.updateTable('sessions').set({ last_seen_at: 0 }).where('user_id', '=', user.id).execute()
    const { id } = (await sessionsOf(firstSite, user.id))[0]!
    const [answer, ended] = await Promise.all([
      shortly(3).then(() => getWith(either(round), session.token()!)),
      shortly(3).then(() => admin.call('DELETE', `${user.id}/sessions/${id}`)),
    ])
    expect(ended.statusCode, `with ${ended.body}`).toBe(200)
    expect([200, 401]).toContain(answer.statusCode)
    expect(await sessionsOf(firstSite, user.id)).toEqual([])
    expect((await getWith(either(round + 1), session.token()!)).statusCode).toBe(401)
  })
})
