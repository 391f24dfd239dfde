import { setImmediate } from 'node:timers/promises'
import type { App } from '../../app.ts'
import { takeAllAddresses } from '../../content/redirects/take-all.ts'
import { type Batch, prepareBatch, type Run, writeBatch } from './batch.ts'
import { importDocuments } from './documents.ts'
import type { PreparedFiles } from './files.ts'
import { type FolderContents, readModel } from './folder.ts'
import { importLanguages } from './languages.ts'
import { mergeNewWords } from './queries.ts'
import { importRedirects } from './redirects.ts'
import { resolveLater } from './references.ts'
import { CannotImport, type ImportReport, skip } from './report.ts'
import type { ImportSource } from './source.ts'
import { readPages } from './tree.ts'
import { readUsers } from './users.ts'

export interface ImportOptions {
  source: ImportSource
  report: ImportReport
  /** Rolls back every transaction. */
  dryRun: boolean
  /** Roles that the blueprints of the folder describe, in addition to those of the site. */
  roles: readonly string[]
  /** Called after every batch with the number of pages so far. */
  progress?: (pages: number) => void
}

/** Everything besides `content` may be in `site`, or at the top of the folder. */
export function partOf(source: ImportSource, name: string): string {
  return source.has('site') ? `site/${name}` : name
}

/** Refuses a folder that does not look like a site. */
export function mustBeSite(source: ImportSource, folder: string): void {
  if (!source.has('content') && !source.has(partOf(source, 'accounts')) && !source.has(partOf(source, 'blueprints')))
    throw new CannotImport(`There is no site in ${folder}: it has no content/ and no site/.`)
}

/**
 * Limits of one batch: large, because each commit waits for the disk, but small enough that other writers do not wait
 * long. `batches` is how many may be in progress.
 */
const batchLimits = { pages: 500, files: 1000, characters: 4_000_000, batches: 4 }
/** Yields to the event loop after so many pages: reading files is synchronous. */
const pagesPerTurn = 10

/**
 * Imports everything in a folder except its blueprints. Existing models, found by path and name, are updated; equal
 * ones stay unchanged. The import can be interrupted at any time and started again.
 */
export async function importFolder(app: App, options: ImportOptions): Promise<void> {
  const { source, report, dryRun } = options
  reportCode(source, report)
  const languages = await importLanguages(app, partOf(source, 'languages'), options)
  const run: Run = { app, source, report, dryRun, languages, importedUuids: new Set(), unresolved: new Map() }
  const roles = new Set([...app.blueprints.roles(), ...options.roles])
  await writeAll(run, readUsers(run, partOf(source, 'accounts'), roles), users => ({ users, pages: [] }))
  if (source.has('content')) {
    const site = readModel(run, 'content', { only: 'site' })
    await writeAll(run, [site], () => ({ site, users: [], pages: [] }))
    await writeAll(run, readPages(run, site), pages => ({ users: [], pages }), options.progress)
  }
  await importRedirects(app, partOf(source, 'redirects'), { source, report, dryRun, languages })
  await importDocuments(app, partOf(source, 'documents'), { source, report, dryRun })
  if (!dryRun) await takeAllAddresses(app.store)
  if (!dryRun) await resolveLater(app.store, run.unresolved)
  if (!dryRun) await mergeNewWords(app.store)
}

/**
 * A pipeline: while one batch is written to the database, the blobs of the next ones are stored, and another one is
 * read.
 */
async function writeAll<Item extends BatchItem>(
  run: Run,
  items: Iterable<Item>,
  asBatch: (items: Item[]) => Batch,
  progress?: (pages: number) => void,
): Promise<void> {
  let done = 0
  const writing: Promise<void>[] = []
  const write = async (batch: Batch, files: PreparedFiles, before: Promise<void> | undefined) => {
    await Promise.all([files.store(), before])
    await writeBatch(run, batch, files)
    progress?.((done += batch.pages.length))
  }
  try {
    for await (const entries of inBatches(items)) {
      const batch = asBatch(entries)
      const files = await prepareBatch(run, batch)
      if (writing.length >= batchLimits.batches) await writing.shift()
      const written = write(batch, files, writing.at(-1))
      written.catch(() => {}) // handled where it is awaited
      writing.push(written)
    }
    await Promise.all(writing)
  } finally {
    await Promise.allSettled(writing)
  }
}

type BatchItem = Pick<FolderContents, 'texts' | 'files'>

async function* inBatches<Item extends BatchItem>(items: Iterable<Item>): AsyncGenerator<Item[]> {
  let batch: Item[] = []
  let [files, characters] = [0, 0]
  for (const item of items) {
    batch.push(item)
    files += item.files.length
    for (const { content } of [...item.texts, ...item.files.flatMap(({ texts }) => texts)])
      for (const value of Object.values(content)) characters += value.length
    if (batch.length % pagesPerTurn === 0) await setImmediate()
    if (batch.length < batchLimits.pages && files < batchLimits.files && characters < batchLimits.characters) continue
    yield batch
    batch = []
    files = 0
    characters = 0
  }
  if (batch.length > 0) yield batch
}

/** The number of folders to read, for the progress bar. */
export function countFolders(source: ImportSource, path = 'content'): number {
  let count = 0
  const folders = [path]
  for (let one = folders.pop(); one !== undefined; one = folders.pop())
    for (const { path: inner, isFolder } of source.list(one)) if (isFolder) count += folders.push(inner) > 0 ? 1 : 0
  return count
}

const importedFolders = new Set(['accounts', 'blueprints', 'languages', 'redirects', 'documents'])
const temporaryFolders = new Set(['cache', 'logs', 'sessions'])

/** Templates, plugins and settings are PHP code and are not imported; the report says so. */
function reportCode(source: ImportSource, report: ImportReport): void {
  if (!source.has('site')) return
  for (const { name, path } of source.list('site'))
    if (!importedFolders.has(name) && !temporaryFolders.has(name) && !name.startsWith('.'))
      skip(report, path, 'programs and settings are not imported')
}
