import { sql } from 'kysely'
import { isAmong, isPostgres } from '../store/among.ts'
import { now, type Store, type Tx } from '../store/store.ts'

/*
 * `blobs.unused_since`: null while a file or one of its versions uses the blob, otherwise since when none does. While its bytes are being
 * removed, it is the time at which that began, negative; such a row can neither be claimed nor used.
 */
const isAvailable = sql<boolean>`(unused_since is null or unused_since >= 0)`

/**
 * Inserts blobs as unused, or restarts the hour after which unused ones are swept; in the given order, which is the
 * order of the row locks. If bytes are being removed, returns since how many milliseconds.
 */
export async function upsertUnused(
  tx: Tx,
  blobs: readonly { hash: string; size: number }[],
): Promise<number | undefined> {
  const list = isPostgres(tx)
    ? sql`select hash, size, quoin_now() from unnest(${blobs.map(({ hash }) => hash)}::text[],
        ${blobs.map(({ size }) => size)}::bigint[]) as given (hash, size)`
    : sql`select value ->> 'hash', value ->> 'size', quoin_now() from json_each(${JSON.stringify(blobs)}) where true`
  await sql`insert into blobs (hash, size, unused_since) ${list} on conflict (hash) do update
    set unused_since = excluded.unused_since where blobs.unused_since >= 0`.execute(tx)
  const hashes = blobs.map(({ hash }) => hash)
  const { age } = await tx
    .selectFrom('blobs')
    .select(sql<number | null>`max(${now} + unused_since)`.as('age'))
    .where(isAmong(tx, 'hash', hashes))
    .where('unused_since', '<', 0)
    .executeTakeFirstOrThrow()
  return age ?? undefined
}

/** Returns how many of these blobs (still) exist. */
export async function markManyUsed(tx: Tx, hashes: readonly string[]): Promise<number> {
  const isOne = isAmong(tx, 'hash', hashes)
  if (isPostgres(tx)) await tx.selectFrom('blobs').select('hash').where(isOne).orderBy('hash').forUpdate().execute()
  const { numUpdatedRows } = await tx
    .updateTable('blobs')
    .set({ unused_since: null })
    .where(isOne)
    .where(isAvailable)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** False if there is no such blob (any more). */
export async function markUsed(tx: Tx, hash: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('blobs')
    .set({ unused_since: null })
    .where('hash', '=', hash)
    .where(isAvailable)
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
        eb.not(
          eb.exists(eb.selectFrom('file_versions').select('owner').whereRef('file_versions.hash', '=', 'blobs.hash')),
        ),
        eb.not(eb.exists(eb.selectFrom('trash_rows').select('id').whereRef('trash_rows.hash', '=', 'blobs.hash'))),
      ]),
    )
    .execute()
}

const before = (milliseconds: number) => sql<number>`${now} - cast(${milliseconds} as bigint)`

/** After which times a blob is swept, in milliseconds. */
export interface SweepTimes {
  unusedFor: number
  /** A removal that has not ended by then is begun again. */
  removingFor: number
}

const isDue = ({ unusedFor, removingFor }: SweepTimes) =>
  sql<boolean>`(unused_since between 0 and ${before(unusedFor)} or unused_since between -(${before(removingFor)}) and -1)`

export async function selectUnusedBlobs(store: Store, times: SweepTimes, limit: number): Promise<string[]> {
  const query = store.db.selectFrom('blobs').select('hash').where(isDue(times)).orderBy('unused_since').limit(limit)
  return ((await store.read(query.compile())) as { hash: string }[]).map(({ hash }) => hash)
}

/** Begins the removal of a blob, unless it is used or removed by another process. The result identifies the removal. */
export async function claimRemoval(tx: Tx, hash: string, times: SweepTimes): Promise<number | undefined> {
  const row = await tx
    .updateTable('blobs')
    .set({ unused_since: sql<number>`-${now}` })
    .where('hash', '=', hash)
    .where(isDue(times))
    .returning('unused_since')
    .executeTakeFirst()
  return row?.unused_since ?? undefined
}

/** The bytes are gone. */
export async function deleteBlob(tx: Tx, hash: string, removal: number): Promise<void> {
  await tx.deleteFrom('blobs').where('hash', '=', hash).where('unused_since', '=', removal).execute()
}

/** The bytes stay. */
export async function markUnusedAgain(tx: Tx, hash: string, removal: number): Promise<void> {
  await tx
    .updateTable('blobs')
    .set({ unused_since: now })
    .where('hash', '=', hash)
    .where('unused_since', '=', removal)
    .execute()
}

/** Returns those of the hashes that have a row. */
export async function selectKnown(store: Store, hashes: readonly string[]): Promise<Set<string>> {
  const query = store.db.selectFrom('blobs').select('hash').where('hash', 'in', hashes)
  return new Set(((await store.read(query.compile())) as { hash: string }[]).map(({ hash }) => hash))
}
