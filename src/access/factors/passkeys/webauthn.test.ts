import { createHash, hkdfSync } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Algorithm, cbor, type Cbor, type Ceremony, createAuthenticator } from '../../../../test/authenticator.ts'
import type { Config } from '../../../platform/config.ts'
import { type Assertion, type Attestation, attestationSchema } from './credential.ts'
import type { CreationOptions, RequestOptions } from './passkeys.ts'
import { algorithms, relyingParty, verifyAssertion, verifyAttestation } from './webauthn.ts'
import { rounds } from '../../../../test/slow.ts'

// ---- relying party

const partyAt = (url: string, origins: string[] = []) => relyingParty({ url, panel: { origins } } as unknown as Config)

test.each([
  ['https://example.org', 'example.org', ['https://example.org']],
  ['https://example.org/cms', 'example.org', ['https://example.org']],
  ['https://cms.example.org:8443', 'cms.example.org', ['https://cms.example.org:8443']],
  ['http://127.0.0.1:4080', 'localhost', ['http://localhost:4080']],
  ['http://[::1]:4080', 'localhost', ['http://localhost:4080']],
  ['http://localhost', 'localhost', ['http://localhost']],
])('the passkeys of %s belong to %s', (url, id, origins) => {
  expect(partyAt(url)).toEqual({ id, origins })
})

test('a panel on its own origin may use them, too', () => {
  expect(partyAt('https://example.org', ['https://panel.example.org'])).toEqual({
    id: 'example.org',
    origins: ['https://example.org', 'https://panel.example.org'],
  })
})

// ---- the vectors of the specification (Web Authentication Level 3, "Test Vectors")

const example = { id: 'example.org', origins: ['https://example.org'] }
const hex = (text: string) => Buffer.from(text, 'hex').toString('base64url')

/** All random parts of the vectors come from one published seed. */
const derived = (name: string, salt: number) =>
  Buffer.from(hkdfSync('sha256', 'WebAuthn test vectors', Buffer.from([salt]), name, 32)).toString('base64url')

interface Vector {
  name: string
  /** Of the challenge, in the derivation from the seed. */
  salt: number
  key: string
  flags: number
  clientData?: object
  signature: string
}

const extra = (random: string) => ({
  crossOrigin: false,
  extraData: `clientDataJSON may be extended with additional fields in the future, such as this: ${random}`,
})

/** The RSA key of the vectors is the product of two Mersenne primes. */
const modulus = Buffer.from((((1n << 1279n) - 1n) * ((1n << 2203n) - 1n)).toString(16).padStart(872, '0'), 'hex')
const rsaKey = cbor(
  new Map<number, Cbor>([
    [1, 3],
    [3, -257],
    [-1, modulus],
    [-2, Buffer.from([1, 0, 1])],
  ]),
).toString('hex')

const vectors: Vector[] = [
  {
    name: 'none.ES256',
    salt: 7,
    key: 'a5010203262001215820afefa16f97ca9b2d23eb86ccb64098d20db90856062eb249c33a9b672f26df61225820930a56b87a2fca66334b03458abf879717c12cc68ed73290af2e2664796b9220',
    flags: 0x19,
    signature:
      '3046022100f50a4e2e4409249c4a853ba361282f09841df4dd4547a13a87780218deffcd380221008480ac0f0b93538174f575bf11a1dd5d78c6e486013f937295ea13653e331e87',
  },
  {
    name: 'packed-self.ES256',
    salt: 7,
    key: 'a5010203262001215820eb151c8176b225cc651559fecf07af450fd85802046656b34c18f6cf193843c5225820927b8aa427a2be1b8834d233a2d34f61f13bfd44119c325d5896e183fee484f2',
    flags: 0x09,
    clientData: extra('gTb53rz6EhSWomXGzimC1Q'),
    signature:
      '304402203310b9431903c401f1be2bdc8d23a4007682dbbddcf846994947b7f465daf84002204e94dd00047b316061b3b99772b7efd95994a83ef584b3b6b825ea3550251b66',
  },
  {
    name: 'packed.RS256',
    salt: 7,
    key: rsaKey,
    flags: 0x19,
    signature:
      '01063d52d7c39b4d432fc7063c5d93e582bdcb16889cd71f888d67d880ea730a428498d3bc8e1ee11f2b1ecbe6c292b118c55ffaaddefa8cad0a54dd137c51f1eec673f1bb6c4d1789d6826a222b22d0f585fc901fdc933212e579d199b89d672aa44891333e6a1355536025e82b25590256c3538229b55737083b2f6b9377e49e2472f11952f79fdd0da180b5ffd901b4049a8f081bb40711bef76c62aed943571f2d0575304cb549d68d8892f95086a30f93716aee818f8dc06e96c0d5e0ed4cfa9fd8773d90464b68cf140f7986666ff9c9e3302acd0535d60d769f465e2ab57ef8aabc89fccfef7ba32a64154a8b3d26be2298f470b8cc5377dbe3dfd4b0b45f8f01e63bde6cfc76b62771f9b70aa27cf40152cad93aa5acd784fd4b90f676e2ea828d0bf2400aebbaae4153e5838f537f88b6228346782a93a899be66ec77de45b3efcf311da6321c92e6b0cd11bfe653bf3e98cee8e341f02d67dbb6f9c98d9e8178090cfb5b70fbc6d541599ac794ae2f1d4de1286ec8de8c2daf7b1d15c8438e90d924df5c19045220a4c8438c1b979bbe016cf3d0eeec23c3999d4882cc645b776de930756612cdc6dd398160ff02a6',
  },
  {
    name: 'packed.EdDSA',
    salt: 9,
    key: 'a401010327200621582044e06ddd331c36a8dc667bab52bcae63486c916aa5e339e6acebaa84934bf832',
    flags: 0x01,
    signature:
      'f5c59c7e46c34f6f8cc197101ddf9934fa2595f68eb1913a637e8419eb9ba4cfdfc48f85393bc0d40b011f0d6fecb097d6607525713223a0dc0d453993dae00b',
  },
]

