/** Everything that is stored, to be compared. */
import { sql } from 'kysely'
import { engine, type TestApp } from './harness.ts'

/** Changes by itself: that a session was used is noted once a minute. */
const restless: Record<string, readonly string[]> = { sessions: ['last_seen_at', 'idle_until'] }

export type Dump = Record<string, string[]>

/** All rows of all tables, whichever there are, but not the inside of the search index; `but` leaves out those that are meant to come. */
export async function dump(
  { app }: TestApp,
  but: (row: Record<string, unknown>) => boolean = () => false,
): Promise<Dump> {
  const { db } = app.store
  const names = await (
    engine === 'sqlite'
      ? sql<{
          name: string
        }>`select name from sqlite_master where type = 'table' and name not like 'sqlite_%'
          and name not like 'search_index_%' order by name`
      : sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public' order by tablename`
  ).execute(db)
  const found: Dump = {}
  for (const { name } of names.rows) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(db)
    found[name] = rows
      .filter(row => !but(row))
      .map(row => JSON.stringify(row, (key, value: unknown) => (restless[name]?.includes(key) ? undefined : value)))
      .toSorted()
  }
  return found
}
