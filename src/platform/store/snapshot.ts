import { CompiledQuery, sql } from 'kysely'
import type { Store } from './store.ts'

/**
 * A consistent snapshot of the store, however long the work takes: writers do not wait for it, and their changes are
 * not visible in it. Only its `read` may be used. With SQLite the store must not be shared with other code, because
 * everything it reads comes from the snapshot.
 */
export async function withSnapshot<Value>(store: Store, work: (store: Store) => Promise<Value>): Promise<Value> {
  if (store.name === 'postgres')
    return store.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async tx => {
        // Copying files can take longer than these timeouts.
        await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx)
        await sql`set local statement_timeout = 0`.execute(tx)
        return work({ ...store, db: tx, read: async query => (await tx.executeQuery(query)).rows })
      })
  const run = (text: string) => store.read(CompiledQuery.raw(text))
  await run('begin')
  try {
    await run('select name from sqlite_master limit 1') // SQLite takes the snapshot at the first read
    return await work(store)
  } finally {
    await run('commit')
  }
}
