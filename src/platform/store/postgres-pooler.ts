import pg from 'pg'

/** What a pooler between us and the server changes. */
export interface Pooler {
  /** Statements of one client may run on different connections to the server, so `set` has no lasting effect. */
  isPooled: boolean
  /** Whether a named statement can be used again. */
  canName: boolean
}

const probe = 'quoin_probe'

/**
 * A pooler such as PgBouncer sends a process id of its own instead of that of the server. In session mode it would be no
 * obstacle, but a client cannot tell the modes apart.
 */
export async function isBehindPooler(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]!.pid !== (client as pg.ClientBase & { processID: number }).processID
}

/**
 * PgBouncer 1.21 and later replaces the names of statements, if it tracks them. Names that a pooler passes on are unknown
 * to the next connection.
 */
export async function detectPooler(client: pg.ClientBase): Promise<Pooler> {
  if (!(await isBehindPooler(client))) return { isPooled: false, canName: true }
  await client.query('begin') // one connection to the server until the end
  try {
    await client.query({ name: probe, text: 'select 1' })
    const { rowCount } = await client.query('select 1 from pg_prepared_statements where name = $1', [probe])
    if (rowCount !== 0) await client.query(`deallocate ${probe}`)
    return { isPooled: true, canName: rowCount === 0 }
  } finally {
    await client.query('rollback')
  }
}

/** Values as PostgreSQL shows them. */
export type SessionSettings = Record<string, string>

/** The statement that makes the settings those of the connection, or of the transaction. */
export const setAll = (settings: SessionSettings, command: 'set' | 'set local' = 'set'): string =>
  Object.entries(settings)
    .map(([name, value]) => `${command} ${name} = '${value}'`)
    .join('; ')

/**
 * Behind a pooler the settings must be those of the role, which each connection to the server begins with. Writes those
 * that differ, and returns what the operator should know.
 */
export async function writeRoleSettings(client: pg.ClientBase, settings: SessionSettings): Promise<string[]> {
  const names = Object.keys(settings)
  const { rows } = await client.query<{ name: string; value: string; role: string; database: string }>(
    `select name, current_setting(name) as value, current_user as role, current_database() as database
     from unnest($1::text[]) as name`,
    [names],
  )
  const wrong = rows.filter(({ name, value }) => value !== settings[name])
  if (wrong.length === 0) return []
  const { role, database } = wrong[0]!
  const target = `role ${pg.escapeIdentifier(role)} in database ${pg.escapeIdentifier(database)}`
  const statements = wrong.map(({ name }) => `alter ${target} set ${name} = '${settings[name]!}'`)
  try {
    for (const statement of statements) await client.query(statement)
  } catch (error) {
    return [
      `the database is behind a pooler, and its settings could not be written (${(error as Error).message}); run as its owner: ${statements.join('; ')}`,
    ]
  }
  return [
    `the database is behind a pooler: wrote ${wrong.map(({ name }) => name).join(', ')} for ${target}. ` +
      'They apply to new connections of the pooler: for PgBouncer, run RECONNECT.',
  ]
}
