import { existsSync } from 'node:fs'
import { convertContents, listUnconverted } from '../content/convert/convert.ts'
import { release } from '../platform/release.ts'
import { migrate as runMigrations, migrations, pendingMigrations } from '../platform/store/migrate.ts'
import { openStore, sqlitePath } from '../platform/store/open.ts'
import { siteConfig } from './site-config.ts'
import { withSite } from './site.ts'
import { print, type Terminal } from './terminal.ts'

interface Options {
  site: string
  json?: boolean
  dryRun?: boolean
}

/**
 * The server migrates when it starts, and converts contents that a migration could not convert without blueprints. This
 * command shows what is to be done, or does it beforehand.
 */
export async function migrate({ site, json = false, dryRun = false }: Options, terminal: Terminal): Promise<void> {
  const config = await siteConfig(site, terminal)
  if (dryRun && config.database.url === undefined && !existsSync(sqlitePath(config))) {
    return printSteps(terminal, { json, dryRun }, { names: allMigrations, tables: [] }) // must not create a database
  }
  const store = await openStore(config, { isMaintenance: true })
  try {
    const names = dryRun ? await pendingMigrations(store) : await runMigrations(store, release)
    // Pending migrations have to run before it is known which contents are to be converted.
    const tables = dryRun && names.length > 0 ? [] : await listUnconverted(store)
    if (!dryRun) await withSite(site, terminal, app => convertContents(app))
    printSteps(terminal, { json, dryRun }, { names, tables })
  } finally {
    await store.close()
  }
}

const allMigrations = migrations.map(([name]) => name)

interface Steps {
  /** Of migrations. */
  names: string[]
  /** With contents that are converted. */
  tables: string[]
}

function printSteps(
  terminal: Terminal,
  { json, dryRun }: { json: boolean; dryRun: boolean },
  { names, tables }: Steps,
): void {
  const lines = [
    ...names.map(name => `${dryRun ? 'would run' : 'ran'} ${name}`),
    ...tables.map(table => `${dryRun ? 'would convert' : 'converted'} ${table}`),
  ]
  const text = lines.length === 0 ? 'The database is up to date.' : lines.join('\n')
  print(terminal, json, { status: 'ok', dryRun, migrations: names, conversions: tables }, text)
}
