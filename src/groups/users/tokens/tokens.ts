import type { App } from '../../../app.ts'
import { fail } from '../../../platform/errors.ts'
import {
  inScope,
  type Permissions,
  publishedScope,
  scopes as known,
} from '../../../blueprints/permissions/permissions.ts'
import { createApiToken, revokeApiToken, revokeApiTokens } from '../../../access/session/api-tokens.ts'
import { accountOf, callerOf, type Context } from '../../../access/actor.ts'
import { hasAllRightsOf } from '../../../access/authorize/roles.ts'
import { permissionsOf, permissionsOfCaller } from '../../../access/authorize/authorize.ts'
import { tokensOfUser } from '../../../access/session/queries.ts'
import { notify, type Recipient } from '../mail-notices.ts'
import { lockUser } from '../lock.ts'
import { countTokens } from './queries.ts'

/** Limit per account. */
const maxTokens = 100

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
 * Returns the token, which is not stored and cannot be shown again. A token for another account has only permissions
 * that both its owner and the caller have.
 */
export async function createToken(ctx: Context, user: Owner, token: NewToken) {
  const { app } = ctx
  const other = ctx.actor.system || accountOf(ctx) === user.id ? undefined : callerOf(ctx)
  const rights = permissionsOf(app, user.role)
  const scopes = [...new Set(token.scopes)]
  const isPublished = scopes.length === 1 && scopes[0] === publishedScope
  if (!isPublished) scopesMustFit(rights, scopes)
  if (other && !isPublished) scopesMustFit(permissionsOfCaller(app, other), scopes)
  const isAsGiven = isPublished || !other || hasAllRightsOf(ctx, 'admin')
  const fixed = isAsGiven ? scopes : grantedPermissions(rights, scopes)
  return app.store.write(async tx => {
    const account = await lockUser(ctx, tx, user, 'users.changePassword') // serialises creations, so the limit holds
    if (account.status !== 'active') throw fail('user.inactive')
    if ((await countTokens(tx, user.id)) >= maxTokens) throw fail('user.token.limit', { max: String(maxTokens) })
    await notify(app, tx, user, 'tokenCreated', { name: token.name })
    return createApiToken(ctx, tx, { ...token, scopes: fixed, owner: user.id })
  })
}

type Owner = Recipient & { role: string }

export async function revokeToken(ctx: Context, user: { id: string }, id: string): Promise<void> {
  await ctx.app.store.write(async tx => {
    await lockUser(ctx, tx, user, 'users.changePassword')
    if (!(await revokeApiToken(ctx, tx, id, user.id))) throw fail('user.token.notFound')
  })
}

/** For the command line: all tokens of an account. */
export async function revokeTokens(ctx: Context, user: { id: string }): Promise<number> {
  return ctx.app.store.write(tx => revokeApiTokens(ctx, tx, user.id))
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
function grantedPermissions(permissions: Permissions, scopes: string[]): string[] {
  return known.filter(scope => {
    const [category, action] = scope.split('.') as [string, string | undefined]
    return action !== undefined && action !== '*' && inScope(scopes, category, action) && isWithin(permissions, scope)
  })
}
