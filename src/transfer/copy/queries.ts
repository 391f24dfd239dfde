import { realpathSync } from 'node:fs'
import { CompiledQuery } from 'kysely'
import type { Store } from '../../platform/store/store.ts'

/** Identifies a database: two URLs may lead to the same one. */
export async function selectDatabaseIdentity(store: Store): Promise<string> {
  const ask = async (text: string) => (await store.read(CompiledQuery.raw(text))) as Record<string, string>[]
  if (store.name === 'sqlite') {
    const [{ file }] = (await ask(`select file from pragma_database_list where name = 'main'`)) as [{ file: string }]
    return realpathSync(file)
  }
  const rows = await ask(
    'select pg_postmaster_start_time()::text as started, current_database() as database, current_schema() as schema',
  )
  return JSON.stringify(rows[0])
}

export interface BlobRow {
  hash: string
  size: number
  /** Null while a file uses it. */
  unused_since: number | null
}

/** The next batch of blobs after a hash, including unused ones that are not swept yet. */
export async function selectBlobs(store: Store, after: string, limit: number): Promise<BlobRow[]> {
  const query = store.db
    .selectFrom('blobs')
    .select(['hash', 'size', 'unused_since'])
    .where('hash', '>', after)
    .orderBy('hash')
    .limit(limit)
  return (await store.read(query.compile())) as BlobRow[]
}

export async function countBlobs(store: Store): Promise<number> {
  const query = store.db.selectFrom('blobs').select(eb => eb.fn.countAll<number>().as('count'))
  const [row] = (await store.read(query.compile())) as { count: number | string }[]
  return Number(row!.count)
}
