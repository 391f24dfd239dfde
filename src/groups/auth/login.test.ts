import { syncBuiltinESMExports } from 'node:module'
import { expect, test } from 'vitest'
import { addUser, createTestApp, password, type TestUser } from '../../../test/harness.ts'
import { createSite, serve } from '../../../test/program.ts'
import { parsePrometheus } from '../../../test/prometheus.ts'
import {
  countHashes,
  deviceCookie,
  eventsOf,
  eventually,
  everythingIn,
  getWith,
  newIp,
  postLogin,
  refusal,
  replacing,
  sessionCookie,
  sessionsOf,
  statementsOf,
  userRow,
} from '../../../test/sign-in.ts'
import { hashArgon2 } from '../../platform/lib/argon2.ts'
import { randomToken } from '../../platform/lib/id.ts'
import type { ConcurrencyLimiter } from '../../platform/lib/concurrency-limiter.ts'
import { createUser, setPassword } from '../users/users.ts'
import { operatorContext } from '../../cli/site.ts'
import { isFirstEngine, isSlow } from '../../../test/slow.ts'

const site = await createTestApp()
const visitor = () => site.browser({ ip: newIp() })

/** Sends a body and sees to it that nothing was hashed, charged or stored, and no cookie set. */
async function refusedBeforeHashing(body: unknown, headers: Record<string, string> = {}) {
  const browser = visitor()
  const before = await everythingIn(site)
  let answer!: Awaited<ReturnType<typeof postLogin>>
  const hashes = await countHashes(site, async () => {
    answer = await postLogin(browser, body, { headers })
  })
  expect(hashes).toBe(0)
  expect(answer.headers['set-cookie']).toBeUndefined()
  expect(await everythingIn(site)).toEqual(before)
  return refusal(answer)
}

const good = { email: 'ada@example.org', password }
await addUser(site, { email: good.email })

// ---- the body

test.each([
  ['nothing', ''],
  ['null', 'null'],
  ['a list', '[]'],
  ['a text', '""'],
  ['a number', '1'],
  ['a truth', 'true'],
])('B01: a body that is %s is refused with details', async (_, body) => {
  const { status, key, details } = await refusedBeforeHashing(body)
  expect({ status, key }).toEqual({ status: 400, key: 'error.validation' })
  expect(details).toMatchObject({ body: { label: 'body', message: { type: expect.any(String) } } })
})

test.each([
  '{',
  '{"email":"ada@example.org"',
  '{"email":"ada@example.org",}',
  '{"email":"ada@example.org" /* me */}',
  '// me\n{}',
  '{"email":NaN}',
  '{"email":Infinity}',
  "{'email':'ada@example.org'}",
  '{}{}',
  '{"a":1}\n{"a":2}',
  '{email:"x"}',
  '"\t"',
  '\u00a0{}',
])('B02: %j is not JSON', async body => {
  const { status, key } = await refusedBeforeHashing(body)
  expect({ status, key }).toEqual({ status: 400, key: 'error.request.malformed' })
})

test.each([
  ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ['a byte order mark', `\ufeff${JSON.stringify(good)}`],
  ['UTF-16', Buffer.from(JSON.stringify(good), 'utf16le')],
  ['overlong UTF-8', Buffer.concat([Buffer.from('{"'), Buffer.from([0xc0, 0xaf]), Buffer.from('":1}')])],
])('B02: %s is refused', async (_, body) => {
  const { status, key } = await refusedBeforeHashing(body)
  expect({ status, key }).toEqual({ status: 400, key: 'error.request.malformed' })
})

test.each([
  '{"email":"a@x","email":"ada@example.org","password":"x"}',
  '{"email":"ada@example.org","password":"x","em\\u0061il":"b@x"}',
  '{"email":"ada@example.org","password":"x","password":"x"}',
  '{"email":{"a":1,"a":2},"password":"x"}',
])('B03: a key that occurs twice is refused: %s', async body => {
  const { status, key } = await refusedBeforeHashing(body)
  expect({ status, key }).toEqual({ status: 400, key: 'error.request.malformed' })
})

test.each([
  '{"__proto__":{"role":"admin"},"email":"ada@example.org","password":"x"}',
  '{"\\u005f_proto__":{"role":"admin"},"email":"ada@example.org","password":"x"}',
  '{"constructor":{"prototype":{"role":"admin"}},"email":"ada@example.org","password":"x"}',
  '{"email":{"__proto__":{"role":"admin"}},"password":"x"}',
  '{"prototype":1}',
])('B04: keys that reach a prototype are refused: %s', async body => {
  const { status, key } = await refusedBeforeHashing(body)
  expect({ status, key }).toEqual({ status: 400, key: 'error.request.malformed' })
  expect(({} as { role?: string }).role).toBeUndefined()
})

