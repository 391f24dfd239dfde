import type { App } from '../../../app.ts'
import type { By } from '../../../access/audit/audit.ts'
import { fail } from '../../../platform/errors.ts'
import { lockAccount } from '../../../access/factors/queries.ts'
import { inScope, type Permissions, scopes as known } from '../../../blueprints/permissions/permissions.ts'
import { createApiToken, revokeApiToken, revokeApiTokens } from '../../../access/session/api-tokens.ts'
import type { Caller } from '../../../access/session/identify.ts'
import { tokensOfUser } from '../../../access/session/queries.ts'
import { reaches } from '../../../access/session/reach.ts'
import { permissionsOf, permissionsOfCaller } from '../../../access/session/rights.ts'
import type { Tx } from '../../../platform/store/store.ts'
import { notify, type Recipient } from '../mail-notices.ts'
import { type AccountCheck, managing } from '../rules.ts'
import { countTokens } from './queries.ts'

/** Limit per account. */
const most = 100

export type ListedToken = Awaited<ReturnType<typeof listTokens>>[number]

export async function listTokens(app: App, user: { id: string }) {
  return tokensOfUser(app.store, user.id)
}

export interface NewToken {
  name: string
  scopes: string[]
  /** In seconds; without it the token does not expire. */
  lifetime?: number | undefined
}

/**
 * Returns the token, which is not stored and cannot be shown again. Without a caller the system creates it. A token for
 * another account has only permissions that both its owner and the caller have.
 */
export async function createToken(app: App, user: Owner, token: NewToken, by: By, caller?: Caller) {
  const own = caller === undefined || caller.user.id === user.id
  const rights = permissionsOf(app, user.role)
  const scopes = [...new Set(token.scopes)]
  scopesMustFit(rights, scopes)
  if (!own) scopesMustFit(permissionsOfCaller(app, caller), scopes)
  const fixed = own || reaches(app, caller, 'admin') ? scopes : named(rights, scopes)
  return createApiToken(app, { ...token, scopes: fixed, owner: user.id }, by, async tx => {
    const account = await lockAccount(app.store, tx, user.id) // the lock serialises creations, so the limit holds
    if (account?.status !== 'active') throw fail('user.inactive')
    if (!own) managing(app, caller, 'users.changePassword')(account)
    if ((await countTokens(tx, user.id)) >= most) throw fail('user.token.limit', { max: String(most) })
    await notify(app, tx, user, 'tokenCreated', { name: token.name })
  })
}

type Owner = Recipient & { role: string }

export async function revokeToken(
  app: App,
  user: { id: string },
  id: string,
  by: By,
  check: AccountCheck,
): Promise<void> {
  const mayStill = async (tx: Tx) => {
    const account = await lockAccount(app.store, tx, user.id)
    if (account) check(account)
  }
  if (!(await revokeApiToken(app, id, user.id, by, mayStill))) throw fail('user.token.notFound')
}

/** For the command line: all tokens of an account. */
export async function revokeTokens(app: App, user: { id: string }): Promise<number> {
  return app.store.write(tx => revokeApiTokens(tx, user.id))
}

function scopesMustFit(permissions: Permissions, scopes: string[]): void {
  for (const scope of scopes) {
    const fits = known.includes(scope) && isWithin(permissions, scope)
    if (!fits) throw fail('user.token.scope', { scope })
  }
}

/** A wildcard covers the permissions that the owner has; a named permission must be one of them. */
function isWithin(permissions: Permissions, scope: string): boolean {
  if (scope === '*') return true
  const [category, action] = scope.split('.') as [keyof Permissions, string]
  const rights = permissions[category] as Record<string, boolean>
  return action === '*' ? Object.values(rights).includes(true) : rights[action] === true
}

/**
 * Replaces wildcards by the current permissions: a token that another account created must not gain permissions when
 * its owner gets a stronger role.
 */
function named(permissions: Permissions, scopes: string[]): string[] {
  return known.filter(scope => {
    const [category, action] = scope.split('.') as [string, string | undefined]
    return action !== undefined && action !== '*' && inScope(scopes, category, action) && isWithin(permissions, scope)
  })
}
