import { sql } from 'kysely'
import { isAmong } from '../../../platform/store/among.ts'
import { now, type Store, type Tx } from '../../../platform/store/store.ts'

/** A redirect that has neither page nor target: it leads from all addresses below a former URL to the language. */
export interface FormerUrl {
  /** The key of the language. */
  language: string
  path: string
}

export async function insertFormerUrl(tx: Tx, former: FormerUrl): Promise<void> {
  const row = { page: null, target: null, is_automatic: 1, modified_at: now }
  await tx
    .insertInto('redirects')
    .values({ ...former, ...row, created_at: now })
    .onConflict(conflict => conflict.columns(['language', 'path']).doUpdateSet(row))
    .execute()
}

/** Of all languages. */
export async function deleteFormerUrl(tx: Tx, path: string): Promise<void> {
  await tx
    .deleteFrom('redirects')
    .where('language', 'in', tx.selectFrom('languages').select('key'))
    .where('path', '=', path)
    .execute()
}

/** Those of these URLs that lead to one of the languages, the longest first. */
export async function selectFormerUrls(
  store: Store,
  keys: readonly string[],
  paths: readonly string[],
): Promise<FormerUrl[]> {
  const query = store.db
    .selectFrom('redirects')
    .select(['language', 'path'])
    .where(isAmong(store.db, 'language', keys))
    .where(isAmong(store.db, 'path', paths))
    .orderBy(sql`length(path)`, 'desc')
    .orderBy('modified_at', 'desc')
  return (await store.read(query.compile())) as FormerUrl[]
}
