import { sql } from 'kysely'
import { versionColumn } from '../../platform/store/postgres-version.ts'
import { now, prepared, type Store, type Tx } from '../../platform/store/store.ts'

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

/** The items of a release that is not published, with the pages that exist. */
export async function selectReleasedItems(store: Store, release: string) {
  const query = store.db
    .selectFrom('release_items')
    .leftJoin('pages', join => join.on('release_items.owner', '=', sql<string>`'page://' || pages.uuid`))
    .select(['release_items.owner', 'release_items.action', 'release_items.status'])
    .select(['pages.uuid', 'pages.parent', 'pages.path', 'pages.template'])
    .where('release_items.release', '=', release)
    .where('release_items.is_published', '=', 0)
    .orderBy('release_items.position')
  return (await store.read(query.compile())) as Awaited<ReturnType<typeof query.execute>>
}
