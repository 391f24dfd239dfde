import { expect, test } from 'vitest'
import { addUser, createTestApp, password, type TestApp, totpCode } from '../../../test/harness.ts'
import {
  eventsOf,
  everythingIn,
  newIp,
  postLogin,
  refusal,
  sessionCookie,
  sessionsOf,
  userRow,
  withoutStore,
} from '../../../test/sign-in.ts'
import { removeTotp, setTotp } from '../../access/factors/totp.ts'
import { randomToken } from '../../platform/lib/id.ts'
import { endEpoch } from '../../access/session/sessions.ts'
import { maxFailures, policies } from '../../platform/throttle/policies.ts'
import { disableUser, setPassword } from '../users/users.ts'
import { operatorContext } from '../../cli/site.ts'
import { isFirstEngine } from '../../../test/slow.ts'

const minutes = 60_000
const site = await createTestApp()

const person = (other: TestApp = site) => addUser(other, { totp: true })

/** The first step, from an address of its own. */
async function challengeFor(email: string, other: TestApp = site, long = false) {
  const browser = other.browser({ ip: newIp() })
  const first = await browser.client.auth.login({ email, password, long })
  if (first.code !== 202) throw new Error('no challenge')
  const answer = (method: 'code' | 'recovery', code: string) =>
    postLogin(browser, { method, challenge: first.challenge.id, code })
  return {
    ...first.challenge,
    browser,
    code: (code: string) => answer('code', code),
    recovery: (code: string) => answer('recovery', code),
  }
}

/** To the middle of a step, so that a code does not change between computing and checking it. */
async function moveToMiddleOfStep({ storage }: TestApp): Promise<void> {
  await storage.moveClock(40_000 - (storage.clock() % 30_000))
}

/** A code of six digits that is wrong for sure. */
async function wrongCode(other: TestApp, secret: string): Promise<string> {
  const right = await Promise.all([-2, -1, 0, 1, 2].map(steps => totpCode(other.storage, secret, steps)))
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find(code => !right.includes(code))!
}

const wrong = (restart: boolean) => ({
  status: 401,
  key: 'error.access.code',
  details: { restart, challengeDestroyed: restart },
})

test('I01: the correct password of an account with a second factor starts no session yet', async () => {
  const { email, id } = await person()
  const browser = site.browser({ ip: newIp() })
  const answer = await postLogin(browser, { email, password })
  expect(answer.statusCode).toBe(202)
  expect(answer.json()).toEqual({
    code: 202,
    status: 'challenge',
    challenge: {
      id: expect.stringMatching(/^[\w-]{43}$/),
      kind: 'second-factor',
      methods: ['code', 'recovery'],
      expiresIn: 300,
      attemptsLeft: 5,
    },
  })
  expect(answer.body).not.toContain(email)
  expect(await sessionsOf(site, id)).toHaveLength(0)
})

test.each([-1, 0, 1])('I04: the code of the step %d is accepted', async steps => {
  const { email, secret } = await person()
  await moveToMiddleOfStep(site)
  const challenge = await challengeFor(email)
  const answer = await challenge.code(await totpCode(site.storage, secret, steps))
  expect(answer.json()).toMatchObject({ code: 200, session: { aal: 2, amr: ['pwd', 'otp'] } })
})

test.each([-3, -2, 2, 3])('I04: the code of the step %d is refused', async steps => {
  const { email, secret } = await person()
  await moveToMiddleOfStep(site)
  const challenge = await challengeFor(email)
  expect(refusal(await challenge.code(await totpCode(site.storage, secret, steps)))).toEqual(wrong(false))
})

test.each([
  ['blanks', (code: string) => ` ${code.slice(0, 3)} ${code.slice(3)} `],
  ['full-width digits', (code: string) => code.replace(/\d/g, digit => String.fromCodePoint(0xff10 + Number(digit)))],
  ['Arabic-Indic digits', (code: string) => code.replace(/\d/g, digit => String.fromCodePoint(0x660 + Number(digit)))],
])('I04: a code typed with %s is accepted', async (_, typed) => {
  const { email, secret } = await person()
  const challenge = await challengeFor(email)
  expect((await challenge.code(typed(await totpCode(site.storage, secret)))).statusCode).toBe(200)
})

test.each(['', '1', '12345', '1234567', 'abcdef', '12345a', '-12345', '1e5', '\u0000', '🔑', "' or 1=1"])(
  'I04: %j is not a code',
  async code => {
    const { email } = await person()
    const challenge = await challengeFor(email)
    expect([400, 401]).toContain((await challenge.code(code)).statusCode)
  },
)