const framed: Vector[] = [
  {
    name: 'none.ES256.crossOrigin',
    salt: 7,
    key: 'a501020326200121582022200a473f90b11078851550d03b4e44a2279f8c4eca27b3153dedfe03e4e97d225820cbd0be95e746ad6f5a8191be11756e4c0420e72f65b466d39bc56b8b123a9c6e',
    flags: 0x05,
    clientData: { ...extra('92pcTVD0Aby-q4dtmj6efg'), crossOrigin: true },
    signature:
      '3046022100eb12fcf23b12764c0f122e22371fab92e283879fd798f38ee1841c951b6e40e7022100c76237ff9db77b3c56f30837cda6a09acfa2e915544e609c0733b1184036d1cf',
  },
  {
    name: 'none.ES256.topOrigin',
    salt: 6,
    key: 'a5010203262001215820a1c47c1d82da4ebe82cd72207102b380670701993bc35398ae2e5726427fe01d22582086c1080d82987028c7f54ecb1b01185de243b359294a0ed210cd47480f0adc88',
    flags: 0x05,
    clientData: { crossOrigin: true, topOrigin: 'https://example.com', ...extraOf('UiFoJMVRQHDAFWFi4vxUpQ') },
    signature:
      '3045022100b5a70c81780d5fcc9a4f2ae9caae99058f8accaf58b91fb59329646c28ac6ffc022012e101c165db3c8e9957f0c54dd6ca9b56bc3bd2f280bd2faa6c1d02c6e5c171',
  },
]

function extraOf(random: string) {
  const { extraData } = extra(random)
  return { extraData }
}

function verifyVector({ name, salt, key, flags, clientData: ceremony = { crossOrigin: false }, signature }: Vector) {
  const challenge = derived(name, salt)
  const clientData = { type: 'webauthn.get', challenge, origin: 'https://example.org', ...ceremony }
  const hash = createHash('sha256').update('example.org').digest()
  const authenticatorData = Buffer.concat([hash, Buffer.from([flags, 0, 0, 0, 0])]).toString('base64url')
  const clientDataJSON = Buffer.from(JSON.stringify(clientData)).toString('base64url')
  return verifyAssertion({
    party: example,
    challenge,
    passkey: { credential: 'AAAA', public_key: hex(key), syncable: flags & 8 ? 1 : 0 },
    assertion: {
      id: 'AAAA',
      rawId: 'AAAA',
      type: 'public-key',
      response: { clientDataJSON, authenticatorData, signature: hex(signature) },
    },
    userVerified: false,
  })
}

test.each(vectors)('J06: the assertion $name of the specification is valid', async vector => {
  expect(await verifyVector(vector)).toEqual({ counter: 0, synced: (vector.flags & 16) !== 0 })
})

function flip(text: string, at: number): string {
  const bytes = Buffer.from(text, 'hex')
  bytes[at]! ^= 1
  return bytes.toString('hex')
}

