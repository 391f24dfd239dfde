import { join } from 'node:path'
import type { App } from '../../app.ts'
import { copyBlueprints } from '../import/blueprints.ts'
import { createReport, note, skip } from '../import/report.ts'
import { openSource } from '../import/source.ts'
import { contentLanguages } from '../../content/languages/languages.ts'
import { siteOwner } from '../../groups/site/site.ts'
import { openStore } from '../../platform/store/open.ts'
import { withSnapshot } from '../../platform/store/snapshot.ts'
import { readContents, writeContents } from './contents.ts'
import { writeDocuments } from './documents.ts'
import { type ExportRun, writeFiles } from './files.ts'
import { writeLanguages } from './languages.ts'
import { writePages } from './pages.ts'
import { countExportedRows } from './queries.ts'
import { writeRedirects } from './redirects.ts'
import type { ExportReport } from './report.ts'
import { openTarget, type Target } from './target.ts'
import { writeUsers } from './users.ts'

export interface ExportOptions {
  folder: string
  report: ExportReport
  /** Replaces a folder that was not made by an export. */
  force?: boolean
  /** Called before the first page with the number of all pages. */
  begin?: (pages: number) => void
  /** Called with the number of pages written so far. */
  progress?: (pages: number) => void
}

/**
 * Exports the whole site, as one consistent snapshot, to a folder that can be imported. Other processes can write
 * meanwhile.
 */
export async function exportSite(app: App, options: ExportOptions): Promise<void> {
  const { folder, report, force = false } = options
  const target = openTarget(folder, report, { force })
  try {
    exportBlueprints(app, target, report)
    const maintenanceStore = await openStore(app.config, { isMaintenance: true })
    try {
      await withSnapshot(maintenanceStore, store => writeSite({ ...app, store }, target, options))
    } finally {
      await maintenanceStore.close()
    }
  } catch (error) {
    target.discard()
    throw error
  }
  target.finish()
}

async function writeSite(
  app: App,
  target: Target,
  { report, begin, progress = () => {} }: ExportOptions,
): Promise<void> {
  const run: ExportRun = { app, target, report, languages: await contentLanguages(app) }
  begin?.(await countExportedRows(app.store, 'pages'))
  const [content, languages, accounts, redirects, documents] = [
    target.folder(target.top, 'content')!,
    target.folder(target.top, 'site', 'languages')!,
    target.folder(target.top, 'site', 'accounts')!,
    target.folder(target.top, 'site', 'redirects')!,
    target.folder(target.top, 'site', 'documents')!,
  ]
  await writeLanguages(run, languages)
  await writeUsers(run, accounts)
  const site = { owner: siteOwner, name: 'site', fields: app.blueprints.site().fields, excludedFields: () => noNames }
  writeContents(run, content, site, await readContents(app.store, [siteOwner]))
  await writeFiles(run, [{ owner: siteOwner, folder: content, text: 'site' }])
  await writePages(run, content, progress)
  await writeRedirects(run, redirects)
  await writeDocuments(run, documents)
  for (const [table, what] of Object.entries(unexportedTables)) {
    const left = await countExportedRows(app.store, table as keyof typeof unexportedTables)
    if (left > 0) note(report, 'content', `${left} ${what}`)
  }
}

const noNames: ReadonlySet<string> = new Set()

/** Tables whose rows cannot be represented in such a folder. */
const unexportedTables = {
  changes: 'drafts are not exported',
  schedules: 'schedules are not exported',
  trash: 'entries of the trash are not exported',
}

function exportBlueprints({ config }: App, target: Target, report: ExportReport): void {
  const read = createReport()
  const source = openSource(config.folder, read)
  copyBlueprints('blueprints', { source, report: read, site: join(target.top.path, 'site'), dryRun: false })
  report.counts.blueprints += read.counts.blueprints.imported
  for (const { file, reason } of read.skipped) skip(report, file, reason)
}
