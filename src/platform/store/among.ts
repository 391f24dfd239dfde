import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'
import type { Database } from './schema.ts'

export const isPostgres = (db: Kysely<Database>) => db.getExecutor().adapter instanceof PostgresAdapter

/**
 * Whether a column is one of these, however many there are: to put together a statement with a place for each would take
 * longer than all that the store does with it.
 */
export function among(db: Kysely<Database>, column: string, values: readonly string[]): RawBuilder<boolean> {
  const list = isPostgres(db)
    ? sql`= any(${[...values]}::text[])`
    : sql`in (select value from json_each(${JSON.stringify(values)}))`
  return sql<boolean>`${sql.ref(column)} ${list}`
}