test.each([[{ $gt: '' }], [['a']], [0], [12_345_678], [true], [false], [null], [{}], [[]]])(
  'B06: %j is not a password',
  async wrong => {
    const { status, key, details } = await refusedBeforeHashing({ ...good, password: wrong })
    expect({ status, key }).toEqual({ status: 400, key: 'error.validation' })
    expect(details).toEqual({ password: { label: 'password', message: { type: 'This must be a text.' } } })
  },
)

test.each([['true'], [1], [0], [[]], [{}], [null]])('B07: %j is not a boolean for long', async long => {
  const { status, key, details } = await refusedBeforeHashing({ ...good, long })
  expect({ status, key }).toEqual({ status: 400, key: 'error.validation' })
  expect(Object.keys(details)).toEqual(['long'])
})

test.each([[{ toString: 'x' }], [{ length: 5 }], [['ada@example.org']], [{ address: 'ada@example.org' }], [7], [null]])(
  'B08: %j is not an email address',
  async email => {
    const { status, key, details } = await refusedBeforeHashing({ email, password })
    expect({ status, key }).toEqual({ status: 400, key: 'error.validation' })
    expect(Object.keys(details)).toEqual(['email'])
  },
)

test.each([
  ['3,000 levels of lists', '['.repeat(3000), 400],
  ['1,000 levels of objects', '{"a":'.repeat(1000), 400],
  ['five levels inside a field', JSON.stringify({ ...good, long: [[[[1]]]] }), 400],
  ['seventeen members', JSON.stringify(Object.fromEntries(Array.from({ length: 18 }, (_, i) => [`k${i}`, i]))), 400],
  ['10,000 levels', '['.repeat(10_000), 413],
  ['100,000 members', JSON.stringify(Array.from({ length: 100_000 }, () => 0)), 413],
  ['10 MB', JSON.stringify({ ...good, password: 'x'.repeat(10_000_000) }), 413],
  ['one password of 100,000 characters', JSON.stringify({ ...good, password: 'x'.repeat(100_000) }), 413],
])('B10: a body of %s is refused', async (_, body, status) => {
  const refused = await refusedBeforeHashing(body)
  const key = status === 413 ? 'error.request.tooLarge' : 'error.request.malformed'
  expect(refused).toMatchObject({ status, key })
})

test.each(['role', 'id', 'isAdmin', 'skipEmailVerification', 'verified', 'aal', 'hint', 'challenge', '', 'toString'])(
  'B11: the unknown field %j is named, and no session starts',
  async name => {
    const { status, key, details } = await refusedBeforeHashing({ ...good, [name]: 'x' })
    expect({ status, key }).toEqual({ status: 400, key: 'error.validation' })
    expect(details).toEqual({ [name || 'body']: { label: name, message: { unknown: 'There is no such field.' } } })
  },
)

test.each(['oidc', '', 'PASSWORD', 'constructor', 1, null, {}])('B11: the method %j is not offered', async method => {
  expect(await refusedBeforeHashing({ ...good, method })).toMatchObject({ status: 400, key: 'error.auth.method' })
})

test.each(['"\\ud800"', '"correct \\udc00 horse"', '"\\udc00\\ud800"'])(
  'B14: the lone surrogate in %s is refused before anything is hashed',
  async text => {
    const { status, key } = await refusedBeforeHashing(`{"email":"ada@example.org","password":${text}}`)
    expect({ status, key }).toEqual({ status: 400, key: 'error.request.malformed' })
  },
)

test.each(['1e400', '-0', '123456789012345678901234567890', '1.5', '-1'])(
  'B15: the number %s is refused in every field',
  async number => {
    for (const field of ['email', 'password', 'long', 'code']) {
      const body = JSON.stringify({ ...good, [field]: '#' }).replace('"#"', number)
      const { status, key, details } = await refusedBeforeHashing(body)
      expect({ status, key }).toEqual({ status: 400, key: 'error.validation' })
      expect(Object.keys(details)).toEqual([field])
    }
  },
)

test.each([
  [{ password }, 'email', 'type'],
  [{ email: good.email }, 'password', 'type'],
  [{ email: '', password }, 'email', 'email'],
  [{ email: '   ', password }, 'email', 'email'],
  [{ email: good.email, password: '' }, 'password', 'minlength'],
  [{ ...good, code: '' }, 'code', 'minlength'],
])('B16: %j is incomplete and not charged', async (body, field, rule) => {
  const { status, key, details } = await refusedBeforeHashing(body)
  expect({ status, key }).toEqual({ status: 400, key: 'error.validation' })
  expect(details).toEqual({ [field]: { label: field, message: { [rule]: expect.any(String) } } })
})

