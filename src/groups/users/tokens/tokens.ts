import { fail } from '../../../platform/errors.ts'
import { createApiToken, revokeApiToken, revokeApiTokens } from '../../../access/session/api-tokens.ts'
import type { Context } from '../../../access/actor.ts'
import { type AccountRow, authorizeAccount } from '../../../access/authorize/accounts.ts'
import { grantableScopes } from '../../../access/authorize/tokens.ts'
import { selectTokensOf } from '../../../access/session/queries.ts'
import { notify, type Recipient } from '../mail-notices.ts'
import { lockUser } from '../lock.ts'
import { countTokens } from './queries.ts'

/** Limit per account. */
const maxTokens = 100

export type ListedToken = Awaited<ReturnType<typeof listTokens>>[number]

export async function listTokens(ctx: Context, user: AccountRow) {
  authorizeAccount(ctx, user, 'users.changePassword')
  return selectTokensOf(ctx.app.store, user.id)
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
export async function createToken(ctx: Context, user: Recipient, token: NewToken) {
  const { app } = ctx
  return app.store.write(async tx => {
    const account = await lockUser(ctx, tx, user, 'users.changePassword') // serialises creations, so the limit holds
    const scopes = grantableScopes(ctx, account, token.scopes)
    if (account.status !== 'active') throw fail('user.inactive')
    if ((await countTokens(tx, user.id)) >= maxTokens) throw fail('user.token.limit', { max: String(maxTokens) })
    await notify(app, tx, user, 'tokenCreated', { name: token.name })
    return createApiToken(ctx, tx, { userId: user.id, name: token.name, scopes, lifetimeSeconds: token.lifetime })
  })
}

export async function revokeToken(ctx: Context, user: { id: string }, id: string): Promise<void> {
  await ctx.app.store.write(async tx => {
    await lockUser(ctx, tx, user, 'users.changePassword')
    if (!(await revokeApiToken(ctx, tx, id, user.id))) throw fail('user.token.notFound')
  })
}

/** All tokens of an account. Returns their number. */
export async function revokeTokens(ctx: Context, user: { id: string }): Promise<number> {
  return ctx.app.store.write(async tx => {
    await lockUser(ctx, tx, user, 'users.changePassword')
    return revokeApiTokens(ctx, tx, user.id)
  })
}
