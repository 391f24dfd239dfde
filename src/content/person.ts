import { z } from 'zod'
import type { RequestContext } from '../http/context.ts'
import { canSee } from '../access/session/rights.ts'

/** Who has done something, as a join finds them: all of it is null for somebody who is gone. */
export interface Account {
  id: string | null
  name: string | null
  email: string | null
  role: string | null
}

export const personSchema = z.object({
  id: z.string().optional(),
  email: z.string().optional(),
  username: z.string(),
})

/** Of those whom the caller may not see only the name is told, if they have one: no address, no id. */
export function personSeen(
  { app, caller }: Pick<RequestContext, 'app' | 'caller'>,
  { id, name, email, role }: Account,
) {
  if (id === null) return null
  const { access } = app.blueprints.user(role!)?.options ?? {}
  const isSeen = id === caller.user.id || canSee(app, caller, 'access.users', access)
  return isSeen ? { id, email: email!, username: name! || email! } : { username: name! }
}
