import { expect, test } from 'vitest'
import { addUser, createTestApp, password, type TestApp, totpCode } from '../../../test/harness.ts'
import { lastMail, mailsTo, createSignedInUser, signIn, statusOf, withMail } from '../../../test/signed-in-user.ts'
import {
  countHashes,
  deviceCookie,
  eventsOf,
  newIp,
  postLogin,
  refusal,
  sessionsOf,
  statementsOf,
  userRow,
  withoutStore,
} from '../../../test/sign-in.ts'
import { randomToken } from '../../platform/lib/id.ts'
import { disableUser, setPassword } from '../users/users.ts'
import { operatorContext } from '../../cli/site.ts'

const minutes = 60_000
const newPassword = 'quite another long password'
const site = await createTestApp({ settings: withMail })

const post = (body: object, other: TestApp = site) => postLogin(other.browser({ ip: newIp() }), body)

async function beginReset(email: string, other: TestApp = site): Promise<string> {
  const answer = await post({ method: 'reset', email }, other)
  expect(answer.statusCode, `with ${answer.body}`).toBe(202)
  return answer.json<{ challenge: { id: string } }>().challenge.id
}

/** Begins a reset, and returns what the mail contains. */
async function beginAndReadMail(email: string, other: TestApp = site) {
  const challenge = await beginReset(email, other)
  const { code, token } = await lastMail(other, email, 'reset')
  return { challenge, code, token, linkToken: token.split('.')[1]! }
}

const finish = (challenge: string, code: string, other: TestApp = site, chosen = newPassword) =>
  post({ method: 'reset', challenge, code, password: chosen }, other)

const wrong = (restart: boolean) => ({
  status: 401,
  key: 'error.access.code',
  details: { restart, challengeDestroyed: restart },
})
const someOther = (code: string) => (code === '00000000' ? '11111111' : '00000000')

test('K01: requesting a reset sends one mail and changes nothing', async () => {
  const user = await createSignedInUser(site)
  const before = await userRow(site, user.id)
  const answer = await post({ method: 'reset', email: user.email })
  expect(answer.statusCode).toBe(202)
  expect(answer.json()).toEqual({
    code: 202,
    status: 'challenge',
    challenge: {
      id: expect.stringMatching(/^[\w-]{43}$/),
      kind: 'reset',
      methods: ['reset'],
      expiresIn: 600,
      attemptsLeft: 5,
    },
  })
  expect(answer.headers['set-cookie']).toBeUndefined()
  expect(await mailsTo(site, user.email)).toHaveLength(1)
  expect(await userRow(site, user.id)).toEqual(before)
  expect(await statusOf(user)).toBe(200)
  const { code, token } = await lastMail(site, user.email, 'reset')
  expect(answer.body).not.toContain(code)
  expect(token.split('.')).toEqual([answer.json<{ challenge: { id: string } }>().challenge.id, expect.any(String)])
})

test('K02: for an unknown address the response is the same, and no mail is sent', async () => {
  const { email } = await addUser(site)
  const [existing, missing] = [
    await post({ method: 'reset', email }),
    await post({ method: 'reset', email: 'nobody@example.org' }),
  ]
  const shape = (answer: typeof existing) => ({
    status: answer.statusCode,
    headers: { ...answer.headers, date: '', 'x-request-id': '' },
    body: {
      ...answer.json<{ challenge: object }>(),
      challenge: { ...answer.json<{ challenge: object }>().challenge, id: '' },
    },
  })
  expect(shape(existing)).toEqual(shape(missing))
  expect(await mailsTo(site, 'nobody@example.org')).toEqual([])
})

test.each(['active', 'invited', 'disabled'] as const)(
  'K02: a reset for %s accounts runs the same statements as for an unknown address',
  async status => {
    const { email } = await addUser(site, { status })
    const statements = (address: string) => statementsOf(site, () => post({ method: 'reset', email: address }))
    await statements('somebody@example.org') // warm-up: statements are compiled on first use, which would be counted
    expect(await statements(email)).toEqual(await statements(`no-${email}`))
    expect(await mailsTo(site, email, 'reset')).toHaveLength(status === 'active' ? 1 : 0)
  },
)

test('K02: a wrong code costs the same for an account and for a decoy', async () => {
  const { email } = await addUser(site)
  const work = async (challenge: string) => {
    let statements: string[] = []
    const hashes = await countHashes(site, async () => {
      statements = await statementsOf(site, async () => {
        expect(refusal(await finish(challenge, 'no code'))).toEqual(wrong(false))
      })
    })
    return { hashes, statements }
  }
  await work(await beginReset('anybody@example.org')) // warm-up: statements are compiled on first use, which would be counted
  const cost = await work(await beginReset(email))
  expect(cost.hashes).toBe(1)
  expect(await work(await beginReset('nobody-else@example.org'))).toEqual(cost)
})

