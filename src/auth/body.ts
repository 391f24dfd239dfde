import { z } from 'zod'
import { isTooLong, longestPassword } from '../factors/password.ts'
import { parseEmail } from '../lib/email.ts'

const email = z
  .string()
  .max(1000)
  .refine(text => parseEmail(text) !== undefined, {
    message: 'This must be an e-mail address of at most 254 bytes.',
    params: { rule: 'email' },
  })
const password = z
  .string()
  .min(1)
  .max(longestPassword.bytes)
  .refine(text => !isTooLong(text), {
    message: `This may have at most ${longestPassword.characters} characters.`,
    params: { rule: 'maxlength' },
  })
const code = z.string().min(1).max(100)
const handle = z.string().min(1).max(100)

/** One closed union: what is not described here is refused. Passkeys, reset and invitation join it with the accounts. */
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
  z.strictObject({ method: z.literal('reauth'), password, code: code.optional() }),
])
export type LoginBody = z.output<typeof loginBody>
