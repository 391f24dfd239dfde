import { sql } from 'kysely'
import { isAmong, isPostgres } from '../store/among.ts'
import { now, type Store, type Tx } from '../store/store.ts'

/** Inserts a blob as unused, or restarts the hour after which an unused one is swept. */
export async function upsertUnused(tx: Tx, hash: string, size: number): Promise<void> {
  await tx
    .insertInto('blobs')
    .values({ hash, size, unused_since: now })
    .onConflict(conflict =>
      conflict.column('hash').doUpdateSet(eb => ({
        unused_since: eb.case().when('blobs.unused_since', 'is', null).then(null).else(now).end(),
      })),
    )
    .execute()
}

/** The same for many, in the given order, which is the order of the row locks. */
export async function upsertManyUnused(tx: Tx, blobs: readonly { hash: string; size: number }[]): Promise<void> {
  const list = isPostgres(tx)
    ? sql`select hash, size, quoin_now() from unnest(${blobs.map(({ hash }) => hash)}::text[],
        ${blobs.map(({ size }) => size)}::bigint[]) as given (hash, size)`
    : sql`select value ->> 'hash', value ->> 'size', quoin_now() from json_each(${JSON.stringify(blobs)}) where true`
  await sql`insert into blobs (hash, size, unused_since) ${list} on conflict (hash) do update
    set unused_since = case when blobs.unused_since is null then null else excluded.unused_since end`.execute(tx)
}

/** Returns how many of these rows (still) exist. */
export async function markManyUsed(tx: Tx, hashes: readonly string[]): Promise<number> {
  const isOne = isAmong(tx, 'hash', hashes)
  if (isPostgres(tx)) await tx.selectFrom('blobs').select('hash').where(isOne).orderBy('hash').forUpdate().execute()
  const { numUpdatedRows } = await tx.updateTable('blobs').set({ unused_since: null }).where(isOne).executeTakeFirst()
  return Number(numUpdatedRows)
}

/** False if there is no such row (any more). */
export async function markUsed(tx: Tx, hash: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('blobs')
    .set({ unused_since: null })
    .where('hash', '=', hash)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/**
 * Locks the rows first: of two transactions that each delete one of the last two files, the second sees the deletion of
 * the first.
 */
export async function markUnused(tx: Tx, hashes: readonly string[]): Promise<void> {
  await tx
    .selectFrom('blobs')
    .select('hash')
    .where('hash', 'in', hashes)
    .orderBy('hash')
    .$if(isPostgres(tx), query => query.forUpdate())
    .execute()
  await tx
    .updateTable('blobs')
    .set({ unused_since: now })
    .where('hash', 'in', hashes)
    .where('unused_since', 'is', null)
    .where(eb =>
      eb.and([
        eb.not(eb.exists(eb.selectFrom('files').select('files.uuid').whereRef('files.hash', '=', 'blobs.hash'))),
        eb.not(eb.exists(eb.selectFrom('trash_rows').select('id').whereRef('trash_rows.hash', '=', 'blobs.hash'))),
      ]),
    )
    .execute()
}

const before = (milliseconds: number) => sql<number>`${now} - cast(${milliseconds} as bigint)`

/** Blobs that have been unused for this long. */
export async function selectUnused(store: Store, milliseconds: number, limit: number): Promise<string[]> {
  const query = store.db
    .selectFrom('blobs')
    .select('hash')
    .where('unused_since', '<', before(milliseconds))
    .orderBy('unused_since')
    .limit(limit)
  return ((await store.read(query.compile())) as { hash: string }[]).map(({ hash }) => hash)
}

/** True if the blob is still unused; then its row is locked, and transactions that want to use it wait. */
export async function lockUnused(tx: Tx, hash: string, milliseconds: number): Promise<boolean> {
  const row = await tx
    .selectFrom('blobs')
    .select('hash')
    .where('hash', '=', hash)
    .where('unused_since', '<', before(milliseconds))
    .$if(isPostgres(tx), query => query.forUpdate())
    .executeTakeFirst()
  return row !== undefined
}

export async function deleteBlob(tx: Tx, hash: string): Promise<void> {
  await tx.deleteFrom('blobs').where('hash', '=', hash).execute()
}

/** Returns those of the hashes that have a row. */
export async function selectKnown(store: Store, hashes: readonly string[]): Promise<Set<string>> {
  const query = store.db.selectFrom('blobs').select('hash').where('hash', 'in', hashes)
  return new Set(((await store.read(query.compile())) as { hash: string }[]).map(({ hash }) => hash))
}