test('B16: a password of spaces is valid', async () => {
  const answer = await postLogin(visitor(), { ...good, password: '   ' })
  expect(refusal(answer)).toMatchObject({ status: 401, key: 'error.access.login' })
})

const addressOf = (bytes: number) => `${'a'.repeat(bytes - '@example.org'.length)}@example.org`

test('B17: an address may have at most 254 bytes', async () => {
  expect(refusal(await postLogin(visitor(), { email: addressOf(254), password }))).toMatchObject({ status: 401 })
  expect(refusal(await postLogin(visitor(), { email: 'a@b', password }))).toMatchObject({ status: 401 })
  expect(await refusedBeforeHashing({ email: addressOf(255), password })).toMatchObject({
    status: 400,
    key: 'error.validation',
  })
  const wide = `${'é'.repeat(121)}@example.org`
  expect(refusal(await postLogin(visitor(), { email: wide, password }))).toMatchObject({ status: 401 })
  expect(await refusedBeforeHashing({ email: `é${wide}`, password })).toMatchObject({ status: 400 })
})

test.each(['x', 'x'.repeat(43), `${randomToken()}=`, '../../etc/passwd', "' or 1=1 --", '\u0000'.repeat(43), '🙂'])(
  'B18: the challenge %j is invalid',
  async challenge => {
    for (const method of ['code', 'recovery']) {
      const refused = await refusedBeforeHashing({ method, challenge, code: '123456' })
      expect(refused).toMatchObject({ status: 401, key: 'error.access.code', details: { restart: true } })
    }
  },
)

test('B18: a challenge that is much too long is refused by its length', async () => {
  const long = await refusedBeforeHashing({ method: 'code', challenge: 'x'.repeat(5000), code: '1' })
  expect(long).toMatchObject({ status: 400, key: 'error.validation', details: { challenge: {} } })
  const huge = await refusedBeforeHashing({ method: 'code', challenge: 'x'.repeat(1_000_000), code: '1' })
  expect(huge).toMatchObject({ status: 413 })
})

test('B19: a double click gives one session or two, and no error', async () => {
  const { email, id } = await addUser(site)
  const browser = visitor()
  const answers = await Promise.all([1, 2].map(() => postLogin(browser, { email, password })))
  const status = answers.map(answer => answer.statusCode)
  expect(status).toEqual([200, 200])
  expect((await sessionsOf(site, id)).length).toBeGreaterThan(0)
})

test.each(['?email=ada@example.org', '?password=x', '?session=x', '?x', '?__proto__=1', '?select[]=email'])(
  'B20: login accepts no query: %s',
  async query => {
    const before = await everythingIn(site)
    const answer = await postLogin(visitor(), good, { url: `/api/auth/login${query}` })
    expect(refusal(answer)).toMatchObject({ status: 400, key: 'error.validation', details: { query: {} } })
    expect(await everythingIn(site)).toEqual(before)
    expect(answer.headers['set-cookie']).toBeUndefined()
  },
)

test.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=latin1',
  'application/jsonx',
  'text/json',
  '',
])('A07: a body with the type %j is refused and not charged', async type => {
  const refused = await refusedBeforeHashing(good, { 'content-type': type })
  expect(refused).toMatchObject({ status: 415, key: 'error.request.mediaType' })
})

test('A07: a form is refused even with the right fields', async () => {
  const form = new URLSearchParams(good).toString()
  const refused = await refusedBeforeHashing(form, { 'content-type': 'application/x-www-form-urlencoded' })
  expect(refused).toMatchObject({ status: 415, key: 'error.request.mediaType' })
})

test('A09: a compressed body is refused without decompressing it', async () => {
  expect(await refusedBeforeHashing(good, { 'content-encoding': 'gzip' })).toMatchObject({ status: 415 })
})

// ---- e-mail addresses

/** An account with the address as the command line would make it. */
const accountOf = (email: string) =>
  createUser(operatorContext(site.app), { shownReferences: 'all', email, password, role: 'admin' })

async function signedInAs(email: string): Promise<string | undefined> {
  const answer = await postLogin(visitor(), { email, password })
  return answer.json<{ user?: { id: string } }>().user?.id
}

test('C02: composed and decomposed letters give the same address', async () => {
  const id = await accountOf('zoë@example.org')
  expect(await signedInAs('zoë@example.org'.normalize('NFD'))).toBe(id)
  expect(await signedInAs('ZOË@Example.ORG')).toBe(id)
})

