import { z } from 'zod'
import { canIdentify } from '../access/authorize/accounts.ts'
import type { RequestContext } from '../http/context.ts'
import { namedSchema } from '../platform/lib/schema-names.ts'

/** The account of an author, from a left join: every column is null if the account was deleted. */
export interface AccountColumns {
  id: string | null
  name: string | null
  email: string | null
  role: string | null
}

export const userSummarySchema = namedSchema(
  'UserSummary',
  z.object({
    id: z.string().optional(),
    email: z.string().optional(),
    username: z.string(),
  }),
)

/** Only the name (may be empty), without id and email address, if the caller may not see the account. */
export function showUserSummary(ctx: RequestContext, { id, name, email, role }: AccountColumns) {
  if (id === null) return null
  return canIdentify(ctx, { id, role: role! }) ? { id, email: email!, username: name! || email! } : { username: name! }
}
