import { realpathSync } from 'node:fs'
import { CompiledQuery } from 'kysely'
import type { Store } from '../store/store.ts'

/** Two addresses may lead to one store. */
export async function whereIs(store: Store): Promise<string> {
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
