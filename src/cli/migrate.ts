import { existsSync } from 'node:fs'
import { convertContents } from '../content/convert/convert.ts'
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

/** The server migrates when it starts; this command shows the migrations, or runs them beforehand. */
export async function migrate({ site, json = false, dryRun = false }: Options, terminal: Terminal): Promise<void> {
  const config = await siteConfig(site, terminal)
  if (dryRun && config.database.url === undefined && !existsSync(sqlitePath(config))) {
    return printNames(terminal, json, dryRun, allMigrations) // must not create a database
  }
  const store = await openStore(config, { isMaintenance: true })
  try {
    const names = dryRun ? await pendingMigrations(store) : await runMigrations(store, release)
    if (!dryRun) await withSite(site, terminal, app => convertContents(app))
    printNames(terminal, json, dryRun, names)
  } finally {
    await store.close()
  }
}

const allMigrations = migrations.map(([name]) => name)

function printNames(terminal: Terminal, json: boolean, dryRun: boolean, names: string[]): void {
  const verb = dryRun ? 'would run' : 'ran'
  const text = names.length === 0 ? 'The store is up to date.' : names.map(name => `${verb} ${name}`).join('\n')
  print(terminal, json, { status: 'ok', dryRun, migrations: names }, text)
}
