/** A software passkey provider. Tests can make any part of its answers wrong. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { CreationOptions, RequestOptions } from '../src/access/factors/passkeys/passkeys.ts'
import { addUser, type Browser, password, type TestApp, type TestUser } from './harness.ts'
import { newIp, postLogin } from './sign-in.ts'

/**
 * The origin of a test site with the default configuration: on loopback, browsers offer passkeys for `localhost` only.
 */
const origin = 'http://localhost:4080'

export type Algorithm = 'ES256' | 'RS256' | 'EdDSA'

export interface AuthenticatorOptions {
  algorithm?: Algorithm
  /** The length of its credential ids, in bytes. */
  idLength?: number
  /** Its keys are synced between devices, so it has no signature counter. */
  syncs?: boolean
  /** The first value of the signature counter; a synced key has none by default. */
  counter?: number
}

/** The parts of a WebAuthn ceremony. Omitted parts are valid. */
export interface Ceremony {
  type?: string
  challenge?: string
  origin?: string
  crossOrigin?: boolean
  topOrigin?: string
  rpId?: string
  present?: boolean
  verified?: boolean
  /** The backup-eligible and backup-state flags. */
  syncable?: boolean
  synced?: boolean
  counter?: number
  userHandle?: string | null
  /** Bytes appended to the authenticator data. */
  trailing?: Buffer
  /** Replace the valid ones. */
  clientData?: string
  authenticatorData?: Buffer
  statement?: { fmt: string; attStmt: Map<string, Cbor> }
  /** Bytes appended to the attestation object. */
  attestationTrailing?: Buffer
  spoil?: (signature: Buffer) => Buffer
  id?: string
}

export type Authenticator = ReturnType<typeof createAuthenticator>

export function createAuthenticator({
  algorithm = 'ES256',
  idLength = 32,
  syncs = false,
  counter: first = syncs ? 0 : 1,
}: AuthenticatorOptions = {}) {
  const { privateKey, publicKey } = keysOf(algorithm)
  const id = randomBytes(idLength).toString('base64url')
  let counter = first
  let owner: string | null = null

  function authenticatorData(ceremony: Ceremony, rpId: string, credential?: Buffer): Buffer {
    const { present = true, verified = true, syncable = syncs, synced = syncs } = ceremony
    const flags = [present, false, verified, syncable, synced, false, credential !== undefined]
    const head = Buffer.alloc(5)
    head[0] = flags.reduce((sum, flag, bit) => sum + (flag ? 1 << bit : 0), 0)
    head.writeUInt32BE(ceremony.counter ?? counter, 1)
    const hash = sha256(Buffer.from(ceremony.rpId ?? rpId))
    return (
      ceremony.authenticatorData ?? Buffer.concat([hash, head, credential ?? nothing, ceremony.trailing ?? nothing])
    )
  }

  return {
    id,

    /** `navigator.credentials.create`, as JSON. */
    create(publicKeyOptions: CreationOptions, ceremony: Ceremony = {}) {
      owner = publicKeyOptions.user.id
      const raw = Buffer.from(id, 'base64url')
      const length = Buffer.alloc(2)
      length.writeUInt16BE(raw.length)
      const credential = Buffer.concat([Buffer.alloc(16), length, raw, coseKey(publicKey, algorithm)])
      const authData = authenticatorData(ceremony, publicKeyOptions.rp.id, credential)
      const { fmt, attStmt } = ceremony.statement ?? { fmt: 'none', attStmt: new Map<string, Cbor>() }
      const object = cbor(new Map<string, Cbor>([['fmt', fmt], ['attStmt', attStmt], ['authData', authData]])) // prettier-ignore
      const client = clientData(ceremony, 'webauthn.create', publicKeyOptions.challenge)
      return {
        ...common(ceremony.id ?? id),
        response: {
          clientDataJSON: base64url(client),
          attestationObject: base64url(Buffer.concat([object, ceremony.attestationTrailing ?? nothing])),
          transports: ['hybrid', 'internal'],
        },
      }
    },

    /** `navigator.credentials.get`, as JSON. */
    get(publicKeyOptions: RequestOptions, ceremony: Ceremony = {}) {
      if (!syncs) counter++
      const client = clientData(ceremony, 'webauthn.get', publicKeyOptions.challenge)
      const authData = authenticatorData(ceremony, publicKeyOptions.rpId)
      const signed = Buffer.concat([authData, sha256(Buffer.from(client))])
      const signature = sign(algorithm === 'EdDSA' ? null : 'sha256', signed, privateKey)
      return {
        ...common(ceremony.id ?? id),
        response: {
          clientDataJSON: base64url(client),
          authenticatorData: base64url(authData),
          signature: base64url(ceremony.spoil?.(signature) ?? signature),
          userHandle: ceremony.userHandle === undefined ? owner : ceremony.userHandle,
        },
      }
    },
  }
}

