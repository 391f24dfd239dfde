import type { Context } from '../../access/actor.ts'
import { auditActor, record } from '../../access/audit/audit.ts'
import { fail } from '../../platform/errors.ts'
import { isUniqueViolation, type Tx } from '../../platform/store/store.ts'
import { selectFirst, withValues } from '../../content/trash/queries.ts'
import { lockTrashEntry, restoreWrite, returnEntry } from '../../content/trash/trash.ts'
import { isUsedEmail, isUsedId } from './queries.ts'
import { emailMustBeValid } from './rules.ts'
import { sortKey, type UserRow } from './users.ts'

export interface UserRestoration {
  /** A new address, for the case that another account has taken the former one. */
  email?: string | undefined
}

/** Restores an account from the trash, disabled and without credentials: enabling it sends an invitation. */
export async function restoreUser(ctx: Context, id: string, { email }: UserRestoration): Promise<string> {
  const { app } = ctx
  const newEmail = email === undefined ? undefined : emailMustBeValid(email)
  const work = async (tx: Tx) => {
    const entry = await lockTrashEntry(ctx, tx, id)
    const userId = entry.owner.slice('user://'.length)
    const user = await selectFirst<UserRow>(tx, id, 'users', userId)
    const { address, key } = newEmail ?? { address: user.email, key: user.email_key }
    if (await isUsedId(tx, userId)) throw fail('trash.uuid', { id: userId })
    if (await isUsedEmail(tx, key)) throw fail('user.duplicate', { email: address })
    const users = withValues({
      email: address,
      email_key: key,
      sort_key: sortKey(user.name, address),
      status: 'disabled',
    })
    await returnEntry(app, tx, entry, { users })
    const { role, revision } = user
    await record(tx, { event: 'user.restored', subject: userId, ...auditActor(ctx), detail: { role, revision } })
    return userId
  }
  return app.store.write(work, await restoreWrite(app, id)).catch((error: unknown) => {
    // Only PostgreSQL runs write transactions concurrently, so only there the check above can pass twice.
    throw isUniqueViolation(error) ? fail('user.duplicate', { email: email ?? '' }) : error
  })
}
