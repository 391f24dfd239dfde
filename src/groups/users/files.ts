import type { FileParent } from '../files/target.ts'
import { allowed } from '../../http/authenticate.ts'
import type { RequestContext } from '../../http/context.ts'
import type { User } from '../../access/session/identify.ts'
import { ownerOf } from './users.ts'

/** The account as the parent of files. Callers who may not update the account may not add files to it. */
export function fileParent(user: User, { app, caller }: Pick<RequestContext, 'app' | 'caller'>): FileParent<User> {
  const own = user.id === caller.user.id
  const blueprint = app.blueprints.user(user.role)
  const options = blueprint?.options ?? {}
  return {
    model: user,
    owner: ownerOf(user.id),
    place: `users/${user.id}`,
    link: own ? '/account' : `/users/${user.id}`,
    idPrefix: `${user.id}/`,
    mayChange: allowed(app, caller, 'users.update', { own, options, accountRole: user.role }),
    form: blueprint ?? nothing,
    options,
  }
}

const nothing = { sections: new Map<string, never>(), fields: new Map<string, never>() }