test('I05: a code works once, also for another challenge', async () => {
  const { email, secret } = await person()
  const [one, two] = [await challengeFor(email), await challengeFor(email)]
  const code = await totpCode(site.storage, secret)
  expect((await one.code(code)).statusCode).toBe(200)
  expect(refusal(await two.code(code))).toEqual(wrong(false))
  expect(refusal(await one.code(await totpCode(site.storage, secret, 1))), 'a challenge is throttled, too').toEqual(
    wrong(true),
  )
})

test('I05: after a code earlier ones are refused', async () => {
  const { email, secret } = await person()
  await moveToMiddleOfStep(site)
  const [one, two] = [await challengeFor(email), await challengeFor(email)]
  const former = await totpCode(site.storage, secret, -1)
  expect((await one.code(await totpCode(site.storage, secret))).statusCode).toBe(200)
  expect(refusal(await two.code(former))).toEqual(wrong(false))
})

test('I05: a code sent with the password is used up', async () => {
  const { email, secret } = await person()
  const code = await totpCode(site.storage, secret)
  const login = () => postLogin(site.browser({ ip: newIp() }), { email, password, code })
  expect((await login()).statusCode).toBe(200)
  expect(refusal(await login())).toEqual(wrong(false))
})

test('I06: five wrong codes end the challenge', async () => {
  const { email, secret } = await person()
  const challenge = await challengeFor(email)
  const code = await wrongCode(site, secret)
  for (const restart of [false, false, false, false, true]) {
    expect(refusal(await challenge.code(code))).toEqual(wrong(restart))
  }
  expect(refusal(await challenge.code(await totpCode(site.storage, secret)))).toEqual(wrong(true))
  const next = await challengeFor(email)
  expect((await next.code(await totpCode(site.storage, secret))).statusCode).toBe(200)
})

test('I07: after ten wrong codes in a quarter of an hour, over all challenges, codes are throttled', async () => {
  const otherSite = await createTestApp()
  const { email, secret } = await person(otherSite)
  for (let round = 0; round < 2; round++) {
    const challenge = await challengeFor(email, otherSite)
    for (let tries = 0; tries < 5; tries++) await challenge.code(await wrongCode(otherSite, secret))
  }
  const challenge = await challengeFor(email, otherSite)
  const refused = await challenge.code(await totpCode(otherSite.storage, secret))
  expect(refusal(refused)).toMatchObject({ status: 429, key: 'error.auth.throttled' })
  expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(30)
  const newLogin = { email, password, code: await totpCode(otherSite.storage, secret) }
  expect((await postLogin(otherSite.browser({ ip: newIp() }), newLogin)).statusCode).toBe(429)
  await otherSite.storage.moveClock(1.5 * minutes)
  expect(
    (await challenge.code(await totpCode(otherSite.storage, secret))).statusCode,
    'refused attempts are not counted',
  ).toBe(200)
})

test('I07: codes are throttled per account', async () => {
  const otherSite = await createTestApp()
  const [one, two] = [await person(otherSite), await person(otherSite)]
  for (let round = 0; round < 2; round++) {
    const challenge = await challengeFor(one.email, otherSite)
    for (let tries = 0; tries < 5; tries++) await challenge.code(await wrongCode(otherSite, one.secret))
  }
  const challenge = await challengeFor(two.email, otherSite)
  expect((await challenge.code(await totpCode(otherSite.storage, two.secret))).statusCode).toBe(200)
})

test.runIf(isFirstEngine)(
  'I08: a hundred wrong codes in a row disable the factor until it is set up again',
  async () => {
    const otherSite = await createTestApp({ settings: { auth: { throttle: false } } })
    const { email, id, secret, recovery } = await person(otherSite)
    const code = await wrongCode(otherSite, secret)
    for (let tries = 0; tries < maxFailures; tries++) {
      if (tries === 50) expect((await userRow(otherSite, id)).totp_fail_streak).toBe(50)
      const answer = await postLogin(otherSite.browser({ ip: newIp() }), { email, password, code })
      expect(answer.statusCode).toBe(401)
    }
    const switchedOff = await eventsOf(otherSite, 'auth.factor.disabled')
    expect(switchedOff.map(event => event.subject_id)).toEqual([id])
    const right = await challengeFor(email, otherSite)
    expect(refusal(await right.code(await totpCode(otherSite.storage, secret)))).toEqual(wrong(false))
    expect((await right.recovery(recovery[0]!)).statusCode, 'recovery codes are another factor').toBe(200)
    await otherSite.app.store.write(tx => setTotp(operatorContext(otherSite.app), tx, id, secret))
    const again = await challengeFor(email, otherSite)
    expect((await again.code(await totpCode(otherSite.storage, secret))).statusCode).toBe(200)
  },
)

