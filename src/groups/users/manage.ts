import type { App } from '../../app.ts'
import { fail } from '../../platform/errors.ts'
import { type Account, lockAccount } from '../../access/factors/queries.ts'
import type { Caller } from '../../access/session/identify.ts'
import { mustEnrolSecondFactor } from '../../access/session/sessions.ts'
import type { Tx } from '../../platform/store/store.ts'
import { managing } from './rules.ts'
import { user, type UserTarget } from './target.ts'

interface Request {
  app: App
  caller: Caller | undefined
  params: { id: string }
}

/** Locks the account row and checks that the caller may change how the account signs in. */
export async function lockManagedAccount(app: App, tx: Tx, { id }: { id: string }, caller: Caller): Promise<Account> {
  const account = await lockAccount(app.store, tx, id)
  if (!account) throw fail('user.notFound', { name: id })
  managing(app, caller, 'users.changePassword')(account)
  return account
}

/**
 * Where the role requires a second factor, owners cannot remove their own last one, only replace it. Other callers may
 * remove it for an owner who has lost it; the account must then set up a new one before anything else.
 */
export async function factorMustBeLeft(app: App, tx: Tx, { id }: { id: string }, caller: Caller): Promise<void> {
  const account = await lockAccount(app.store, tx, id)
  if (id === caller.user.id && account && mustEnrolSecondFactor(app, account)) throw fail('user.factor.last')
}

/** Only the owner sees new secrets; administrators do not. */
export async function ownUser(request: Request): Promise<UserTarget> {
  const target = await user(request)
  if (!target.own) throw fail('permission')
  return target
}
