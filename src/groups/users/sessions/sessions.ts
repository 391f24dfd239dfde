import { auditActor, record } from '../../../access/audit/audit.ts'
import { fail } from '../../../platform/errors.ts'
import { accountOf, type CallerContext, type Context } from '../../../access/actor.ts'
import { type AccountRow, authorizeAccount } from '../../../access/authorize/accounts.ts'
import { deleteById, deleteOfUser, selectSessionsOf } from '../../../access/session/queries.ts'
import type { Tx } from '../../../platform/store/store.ts'
import { lockUser } from '../lock.ts'
import { notify, type Recipient } from '../mail-notices.ts'

export type ListedSession = Awaited<ReturnType<typeof listSessions>>[number]

export async function listSessions(ctx: Context, user: AccountRow) {
  authorizeAccount(ctx, user, 'users.changePassword')
  return selectSessionsOf(ctx.app.store, user.id)
}

export async function endOneSession(ctx: Context, user: { id: string }, id: string): Promise<void> {
  await ctx.app.store.write(async tx => {
    const account = await lockUser(ctx, tx, user, 'users.changePassword')
    if (!(await deleteById(tx, user.id, id))) throw fail('user.session.notFound')
    await revoked(ctx, tx, account, [id])
  })
}

/** Ends all sessions of the account except the caller's. */
export async function endSessions(ctx: CallerContext, user: { id: string }): Promise<number> {
  const { actor } = ctx
  return ctx.app.store.write(async tx => {
    const account = await lockUser(ctx, tx, user, 'users.changePassword') // sign-ins delete sessions, too: serialise them
    const own = actor.user.id === user.id ? actor.session?.id : undefined
    const ended = await deleteOfUser(tx, user.id, own)
    await revoked(
      ctx,
      tx,
      account,
      ended.map(({ id }) => id),
    )
    return ended.length
  })
}

/** Records each ended session. The owner is notified if another account ended it. */
async function revoked(ctx: Context, tx: Tx, user: Recipient, ids: string[]): Promise<void> {
  for (const id of ids) {
    await record(tx, { event: 'auth.session.revoked', subject: user.id, ...auditActor(ctx), session: id })
  }
  if (ids.length > 0 && accountOf(ctx) !== user.id) await notify(ctx.app, tx, user, 'sessionEnded', {})
}