test('I08: a correct code resets the count', async () => {
  const otherSite = await createTestApp({ settings: { auth: { throttle: false } } })
  const { email, id, secret } = await person(otherSite)
  await otherSite.app.store.db.updateTable('users').set({ totp_fail_streak: 99 }).where('id', '=', id).execute()
  const challenge = await challengeFor(email, otherSite)
  expect((await challenge.code(await totpCode(otherSite.storage, secret))).statusCode).toBe(200)
  expect((await userRow(otherSite, id)).totp_fail_streak).toBe(0)
})

test('I09: the correct password with a wrong code is a separate event', async () => {
  const { email, id, secret } = await person()
  const challenge = await challengeFor(email)
  await challenge.code(await wrongCode(site, secret))
  await postLogin(site.browser({ ip: newIp() }), { email, password, code: await wrongCode(site, secret) })
  const events = (await eventsOf(site, 'auth.mfa.fail')).filter(event => event.subject_id === id)
  expect(events.map(event => JSON.parse(event.detail))).toEqual([{ method: 'code' }, { method: 'code' }])
})

test('I10: guessing for a day has no realistic chance', () => {
  const { limit, period } = policies.otp
  const tries = limit + (24 * 60 * minutes) / (period / limit)
  const evaluated = Math.min(tries, maxFailures)
  const accepted = 3 // codes that are right at any time
  expect(1 - (1 - accepted / 1e6) ** evaluated).toBeLessThan(1e-3)
  expect(1 - (1 - accepted / 1e6) ** tries).toBeLessThan(1e-2)
})

test('I11: recovery codes have 125 bits and are stored as keyed hashes', async () => {
  const { id, recovery } = await person()
  expect(recovery).toHaveLength(10)
  for (const code of recovery) expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{5}-){4}[0-9A-HJKMNP-TV-Z]{5}$/)
  const rows = await site.app.store.db.selectFrom('recovery_codes').selectAll().where('user_id', '=', id).execute()
  const dump = JSON.stringify(rows)
  for (const code of recovery) expect(dump).not.toContain(code.replaceAll('-', ''))
})

test('I12: a recovery code works once, in any spelling', async () => {
  const { email, recovery } = await person()
  const challenge = await challengeFor(email)
  const typed = recovery[0]!.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')
  const answer = await challenge.recovery(typed)
  expect(answer.json()).toMatchObject({ code: 200, session: { aal: 2, amr: ['pwd', 'recovery'] } })
  const next = await challengeFor(email)
  expect(refusal(await next.recovery(recovery[0]!))).toEqual(wrong(false))
  expect((await next.recovery(recovery[1]!)).statusCode).toBe(200)
})

test('I12: after the last one the method is not offered', async () => {
  const otherSite = await createTestApp()
  const { email, recovery } = await person(otherSite)
  for (const code of recovery) {
    const challenge = await challengeFor(email, otherSite)
    expect(challenge.methods).toEqual(['code', 'recovery'])
    expect((await challenge.recovery(code)).statusCode).toBe(200)
  }
  expect((await challengeFor(email, otherSite)).methods).toEqual(['code'])
})

test('I12: a recovery code of another account, or as a TOTP code, is wrong', async () => {
  const [one, two] = [await person(), await person()]
  const challenge = await challengeFor(one.email)
  expect(refusal(await challenge.recovery(two.recovery[0]!))).toEqual(wrong(false))
  expect(refusal(await challenge.code(one.recovery[0]!))).toEqual(wrong(false))
  expect(refusal(await challenge.recovery(await totpCode(site.storage, one.secret)))).toEqual(wrong(false))
})

test('I13: an attempt that fails by an error is not counted', async () => {
  const { email, secret, id } = await person()
  const challenge = await challengeFor(email)
  const before = await everythingIn(site)
  for (let tries = 0; tries < 6; tries++) {
    const code = await totpCode(site.storage, secret)
    const answer = await withoutStore(site, () => challenge.code(code), { late: true })
    expect(answer.statusCode).toBe(503)
  }
  expect(await everythingIn(site)).toEqual(before)
  expect(await sessionsOf(site, id)).toHaveLength(0)
  expect((await challenge.code(await totpCode(site.storage, secret))).statusCode).toBe(200)
})