test.each([
  ['the Kelvin sign', 'kelvin@example.org', '\u212Aelvin@example.org'],
  ['full-width letters', 'wide@example.org', 'ｗｉｄｅ@example.org'],
  ['a ligature', 'ffine@example.org', 'ﬀine@example.org'],
  ['sharp s', 'strasse@example.org', 'straße@example.org'],
  ['long s', 'sara@example.org', 'ſara@example.org'],
])('C03: %s cannot create a second account', async (_, email, twin) => {
  const id = await accountOf(email)
  expect(await signedInAs(twin)).toBe(id)
  await expect(accountOf(twin)).rejects.toMatchObject({ key: 'user.duplicate' })
})

test('C06: all spellings of a domain are equal', async () => {
  const id = await accountOf('leser@bücher.example')
  for (const domain of ['xn--bcher-kva.example', 'BÜCHER.example', 'bücher.example.', 'XN--BCHER-KVA.EXAMPLE']) {
    expect(await signedInAs(`leser@${domain}`)).toBe(id)
  }
})

test.each([
  'a@xn--',
  'a@-a.example',
  'a@a-.example',
  'a@exаmple.org', // a Cyrillic а
  'a@.example',
  'a@example..org',
  `a@${'x'.repeat(64)}.org`,
  'a@ex ample.org',
  'a@exa%6Dple.org',
])('C07: %j has no domain', async email => {
  expect(await refusedBeforeHashing({ email, password })).toMatchObject({
    status: 400,
    key: 'error.validation',
    details: { email: { message: { email: expect.any(String) } } },
  })
})

test.each(['\0', '\r', '\n', '\t', '\u2028', '\u202e', '\u200d', '\u200b', '\u00ad', '\u007f', '\ue000', '\u00a0'])(
  'C08: %j inside an address is refused before the store is read',
  async character => {
    for (const email of [`a${character}da@example.org`, `ada@exam${character}ple.org`]) {
      const refused = await refusedBeforeHashing({ email, password })
      expect(refused).toMatchObject({ status: 400, key: 'error.validation', details: { email: {} } })
    }
  },
)

test.each([
  'ada@example.org\nBcc: evil@example.com',
  '"a b"@example.org',
  'a@b@c',
  '@example.org',
  'a@',
  '<a@example.org>',
  'a,b@example.org',
  'a@[127.0.0.1]',
])('C09: %j is not an address', async email => {
  expect(await refusedBeforeHashing({ email, password })).toMatchObject({ status: 400, details: { email: {} } })
})

test('C10: tags and dots make different addresses', async () => {
  await accountOf('carl@example.org')
  for (const email of ['carl+tag@example.org', 'c.a.r.l@example.org']) expect(await signedInAs(email)).toBeUndefined()
  expect(await signedInAs(' carl@example.org \n')).toBeDefined()
})

test('C14: an emoji before the @ works', async () => {
  expect(refusal(await postLogin(visitor(), { email: '🦊@example.org', password }))).toMatchObject({ status: 401 })
  const id = await accountOf('🦊@example.org')
  expect(await signedInAs('🦊@example.org')).toBe(id)
})

test('C15: of two concurrent accounts with equivalent addresses one is created', async () => {
  const results = await Promise.allSettled(['Twin@example.org', 'tWIN@example.org'].map(accountOf))
  expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect(results.find(one => one.status === 'rejected')?.reason).toMatchObject({ key: 'user.duplicate' })
})

// ---- passwords

async function opens(stored: string, typed: string): Promise<boolean> {
  const { email } = await addUser(site, { password: stored })
  const answer = await postLogin(visitor(), { email, password: typed })
  expect([200, 401]).toContain(answer.statusCode)
  return answer.statusCode === 200
}

test.each([64, 73, 200, 512])('D05: all of %d characters are significant', async length => {
  const long = 'é'.repeat(length)
  expect(await opens(long, long)).toBe(true)
  expect(await opens(long, `${long.slice(0, -1)}e`)).toBe(false)
  expect(await opens(long, long.slice(0, -1))).toBe(false)
})

test('D05: more than 512 characters, or 2,048 bytes, are refused by the schema', async () => {
  expect(await opens('🦊'.repeat(512), '🦊'.repeat(512))).toBe(true)
  for (const text of ['x'.repeat(513), 'é'.repeat(513), '🦊'.repeat(513), 'x'.repeat(3000)]) {
    const refused = await refusedBeforeHashing({ ...good, password: text })
    expect(refused).toMatchObject({
      status: 400,
      details: { password: { message: { maxlength: expect.any(String) } } },
    })
  }
})

test.each([
  '密码'.repeat(8),
  'пароль пароль пароль',
  '🔑'.repeat(15),
  'كلمة السر الطويلة',
  '\u0000\u0001\u001f'.repeat(5),
])('D06: %j is a valid password', async text => {
  expect(await opens(text, text)).toBe(true)
})

