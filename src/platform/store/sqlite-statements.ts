import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { CompiledQuery, QueryResult } from 'kysely'

type Statement = Pick<CompiledQuery, 'sql' | 'parameters'>
type Run = (parameters: readonly unknown[]) => QueryResult<unknown>

/** Runs statements on a connection and keeps the last ones prepared. */
export function createRunner(connection: DatabaseSync, maxPrepared = 500) {
  const prepared = new Map<string, Run>()
  return <Row>({ sql, parameters }: Statement): QueryResult<Row> => {
    let run = prepared.get(sql)
    if (!run) {
      run = prepare(connection, sql)
      if (prepared.size >= maxPrepared) prepared.delete(prepared.keys().next().value!)
      prepared.set(sql, run)
    }
    return run(parameters) as QueryResult<Row>
  }
}

function prepare(connection: DatabaseSync, sql: string): Run {
  const statement = connection.prepare(sql)
  const names = statement.columns().map(({ name }) => name)
  if (names.length === 0)
    return parameters => ({
      rows: [],
      numAffectedRows: BigInt(statement.run(...bindable(parameters)).changes),
    })
  // The columns of `*` change when another process migrates the database.
  if (sql.includes('*')) return parameters => ({ rows: statement.all(...bindable(parameters)) })
  // V8 reads the properties of these objects faster than of those that node:sqlite returns.
  statement.setReturnArrays(true)
  return parameters => {
    const rows: Record<string, unknown>[] = []
    for (const values of statement.all(...bindable(parameters)) as unknown as unknown[][]) {
      const row: Record<string, unknown> = {}
      for (let index = 0; index < names.length; index++) row[names[index]!] = values[index]
      rows.push(row)
    }
    return { rows }
  }
}

/**
 * node:sqlite takes a leading object for named parameters and would silently bind NULL to the rest, so any value that
 * SQLite cannot store is refused here.
 */
function bindable(parameters: readonly unknown[]): SQLInputValue[] {
  for (let index = 0; index < parameters.length; index++) {
    const value = parameters[index]
    if (value !== null && typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint')
      throw new TypeError(`SQLite cannot store parameter ${index + 1}: ${typeof value}`)
  }
  return parameters as SQLInputValue[]
}
