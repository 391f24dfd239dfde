import { CompiledQuery, sql } from 'kysely'
import type { Store } from './store.ts'

/**
 * The store as it is at this moment, however long the work takes: whoever writes meanwhile does not wait, and is not seen. Only
 * its `read` may be used. With SQLite it must be nobody else's: everything it reads is in the snapshot.
 */
export async function withSnapshot<Value>(store: Store, work: (store: Store) => Promise<Value>): Promise<Value> {
  if (store.name === 'postgres')
    return store.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async tx => {
        // Copying bytes takes its time.
        await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx)
        await sql`set local statement_timeout = 0`.execute(tx)
        return work({ ...store, db: tx, read: async query => (await tx.executeQuery(query)).rows })
      })
  const run = (text: string) => store.read(CompiledQuery.raw(text))
  await run('begin')
  try {
    await run('select name from sqlite_master limit 1') // it begins with the first look
    return await work(store)
  } finally {
    await run('commit')
  }
}
