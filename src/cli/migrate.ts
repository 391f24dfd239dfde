import { release } from '../release.ts'
import { migrate as runMigrations, pendingMigrations } from '../store/migrate.ts'
import { openStore } from '../store/open.ts'
import { siteConfig } from './site.ts'
import { print } from './terminal.ts'

/** The server migrates by itself when it starts; this is for those who want to see it, or to do it beforehand. */
export async function migrate({
  site,
  json = false,
  dryRun = false,
}: {
  site: string
  json?: boolean
  dryRun?: boolean
}) {
  const store = await openStore(await siteConfig(site))
  try {
    const names = dryRun ? await pendingMigrations(store) : await runMigrations(store, release)
    const verb = dryRun ? 'would run' : 'ran'
    const text = names.length === 0 ? 'The store is up to date.' : names.map(name => `${verb} ${name}`).join('\n')
    print(json, { status: 'ok', dryRun, migrations: names }, text)
  } finally {
    await store.close()
  }
}