test('K03: the correct code sets the password, ends all sessions and starts none', async () => {
  const user = await createSignedInUser(site)
  const otherSession = await signIn(site, user.email)
  const { challenge, code } = await beginAndReadMail(user.email)
  const answer = await finish(challenge, code)
  expect(answer.statusCode).toBe(200)
  expect(answer.json()).toEqual({ code: 200, status: 'ok', next: 'login' })
  expect(answer.headers['set-cookie']).toBeUndefined()
  for (const ended of [user, otherSession]) expect(await statusOf(ended)).toBe(401)
  expect(await sessionsOf(site, user.id)).toEqual([])
  expect((await post({ email: user.email, password })).statusCode).toBe(401)
  expect((await post({ email: user.email, password: newPassword })).statusCode).toBe(200)
  expect(await lastMail(site, user.email, 'passwordChanged')).toEqual({})
  const done = (await eventsOf(site, 'auth.password.reset.done')).filter(event => event.subject_id === user.id)
  expect(done).toHaveLength(1)
})

test.each([
  ['the token of the link', (mail: { linkToken: string }) => mail.linkToken],
  ['blanks in the code', ({ code }: { code: string }) => ` ${code.slice(0, 4)} ${code.slice(4)}`],
  [
    'full-width digits',
    ({ code }: { code: string }) => code.replaceAll(/\d/g, digit => String.fromCodePoint(0xff10 + Number(digit))),
  ],
])('K03: %s is accepted as well', async (_, typed) => {
  const { email } = await addUser(site)
  const reset = await beginAndReadMail(email)
  expect((await finish(reset.challenge, typed({ ...reset }))).statusCode).toBe(200)
})

test('K04: code and link stop working after either was used', async () => {
  for (const used of ['code', 'linkToken'] as const) {
    const { email } = await addUser(site)
    const { challenge, ...secrets } = await beginAndReadMail(email)
    expect((await finish(challenge, secrets[used])).statusCode).toBe(200)
    for (const secret of [secrets.code, secrets.linkToken])
      expect(refusal(await finish(challenge, secret))).toEqual(wrong(true))
  }
})

test('K04: a reset invalidates the other open ones', async () => {
  const { email } = await addUser(site)
  const [first, second] = [await beginAndReadMail(email), await beginAndReadMail(email)]
  expect((await finish(second.challenge, second.code)).statusCode).toBe(200)
  expect((await finish(first.challenge, first.linkToken)).statusCode).toBe(401)
  expect((await post({ email, password: newPassword })).statusCode).toBe(200)
})

test('K05: the second factor is required after a reset', async () => {
  const { email, secret } = await addUser(site, { totp: true })
  const { challenge, code } = await beginAndReadMail(email)
  expect((await finish(challenge, code)).json()).toEqual({ code: 200, status: 'ok', next: 'login' })
  const first = await post({ email, password: newPassword })
  expect(first.json()).toMatchObject({ code: 202, challenge: { kind: 'second-factor' } })
  const second = await post({ email, password: newPassword, code: await totpCode(site.storage, secret) })
  expect(second.statusCode).toBe(200)
})

test('K06: reset and second factor are not interchangeable', async () => {
  const { email, recovery } = await addUser(site, { totp: true })
  const { challenge, code, linkToken } = await beginAndReadMail(email)
  for (const method of ['code', 'recovery'])
    for (const secret of [code, linkToken])
      expect(refusal(await post({ method, challenge, code: secret }))).toEqual(wrong(true))
  const first = await post({ email, password })
  const step = first.json<{ challenge: { id: string } }>().challenge.id
  expect(refusal(await finish(step, recovery[0]!))).toEqual(wrong(true))
  for (const name of ['quoin_insecure', deviceCookie])
    expect(
      (await site.browser().send({ url: '/api/auth', headers: { cookie: `${name}=${challenge}` } })).statusCode,
    ).toBe(401)
})

test('K07: code and link expire after ten minutes', async () => {
  const otherSite = await createTestApp({ settings: withMail })
  const { email } = await addUser(otherSite)
  const { challenge, code, linkToken } = await beginAndReadMail(email, otherSite)
  await otherSite.storage.moveClock(10 * minutes + 1000)
  for (const late of [code, linkToken]) expect(refusal(await finish(challenge, late, otherSite))).toEqual(wrong(true))
  const again = await beginAndReadMail(email, otherSite)
  await otherSite.storage.moveClock(10 * minutes - 5000)
  expect((await finish(again.challenge, again.code, otherSite)).statusCode).toBe(200)
})

