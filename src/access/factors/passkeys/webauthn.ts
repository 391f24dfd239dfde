import { type Config, isLoopbackName } from '../../../platform/config.ts'
import type { Assertion, Attestation } from './credential.ts'

/**
 * The WebAuthn relying party and the origins that may use its passkeys. Taken from the configuration, never from the
 * request.
 */
export interface RelyingParty {
  id: string
  origins: string[]
}

/** Browsers do not allow IP addresses as relying party: a site on loopback uses the name `localhost`. */
export function relyingParty({ url, panel }: Config): RelyingParty {
  const { origin, protocol, hostname, port } = new URL(url)
  if (!isLoopbackName(hostname)) return { id: hostname, origins: [origin, ...panel.origins] }
  const local = new URL(`${protocol}//localhost${port && `:${port}`}`).origin
  return { id: 'localhost', origins: [local, ...panel.origins] }
}

/** EdDSA, ES256, RS256: every authenticator supports at least one of them. */
export const algorithms = [-8, -7, -257]

/** The stored passkey, as far as verifying a signature needs it. */
export interface KnownPasskey {
  credential: string
  public_key: string
  syncable: number
}

/** What a verified assertion says about its passkey. */
export interface AssertionResult {
  counter: number
  synced: boolean
}

/** What a verified registration says about its new passkey. */
export interface AttestationResult extends AssertionResult {
  credential: string
  publicKey: string
  syncable: boolean
}

const library = () => import('@simplewebauthn/server')
const decoders = () => import('@simplewebauthn/server/helpers')

/**
 * Loads the library on first use: it is large and rarely needed. Call it before locking rows, because it takes a while.
 */
export async function loadWebAuthn(): Promise<void> {
  await Promise.all([library(), decoders()])
}

interface Expected {
  party: RelyingParty
  /** The challenge that was sent to the browser. */
  challenge: string
}

/** Undefined unless every check of the specification passes. The caller checks the counter. */
export async function verifyAssertion({
  party,
  challenge,
  passkey,
  assertion,
  userVerified,
}: Expected & {
  passkey: KnownPasskey
  assertion: Assertion
  /** Requires user verification (PIN, fingerprint, face) instead of mere user presence. */
  userVerified: boolean
}): Promise<AssertionResult | undefined> {
  const { verifyAuthenticationResponse } = await library()
  const { clientDataJSON, authenticatorData, signature } = assertion.response
  return orUndefined(async () => {
    if (comesFromFrame(clientDataJSON) || !isCanonicalSignature(signature)) return undefined
    const { verified, authenticationInfo: info } = await verifyAuthenticationResponse({
      response: { ...responseBase(assertion), response: { clientDataJSON, authenticatorData, signature } },
      expectedChallenge: challenge,
      expectedOrigin: party.origins,
      expectedRPID: party.id,
      credential: {
        id: passkey.credential,
        publicKey: Uint8Array.from(Buffer.from(passkey.public_key, 'base64url')),
        counter: 0,
      },
      requireUserVerification: userVerified,
    })
    const syncable = info.credentialDeviceType === 'multiDevice'
    if (!verified || syncable !== (passkey.syncable === 1)) return undefined
    return { counter: info.newCounter, synced: info.credentialBackedUp }
  })
}

/**
 * ECDSA signatures are DER: a sequence of two integers. The library accepts several encodings of their lengths; only
 * the canonical one is accepted here. Signatures of other algorithms have a fixed length: 64 bytes, or more than 72.
 */
function isCanonicalSignature(signature: string): boolean {
  const bytes = Buffer.from(signature, 'base64url')
  if (bytes.length === 64 || bytes.length > 72) return true
  const second = 4 + (bytes[3] ?? 0)
  const isPair = bytes[0] === 0x30 && bytes[2] === 0x02 && bytes[second] === 0x02
  return isPair && bytes[1] === bytes.length - 2 && second + 2 + (bytes[second + 1] ?? 0) === bytes.length
}

export async function verifyAttestation({
  party,
  challenge,
  attestation,
}: Expected & { attestation: Attestation }): Promise<AttestationResult | undefined> {
  const { verifyRegistrationResponse } = await library()
  const { clientDataJSON, attestationObject } = attestation.response
  return orUndefined(async () => {
    const authenticatorData = await readAuthenticatorData(attestationObject)
    if (comesFromFrame(clientDataJSON) || !authenticatorData) return undefined
    const { verified, registrationInfo: info } = await verifyRegistrationResponse({
      response: { ...responseBase(attestation), response: { clientDataJSON, attestationObject } },
      expectedChallenge: challenge,
      expectedOrigin: party.origins,
      expectedRPID: party.id,
      supportedAlgorithmIDs: algorithms,
      requireUserVerification: true,
    })
    if (!verified) return undefined
    const { id } = info.credential
    const publicKey = Buffer.from(info.credential.publicKey)
    // The library does not compare the ids, and completes a key that is cut off: such a passkey could never sign in.
    if (id !== attestation.id || !authenticatorData.includes(publicKey)) return undefined
    return {
      credential: id,
      publicKey: publicKey.toString('base64url'),
      counter: info.credential.counter,
      syncable: info.credentialDeviceType === 'multiDevice',
      synced: info.credentialBackedUp,
    }
  })
}

/**
 * Returns the authenticator data if the attestation has no certificates, as requested: with certificates, the library
 * would fetch revocation lists. The decoder ignores missing and surplus bytes; here the object must match its
 * re-encoding exactly.
 */
async function readAuthenticatorData(encoded: string): Promise<Buffer | undefined> {
  const { decodeAttestationObject, isoCBOR } = await decoders()
  const object = Buffer.from(encoded, 'base64url')
  const decoded = decodeAttestationObject(Uint8Array.from(object))
  const format = decoded.get('fmt')
  const bare = format === 'none' || (format === 'packed' && decoded.get('attStmt').get('x5c') === undefined)
  const exact = object.equals(isoCBOR.encode(decoded as never))
  return bare && exact ? Buffer.from(decoded.get('authData')) : undefined
}

/** The library and its decoders throw on any invalid input: every error means that the verification failed. */
async function orUndefined<Value>(check: () => Promise<Value | undefined>): Promise<Value | undefined> {
  try {
    return await check()
  } catch {
    return undefined
  }
}

const responseBase = ({ id, rawId, type }: Assertion | Attestation) => ({ id, rawId, type, clientExtensionResults: {} })

/** The panel is never framed by other sites, so an assertion from a cross-origin frame is not meant for us. */
function comesFromFrame(clientDataJSON: string): boolean {
  const clientData = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as Record<string, unknown>
  return (clientData['crossOrigin'] ?? false) !== false || clientData['topOrigin'] !== undefined
}