test.each(vectors)('J06: $name is refused if one bit differs', async vector => {
  const { signature, key, flags } = vector
  expect(await verifyVector({ ...vector, signature: flip(signature, 20) })).toBeUndefined()
  expect(await verifyVector({ ...vector, key: flip(key, key.length / 2 - 1) })).toBeUndefined()
  expect(await verifyVector({ ...vector, flags: flags ^ 4 })).toBeUndefined()
  expect(await verifyVector({ ...vector, salt: vector.salt + 1 })).toBeUndefined()
})

test.each(framed)('J05, J06: $name is refused: it comes from a cross-origin frame', async vector => {
  expect(await verifyVector(vector)).toBeUndefined()
})

const selfAttested =
  'a363666d74667061636b65646761747453746d74a263616c672663736967584630440220067a20754ab925005dbf378097c92120031581c73228d1fb4f5b881bcd7da98302207fc7b147558c7c0eba3af18bd9d121fa3d3a26d17fe3f220272178f473b6006d68617574684461746158a4bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b55d00000000df850e09db6afbdfab51697791506cfc0020455ef34e2043a87db3d4afeb39bbcb6cc32df9347c789a865ecdca129cbef58ca5010203262001215820eb151c8176b225cc651559fecf07af450fd85802046656b34c18f6cf193843c5225820927b8aa427a2be1b8834d233a2d34f61f13bfd44119c325d5896e183fee484f2'

test('J06: a registration of the specification is valid, and its key verifies signatures', async () => {
  const [name, random] = ['packed-self.ES256', 'U9hTXvKE2URkMnb_0xYHVg']
  const challenge = derived(name, 0)
  const clientData = { type: 'webauthn.create', challenge, origin: 'https://example.org', ...extra(random) }
  const id = derived(name, 5)
  const registered = await verifyAttestation({
    party: example,
    challenge,
    attestation: {
      id,
      rawId: id,
      type: 'public-key',
      response: {
        clientDataJSON: Buffer.from(JSON.stringify(clientData)).toString('base64url'),
        attestationObject: hex(selfAttested),
      },
    },
  })
  const publicKey = hex(vectors.find(vector => vector.name === name)!.key)
  expect(registered).toEqual({ credential: id, publicKey, counter: 0, syncable: true, synced: true })
})

// ---- ceremonies of our own

const challenge = 'Y2hhbGxlbmdl'
const party = partyAt('http://localhost:4080')
const creation = { challenge, rp: { id: 'localhost' }, user: { id: 'YWRh' } } as CreationOptions
const request = { challenge, rpId: 'localhost' } as RequestOptions

/** A registered passkey, and a function that verifies one assertion. */
async function passkeyOf(options: Parameters<typeof createAuthenticator>[0] = {}) {
  const key = createAuthenticator(options)
  const registered = await verifyAttestation({ party, challenge, attestation: key.create(creation) })
  const { credential, publicKey, syncable } = registered!
  const passkey = { credential, public_key: publicKey, syncable: syncable ? 1 : 0 }
  const verify = (assertion: Assertion, userVerified = true) =>
    verifyAssertion({ party, challenge, passkey, assertion, userVerified })
  return { key, registered, verify, sign: (ceremony: Ceremony = {}) => verify(key.get(request, ceremony)) }
}

const register = (ceremony: Ceremony, algorithm?: Algorithm) =>
  verifyAttestation({
    party,
    challenge,
    attestation: createAuthenticator({ ...(algorithm && { algorithm }) }).create(creation, ceremony),
  })

test.each(['ES256', 'RS256', 'EdDSA'] as const)('J06: a passkey with %s registers and signs', async algorithm => {
  const { key, registered, sign } = await passkeyOf({ algorithm })
  expect(registered).toMatchObject({ credential: key.id, counter: 1, syncable: false, synced: false })
  expect(await sign()).toEqual({ counter: 2, synced: false })
  expect(await sign({ spoil: signature => signature.fill(0, 8, 16) })).toBeUndefined()
  const other = createAuthenticator({ algorithm })
  expect(await sign({ spoil: () => Buffer.from(other.get(request).response.signature, 'base64url') })).toBe(undefined)
})

test('the offered algorithms are the verified ones', () => {
  expect(algorithms).toEqual([-8, -7, -257])
})

