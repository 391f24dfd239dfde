import { sql } from 'kysely'
import { now, prepared, type Tx } from '../store/store.ts'

export interface NewChallenge {
  id_mac: string
  kind: string
  user_id: string
  auth_epoch: number
  data: string
}

export async function insertChallenge(
  tx: Tx,
  challenge: NewChallenge,
  attempts: number,
  lifetime: number,
): Promise<void> {
  await tx
    .insertInto('challenges')
    .values({
      ...challenge,
      attempts: 0,
      max_attempts: attempts,
      expires_at: sql`${now} + ${sql.lit(lifetime)}`,
      consumed_at: null,
    })
    .execute()
}

export const challengeByMac = prepared((db, mac: string, kind: string) =>
  db
    .selectFrom('challenges')
    .select(['id_mac', 'user_id', 'auth_epoch', 'data'])
    .where('id_mac', '=', mac)
    .where('kind', '=', kind),
)

/** Draws one attempt from a living challenge; undefined if it is used up, used, or too old. */
export async function drawAttempt(tx: Tx, mac: string) {
  return tx
    .updateTable('challenges')
    .set({ attempts: sql`attempts + 1` })
    .where('id_mac', '=', mac)
    .where('consumed_at', 'is', null)
    .where('expires_at', '>', now)
    .whereRef('attempts', '<', 'max_attempts')
    .returning(['attempts', 'max_attempts'])
    .executeTakeFirst()
}

export async function consumeChallenge(tx: Tx, mac: string): Promise<void> {
  await tx.updateTable('challenges').set({ consumed_at: now }).where('id_mac', '=', mac).execute()
}

export async function deleteOldChallenges(tx: Tx, since: number): Promise<void> {
  await tx
    .deleteFrom('challenges')
    .where('expires_at', '<', sql<number>`${now} - ${sql.lit(since)}`)
    .execute()
}
