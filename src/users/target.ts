import type { App } from '../app.ts'
import { fail } from '../errors.ts'
import type { Thing } from '../http/endpoint.ts'
import type { Caller } from '../session/identify.ts'
import { can } from '../session/rights.ts'
import { findUser, type UserRow } from './users.ts'

/** The account a request is about. */
export interface UserTarget extends Thing {
  user: UserRow
  own: boolean
}

/** By id, by e-mail address, or `account` for the caller's own. Whom the caller may not see does not exist. */
export async function user(request: {
  app: App
  caller: Caller | undefined
  params: { id: string }
}): Promise<UserTarget> {
  const { app, params } = request
  const caller = request.caller!
  const id = params.id === 'account' ? caller.user.id : params.id
  const found = await findUser(app, id)
  const target = targetOf(app, caller, found)
  if (!maySee(app, caller, target)) throw fail('user.notFound', { name: id })
  return target
}

export function targetOf(app: App, caller: Caller, found: UserRow): UserTarget {
  const options = app.blueprints.role(found.role)?.options ?? {}
  return { user: found, own: found.id === caller.user.id, options }
}

export function maySee(app: App, caller: Caller, { own, options }: UserTarget): boolean {
  return can(app, caller, own ? 'access.account' : 'access.users', options['access'])
}