function clientData(ceremony: Ceremony, type: string, challenge: string): string {
  const { crossOrigin = false, topOrigin } = ceremony
  return (
    ceremony.clientData ??
    JSON.stringify({
      type: ceremony.type ?? type,
      challenge: ceremony.challenge ?? challenge,
      origin: ceremony.origin ?? origin,
      crossOrigin,
      ...(topOrigin !== undefined && { topOrigin }),
    })
  )
}

// ---- through the API

/** Registers a passkey of the account that the browser is signed in to. */
export async function register(browser: Browser, key: Authenticator, name = 'A key'): Promise<{ id: string }> {
  const { challenge, publicKey } = await browser.client.users.passkeys.begin({ id: 'account' })
  const sent = { challenge, credential: key.create(publicKey), name }
  const { data } = await browser.client.users.passkeys.create({ id: 'account' }, sent)
  return { id: data.id! }
}

/** An account with a passkey, and the browser in which it was registered. */
export async function addOwner(site: TestApp, options: AuthenticatorOptions = {}, user: TestUser = {}) {
  const account = await addUser(site, user)
  const browser = site.browser({ ip: newIp() })
  await browser.client.auth.login({ email: account.email, password })
  const key = createAuthenticator(options)
  return { ...account, browser, key, passkey: (await register(browser, key)).id }
}

/** Begins a sign-in with a passkey, from an IP address of its own. */
export async function beginLogin(site: TestApp, { long, browser = site.browser({ ip: newIp() }) }: BeginOptions = {}) {
  const started = await browser.client.auth.login({ method: 'passkey', ...(long !== undefined && { long }) })
  if (started.code !== 202) throw new Error('nothing to sign')
  const { id: challenge, publicKey } = started.challenge
  const send = (credential: unknown) => postLogin(browser, { method: 'passkey', challenge, credential })
  return { browser, challenge, publicKey: publicKey!, send }
}

interface BeginOptions {
  long?: boolean
  browser?: Browser
}

/** A complete sign-in with a passkey. */
export async function loginBy(site: TestApp, key: Authenticator, ceremony?: Ceremony) {
  const { publicKey, send } = await beginLogin(site)
  return send(key.get(publicKey, ceremony))
}

// ---- bytes

const nothing = Buffer.alloc(0)

const common = (id: string) => ({
  id,
  rawId: id,
  type: 'public-key' as const,
  authenticatorAttachment: 'platform',
  clientExtensionResults: {},
})

const base64url = (value: string | Buffer) => Buffer.from(value as string).toString('base64url')
const sha256 = (value: Buffer) => createHash('sha256').update(value).digest()

function keysOf(algorithm: Algorithm): { privateKey: KeyObject; publicKey: KeyObject } {
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' })
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519')
  return generateKeyPairSync('rsa', { modulusLength: 2048 })
}

function coseKey(key: KeyObject, algorithm: Algorithm): Buffer {
  const jwk = key.export({ format: 'jwk' })
  const part = (name: 'x' | 'y' | 'n' | 'e') => Buffer.from(jwk[name]!, 'base64url')
  const parts: Record<Algorithm, () => [number, Cbor][]> = {
    ES256: () => [[1, 2], [3, -7], [-1, 1], [-2, part('x')], [-3, part('y')]], // prettier-ignore
    EdDSA: () => [[1, 1], [3, -8], [-1, 6], [-2, part('x')]], // prettier-ignore
    RS256: () => [[1, 3], [3, -257], [-1, part('n')], [-2, part('e')]], // prettier-ignore
  }
  return cbor(new Map(parts[algorithm]()))
}

// ---- CBOR, the parts that are needed

export type Cbor = number | string | Buffer | Cbor[] | Map<string | number, Cbor>

export function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value)
  if (typeof value === 'string') return Buffer.concat([cborHead(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([cborHead(2, value.length), value])
  if (Array.isArray(value)) return Buffer.concat([cborHead(4, value.length), ...value.map(cbor)])
  return Buffer.concat([cborHead(5, value.size), ...[...value].flatMap(([key, item]) => [cbor(key), cbor(item)])])
}

function cborHead(major: number, argument: number): Buffer {
  if (argument < 24) return Buffer.from([(major << 5) | argument])
  const head = Buffer.alloc(argument < 256 ? 2 : argument < 65_536 ? 3 : 5)
  head[0] = (major << 5) | (head.length === 2 ? 24 : head.length === 3 ? 25 : 26)
  head.writeUIntBE(argument, 1, head.length - 1)
  return head
}
