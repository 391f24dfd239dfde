import { argon2 } from 'node:crypto'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatPhc, hashArgon2, matchesArgon2, parsePhc, type Phc } from './argon2.ts'

const cheap = { memory: 64, passes: 1, parallelism: 1 }

test('D17: the vector of RFC 9106, with its secret', async () => {
  const tag = await promisify(argon2)('argon2id', {
    message: Buffer.alloc(32, 1),
    nonce: Buffer.alloc(16, 2),
    secret: Buffer.alloc(8, 3),
    associatedData: Buffer.alloc(12, 4),
    memory: 32,
    passes: 3,
    parallelism: 4,
    tagLength: 32,
  })
  expect(tag.toString('hex')).toBe('0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659')
})

test('D17: the same without associated data, through our own functions', async () => {
  const [secret, salt] = [Buffer.alloc(8, 3), Buffer.alloc(16, 2)]
  const cost = { memory: 32, passes: 3, parallelism: 4 }
  const parameters = { message: Buffer.alloc(32, 1), nonce: salt, secret, tagLength: 32, ...cost }
  const stored = { ...cost, key: 'a', salt, hash: await promisify(argon2)('argon2id', parameters) }
  const password = '\x01'.repeat(32)
  expect(await matchesArgon2(password, stored, secret)).toBe(true)
  expect(await matchesArgon2(password, stored)).toBe(false)
  expect(await matchesArgon2(password, { ...stored, passes: 2 }, secret)).toBe(false)
})

test('D17: a hash of the reference implementation', async () => {
  const stored = parsePhc('$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc')!
  expect(await matchesArgon2('password', stored)).toBe(true)
  expect(await matchesArgon2('Password', stored)).toBe(false)
})

test('a hash matches its password and pepper only', async () => {
  const pepper = { id: 'p1', bytes: Buffer.alloc(32, 7) }
  const stored = parsePhc(await hashArgon2('correct horse', cheap, pepper))!
  expect(stored).toMatchObject({ ...cheap, key: 'p1' })
  expect([stored.salt.length, stored.hash.length]).toEqual([16, 32])
  expect(await matchesArgon2('correct horse', stored, pepper.bytes)).toBe(true)
  expect(await matchesArgon2('correct horse', stored)).toBe(false)
  expect(await matchesArgon2('correct horse', stored, Buffer.alloc(32, 8))).toBe(false)
  expect(await matchesArgon2('correct horsE', stored, pepper.bytes)).toBe(false)
})

test('two hashes of one password differ', async () => {
  expect(await hashArgon2('x', cheap)).not.toBe(await hashArgon2('x', cheap))
})

test('D05, D11: bytes beyond 72 are significant, and so is NUL', async () => {
  const stored = parsePhc(await hashArgon2(`${'a'.repeat(72)}b`, cheap))!
  expect(await matchesArgon2(`${'a'.repeat(72)}c`, stored)).toBe(false)
  expect(await matchesArgon2('a'.repeat(72), stored)).toBe(false)
  const nul = parsePhc(await hashArgon2('a\0b', cheap))!
  expect(await matchesArgon2('a', nul)).toBe(false)
  expect(await matchesArgon2('a\0b', nul)).toBe(true)
})

const salt = 'c29tZXNhbHQ'
const hash = 'CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'

test.each([
  ['more memory than the ceiling', `$argon2id$v=19$m=4194304,t=2,p=1$${salt}$${hash}`],
  ['one step above the ceiling', `$argon2id$v=19$m=262145,t=2,p=1$${salt}$${hash}`],
  ['1000 passes', `$argon2id$v=19$m=65536,t=1000,p=1$${salt}$${hash}`],
  ['11 passes', `$argon2id$v=19$m=65536,t=11,p=1$${salt}$${hash}`],
  ['no pass', `$argon2id$v=19$m=65536,t=0,p=1$${salt}$${hash}`],
  ['five lanes', `$argon2id$v=19$m=65536,t=2,p=5$${salt}$${hash}`],
  ['no lane', `$argon2id$v=19$m=65536,t=2,p=0$${salt}$${hash}`],
  ['too little memory for its lanes', `$argon2id$v=19$m=31,t=2,p=4$${salt}$${hash}`],
  ['another variant', `$argon2i$v=19$m=65536,t=2,p=1$${salt}$${hash}`],
  ['another version', `$argon2id$v=16$m=65536,t=2,p=1$${salt}$${hash}`],
  ['no version', `$argon2id$m=65536,t=2,p=1$${salt}$${hash}`],
  ['no hash', `$argon2id$v=19$m=65536,t=2,p=1$${salt}`],
  ['a truncated hash', `$argon2id$v=19$m=65536,t=2,p=1$${salt}$CTFh`],
  ['something after it', `$argon2id$v=19$m=65536,t=2,p=1$${salt}$${hash}\n`],
  ['something before it', ` $argon2id$v=19$m=65536,t=2,p=1$${salt}$${hash}`],
  ['bcrypt', '$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW'],
  ['nothing', ''],
])('D18: a stored hash with %s is refused', (_, text) => {
  expect(parsePhc(text)).toBeUndefined()
})

test('the maximum cost is accepted', () => {
  expect(parsePhc(`$argon2id$v=19$m=262144,t=10,p=4$${salt}$${hash}`)).toMatchObject({
    memory: 262_144,
    passes: 10,
    parallelism: 4,
  })
})

const bytes = (minLength: number) => fc.uint8Array({ minLength, maxLength: 64 }).map(array => Buffer.from(array))

test('a formatted hash is parsed unchanged', () => {
  const stored: fc.Arbitrary<Phc> = fc.record({
    memory: fc.integer({ min: 64, max: 262_144 }),
    passes: fc.integer({ min: 1, max: 10 }),
    parallelism: fc.integer({ min: 1, max: 4 }),
    key: fc.option(fc.stringMatching(/^[\w-]{1,32}$/), { nil: undefined }),
    salt: bytes(8),
    hash: bytes(17),
  })
  fc.assert(
    fc.property(stored, phc => {
      expect(parsePhc(formatPhc(phc))).toEqual(phc)
    }),
  )
})

test('any stored text is parsed or refused, and never throws', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map(text => `$argon2id$v=19$m=65536,t=2,p=1$${text}`),
      ),
      text => void parsePhc(text),
    ),
  )
})
