import { sql } from 'kysely'
import type { Says } from '../../../platform/store/schema.ts'
import { now, prepared, type Store, type Tx } from '../../../platform/store/store.ts'

/** A tab that does not report for so long counts as closed, in ms. */
const presentMs = 150_000
/**
 * A report that changes nothing is written again only after this time, in ms. Tabs report every minute, and whenever the
 * presence of anyone changes: without the limit, every change would cause a write for every open tab.
 */
const renewMs = 50_000

const isPresent = sql<boolean>`seen_at > ${now} - ${sql.lit(presentMs)}`

export interface PresenceRow {
  id: string
  user_id: string
  /** The uuid of a page, or empty. */
  page: string
  since: number
  /** What the account tells the others on the page: part of the public API. */
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

const selectVersionParts = prepared(db =>
  db
    .selectFrom('presence')
    .select(eb => [
      eb.fn.countAll<number>().as('count'),
      sql<number | null>`max(since)`.as('latest'),
      // Three counters in one number: how many tabs ask, give and keep. Each counts correctly up to 999.
      sql<number | null>`sum(case says when 'ask' then 1 when 'give' then 1000 when 'keep' then 1000000 end)`.as(
        'said',
      ),
    ])
    .where(isPresent),
)

/** Changes when a tab opens or leaves the panel, opens another page, or says something (`Says`) to the others there. */
export async function selectPresenceVersion(store: Store): Promise<string> {
  const [row] = await selectVersionParts(store)
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

/** Deletes tabs that no longer report, and all but the latest `maxTabs` tabs of an account. */
export async function deleteOldPresence(tx: Tx, userId: string, maxTabs: number): Promise<void> {
  await tx
    .deleteFrom('presence')
    .where(eb =>
      eb.or([
        sql<boolean>`not ${isPresent}`,
        eb.and([
          eb('user_id', '=', userId),
          eb(
            'id',
            'not in',
            eb
              .selectFrom('presence')
              .select('id')
              .where('user_id', '=', userId)
              .orderBy('since', 'desc')
              .limit(maxTabs),
          ),
        ]),
      ]),
    )
    .execute()
}

export async function deletePresence(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('presence').where('id', '=', id).execute()
}
