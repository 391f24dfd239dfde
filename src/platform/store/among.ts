import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'
import type { Database } from './schema.ts'

export const isPostgres = (db: Kysely<Database>) => db.getExecutor().adapter instanceof PostgresAdapter

/**
 * Whether a column is one of the values, which are passed as one parameter: building a statement with a placeholder for
 * each would take longer than running it.
 */
export function isAmong(db: Kysely<Database>, column: string, values: readonly string[]): RawBuilder<boolean> {
  const list = isPostgres(db)
    ? sql`= any(${[...values]}::text[])`
    : sql`in (select value from json_each(${JSON.stringify(values)}))`
  return sql<boolean>`${sql.ref(column)} ${list}`
}