test.each([
  [' x', 'x'],
  ['x ', 'x'],
  ['x', 'x\n'],
  ['a  b', 'a b'],
])('D10: %j and %j are different passwords', async (one, other) => {
  expect(await opens(one, other)).toBe(false)
  expect(await opens(other, one)).toBe(false)
  expect(await opens(one, one)).toBe(true)
})

test('D11: a NUL does not truncate a password', async () => {
  expect(await opens('a\u0000b', 'a')).toBe(false)
  expect(await opens('a\u0000b', 'a\u0000c')).toBe(false)
  expect(await opens('a', 'a\u0000')).toBe(false)
  expect(await opens('a\u0000b', 'a\u0000b')).toBe(true)
})

test('D12: composed and decomposed letters are equal', async () => {
  expect(await opens('Amélie Ångström 1', 'Amélie Ångström 1'.normalize('NFD'))).toBe(true)
})

test.each([
  ['full width', 'ａｂｃ', 'abc'],
  ['a ligature', 'ﬁne', 'fine'],
  ['a superscript', 'x²', 'x2'],
  ['a Kelvin sign in capitals', '\u212A', 'k'],
])('D13: %s is a different password', async (_, one, other) => {
  expect(await opens(one, other)).toBe(false)
})

test('D14: case is significant', async () => {
  expect(await opens(password, password.toUpperCase())).toBe(false)
})

test('D17: a reference hash of argon2id is accepted and replaced by a current one', async () => {
  const reference = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'
  const { email, id } = await addUser(site, { hash: reference })
  expect((await postLogin(visitor(), { email, password: 'Password' })).statusCode).toBe(401)
  expect((await userRow(site, id)).password_hash).toBe(reference)
  expect((await postLogin(visitor(), { email, password: 'password' })).statusCode).toBe(200)
  const { password_hash: replaced } = await eventually(
    () => userRow(site, id),
    row => row.password_hash !== reference,
  )
  expect(replaced).toContain(`m=64,t=1,p=1,keyid=${site.app.secrets.keys.pepper[0]!.id}$`)
  expect((await postLogin(visitor(), { email, password: 'password' })).statusCode).toBe(200)
})

const salt = 'c29tc2FsdHNvbWVzYWx0'
const tag = 'nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'
test.each([
  ['4 GiB of memory', `$argon2id$v=19$m=4194304,t=1,p=1$${salt}$${tag}`],
  ['1,000 passes', `$argon2id$v=19$m=64,t=1000,p=1$${salt}$${tag}`],
  ['no pass', `$argon2id$v=19$m=64,t=0,p=1$${salt}$${tag}`],
  ['too little memory for its lanes', `$argon2id$v=19$m=16,t=1,p=4$${salt}$${tag}`],
  ['an end that is missing', `$argon2id$v=19$m=64,t=1,p=1$${salt}`],
  ['another kind', `$argon2i$v=19$m=64,t=1,p=1$${salt}$${tag}`],
  ['an unknown pepper', `$argon2id$v=19$m=64,t=1,p=1,keyid=nobody$${salt}$${tag}`],
  ['nonsense', 'plaintext'],
])('D18: a stored hash with %s is refused with the usual error, and reported', async (_, hash) => {
  const { email } = await addUser(site, { hash })
  site.logged.length = 0
  const browser = visitor()
  let answer!: Awaited<ReturnType<typeof postLogin>>
  expect(
    await countHashes(site, async () => {
      answer = await postLogin(browser, { email, password })
    }),
  ).toBe(1)
  expect(refusal(answer)).toEqual({ status: 401, key: 'error.access.login', details: {} })
  expect(site.logged.filter(line => line['event'] === 'auth.hash.unreadable')).toHaveLength(1)
  expect(JSON.stringify(site.logged)).not.toContain(hash)
})

test('D18: a hash with another pepper does not match', async () => {
  const [pepper] = site.app.secrets.keys.pepper
  const cost = { memory: 64, passes: 1, parallelism: 1 }
  const hash = await hashArgon2(password, cost, { id: pepper!.id, bytes: Buffer.alloc(32, 7) })
  const { email } = await addUser(site, { hash })
  expect((await postLogin(visitor(), { email, password })).statusCode).toBe(401)
})

test.each([
  ['empty', ''],
  ['absent', null],
])('D18: an %s hash never matches', async (_, hash) => {
  const { email } = await addUser(site, { hash })
  const refused = refusal(await postLogin(visitor(), { email, password }))
  expect(refused).toEqual({ status: 401, key: 'error.access.login', details: {} })
})

