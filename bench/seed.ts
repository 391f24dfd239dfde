/**
 * `node bench/seed.ts --pages 1000000 --data <folder>` or `--database-url <url>`: fills an empty database with pages.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadConfig } from '../src/platform/config.ts'
import { release } from '../src/platform/release.ts'
import { migrate } from '../src/platform/store/migrate.ts'
import { openStore, sqlitePath } from '../src/platform/store/open.ts'
import { blueprints } from './seed/pages.ts'
import { seedPostgres } from './seed/queries.ts'
import { seedSqlite } from './seed/sqlite.ts'

export interface SeedOptions {
  /** The location of the database: one of these two. */
  data?: string | undefined
  databaseUrl?: string | undefined
  pages: number
  /** Also stores the first version of every page. */
  history?: boolean
}

/** Returns pages per second. */
export async function seed({ data, databaseUrl, pages, history = false }: SeedOptions): Promise<number> {
  const options = { ...(data && { data }), ...(databaseUrl && { database: { url: databaseUrl } }) }
  const config = await loadConfig({ site: data ?? '.', environment: {}, options })
  const store = await openStore(config, { isMaintenance: true })
  try {
    await migrate(store, release)
    const found = await store.db.selectFrom('pages').select('uuid').limit(1).execute()
    if (found.length > 0) throw new Error('There are pages in this store. Only an empty one can be seeded.')
  } finally {
    await store.close()
  }
  const start = performance.now()
  const onProgress = (done: number) => showProgress(done, pages, start)
  if (databaseUrl === undefined) await seedSqlite(sqlitePath(config), pages, history, onProgress)
  else await seedPostgres(databaseUrl, pages, history, onProgress)
  const perSecond = (pages * 1000) / (performance.now() - start)
  process.stderr.write(`\r${pages} pages, ${Math.round(perSecond)} a second, all in all\u001b[K\n`)
  return perSecond
}

/** Writes the blueprints of the pages into the folder of the site. */
export function writeBlueprints(site: string): void {
  for (const [name, text] of Object.entries(blueprints)) {
    const path = join(site, 'blueprints', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}

/** Of the progress bar, in characters. */
const barWidth = 30

function showProgress(done: number, total: number, start: number): void {
  const fraction = Math.min(1, done / total)
  const bar = '█'.repeat(Math.round(fraction * barWidth)).padEnd(barWidth, '░')
  const perSecond = Math.round((done * 1000) / (performance.now() - start))
  process.stderr.write(`\r${bar} ${Math.floor(fraction * 100)} % ${done} of ${total}, ${perSecond} a second\u001b[K`)
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      pages: { type: 'string' },
      data: { type: 'string' },
      'database-url': { type: 'string' },
      history: { type: 'boolean' },
      site: { type: 'string' },
    },
  })
  const { pages, data, 'database-url': databaseUrl, history = false, site } = values
  if (!/^\d{1,8}$/.test(pages ?? '') || (data === undefined) === (databaseUrl === undefined)) {
    console.error(
      'Usage: node bench/seed.ts --pages <number> (--data <folder> | --database-url <url>) [--history] [--site <folder>]\n' +
        'With --site the blueprints of these pages are written there, too.',
    )
    process.exit(2)
  }
  if (site !== undefined) writeBlueprints(site)
  await seed({ data, databaseUrl, pages: Number(pages), history })
}
