import { sql } from 'kysely'
import type { Says } from '../../../platform/store/schema.ts'
import { now, prepared, type Store, type Tx } from '../../../platform/store/store.ts'

/** A tab that does not report for so long counts as closed, in ms. */
const presentMs = 150_000
/** How old the last report is before another one is written, in ms. */
const renewMs = 50_000

const isPresent = sql<boolean>`seen_at > ${now} - ${sql.lit(presentMs)}`

export interface PresenceRow {
  id: string
  user_id: string
  /** The uuid of a page, or empty. */
  page: string
  since: number
  says: Says | null
  /** Whether its last report is so old that it has to be written again. */
  is_old: number
}

/** The tabs that are open, the latest first. */
export const selectPresence = prepared(db =>
  db
    .selectFrom('presence')
    .select(['id', 'user_id', 'page', 'since', 'says'])
    .select(sql<number>`case when seen_at < ${now} - ${sql.lit(renewMs)} then 1 else 0 end`.as('is_old'))
    .where(isPresent)
    .orderBy('since', 'desc')
    .orderBy('id'),
)

const versionRow = prepared(db =>
  db
    .selectFrom('presence')
    .select(eb => [
      eb.fn.countAll<number>().as('count'),
      sql<number | null>`max(since)`.as('latest'),
      sql<number | null>`sum(case says when 'ask' then 1 when 'give' then 1000 when 'keep' then 1000000 end)`.as(
        'said',
      ),
    ])
    .where(isPresent),
)

/** Changes when an account opens or leaves the panel, opens another page, or says something. */
export async function selectPresenceVersion(store: Store): Promise<string> {
  const [row] = await versionRow(store)
  return `${row!.count} ${row!.latest} ${row!.said}`
}

export async function upsertPresence(
  tx: Tx,
  row: Pick<PresenceRow, 'id' | 'user_id' | 'page' | 'says'>,
): Promise<void> {
  await tx
    .insertInto('presence')
    .values({ ...row, since: now, seen_at: now })
    .onConflict(conflict =>
      conflict.column('id').doUpdateSet({
        page: row.page,
        says: row.says,
        since: sql`case when presence.page = ${row.page} then presence.since else ${now} end`,
        seen_at: now,
      }),
    )
    .execute()
}

/** Deletes tabs that no longer report, and all but the latest `keep` tabs of an account. */
export async function deleteOldPresence(tx: Tx, user: string, keep: number): Promise<void> {
  await tx
    .deleteFrom('presence')
    .where(eb =>
      eb.or([
        sql<boolean>`not ${isPresent}`,
        eb.and([
          eb('user_id', '=', user),
          eb(
            'id',
            'not in',
            eb.selectFrom('presence').select('id').where('user_id', '=', user).orderBy('since', 'desc').limit(keep),
          ),
        ]),
      ]),
    )
    .execute()
}

export async function deletePresence(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('presence').where('id', '=', id).execute()
}
