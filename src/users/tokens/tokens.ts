import type { App } from '../../app.ts'
import type { By } from '../../audit/audit.ts'
import { fail } from '../../errors.ts'
import { lockAccount } from '../../factors/queries.ts'
import { type Permissions, scopes as known } from '../../permissions/permissions.ts'
import { createApiToken, revokeApiToken } from '../../session/api-tokens.ts'
import { tokensOfUser } from '../../session/queries.ts'
import { permissionsOf } from '../../session/rights.ts'
import { notify, type Recipient } from '../notices.ts'
import { countTokens } from './queries.ts'

/** More than anybody can tell apart. */
const most = 100

export type ListedToken = Awaited<ReturnType<typeof listTokens>>[number]

export async function listTokens(app: App, user: { id: string }) {
  return tokensOfUser(app.store, user.id)
}

export interface NewToken {
  name: string
  scopes: string[]
  /** Seconds; without it the token does not expire. */
  lifetime?: number | undefined
}

/** The token itself is part of the answer, and of nothing else. */
export async function createToken(app: App, user: Recipient & { role: string }, token: NewToken, by: By) {
  const scopes = [...new Set(token.scopes)]
  scopesMustFit(permissionsOf(app, user.role), scopes)
  return createApiToken(app, { ...token, scopes, owner: user.id }, by, async tx => {
    await lockAccount(app.store, tx, user.id) // one after the other, so that none is too many
    if ((await countTokens(tx, user.id)) >= most) throw fail('user.token.limit', { max: String(most) })
    await notify(app, tx, user, 'tokenCreated', { name: token.name })
  })
}

export async function revokeToken(app: App, user: { id: string }, id: string, by: By): Promise<void> {
  if (!(await revokeApiToken(app, id, user.id, by))) throw fail('user.token.notFound')
}

function scopesMustFit(permissions: Permissions, scopes: string[]): void {
  for (const scope of scopes) {
    const fits = known.includes(scope) && isWithin(permissions, scope)
    if (!fits) throw fail('user.token.scope', { scope })
  }
}

/** A wildcard is whatever the owner may; a right that is named must be one that the owner has. */
function isWithin(permissions: Permissions, scope: string): boolean {
  if (scope === '*') return true
  const [category, action] = scope.split('.') as [keyof Permissions, string]
  const rights = permissions[category] as Record<string, boolean>
  return action === '*' ? Object.values(rights).includes(true) : rights[action] === true
}
