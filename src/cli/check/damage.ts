import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** What is wrong with a SQLite file, and in which tables. */
export interface Damage {
  problems: string[]
  tables: string[]
}

const maxProblems = 20

/**
 * Checks the file without opening the site: a damaged file may fail anywhere, for example while it is migrated. Undefined
 * if it is in order, or does not exist.
 */
export function findDamage(path: string): Damage | undefined {
  if (!existsSync(path)) return undefined
  try {
    // Not read-only: the WAL of a server that was killed must be read, too.
    const db = new DatabaseSync(path, { timeout: 10_000 })
    try {
      const problems = checkIntegrity(db, `pragma integrity_check(${maxProblems})`)
      return problems.length === 0 ? undefined : { problems, tables: tablesOf(db) }
    } finally {
      db.close()
    }
  } catch (error) {
    return { problems: [(error as Error).message], tables: [] }
  }
}

function tablesOf(db: DatabaseSync): string[] {
  const tables = db.prepare("select name from sqlite_master where type = 'table' order by name").all() as {
    name: string
  }[]
  return tables
    .map(({ name }) => name)
    .filter(name => checkIntegrity(db, `pragma integrity_check("${name.replaceAll('"', '""')}")`).length > 0)
}

function checkIntegrity(db: DatabaseSync, pragma: string): string[] {
  try {
    const rows = db.prepare(pragma).all() as { integrity_check: string }[]
    return rows.map(row => row.integrity_check).filter(text => text !== 'ok')
  } catch (error) {
    return [(error as Error).message]
  }
}

/** What the operator can do. */
export function describeDamage(path: string, { problems, tables }: Damage): string[] {
  return [
    `The database ${path} is damaged${tables.length > 0 ? `, in ${tables.join(', ')}` : ''}.`,
    ...problems.map(problem => `  ${problem}`),
    'Stop the server, keep a copy of the file with its -wal, and restore the last backup: quoin restore <archive> --force.',
    'Without a backup, "sqlite3 quoin.db .recover" saves what can be read. Check the disk and the memory of the machine.',
  ]
}
