import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { App } from '../../app.ts'
import type { Terminal } from '../terminal.ts'
import { isEmpty } from './queries.ts'

/** What was imported. */
export interface InitialImportReport {
  pages: number
  files: number
  /** What was not imported, and why. */
  skipped: readonly { file: string; reason: string }[]
}

/**
 * Imports the folder of a new site: pages, files, accounts and languages. After that the database is authoritative:
 * changes in the folder have no effect. Undefined if the folder has no content or the database is not empty.
 */
export async function importSiteFolder(
  app: App,
  terminal: Terminal = process,
): Promise<InitialImportReport | undefined> {
  const { folder } = app.config
  /** If this file exists at the start, an interrupted import continues. */
  const markerFile = join(app.config.data, 'filling')
  if (!hasContent(folder) || !(existsSync(markerFile) || (await isEmpty(app.store)))) return undefined
  mkdirSync(app.config.data, { recursive: true, mode: 0o700 }) // may not exist yet with PostgreSQL
  writeFileSync(
    markerFile,
    'The store is being filled from the folder of the site. If this file is found at the start, filling continues.\n',
  )
  // Loaded lazily: a site is imported once and started often.
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
  rmSync(markerFile, { force: true })
  const { pages, files } = report.counts
  return { pages: pages.imported, files: files.imported, skipped: report.skipped }
}

function hasContent(folder: string): boolean {
  const content = join(folder, 'content')
  return existsSync(content) && readdirSync(content).some(name => !name.startsWith('.'))
}
