import { sql } from 'kysely'
import { now, prepared, type Tx } from '../store/store.ts'

/** Later than any clock, in ms: the row stays, but is never due. */
const never = 8_640_000_000_000_000

export async function insertMail(tx: Tx, id: string, sealed: string): Promise<void> {
  await tx.insertInto('mails').values({ id, sealed, due_at: now, created_at: now, problem: null }).execute()
}

/** The mail that has been due for the longest time. */
export const selectDue = prepared(db =>
  db.selectFrom('mails').select('id').where('due_at', '<=', now).orderBy('due_at').orderBy('id').limit(1),
)

/** Undefined if another process was faster. The caller must be done with the mail before the lease is over. */
export async function claimMail(tx: Tx, id: string, lease: number) {
  return tx
    .updateTable('mails')
    .set({ attempts: sql`attempts + 1`, due_at: sql`${now} + ${sql.lit(lease)}` })
    .where('id', '=', id)
    .where('due_at', '<=', now)
    .returning(['id', 'sealed', 'attempts', sql<number>`${now} - created_at`.as('age')])
    .executeTakeFirst()
}

export async function postponeMail(tx: Tx, id: string, wait: number, problem: string): Promise<void> {
  await tx
    .updateTable('mails')
    .set({ due_at: sql`${now} + ${sql.lit(wait)}`, problem })
    .where('id', '=', id)
    .execute()
}

export async function abandonMail(tx: Tx, id: string, problem: string): Promise<void> {
  await tx.updateTable('mails').set({ due_at: never, problem }).where('id', '=', id).execute()
}

export async function deleteMail(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('mails').where('id', '=', id).execute()
}

export async function deleteOldMails(tx: Tx, age: number, limit: number): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('mails')
    .where('id', 'in', old =>
      old
        .selectFrom('mails')
        .select('id')
        .where('created_at', '<', sql<number>`${now} - ${sql.lit(age)}`)
        .limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

export const selectAccount = prepared((db, id: string) => db.selectFrom('users').select('id').where('id', '=', id))
