import { now, prepared, type Store, type Tx } from '../../platform/store/store.ts'

const selectAll = prepared(db => db.selectFrom('site').select(['revision', 'modified_at']))

export type SiteRow = Awaited<ReturnType<typeof selectAll>>[number]

/** The table always has exactly one row. */
export async function selectSite(store: Store): Promise<SiteRow> {
  const [row] = await selectAll(store)
  return row!
}

/** Locks the site until the end of the transaction and returns its revision. */
export async function lockSiteRow(store: Store, tx: Tx): Promise<number> {
  const { revision } = await tx
    .selectFrom('site')
    .select('revision')
    .$if(store.name === 'postgres', query => query.forNoKeyUpdate())
    .executeTakeFirstOrThrow()
  return revision
}

export async function raiseSiteRevision(tx: Tx): Promise<void> {
  await tx
    .updateTable('site')
    .set(eb => ({ revision: eb('revision', '+', 1), modified_at: now }))
    .execute()
}
