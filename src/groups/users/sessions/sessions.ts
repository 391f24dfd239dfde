import type { App } from '../../../app.ts'
import { type By, record } from '../../../access/audit/audit.ts'
import { fail } from '../../../platform/errors.ts'
import type { Caller } from '../../../access/session/identify.ts'
import { deleteById, deleteOfUser, sessionsOfUser } from '../../../access/session/queries.ts'
import type { Tx } from '../../../platform/store/store.ts'
import { lockManagedAccount } from '../manage.ts'
import { notify, type Recipient } from '../mail-notices.ts'

export type ListedSession = Awaited<ReturnType<typeof listSessions>>[number]

export async function listSessions(app: App, user: { id: string }) {
  return sessionsOfUser(app.store, user.id)
}

export async function endOneSession(app: App, user: { id: string }, id: string, caller: Caller, by: By): Promise<void> {
  await app.store.write(async tx => {
    const account = await lockManagedAccount(app, tx, user, caller)
    if (!(await deleteById(tx, user.id, id))) throw fail('user.session.notFound')
    await revoked(app, tx, account, [id], by)
  })
}

/** Ends all sessions of the account except the caller's. */
export async function endSessions(app: App, user: { id: string }, caller: Caller, by: By): Promise<number> {
  return app.store.write(async tx => {
    const account = await lockManagedAccount(app, tx, user, caller) // sign-ins delete sessions, too: serialise them
    const own = by.actor === user.id ? by.session : undefined
    const ended = await deleteOfUser(tx, user.id, own)
    await revoked(
      app,
      tx,
      account,
      ended.map(({ id }) => id),
      by,
    )
    return ended.length
  })
}

/** Records each ended session. The owner is notified if another account ended it. */
async function revoked(app: App, tx: Tx, user: Recipient, ids: string[], by: By): Promise<void> {
  for (const id of ids) {
    await record(tx, { event: 'auth.session.revoked', subject: user.id, ...by, session: id })
  }
  if (ids.length > 0 && by.actor !== user.id) await notify(app, tx, user, 'sessionEnded', {})
}
