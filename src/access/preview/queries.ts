import { sql } from 'kysely'
import { versionColumn } from '../../platform/store/postgres-version.ts'
import { now, prepared, type Tx } from '../../platform/store/store.ts'

/** One row: the time of the store, and when the passes of this scope were revoked. */
export const selectRevocation = prepared((db, owner: string) =>
  db.selectNoFrom([
    now.as('now'),
    versionColumn(db).as('version'),
    sql<number | null>`(select revoked_at from preview_revocations where owner = ${owner})`.as('revoked_at'),
  ]),
)

export async function upsertRevocation(tx: Tx, owner: string): Promise<void> {
  await tx
    .insertInto('preview_revocations')
    .values({ owner, revoked_at: now })
    .onConflict(conflict => conflict.column('owner').doUpdateSet({ revoked_at: now }))
    .execute()
}
