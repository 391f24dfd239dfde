import { type Config, isLoopbackName } from '../../../platform/config.ts'
import type { Assertion, Attestation } from './credential.ts'

/** Whom passkeys belong to, and the pages that may ask for them: by the configuration, never by the request. */
export interface RelyingParty {
  id: string
  origins: string[]
}

/** Browsers know no passkeys for bare addresses: a site on loopback has them under the name `localhost`. */
export function relyingParty({ url, panel }: Config): RelyingParty {
  const { origin, protocol, hostname, port } = new URL(url)
  if (!isLoopbackName(hostname)) return { id: hostname, origins: [origin, ...panel.origins] }
  const local = new URL(`${protocol}//localhost${port && `:${port}`}`).origin
  return { id: 'localhost', origins: [local, ...panel.origins] }
}

/** EdDSA, ES256, RS256: what every authenticator has at least one of. */
export const algorithms = [-8, -7, -257]

/** What is known of a passkey when it signs. */
export interface KnownPasskey {
  credential: string
  public_key: string
  syncable: number
}

/** What a valid signature says besides who made it. */
export interface Signed {
  counter: number
  synced: boolean
}

/** What a valid registration says. */
export interface Registered extends Signed {
  credential: string
  publicKey: string
  syncable: boolean
}

const library = () => import('@simplewebauthn/server')
const decoders = () => import('@simplewebauthn/server/helpers')

/** The library is large and seldom needed: it is read when the first passkey comes, and before any row is held. */
export async function loadWebAuthn(): Promise<void> {
  await Promise.all([library(), decoders()])
}

interface Expected {
  party: RelyingParty
  /** What was given to sign. */
  challenge: string
}

/** Undefined unless every check of the specification passes. The counter is left to the caller. */
export async function verifyAssertion({
  party,
  challenge,
  passkey,
  assertion,
  userVerified,
}: Expected & {
  passkey: KnownPasskey
  assertion: Assertion
  /** Whether the authenticator must have made sure whom it serves, not only that somebody is there. */
  userVerified: boolean
}): Promise<Signed | undefined> {
  const { verifyAuthenticationResponse } = await library()
  const { clientDataJSON, authenticatorData, signature } = assertion.response
  return orNothing(async () => {
    if (comesFromFrame(clientDataJSON) || !isWrittenOneWay(signature)) return undefined
    const { verified, authenticationInfo: info } = await verifyAuthenticationResponse({
      response: { ...common(assertion), response: { clientDataJSON, authenticatorData, signature } },
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
 * A signature of an elliptic curve is a pair of numbers, and the library does not mind how their lengths are written. Those of
 * other keys are of a fixed length: 64 bytes, or many more.
 */
function isWrittenOneWay(signature: string): boolean {
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
}: Expected & { attestation: Attestation }): Promise<Registered | undefined> {
  const { verifyRegistrationResponse } = await library()
  const { clientDataJSON, attestationObject } = attestation.response
  return orNothing(async () => {
    const authenticatorData = await unattested(attestationObject)
    if (comesFromFrame(clientDataJSON) || !authenticatorData) return undefined
    const { verified, registrationInfo: info } = await verifyRegistrationResponse({
      response: { ...common(attestation), response: { clientDataJSON, attestationObject } },
      expectedChallenge: challenge,
      expectedOrigin: party.origins,
      expectedRPID: party.id,
      supportedAlgorithmIDs: algorithms,
      requireUserVerification: true,
    })
    if (!verified) return undefined
    const { id } = info.credential
    const publicKey = Buffer.from(info.credential.publicKey)
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
 * The authenticator data, if nobody vouches for the authenticator, as we asked: then there are no certificates, and no
 * lists to fetch because of them. The decoder forgives what is cut off or too much; here it counts byte by byte.
 */
async function unattested(encoded: string): Promise<Buffer | undefined> {
  const { decodeAttestationObject, isoCBOR } = await decoders()
  const object = Buffer.from(encoded, 'base64url')
  const decoded = decodeAttestationObject(Uint8Array.from(object))
  const format = decoded.get('fmt')
  const bare = format === 'none' || (format === 'packed' && decoded.get('attStmt').get('x5c') === undefined)
  const exact = object.equals(isoCBOR.encode(decoded as never))
  return bare && exact ? Buffer.from(decoded.get('authData')) : undefined
}

/** The library throws whatever is wrong, and whatever its decoders stumble over: for us it is all the same. */
async function orNothing<Value>(check: () => Promise<Value | undefined>): Promise<Value | undefined> {
  try {
    return await check()
  } catch {
    return undefined
  }
}

const common = ({ id, rawId, type }: Assertion | Attestation) => ({ id, rawId, type, clientExtensionResults: {} })

/** Our pages are never shown inside those of others, so a passkey asked for there is not meant for us. */
function comesFromFrame(clientDataJSON: string): boolean {
  const said = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as Record<string, unknown>
  return (said['crossOrigin'] ?? false) !== false || said['topOrigin'] !== undefined
}