test('I15: no step can be skipped', async () => {
  const { email, secret, recovery } = await person()
  const browser = site.browser({ ip: newIp() })
  const code = await totpCode(site.storage, secret)
  for (const body of [
    { method: 'code', code },
    { method: 'code', email, code },
    { method: 'code', email, password, code },
    { method: 'recovery', code: recovery[0] },
    { email, code },
    { method: 'password', email, code },
  ]) {
    expect((await postLogin(browser, body)).statusCode).toBe(400)
  }
  for (const challenge of [randomToken(), email]) {
    expect(refusal(await postLogin(browser, { method: 'code', challenge, code }))).toEqual(wrong(true))
  }
  expect((await postLogin(browser, { email, password: 'wrong', code })).statusCode).toBe(401)
  expect(browser.cookies.size).toBe(0)
  expect((await (await challengeFor(email)).code(code)).statusCode, 'the code was not checked').toBe(200)
})

test('I15: a challenge is looked up by its keyed hash only', async () => {
  const { email, secret } = await person()
  await challengeFor(email)
  const rows = await site.app.store.db.selectFrom('challenges').select('id_mac').execute()
  const code = await totpCode(site.storage, secret)
  for (const { id_mac: challenge } of rows) {
    const answer = await postLogin(site.browser({ ip: newIp() }), { method: 'code', challenge, code })
    expect(refusal(answer)).toEqual(wrong(true))
  }
})

test('I16: the code of one account does not finish the challenge of another', async () => {
  const [one, two] = [await person(), await person()]
  const challenge = await challengeFor(one.email)
  expect(refusal(await challenge.code(await totpCode(site.storage, two.secret)))).toEqual(wrong(false))
  const answer = await challenge.code(await totpCode(site.storage, one.secret))
  expect(answer.json()).toMatchObject({ user: { id: one.id } })
})

test('I17: a caller signed in to another account finishes as the account of the challenge', async () => {
  const [one, two] = [await person(), await addUser(site)]
  const challenge = await challengeFor(one.email)
  await challenge.browser.client.auth.login({ email: two.email, password })
  const answer = await challenge.code(await totpCode(site.storage, one.secret))
  expect(answer.json()).toMatchObject({ user: { id: one.id } })
  expect(await sessionsOf(site, two.id)).toHaveLength(0)
})

test.each<[string, (id: string) => Promise<unknown>]>([
  ['the account is disabled', id => disableUser(operatorContext(site.app), { id })],
  ['the password is changed', id => setPassword(operatorContext(site.app), { id }, 'a new password, long enough')],
  ['the factor is removed', id => site.app.store.write(tx => removeTotp(operatorContext(site.app), tx, id))],
  ['the epoch ends', id => site.app.store.write(tx => endEpoch(operatorContext(site.app), tx, id, 'test'))],
  ['the account is deleted', id => site.app.store.db.deleteFrom('users').where('id', '=', id).execute()],
])('I18: no session starts when %s between the steps', async (_, change) => {
  const { email, id, secret, recovery } = await person()
  await addUser(site) // another administrator
  const challenge = await challengeFor(email)
  await change(id)
  expect(refusal(await challenge.code(await totpCode(site.storage, secret)))).toEqual(wrong(true))
  expect(refusal(await challenge.recovery(recovery[0]!))).toEqual(wrong(true))
  expect(await sessionsOf(site, id)).toHaveLength(0)
})

test('I19: a challenge expires after five minutes', async () => {
  const otherSite = await createTestApp()
  const { email, secret } = await person(otherSite)
  const [one, two] = [await challengeFor(email, otherSite), await challengeFor(email, otherSite)]
  await otherSite.storage.moveClock(295_000)
  expect((await one.code(await totpCode(otherSite.storage, secret))).statusCode).toBe(200)
  await otherSite.storage.moveClock(30_000)
  expect(refusal(await two.code(await totpCode(otherSite.storage, secret)))).toEqual(wrong(true))
})

test('I20: the first step sets no cookie', async () => {
  const { email } = await person()
  const { browser } = await challengeFor(email)
  expect(browser.last.headers['set-cookie']).toBeUndefined()
  expect(browser.cookies.size).toBe(0)
  expect((await browser.send({ url: '/api/auth' })).statusCode).toBe(401)
})

