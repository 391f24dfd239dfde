import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { CompiledQuery, QueryResult } from 'kysely'

type Query = Pick<CompiledQuery, 'sql' | 'parameters'>

interface Prepared {
  statement: StatementSync
  /** Names of the columns; empty for a statement that returns no rows. */
  names: readonly string[]
  /**
   * Rows come as arrays, and are turned into plain objects here: V8 reads their properties faster than those of the objects
   * that node:sqlite creates.
   */
  returnsArrays: boolean
}

/** Runs queries on a connection, with a cache of prepared statements. If it is full, the oldest one is evicted. */
export function createRunner(connection: DatabaseSync, maxPrepared = 500) {
  const prepared = new Map<string, Prepared>()
  return <Row>({ sql, parameters }: Query): QueryResult<Row> => {
    let found = prepared.get(sql)
    if (!found) {
      found = prepare(connection, sql)
      if (prepared.size >= maxPrepared) prepared.delete(prepared.keys().next().value!)
      prepared.set(sql, found)
    }
    const { statement, names, returnsArrays } = found
    const values = bindable(parameters)
    if (names.length === 0) return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) }
    if (!returnsArrays) return { rows: statement.all(...values) as Row[] }
    const rows: Record<string, unknown>[] = []
    for (const cells of statement.all(...values) as unknown as unknown[][]) {
      const row: Record<string, unknown> = {}
      for (let index = 0; index < names.length; index++) row[names[index]!] = cells[index]
      rows.push(row)
    }
    return { rows: rows as Row[] }
  }
}

function prepare(connection: DatabaseSync, sql: string): Prepared {
  const statement = connection.prepare(sql)
  const names = statement.columns().map(({ name }) => name)
  // The columns of `select *` change when another process migrates the database. (`count(*)` is only a little slower.)
  const returnsArrays = names.length > 0 && !sql.includes('*')
  if (returnsArrays) statement.setReturnArrays(true)
  return { statement, names, returnsArrays }
}

/**
 * node:sqlite takes a leading object for named parameters and would silently bind NULL to the rest. No column has the type
 * BLOB, so only null, strings and numbers are accepted.
 */
function bindable(parameters: readonly unknown[]): SQLInputValue[] {
  for (let index = 0; index < parameters.length; index++) {
    const value = parameters[index]
    if (value !== null && typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint')
      throw new TypeError(`Parameter ${index + 1} must be null, a string or a number: ${typeof value}`)
  }
  return parameters as SQLInputValue[]
}