test('D19: a password changed during the rehash of the old one stays changed', async () => {
  const old = await hashArgon2(password, { memory: 32, passes: 1, parallelism: 1 })
  const { email, id } = await addUser(site, { hash: old })
  let calls = 0
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const slow = (original: ConcurrencyLimiter): Partial<ConcurrencyLimiter> => ({
    async run(client, work) {
      if (++calls === 2) await held
      return original.run(client, work)
    },
  })
  await replacing(site.app.hashing, slow, async () => {
    expect((await postLogin(visitor(), { email, password })).statusCode).toBe(200)
    expect(calls, 'the renewal is under way').toBe(2)
    await setPassword(operatorContext(site.app), { id }, 'another one, quite long')
    release()
    await eventually(
      async () => site.app.hashing.running,
      running => running === 0,
    )
    await new Promise(done => setTimeout(done, 50))
  })
  expect((await postLogin(visitor(), { email, password })).statusCode).toBe(401)
  expect((await postLogin(visitor(), { email, password: 'another one, quite long' })).statusCode).toBe(200)
})

// ---- imported hashes

async function bcryptHash(text: string, cost = 4): Promise<string> {
  const { hash } = await import('@node-rs/bcrypt')
  return (await hash(text, cost)).replace(/^\$2.\$/, '$2y$')
}

test('D19: a bcrypt hash is verified once and then replaced', async () => {
  const otherSite = await createTestApp()
  const hash = await bcryptHash(password)
  const { email, id } = await addUser(otherSite, { hash })
  expect((await postLogin(otherSite.browser(), { email, password: `${password}!` })).statusCode).toBe(401)
  expect((await userRow(otherSite, id)).password_hash).toBe(hash)
  expect((await postLogin(otherSite.browser(), { email, password })).statusCode).toBe(200)
  const row = await eventually(
    () => userRow(otherSite, id),
    ({ password_hash: now }) => now !== hash,
  )
  expect(row.password_hash).toMatch(/^\$argon2id\$/)
  expect(row.bcrypt_cost).toBeNull()
  expect((await postLogin(otherSite.browser(), { email, password })).statusCode).toBe(200)
  expect((await postLogin(otherSite.browser(), { email, password: `${password}!` })).statusCode).toBe(401)
})

test('D19: a bcrypt hash of decomposed letters is verified as they were typed', async () => {
  const otherSite = await createTestApp()
  const typed = 'Amélie Ångström'.normalize('NFD')
  const { email } = await addUser(otherSite, { hash: await bcryptHash(typed) })
  expect((await postLogin(otherSite.browser(), { email, password: typed })).statusCode).toBe(200)
})

test('D19: a NUL does not truncate a bcrypt password', async () => {
  const otherSite = await createTestApp()
  const { email } = await addUser(otherSite, { hash: await bcryptHash('secret') })
  expect((await postLogin(otherSite.browser(), { email, password: 'secret\u0000x' })).statusCode).toBe(401)
  expect((await postLogin(otherSite.browser(), { email, password: 'sec\u0000ret' })).statusCode).toBe(401)
  expect((await postLogin(otherSite.browser(), { email, password: 'secret' })).statusCode).toBe(200)
})

test.runIf(isFirstEngine)('D18: a bcrypt hash with an excessive cost is refused at the usual cost', async () => {
  const otherSite = await createTestApp()
  const { email } = await addUser(otherSite, { hash: (await bcryptHash(password)).replace('$04$', '$31$') })
  // The test checks that the request ends.
  expect((await postLogin(otherSite.browser(), { email, password })).statusCode).toBe(401)
})

/** The memory times the passes of every argon2id hash while the work runs, added up: its CPU time grows with both. */
async function argon2CostOf(work: () => Promise<unknown>): Promise<number> {
  const crypto = process.getBuiltinModule('node:crypto')
  let total = 0
  const counting = (original: typeof crypto) => ({
    argon2: ((name, parameters, done) => {
      total += parameters.memory * parameters.passes
      original.argon2(name, parameters, done)
    }) as typeof crypto.argon2,
  })
  try {
    await replacing(crypto, counting, async () => {
      syncBuiltinESMExports()
      await work()
    })
  } finally {
    syncBuiltinESMExports()
  }
  return total
}

test.runIf(isFirstEngine)('E04: a wrong password costs as much for a cheap old hash as for a current one', async () => {
  const otherSite = await createTestApp({ expensive: true, settings: { auth: { throttle: false } } })
  const { memory, passes } = otherSite.app.config.auth.argon2
  const addHashed = async (cost: { memory: number; passes: number }) => {
    const pepper = otherSite.app.secrets.keys.pepper[0]
    return addUser(otherSite, { hash: await hashArgon2(password, { ...cost, parallelism: 1 }, pepper) })
  }
  const users = [
    await addUser(otherSite),
    await addHashed({ memory: 8, passes: 1 }),
    await addHashed({ memory, passes: passes - 1 }),
  ]
  for (const email of [...users.map(user => user.email), 'nobody@example.org']) {
    const login = () => postLogin(otherSite.browser({ ip: newIp() }), { email, password: 'wrong' })
    const cost = await argon2CostOf(async () => expect((await login()).statusCode).toBe(401))
    expect(cost / (memory * passes), `with ${email}`).toBeCloseTo(1, 1)
  }
})