test('K08: after five wrong codes the correct code is refused, too', async () => {
  const { email } = await addUser(site)
  const { challenge, code, linkToken } = await beginAndReadMail(email)
  for (const restart of [false, false, false, false, true])
    expect(refusal(await finish(challenge, someOther(code)))).toEqual(wrong(restart))
  for (const right of [code, linkToken]) expect(refusal(await finish(challenge, right))).toEqual(wrong(true))
  expect((await post({ email, password })).statusCode, 'and nothing has changed').toBe(200)
})

test('K08: guesses are charged to their network', async () => {
  const browser = site.browser({ ip: newIp() })
  const statuses: number[] = []
  for (let round = 0; round < 7; round++) {
    const challenge = await beginReset(`guess${round}@example.org`)
    for (let guess = 0; guess < 5; guess++)
      statuses.push(
        (await postLogin(browser, { method: 'reset', challenge, code: '1', password: newPassword })).statusCode,
      )
  }
  expect(statuses.filter(status => status === 401)).toHaveLength(30)
  expect(statuses.slice(30)).toEqual([429, 429, 429, 429, 429])
})

test('K09: a code belongs to its own challenge and account', async () => {
  const [one, two] = [await addUser(site), await addUser(site)]
  const [first, second, third] = [
    await beginAndReadMail(one.email),
    await beginAndReadMail(one.email),
    await beginAndReadMail(two.email),
  ]
  expect(refusal(await finish(first.challenge, second.code === first.code ? 'x' : second.code))).toEqual(wrong(false))
  expect(refusal(await finish(first.challenge, second.linkToken))).toEqual(wrong(false))
  expect(refusal(await finish(first.challenge, third.linkToken))).toEqual(wrong(false))
  expect(refusal(await finish(randomToken(), first.code))).toEqual(wrong(true))
})

test('K17: a password change by the owner ends an open reset', async () => {
  const user = await createSignedInUser(site)
  const { challenge, code, linkToken } = await beginAndReadMail(user.email)
  const change = { currentPassword: password, password: 'a password of my own' }
  expect((await user.call('PATCH', 'account/password', change)).statusCode).toBe(200)
  for (const secret of [code, linkToken]) expect((await finish(challenge, secret)).statusCode).toBe(401)
  expect((await post({ email: user.email, password: 'a password of my own' })).statusCode).toBe(200)
})

test('K17: disabling the account ends an open reset', async () => {
  const { id, email } = await addUser(site, { role: 'editor' })
  const { challenge, code } = await beginAndReadMail(email)
  await disableUser(operatorContext(site.app), { id })
  expect((await finish(challenge, code)).statusCode).toBe(401)
  expect((await userRow(site, id)).status).toBe('disabled')
})

test('H16: a reset re-enables a disabled password and clears its throttle', async () => {
  const { id, email } = await addUser(site)
  await site.app.store.db
    .updateTable('users')
    .set({ password_disabled_at: 1, password_fail_streak: 100 })
    .where('id', '=', id)
    .execute()
  for (let tries = 0; tries < 6; tries++) await post({ email, password: 'a wrong passphrase' })
  const { challenge, code } = await beginAndReadMail(email)
  expect((await finish(challenge, code)).statusCode).toBe(200)
  expect((await post({ email, password: newPassword })).statusCode).toBe(200)
  expect(await userRow(site, id)).toMatchObject({ password_disabled_at: null, password_fail_streak: 0 })
})

test('H17: a hundred requests get the same response, and at most three mails are sent', async () => {
  const otherSite = await createTestApp({ settings: withMail })
  const { email } = await addUser(otherSite)
  const browser = otherSite.browser({ ip: newIp() })
  for (const address of [email, 'nobody@example.org'])
    for (let wish = 0; wish < 100; wish++) {
      const answer = await postLogin(browser, { method: 'reset', email: address })
      expect([answer.statusCode, answer.json<{ challenge: object }>().challenge]).toEqual([
        202,
        { id: expect.any(String), kind: 'reset', methods: ['reset'], expiresIn: 600, attemptsLeft: 5 },
      ])
    }
  expect(await mailsTo(otherSite, email)).toHaveLength(3)
  expect(await mailsTo(otherSite, 'nobody@example.org')).toEqual([])
  const rows = await otherSite.app.store.db.selectFrom('challenges').select('id_mac').execute()
  expect(rows.length, 'a flood does not fill the store').toBeLessThanOrEqual(65)
  await otherSite.storage.moveClock(16 * minutes)
  await postLogin(otherSite.browser({ ip: newIp() }), { method: 'reset', email })
  expect(await mailsTo(otherSite, email)).toHaveLength(4)
})

