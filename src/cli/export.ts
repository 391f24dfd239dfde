import { resolve } from 'node:path'
import { exportSite as write } from '../transfer/export/export.ts'
import { CannotExport, createReport, type ExportReport } from '../transfer/export/report.ts'
import { reportLines } from './report.ts'
import { withSite } from './site.ts'
import { type Bar, print, showBar, type Terminal, UsageError } from './terminal.ts'

interface Options {
  site: string
  json?: boolean
  force?: boolean
}

/** Exports a site to a folder of text files that `import` can read. */
export async function exportSite(
  folder: string,
  { site, json = false, force = false }: Options,
  terminal: Terminal,
): Promise<void> {
  const report = createReport()
  let bar: Bar | undefined
  const begin = (pages: number) => {
    bar = showBar(terminal, 'Exporting pages', () => pages)
  }
  try {
    const options = { folder, report, force, begin, progress: (done: number) => bar?.progress(done) }
    await withSite(site, terminal, app => write(app, options))
  } catch (error) {
    throw error instanceof CannotExport ? new UsageError(error.message) : error
  } finally {
    bar?.done()
  }
  print(terminal, json, { status: 'ok', folder: resolve(folder), ...report }, reportText(folder, report))
}

function reportText(folder: string, { counts, ...rest }: ExportReport): string {
  const lines = Object.entries(counts).map(([kind, count]) => `${kind.padEnd(10)}  ${count}`)
  return [`Exported to ${resolve(folder)}:`, ...lines, ...reportLines('Not exported', rest)].join('\n')
}