const misleading: [string, Ceremony][] = [
  ['another origin', { origin: 'https://evil.example' }],
  ['a sub-domain', { origin: 'http://sub.localhost:4080' }],
  ['another port', { origin: 'http://localhost:4081' }],
  ['another protocol', { origin: 'https://localhost:4080' }],
  ['the bare address', { origin: 'http://127.0.0.1:4080' }],
  ['an origin with a slash', { origin: 'http://localhost:4080/' }],
  ['the origin null', { origin: 'null' }],
  ['a frame on another site', { crossOrigin: true }],
  ['a frame that names the page around it', { crossOrigin: true, topOrigin: 'http://localhost:4080' }],
  ['a page around it and no frame', { topOrigin: 'https://evil.example' }],
  ['another relying party', { rpId: 'evil.example' }],
  ['a relying party above ours', { rpId: 'host' }],
  ['another challenge', { challenge: 'b3RoZXI' }],
  ['no challenge', { challenge: '' }],
  ['another kind of ceremony', { type: 'payment.get' }],
  ['nobody at the authenticator', { present: false }],
  ['nobody there, but verified', { present: false, verified: true }],
  ['an owner who was not verified', { verified: false }],
  ['a copy of a key that has none', { syncable: false, synced: true }],
  ['bytes after the authenticator data', { trailing: Buffer.from([0]) }],
  ['client data that is no JSON', { clientData: 'x' }],
  ['client data that is null', { clientData: 'null' }],
  ['client data that is a list', { clientData: '[]' }],
]

test.each(misleading)('J05, J07: an assertion with %s is refused', async (_, ceremony) => {
  const { sign } = await passkeyOf()
  expect(await sign({})).toBeDefined()
  expect(await sign(ceremony)).toBeUndefined()
})

test.each(misleading)('J05, J07: a registration with %s is refused', async (_, ceremony) => {
  expect(await register({})).toBeDefined()
  expect(await register(ceremony)).toBeUndefined()
})

test('J05: an assertion is no registration, and a registration is no assertion', async () => {
  const { sign } = await passkeyOf()
  expect(await sign({ type: 'webauthn.create' })).toBeUndefined()
  expect(await register({ type: 'webauthn.get' })).toBeUndefined()
})

test('J07: backup eligibility of a key never changes', async () => {
  const bound = await passkeyOf()
  expect(await bound.sign({ syncable: true })).toBeUndefined()
  expect(await bound.sign({ syncable: true, synced: true })).toBeUndefined()
  const syncing = await passkeyOf({ syncs: true })
  expect(syncing.registered).toMatchObject({ counter: 0, syncable: true, synced: true })
  expect(await syncing.sign({ syncable: false, synced: false })).toBeUndefined()
  expect(await syncing.sign({ synced: false }), 'the flag may change').toEqual({ counter: 0, synced: false })
})

test('J07: after a password, user presence is enough', async () => {
  const { key, verify } = await passkeyOf()
  expect(await verify(key.get(request, { verified: false }), false)).toBeDefined()
  expect(await verify(key.get(request, { verified: false, present: false }), false)).toBeUndefined()
})

test('a registration under another credential id is refused', async () => {
  expect(await register({ id: 'AAAA' })).toBeUndefined()
})

test.each<[string, Ceremony['statement']]>([
  ['a certificate', { fmt: 'packed', attStmt: new Map<string, Cbor>([['alg', -7], ['sig', Buffer.alloc(70)], ['x5c', [Buffer.alloc(300)]]]) }], // prettier-ignore
  ['a statement of a phone', { fmt: 'android-key', attStmt: new Map() }],
  ['a statement of a computer', { fmt: 'tpm', attStmt: new Map() }],
  ['an unknown statement', { fmt: 'x', attStmt: new Map() }],
  ['no statement and something in it', { fmt: 'none', attStmt: new Map([['x', 1]]) }],
  ['a signature of its own that is wrong', { fmt: 'packed', attStmt: new Map<string, Cbor>([['alg', -7], ['sig', Buffer.alloc(70)]]) }], // prettier-ignore
])('a registration with %s is refused: no attestation was requested', async (_, statement) => {
  expect(await register({ statement: statement! })).toBeUndefined()
})

// ---- damaged ones

