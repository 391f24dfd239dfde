import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startPostgres } from '../tools/postgres.ts'
import { addAdmin, compareGrowth, open, type Opened } from './growth.ts'
import { createSite, type Program, type Site } from './programs.ts'
import { createDatabase, insertAccounts } from './queries.ts'
import type { Figure } from './results.ts'

const smallCount = 1000
const many = 100_000

/** Whether a site with a hundred thousand accounts is as fast as one with a thousand. */
export async function users({ quick }: { quick: boolean }): Promise<Figure[]> {
  const accounts = quick ? 20_000 : many
  const figures = await compareSites('SQLite', accounts, createSite(), createSite())
  const postgres = await startPostgres()
  const databases = await Promise.all(['few', 'many'].map(name => createDatabase(postgres.url, name)))
  try {
    const [small, large] = databases.map(url => createSite(url)) as [Site, Site]
    return [...figures, ...(await compareSites('PostgreSQL', accounts, small, large))]
  } finally {
    await postgres.stop()
  }
}

async function compareSites(engine: string, accounts: number, small: Site, large: Site): Promise<Figure[]> {
  const programs: Program[] = []
  try {
    const [little, big] = [await opened(small, smallCount), await opened(large, accounts)]
    programs.push(little.program, big.program)
    const ratio = (what: string, path: string, more = {}) =>
      compareGrowth(little, big, () => path, { what: `${what}, ${engine}`, smallCount, ...more })
    return [
      await ratio(`list 100 of ${accounts} accounts`, '/api/users?limit=100'),
      await ratio('find one by e-mail', '/api/users/person777@example.org'),
      // This scans all accounts, so the time grows linearly, and must not grow more.
      await ratio('search a word that one account has', '/api/users/search?q=person777@', {
        target: 100,
        rounds: 3,
        times: 3,
      }),
    ]
  } finally {
    for (const program of programs) await program.stop()
    for (const site of [small, large]) site.remove()
  }
}

async function opened(site: Site, count: number): Promise<Opened> {
  process.stderr.write(`measuring: a site with ${count} accounts\n`)
  mkdirSync(join(site.folder, 'blueprints/users'), { recursive: true })
  writeFileSync(join(site.folder, 'blueprints/users/editor.yml'), 'title: Editor\n')
  addAdmin(site)
  await insertAccounts(site, count)
  return open(site)
}
