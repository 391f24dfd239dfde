import type { z } from 'zod'
import type { Caller } from '../../access/actor.ts'
import type { RequestContext } from '../../http/context.ts'
import type { InView } from '../../http/view.ts'
import { userView } from './view.ts'

/** The account in the response to a sign-in, which has no selection: in the view `auth`. */
export type SignedInUser = InView<typeof userView, 'auth'>

/** The same schema at run time; as a type, every property of the view is there. */
export const signedInUserSchema = userView.schema as unknown as z.ZodType<SignedInUser>

export async function showSignedIn(ctx: RequestContext, user: Caller['user']): Promise<SignedInUser> {
  return (await userView.show({ ...ctx, actor: { user } }, user, { view: 'auth' })) as SignedInUser
}