test('J12: authenticator data of a wrong length or structure is refused', async () => {
  const { sign, key } = await passkeyOf()
  const right = Buffer.from(key.get(request).response.authenticatorData, 'base64url')
  const withFlags = (flags: number, rest: Buffer = Buffer.alloc(0)) => {
    const data = Buffer.concat([right, rest])
    data[32] = flags
    return data
  }
  for (const authenticatorData of [
    Buffer.alloc(0),
    right.subarray(0, 36),
    Buffer.concat([right, Buffer.alloc(10_000)]),
    withFlags(0x45), // a credential that is not there
    withFlags(0x85), // extensions that are not there
    withFlags(0x45, Buffer.alloc(18, 0xff)),
    withFlags(0x85, Buffer.alloc(10_000, 0x81)), // lists in lists
    withFlags(0x85, Buffer.alloc(10_000, 0xa1)), // maps in maps
    withFlags(0x85, Buffer.alloc(10_000, 0xd8)), // tags of tags
    withFlags(0x85, Buffer.from('9bffffffffffffffff', 'hex')), // an array of 2^64 items
    withFlags(0x85, Buffer.from('bbffffffffffffffff', 'hex')),
    withFlags(0x85, Buffer.from('5bffffffffffffffff', 'hex')),
    withFlags(0x85, Buffer.from('7affffffff', 'hex')),
    withFlags(0x85, Buffer.from('a2616101616102', 'hex')), // one key twice
    withFlags(0x85, Buffer.from('bf', 'hex')), // no end
  ]) {
    expect(await sign({ authenticatorData })).toBeUndefined()
  }
})

/** Without its last byte, with the length of the authenticator data put right. */
function shortened(object: Buffer): Buffer {
  const short = Buffer.from(object.subarray(0, -1))
  short[short.indexOf('authData') + 9]! -= 1
  return short
}

test('J12: an invalid attestation object is refused', async () => {
  const right = createAuthenticator().create(creation)
  const bytes = Buffer.from(right.response.attestationObject, 'base64url')
  for (const object of [
    Buffer.from([0]),
    Buffer.from('a0', 'hex'),
    bytes.subarray(0, -1),
    shortened(bytes), // the key is cut, and all lengths are adjusted
    Buffer.concat([bytes, Buffer.from([0])]),
    Buffer.alloc(4000, 0x81),
    Buffer.alloc(4000, 0xa1),
    Buffer.from('bbffffffffffffffff', 'hex'),
    cbor(new Map<string, Cbor>([['fmt', 'none'], ['attStmt', new Map()], ['authData', 'x']])), // prettier-ignore
    cbor(new Map<string, Cbor>([['fmt', 'none'], ['attStmt', 1], ['authData', Buffer.alloc(37)]])), // prettier-ignore
  ]) {
    const response = { ...right.response, attestationObject: object.toString('base64url') }
    expect(await verifyAttestation({ party, challenge, attestation: { ...right, response } })).toBeUndefined()
  }
})

test('J12: a registration with a damaged byte is refused or has the same key', async () => {
  const right = createAuthenticator().create(creation)
  const bytes = Buffer.from(right.response.attestationObject, 'base64url')
  const damage = fc.record({ at: fc.nat(bytes.length - 1), bit: fc.integer({ min: 0, max: 7 }) })
  await fc.assert(
    fc.asyncProperty(damage, async ({ at, bit }) => {
      const object = Buffer.from(bytes)
      object[at]! ^= 1 << bit
      const response = { ...right.response, attestationObject: object.toString('base64url') }
      const attestation: Attestation = { ...right, response }
      const registered = await verifyAttestation({ party, challenge, attestation })
      if (registered) expect(registered.credential).toBe(right.id)
    }),
    { numRuns: rounds(100, 500) },
  )
})

test.each([
  'AA==', // padding
  'AB', // reserved bits
  'AAB',
  'A',
  'A+/A',
  'AA AA',
  'AAAA\n',
  '',
  'ÄAAA',
])('J12: %j is refused as base64url', text => {
  const credential = createAuthenticator().create(creation)
  expect(attestationSchema.safeParse(credential).success).toBe(true)
  expect(attestationSchema.safeParse({ ...credential, id: text }).success).toBe(false)
})

test('J12: only the canonical base64url encoding is accepted', () => {
  const { success } = attestationSchema.shape.id.safeParse('')
  expect(success).toBe(false)
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 100 }), bytes => {
      expect(attestationSchema.shape.id.safeParse(Buffer.from(bytes).toString('base64url')).success).toBe(true)
    }),
  )
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'AQgwxyz019-_=+/ '.split('')), maxLength: 12 }), text => {
      const canonical = text !== '' && Buffer.from(text, 'base64url').toString('base64url') === text
      expect(attestationSchema.shape.id.safeParse(text).success).toBe(canonical)
    }),
    { numRuns: rounds(400, 2000) },
  )
})
