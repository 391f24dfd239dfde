import { sql } from 'kysely'
import { isPostgres } from '../../platform/store/among.ts'
import { batched } from '../../platform/store/batch.ts'
import type { LanguagesTable } from '../../platform/store/tables/content.ts'
import { deferredIn, prepared, preparedIn, type Store, type Tx } from '../../platform/store/store.ts'

export type LanguageRow = LanguagesTable

/** `has_slugs`: whether any page has a translated slug in the language. */
const selectAll = prepared(db =>
  db
    .selectFrom('languages')
    .selectAll()
    .select(
      sql<number>`case when exists (
        select 1 from page_slugs where page_slugs.language = languages.key
      ) then 1 else 0 end`.as('has_slugs'),
    )
    .orderBy('code'),
)

export type LanguageInUse = Awaited<ReturnType<typeof selectAll>>[number]

const batchedLanguages = batched(
  async store => [await selectAll(store)],
  () => 'all',
)

interface CachedLanguages {
  version: number | string
  rows: LanguageInUse[]
}

const caches = new WeakMap<Store, CachedLanguages>()

/**
 * All languages, sorted by code. Cached while the version of the database does not change. Reading it takes as long as a
 * short read, so `readAt` is the version at which the request has begun, if it only reads.
 */
export async function selectLanguages(store: Store, readAt?: number | string): Promise<LanguageInUse[]> {
  const version = readAt ?? store.version()?.number
  const last = caches.get(store)
  if (last && last.version === version) return last.rows
  const rows = (await (store.name === 'postgres' ? batchedLanguages(store, 'all') : selectAll(store))) ?? []
  if (version !== undefined) caches.set(store, { version, rows })
  return rows
}

// ---- changes

/**
 * Locks all languages for a change, until the end of the transaction. Locks the row of the site first, because there
 * may be no language to lock yet.
 */
export async function lockLanguages({ name }: Store, tx: Tx): Promise<LanguageRow[]> {
  const canLock = name === 'postgres'
  if (canLock) await tx.selectFrom('site').select('one').forUpdate().execute()
  return tx
    .selectFrom('languages')
    .selectAll()
    .orderBy('code')
    .$if(canLock, query => query.forUpdate())
    .execute()
}

/** Share lock for content writes: they run concurrently, but languages cannot change until the transaction ends. */
export async function lockLanguagesShared(tx: Tx): Promise<Pick<LanguageRow, 'code' | 'key' | 'is_default'>[]> {
  return (await shareLocked(tx, {})).rows
}

const shared = (db: Store['db']) =>
  db
    .selectFrom('languages')
    .select(['code', 'key', 'is_default'])
    .orderBy('code')
    .$if(isPostgres(db), query => query.forShare())
const shareLocked = preparedIn<object>()([], shared)

/** Only for PostgreSQL: the lock alone, for what is read with the next statement. */
export const lockLanguagesBeforeRead = deferredIn<object>()([], shared)

export async function insertLanguage(tx: Tx, row: LanguageRow): Promise<void> {
  await tx.insertInto('languages').values(row).execute()
}

export async function updateLanguageRow(tx: Tx, code: string, change: Partial<LanguageRow>): Promise<void> {
  await tx.updateTable('languages').set(change).where('code', '=', code).execute()
}

/** Clears the previous default first: a unique index allows only one. */
export async function updateDefault(tx: Tx, code: string): Promise<void> {
  await tx.updateTable('languages').set({ is_default: 0 }).where('is_default', '=', 1).execute()
  await updateLanguageRow(tx, code, { is_default: 1 })
}

export async function deleteLanguageRow(tx: Tx, code: string): Promise<void> {
  await tx.deleteFrom('languages').where('code', '=', code).execute()
}