test.runIf(isSlow)('E04: while bcrypt hashes exist, every login takes the highest cost', async () => {
  const place = await createSite({ QUOIN_AUTH_THROTTLE: 'false', QUOIN_LOG_LEVEL: 'error' })
  const inside = await createTestApp({ storage: place.storage, expensive: true })
  const dear = await addUser(inside, { hash: await bcryptHash(password, 12) })
  const cheap = await addUser(inside, { hash: await bcryptHash(password, 9) })
  const modern = await addUser(inside)
  const server = await serve(place)
  const login = async (email: string, typed: string) =>
    (await server.send({ path: '/api/auth/login', body: { email, password: typed } })).status
  const cpuSeconds = async () => {
    const { body } = await server.send({ path: '/metrics' })
    return parsePrometheus(body).get('process_cpu_seconds_total')!.values.get('process_cpu_seconds_total')!
  }
  /** The CPU time of some failing sign-ins, in seconds, whatever else the machine does. */
  const costOf = async (email: string) => {
    const before = await cpuSeconds()
    for (let round = 0; round < 5; round++) expect(await login(email, 'wrong')).toBe(401)
    return (await cpuSeconds()) - before
  }
  await costOf('nobody@example.org') // code is loaded and compiled
  const highest = await costOf(dear.email)
  for (const email of [cheap.email, modern.email, 'nobody@example.org'])
    expect((await costOf(email)) / highest, `with ${email}`).toSatisfy(ratio => ratio > 0.6 && ratio < 1.6)
  for (const { id, email } of [dear, cheap]) {
    expect(await login(email, password)).toBe(200)
    const row = await eventually(
      () => userRow(inside, id),
      ({ bcrypt_cost: cost }) => cost === null,
    )
    expect(row.bcrypt_cost).toBeNull()
  }
  expect((await costOf('nobody@example.org')) / highest).toBeLessThan(0.4)
})

// ---- a response does not reveal whether an account exists

const failures: [string, TestUser | undefined, string][] = [
  ['a wrong password', {}, 'wrong'],
  ['an unknown address', undefined, password],
  ['a disabled account', { status: 'disabled' }, password],
  ['an invited account', { status: 'invited', hash: null }, password],
  ['an account without a password', { hash: null }, password],
  ['a switched-off password', { email: 'switched-off@example.org' }, password],
  ['a wrong password before a second factor', { totp: true }, 'wrong'],
]

/** One failed login of each kind, on accounts of their own. */
async function failedLogin([, user, typed]: (typeof failures)[number], other = site) {
  const account = user && (await addUser(other, { ...user, email: `${randomToken()}@example.org` }))
  if (user?.email !== undefined) {
    const off = other.app.store.db.updateTable('users').set({ password_disabled_at: 1, password_fail_streak: 100 })
    await off.where('id', '=', account!.id).execute()
  }
  const email = account?.email ?? `${randomToken()}@example.org`
  const browser = other.browser({ ip: newIp() })
  return () => postLogin(browser, { email, password: typed })
}

test('E01: every failed login gets the same response', async () => {
  const answers = new Set<string>()
  for (const kind of failures) {
    const { statusCode, headers, rawPayload } = await (await failedLogin(kind))()
    const { date: _, 'x-request-id': id, ...constant } = headers
    expect(id).toBeDefined()
    expect(statusCode, `for ${kind[0]}`).toBe(401)
    answers.add(JSON.stringify([statusCode, constant, rawPayload.toString('base64')]))
  }
  expect([...answers]).toHaveLength(1)
})

test("E01: a failed login does not open the browser's password prompt", async () => {
  const answer = await postLogin(visitor(), { ...good, password: 'wrong' })
  expect(answer.headers['www-authenticate']).toBe('Bearer realm="quoin"')
  expect(answer.json()).toEqual({
    status: 'error',
    message: expect.any(String),
    code: 401,
    key: 'error.access.login',
    details: {},
  })
})

test('E02: every failed login takes one hash and the same statements in the same order', async () => {
  const kindsByAnswer = new Map<string, string[]>()
  for (const kind of failures) {
    const attempt = await failedLogin(kind)
    let hashes = 0
    const statements = await statementsOf(site, async () => {
      hashes = await countHashes(site, attempt)
    })
    expect(hashes, `for ${kind[0]}`).toBe(1)
    kindsByAnswer.set(kind[0], statements)
  }
  const [expected] = kindsByAnswer.values()
  expect(expected!.filter(text => text === 'commit')).toHaveLength(2)
  expect(expected!.length).toBeGreaterThan(6)
  for (const [kind, statements] of kindsByAnswer) expect(statements, `for ${kind}`).toEqual(expected)
})

