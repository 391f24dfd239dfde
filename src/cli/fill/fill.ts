import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { App } from '../../app.ts'
import type { Terminal } from '../terminal.ts'
import { isEmpty } from './queries.ts'

/** What was imported. */
export interface FillReport {
  pages: number
  files: number
  /** What was not imported, and why. */
  skipped: readonly { file: string; reason: string }[]
}

/**
 * Fills the database of a new site from its folder: pages, files, accounts and languages. After that only the database
 * counts, and the folder is not read again. Undefined if there was nothing to do.
 */
export async function fillFromFolder(app: App, terminal: Terminal = process): Promise<FillReport | undefined> {
  const { folder } = app.config
  const unfinished = join(app.config.data, 'filling')
  if (!hasContent(folder) || !(existsSync(unfinished) || (await isEmpty(app.store)))) return undefined
  mkdirSync(app.config.data, { recursive: true, mode: 0o700 }) // may not exist yet with PostgreSQL
  writeFileSync(
    unfinished,
    'The store is being filled from the folder of the site. If this file is found at the start, filling continues.\n',
  )
  // Loaded lazily: a site is filled once and started often.
  const { countFolders, importFolder } = await import('../../transfer/import/import.ts')
  const { createReport } = await import('../../transfer/import/report.ts')
  const { openSource } = await import('../../transfer/import/source.ts')
  const { showBar } = await import('../terminal.ts')
  const report = createReport()
  const whole = openSource(folder, report)
  // Here languages and accounts are next to `content`; a folder `site` would be unrelated.
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
