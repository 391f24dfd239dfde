import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { App } from '../../app.ts'
import type { Terminal } from '../terminal.ts'
import { isEmpty } from './queries.ts'

/** What came into the store. */
export interface Filled {
  pages: number
  files: number
  /** What was left where it is, and why. */
  skipped: readonly { file: string; reason: string }[]
}

/**
 * A new site begins with what lies in its folder: pages, files, accounts and languages. From then on the store is what
 * counts, and the folder is not looked at again. Undefined where there was nothing to do.
 */
export async function fillFromFolder(app: App, terminal: Terminal = process): Promise<Filled | undefined> {
  const { site: folder } = app.config
  const unfinished = join(app.config.data, 'filling')
  if (!hasContent(folder) || !(existsSync(unfinished) || (await isEmpty(app.store)))) return undefined
  mkdirSync(app.config.data, { recursive: true, mode: 0o700 }) // with PostgreSQL it may not be there yet
  writeFileSync(
    unfinished,
    'The store is being filled from the folder of the site. Whoever finds this goes on with it.\n',
  )
  // Loaded only now: a site is filled once, and started often.
  const { countFolders, importFolder } = await import('../../transfer/import/import.ts')
  const { createReport } = await import('../../transfer/import/report.ts')
  const { openSource } = await import('../../transfer/import/source.ts')
  const { showBar } = await import('../terminal.ts')
  const report = createReport()
  const whole = openSource(folder, report)
  // Beside `content` everything is at the top here; a folder `site` would be something else.
  const source = { ...whole, has: (path: string) => path !== 'site' && whole.has(path) }
  const bar = showBar(terminal, 'Reading pages', () => countFolders(openSource(folder, createReport())))
  try {
    await importFolder(app, { source, report, dryRun: false, roles: [], progress: bar.progress })
  } finally {
    bar.done()
  }
  rmSync(unfinished, { force: true })
  const { pages, files } = report.counts
  return { pages: pages.imported, files: files.imported, skipped: report.skipped }
}

function hasContent(folder: string): boolean {
  const content = join(folder, 'content')
  return existsSync(content) && readdirSync(content).some(name => !name.startsWith('.'))
}
