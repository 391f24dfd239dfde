import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'
import type { Database } from './schema.ts'
import type { Store } from './store.ts'

export const isPostgres = (db: Kysely<Database>) => db.getExecutor().adapter instanceof PostgresAdapter

/**
 * Whether a column is one of the values, which are passed as one parameter: building a statement with a placeholder for
 * each would take longer than running it.
 */
export function isAmong(db: Kysely<Database>, column: string, values: readonly string[]): RawBuilder<boolean> {
  return isInList(db, column, isPostgres(db) ? [...values] : JSON.stringify(values))
}

/** A list of texts as one parameter of a prepared statement. */
export type ListParameter = string | string[]

export const listParameter = ({ name }: Pick<Store, 'name'>, values: readonly string[]): ListParameter =>
  name === 'postgres' ? [...values] : JSON.stringify(values)

/** The same as `isAmong` for a prepared statement: one compiled statement serves lists of every length. */
export function isInList(db: Kysely<Database>, column: string, list: ListParameter): RawBuilder<boolean> {
  return isIn(db, sql.ref(column), list)
}

/** The same for an expression. */
export function isIn(db: Kysely<Database>, value: RawBuilder<unknown>, list: ListParameter): RawBuilder<boolean> {
  const among = isPostgres(db) ? sql`= any(${list}::text[])` : sql`in (select value from json_each(${list}))`
  return sql<boolean>`${value} ${among}`
}