test('H17: a challenge without a mail cannot be guessed', async () => {
  const { email } = await addUser(site)
  for (let sent = 0; sent < 3; sent++) await beginReset(email)
  const silent = await beginReset(email)
  expect(refusal(await finish(silent, '12345678'))).toEqual(wrong(true))
})

test('C13: the mail goes to the stored address, not to the typed one', async () => {
  const { email } = await addUser(site, { email: 'Kelvin.Fish@example.org' })
  await beginReset('\u212aelvin.\ufb01sh@EXAMPLE.org') // the Kelvin sign and a ligature
  expect(await mailsTo(site, email)).toHaveLength(1)
})

test('a weak password is refused, and the code can be used again', async () => {
  const { email } = await addUser(site)
  const { challenge, code } = await beginAndReadMail(email)
  expect(refusal(await finish(challenge, code, site, 'too short'))).toMatchObject({
    status: 400,
    key: 'error.user.password.invalid',
  })
  expect((await finish(challenge, code)).statusCode).toBe(200)
})

test('D09: errors about the own name are shown only with the correct code', async () => {
  const { id, email } = await addUser(site)
  await site.app.store.db.updateTable('users').set({ name: 'Augusta King-Noel' }).where('id', '=', id).execute()
  const { challenge, code } = await beginAndReadMail(email)
  const named = 'augustaking-noel'
  expect(refusal(await finish(challenge, someOther(code), site, named))).toEqual(wrong(false))
  expect(refusal(await finish(challenge, code, site, named))).toMatchObject({ key: 'error.user.password.invalid' })
  expect((await finish(challenge, code)).statusCode).toBe(200)
})

test('K18: an outage neither consumes the code nor counts an attempt', async () => {
  const { email, id } = await addUser(site)
  const { challenge, code } = await beginAndReadMail(email)
  const before = await userRow(site, id)
  const answer = await withoutStore(site, () => finish(challenge, code), { late: true })
  expect(answer.statusCode).toBe(503)
  expect(await userRow(site, id)).toEqual(before)
  expect((await finish(challenge, code)).statusCode).toBe(200)
})

test('without mail the response is the same, and the challenge cannot be completed', async () => {
  const silent = await createTestApp()
  const { email } = await addUser(silent)
  const challenge = await beginReset(email, silent)
  expect(refusal(await finish(challenge, '12345678', silent))).toEqual(wrong(true))
})

test.each([
  ['a body with the method only', {}],
  ['an invalid address', { email: 'ada' }],
  ['an address that is not a string', { email: ['ada@example.org'] }],
  ['a code without its challenge', { code: '12345678', password: newPassword }],
  ['a challenge without a code', { challenge: 'x', password: newPassword }],
  ['a code without a password', { challenge: 'x', code: '12345678' }],
  ['both steps in one body', { email: 'ada@example.org', challenge: 'x', code: '1', password: newPassword }],
  ['an unknown property', { email: 'ada@example.org', url: 'https://evil.example' }],
  ['a property `token`', { email: 'ada@example.org', token: 'x' }],
])('%s is refused', async (_, body) => {
  expect(refusal(await post({ method: 'reset', ...body }))).toMatchObject({ status: 400, key: 'error.validation' })
})

test('the host of the request is not in the link', async () => {
  const { linkFor } = await import('../../platform/mail/render.ts')
  const { email } = await addUser(site)
  await postLogin(
    site.browser({ ip: newIp() }),
    { method: 'reset', email },
    { headers: { 'x-forwarded-host': 'evil.example', host: '127.0.0.1:4080' } },
  )
  const { token } = await lastMail(site, email, 'reset')
  expect(linkFor(site.app, 'reset', token)).toBe(`http://127.0.0.1:4080/panel/reset#token=${token}`)
})

test('O01: neither code nor link are logged or stored in plain text', async () => {
  const otherSite = await createTestApp({ settings: withMail })
  const { email, id } = await addUser(otherSite)
  const { challenge, code, linkToken } = await beginAndReadMail(email, otherSite)
  await finish(challenge, someOther(code), otherSite)
  await finish(challenge, code, otherSite)
  await setPassword(operatorContext(otherSite.app), { id }, 'a password of my own')
  const { db } = otherSite.app.store
  const everything = JSON.stringify([
    otherSite.logged,
    await eventsOf(otherSite),
    await db.selectFrom('challenges').selectAll().execute(),
    await db.selectFrom('jobs').selectAll().execute(),
  ])
  // Not as a part of a longer number: its six digits may occur in a time.
  expect(everything).not.toMatch(new RegExp(String.raw`(?<!\d)${code}(?!\d)`))
  for (const secret of [linkToken, challenge, newPassword]) expect(everything).not.toContain(secret)
})
