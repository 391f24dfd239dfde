import type { App } from '../app.ts'
import { fail } from '../errors.ts'
import { type Account, lockAccount } from '../factors/queries.ts'
import { isWithinReach } from '../roles/roles.ts'
import type { Caller } from '../session/identify.ts'
import type { Tx } from '../store/store.ts'
import { user, type UserTarget } from './target.ts'

interface Request {
  app: App
  caller: Caller | undefined
  params: { id: string }
}

/**
 * The account whose way of signing in the caller looks after. That of an administrator is for administrators only: to
 * look after accounts must not be a way to become one.
 */
export async function userInCare(request: Request): Promise<UserTarget> {
  const target = await user(request)
  if (!isWithinReach(request.caller!, target.user.role)) throw fail('permission')
  return target
}

/** The same once more on the row as it is now, held: the account may have become an administrator's since it was found. */
export async function holdInCare(app: App, tx: Tx, { id }: { id: string }, caller: Caller): Promise<Account> {
  const account = await lockAccount(app.store, tx, id)
  if (!account) throw fail('user.notFound', { name: id })
  if (id !== caller.user.id && !isWithinReach(caller, account.role)) throw fail('permission')
  return account
}

/** Secrets are shown to their owner, and not even to administrators. */
export async function ownUser(request: Request): Promise<UserTarget> {
  const target = await user(request)
  if (!target.own) throw fail('permission')
  return target
}
