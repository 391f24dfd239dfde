import { z } from 'zod'
import { assertionSchema } from '../../access/factors/passkeys/credential.ts'
import { isTooLong, maxPasswordLength } from '../../access/factors/password.ts'
import { customRule } from '../../http/validate.ts'
import { parseEmail } from '../../platform/lib/email.ts'
import { message } from '../../platform/texts.ts'

const email = z
  .string()
  .max(1000)
  .refine(text => parseEmail(text) !== undefined, customRule('email', message('validation.email')))
const password = z
  .string()
  .min(1)
  .max(maxPasswordLength.bytes)
  .refine(
    text => !isTooLong(text),
    customRule('maxlength', message('validation.maxlength', { max: String(maxPasswordLength.characters) })),
  )
const code = z.string().min(1).max(100)
const handle = z.string().min(1).max(100)

interface Steps {
  first: string[]
  required?: string[]
  later: string[]
}

/** A method with two steps: a body with any property of the later step must have all of them and none of the first. */
function twoSteps({ first, required = [], later }: Steps) {
  return ({ value, issues }: z.core.ParsePayload<Record<string, unknown>>) => {
    const isSent = (name: string) => value[name] !== undefined
    const isLater = later.some(isSent)
    for (const name of (isLater ? later : required).filter(field => !isSent(field))) {
      const expected = name === 'credential' ? 'object' : 'string'
      issues.push({ code: 'invalid_type', expected, input: undefined, path: [name] })
    }
    const keys = isLater ? first.filter(isSent) : []
    if (keys.length > 0) issues.push({ code: 'unrecognized_keys', keys, input: value })
  }
}

/** A closed union: bodies of any other shape are refused. */
export const loginBody = z.discriminatedUnion('method', [
  z.strictObject({
    method: z.literal('password').optional(),
    email,
    password,
    long: z.boolean().optional(),
    code: code.optional(),
  }),
  z.strictObject({ method: z.literal('code'), challenge: handle, code }),
  z.strictObject({ method: z.literal('recovery'), challenge: handle, code }),
  z
    .strictObject({
      method: z.literal('passkey'),
      long: z.boolean().optional(),
      challenge: handle.optional(),
      credential: assertionSchema.optional(),
    })
    .check(twoSteps({ first: ['long'], later: ['challenge', 'credential'] })),
  z
    .strictObject({
      method: z.literal('reauth'),
      password: password.optional(),
      code: code.optional(),
      challenge: handle.optional(),
      credential: assertionSchema.optional(),
    })
    .check(twoSteps({ first: ['password', 'code'], required: ['password'], later: ['challenge', 'credential'] })),
  z
    .strictObject({
      method: z.literal('reset'),
      email: email.optional(),
      challenge: handle.optional(),
      code: code.optional(),
      password: password.optional(),
    })
    .check(twoSteps({ first: ['email'], required: ['email'], later: ['challenge', 'code', 'password'] })),
  z.strictObject({ method: z.literal('invite'), token: handle, password, name: z.string().max(500).optional() }),
])
export type LoginBody = z.output<typeof loginBody>