test('E02: a throttled login computes no hash and gets the same response for all', async () => {
  const answers = new Set<string>()
  for (const email of [(await addUser(site)).email, 'never-seen@example.org']) {
    for (let round = 0; round < 5; round++) await postLogin(visitor(), { email, password: 'wrong' })
    const browser = visitor()
    const hashes = await countHashes(site, () => postLogin(browser, { email, password }))
    expect(hashes).toBe(0)
    const { date: _, 'x-request-id': __, ...constant } = browser.last.headers
    expect(browser.last.statusCode).toBe(429)
    answers.add(JSON.stringify([constant, browser.last.body]))
  }
  expect([...answers]).toHaveLength(1)
})

test('E09: only a former session token is told why it ended', async () => {
  const { email, id } = await addUser(site)
  const browser = visitor()
  await browser.client.auth.login({ email, password })
  const token = browser.cookies.get(sessionCookie)!
  await site.app.store.db.updateTable('sessions').set({ idle_until: 1 }).where('user_id', '=', id).execute()
  expect(refusal(await getWith(site, token)).details).toEqual({ methods: ['password', 'passkey'], reason: 'expired' })
  for (const other of [randomToken(), 'nonsense', '']) {
    expect(refusal(await getWith(site, other)).details).toEqual({ methods: ['password', 'passkey'] })
  }
})

test('E10: the list of methods is the same for every caller', async () => {
  const never = await site.request({ url: '/api/auth', headers: { host: '127.0.0.1:4080' } })
  const forged = await getWith(site, randomToken())
  expect(never.body).toBe(forged.body)
  expect(refusal(never)).toEqual({ status: 401, key: 'error.auth', details: { methods: ['password', 'passkey'] } })
})

// ---- success

test('a normal login sets a session cookie until the browser closes, and registers the device', async () => {
  const { email } = await addUser(site)
  const browser = visitor()
  const result = await browser.client.auth.login({ email, password })
  expect(result).toMatchObject({ code: 200, status: 'ok', session: { long: false, aal: 1, amr: ['pwd'] } })
  const [session, device] = [browser.last.headers['set-cookie']].flat()
  expect(session).toMatch(/^quoin_insecure=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/)
  expect(device).toMatch(/^quoin_insecure_dev=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=34560000$/)
  await browser.client.auth.login({ email, password })
  expect([browser.last.headers['set-cookie']].flat()).toHaveLength(1)
})

const days = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 86_400_000

test('a long login is long in the cookie and in the response', async () => {
  const { email, id } = await addUser(site)
  const browser = visitor()
  const result = await browser.client.auth.login({ email, password, long: true })
  if (!('session' in result)) throw new Error('no session')
  expect(result.session.long).toBe(true)
  expect(days(result.session.authenticatedAt, result.session.idleExpiresAt)).toBeCloseTo(14, 3)
  expect(days(result.session.authenticatedAt, result.session.expiresAt)).toBeCloseTo(30, 3)
  expect([browser.last.headers['set-cookie']].flat()[0]).toContain('; Max-Age=2592000')
  expect((await sessionsOf(site, id))[0]).toMatchObject({ long: 1 })
})

test('a long login with two factors counts as one factor for sensitive changes', async () => {
  const { email, recovery } = await addUser(site, { totp: true })
  const { client } = visitor()
  const first = await client.auth.login({ email, password, long: true })
  if (first.code !== 202) throw new Error('no challenge')
  const second = await client.auth.login({ method: 'recovery', challenge: first.challenge.id, code: recovery[0]! })
  expect(second).toMatchObject({ session: { long: true, aal: 1, amr: ['pwd', 'recovery'] } })
})

test('the method can be sent explicitly, and every response is JSON that is not stored', async () => {
  const { email } = await addUser(site)
  const browser = visitor()
  expect(await browser.client.auth.login({ method: 'password', email, password })).toMatchObject({ code: 200 })
  expect(browser.last.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  })
})

test('each account has its own device cookie, also in the same browser', async () => {
  const [one, two] = [await addUser(site), await addUser(site)]
  const browser = visitor()
  await browser.client.auth.login({ email: one.email, password })
  const device = browser.cookies.get(deviceCookie)
  await browser.client.auth.login({ email: two.email, password })
  expect(browser.cookies.get(deviceCookie)).not.toBe(device)
  const rows = await site.app.store.db.selectFrom('devices').select('user_id').execute()
  expect(rows.map(row => row.user_id)).toEqual(expect.arrayContaining([one.id, two.id]))
  expect(await eventsOf(site, 'auth.login.ok')).not.toHaveLength(0)
})
