import { z } from 'zod'
import { namedSchema } from '../../../platform/lib/schema-names.ts'

/** Base64url without padding, in canonical form: unused bits are zero, so each byte sequence has one spelling. */
const base64urlText = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .regex(/^(?:[\w-]{4})*(?:[\w-][AQgw]|[\w-]{2}[AEIMQUYcgkosw048])?$/)

/**
 * No extensions are requested, and their results are ignored. Browsers and libraries type them as an interface, which is
 * no `Record`, so the type of what is sent is any object.
 */
const clientExtensionResults = z.record(z.string().max(50), z.unknown()) as z.ZodType<Record<string, unknown>, object>

const common = {
  id: base64urlText(1364), // 1023 bytes, the maximum of WebAuthn
  rawId: base64urlText(1364),
  type: z.literal('public-key'),
  authenticatorAttachment: z.string().max(50).nullish(),
  clientExtensionResults: clientExtensionResults.optional(),
}
const clientDataJSON = base64urlText(2048)

/** The result of `navigator.credentials.get`, as its `toJSON` writes it. */
export const assertionSchema = namedSchema(
  'PasskeyAssertion',
  z.strictObject({
    ...common,
    response: z.strictObject({
      clientDataJSON,
      authenticatorData: base64urlText(1024),
      signature: base64urlText(1500),
      userHandle: base64urlText(88).nullish(),
    }),
  }),
)
export type Assertion = z.output<typeof assertionSchema>

/** The result of `navigator.credentials.create`. Values that it has twice are read from the attestation object only. */
export const attestationSchema = namedSchema(
  'PasskeyAttestation',
  z.strictObject({
    ...common,
    response: z.strictObject({
      clientDataJSON,
      attestationObject: base64urlText(6000),
      transports: z
        .array(z.string().regex(/^[a-z][a-z-]{0,29}$/))
        .max(10)
        .optional(),
      authenticatorData: base64urlText(4000).optional(),
      publicKey: base64urlText(2000).nullish(),
      publicKeyAlgorithm: z.int().optional(),
    }),
  }),
)
export type Attestation = z.output<typeof attestationSchema>
