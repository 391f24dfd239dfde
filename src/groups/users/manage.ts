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

/** The account as it is now, held, for somebody who changes how it signs in. */
export async function lockManagedAccount(app: App, tx: Tx, { id }: { id: string }, caller: Caller): Promise<Account> {
  const account = await lockAccount(app.store, tx, id)
  if (!account) throw fail('user.notFound', { name: id })
  managing(app, caller, 'users.changePassword')(account)
  return account
}

/**
 * Where the role requires a second factor, nobody removes their own last one: it is replaced. Somebody else may, for an owner
 * who has lost it, and the account has to set up a new one before anything else.
 */
export async function factorMustBeLeft(app: App, tx: Tx, { id }: { id: string }, caller: Caller): Promise<void> {
  const account = await lockAccount(app.store, tx, id)
  if (id === caller.user.id && account && mustEnrolSecondFactor(app, account)) throw fail('user.factor.last')
}

/** Secrets are shown to their owner, and not even to administrators. */
export async function ownUser(request: Request): Promise<UserTarget> {
  const target = await user(request)
  if (!target.own) throw fail('permission')
  return target
}