test('I20: an existing session survives the first step and is replaced by the second', async () => {
  const { email, secret } = await person()
  const signedIn = await addUser(site)
  const browser = site.browser({ ip: newIp() })
  await browser.client.auth.login({ email: signedIn.email, password })
  const former = browser.cookies.get(sessionCookie)
  const first = await browser.client.auth.login({ email, password })
  if (first.code !== 202) throw new Error('no challenge')
  expect(browser.cookies.get(sessionCookie)).toBe(former)
  expect(await browser.client.auth.get()).toMatchObject({ data: { id: signedIn.id } })
  const code = await totpCode(site.storage, secret)
  await browser.client.auth.login({ method: 'code', challenge: first.challenge.id, code })
  expect(browser.cookies.get(sessionCookie)).not.toBe(former)
  expect(await sessionsOf(site, signedIn.id)).toHaveLength(0)
})

test('I21: the code can be sent with the password', async () => {
  const { email, secret } = await person()
  const login = (body: object) => postLogin(site.browser({ ip: newIp() }), { email, password, ...body })
  expect(refusal(await login({ code: await wrongCode(site, secret) }))).toEqual(wrong(false))
  expect((await login({})).statusCode).toBe(202)
  const right = await login({ code: await totpCode(site.storage, secret) })
  expect(right.json()).toMatchObject({ code: 200, session: { aal: 2, amr: ['pwd', 'otp'] } })
})

test('I21: without a second factor the code is ignored', async () => {
  const { email } = await addUser(site)
  const answer = await postLogin(site.browser({ ip: newIp() }), { email, password, code: '000000' })
  expect(answer.json()).toMatchObject({ code: 200, session: { aal: 1, amr: ['pwd'] } })
})

test('I21: with a wrong password the code is not checked', async () => {
  const { email, id, secret } = await person()
  const code = await totpCode(site.storage, secret)
  const answer = await postLogin(site.browser({ ip: newIp() }), { email, password: 'wrong', code })
  expect(refusal(answer)).toEqual({ status: 401, key: 'error.access.login', details: {} })
  expect(await userRow(site, id)).toMatchObject({ totp_fail_streak: 0, totp_last_step: 0 })
  expect((await postLogin(site.browser({ ip: newIp() }), { email, password, code })).statusCode).toBe(200)
})

test('I22: long is passed from the first step to the second', async () => {
  const { email, secret } = await person()
  const challenge = await challengeFor(email, site, true)
  const answer = await challenge.code(await totpCode(site.storage, secret))
  expect(answer.json()).toMatchObject({ session: { long: true, aal: 1, amr: ['pwd', 'otp'] } })
})

test('I24: the store contains no readable secret', async () => {
  const { id, secret } = await person()
  const { totp_secret: sealed } = await userRow(site, id)
  expect(sealed).not.toContain(secret)
  expect(Buffer.from(sealed!.split('.')[1]!, 'base64url').includes(secret)).toBe(false)
})

test('I24: a sealed secret can be opened for its own account only', async () => {
  const [one, two] = [await person(), await person()]
  const { totp_secret: sealed } = await userRow(site, one.id)
  await site.app.store.db.updateTable('users').set({ totp_secret: sealed }).where('id', '=', two.id).execute()
  site.logged.length = 0
  const challenge = await challengeFor(two.email)
  expect(refusal(await challenge.code(await totpCode(site.storage, one.secret)))).toEqual(wrong(false))
  expect(site.logged.filter(line => line['event'] === 'auth.totp.unreadable')).toHaveLength(1)
})

test.each(['nobody.AAAA', 'nonsense', '', '.', 'x.y.z'])(
  'I24: the sealed secret %j is a wrong code and logged, not an error',
  async sealed => {
    const { email, id, secret } = await person()
    await site.app.store.db.updateTable('users').set({ totp_secret: sealed }).where('id', '=', id).execute()
    site.logged.length = 0
    const challenge = await challengeFor(email)
    expect(refusal(await challenge.code(await totpCode(site.storage, secret)))).toEqual(wrong(false))
    expect(site.logged.filter(line => line['event'] === 'auth.totp.unreadable')).toHaveLength(1)
  },
)

test('M13: codes use the clock of the store', async () => {
  const otherSite = await createTestApp()
  const { email, secret } = await person(otherSite)
  const byWatch = await totpCode(otherSite.storage, secret)
  await otherSite.storage.moveClock(24 * 60 * minutes)
  const challenge = await challengeFor(email, otherSite)
  expect(refusal(await challenge.code(byWatch))).toEqual(wrong(false))
  expect((await challenge.code(await totpCode(otherSite.storage, secret))).statusCode).toBe(200)
})
