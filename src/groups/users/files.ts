import type { FileParent } from '../files/target.ts'
import { isAccountActionAllowed } from '../../access/authorize/accounts.ts'
import { accountOf, type User } from '../../access/actor.ts'
import { ownerOfUser } from './users.ts'
import type { RequestContext } from '../../http/context.ts'

/** The account as the parent of files. Callers who may not update the account may not add files to it. */
export function userFileParent(user: User, ctx: Pick<RequestContext, 'app' | 'actor'>): FileParent<User> {
  const { app } = ctx
  const own = user.id === accountOf(ctx)
  const blueprint = app.blueprints.user(user.role)
  const options = blueprint?.options ?? {}
  return {
    model: user,
    owner: ownerOfUser(user.id),
    place: `users/${user.id}`,
    link: own ? '/account' : `/users/${user.id}`,
    idPrefix: `${user.id}/`,
    canChange: isAccountActionAllowed(ctx, user, 'users.update'),
    form: blueprint ?? nothing,
    options,
  }
}

const nothing = { sections: new Map<string, never>(), fields: new Map<string, never>() }
