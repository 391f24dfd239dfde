import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { note, type ImportReport, skip } from './report.ts'
import type { SourceEntry, ImportSource } from './source.ts'

const maxBytes = 100 * 1024
const maxDepth = 5
const namePattern = /^[\w-]+$/

export interface CopyContext {
  source: ImportSource
  report: ImportReport
  /** The site folder; `blueprints` is created in it if it does not exist. */
  site: string
  dryRun: boolean
}

/** Existing blueprints of the site stay unchanged. Returns the roles that the folder describes. */
export function copyBlueprints(folder: string, copying: CopyContext): string[] {
  const { source, report, site, dryRun } = copying
  const names: string[] = []

  function copy(entry: SourceEntry): void {
    const name = entry.path.slice(folder.length + 1)
    if (
      !name.endsWith('.yml') ||
      !name
        .slice(0, -4)
        .split('/')
        .every(part => namePattern.test(part))
    )
      return skip(report, entry.path, 'blueprints are .yml files with letters, digits, - and _ in their names')
    const read = source.text(entry.path, maxBytes)
    if (!read) return
    names.push(name)
    const target = join(site, 'blueprints', name)
    if (!existsSync(target)) {
      report.counts.blueprints.imported++
      if (dryRun) return
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, read.text, { flag: 'wx' })
    } else {
      report.counts.blueprints.unchanged++
      if (readFileSync(target, 'utf8') !== read.text) note(report, entry.path, 'the site has its own; that one stays')
    }
  }

  function walk(path: string, depth: number): void {
    for (const entry of source.list(path)) {
      if (entry.name.startsWith('.')) continue
      if (!entry.isFolder) copy(entry)
      else if (depth >= maxDepth) skip(report, entry.path, 'this is nested too deeply')
      else walk(entry.path, depth + 1)
    }
  }
  if (source.has(folder)) walk(folder, 1)
  return names.flatMap(name => /^users\/([\w-]+)\.yml$/.exec(name)?.[1] ?? [])
}
