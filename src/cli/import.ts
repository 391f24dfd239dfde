import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { openApp } from '../app.ts'
import { openBlueprints } from '../blueprints/open.ts'
import { openExtensions } from '../extensions/open.ts'
import { unknownQueries } from '../blueprints/unknown-queries.ts'
import { type Config, loadConfig } from '../platform/config.ts'
import { copyBlueprints } from '../transfer/import/blueprints.ts'
import { countFolders, importFolder, mustBeSite, partOf } from '../transfer/import/import.ts'
import { CannotImport, createReport, note, type ImportReport } from '../transfer/import/report.ts'
import { openSource } from '../transfer/import/source.ts'
import { sqlitePath } from '../platform/store/open.ts'
import { reportLines } from './report.ts'
import { print, showBar, type Terminal, UsageError } from './terminal.ts'

interface Options {
  site: string
  json?: boolean
  dryRun?: boolean
}

/** Imports a folder of text files into a site, which may be new. */
export async function importSite(
  folder: string,
  { site, json = false, dryRun = false }: Options,
  terminal: Terminal,
): Promise<void> {
  const report = createReport()
  try {
    const source = openSource(folder, report)
    mustBeSite(source, folder)
    if (!dryRun) mkdirSync(resolve(site), { recursive: true })
    const copying = { source, report, site: resolve(site), dryRun }
    const roles = copyBlueprints(partOf(source, 'blueprints'), copying)
    const bar = showBar(terminal, 'Importing pages', () => countFolders(openSource(folder, createReport())))
    try {
      const config = await configOf(resolve(site), terminal)
      await withStore(config, dryRun, used => write(used, { source, report, dryRun, roles, progress: bar.progress }))
    } finally {
      bar.done()
    }
  } catch (error) {
    throw error instanceof CannotImport ? new UsageError(error.message) : error
  }
  if (!dryRun) await noteQueries(resolve(site), terminal, report)
  print(terminal, json, { status: 'ok', dryRun, ...report }, reportText(report, dryRun))
}

/** The folder may be new, so it need not be a site yet. */
const configOf = (site: string, { env, without = [] }: Terminal) => loadConfig({ site, environment: env, without })

/** Blueprints are copied unchanged; the code that their queries call may not exist in Quoin. */
async function noteQueries(site: string, terminal: Terminal, report: ImportReport): Promise<void> {
  const { blueprintParts } = await openExtensions(await configOf(site, terminal))
  const blueprints = openBlueprints(site, blueprintParts)
  for (const { file, line, query, names } of unknownQueries(join(site, 'blueprints'), blueprints))
    note(report, `blueprints/${file}:${line}`, `"${query}" gives nothing, because Quoin has no ${names.join(', ')}`)
  blueprints.close()
}

async function write(config: Config, options: Parameters<typeof importFolder>[1]): Promise<void> {
  const app = await openApp(config, { isMaintenance: true })
  try {
    await importFolder(app, options)
  } finally {
    await app.close()
  }
}

/** A dry run must not create a database: if there is none, it uses a temporary one. */
async function withStore(config: Config, dryRun: boolean, work: (config: Config) => Promise<void>): Promise<void> {
  if (!dryRun || config.database.url !== undefined || existsSync(sqlitePath(config))) return work(config)
  const data = mkdtempSync(join(tmpdir(), 'quoin-import-'))
  try {
    await work({ ...config, data })
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}

function reportText({ counts, skipped, notes, more }: ImportReport, dryRun: boolean): string {
  const lines = Object.entries(counts)
    .filter(([, { imported, updated, unchanged }]) => imported + updated + unchanged > 0)
    .map(
      ([kind, { imported, updated, unchanged }]) =>
        `${kind.padEnd(10)}  ${imported} imported, ${updated} updated, ${unchanged} unchanged`,
    )
  return [
    ...(dryRun ? ['Nothing was written. This would happen:'] : []),
    ...(lines.length === 0 ? ['There was nothing to import.'] : lines),
    ...reportLines('Not imported', { skipped, notes, more }),
    ...(dryRun ? [] : ['Run "quoin check --data" to see whether everything is as it should be.']),
  ].join('\n')
}
