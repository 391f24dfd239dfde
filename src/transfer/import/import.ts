import { setImmediate } from 'node:timers/promises'
import type { App } from '../../app.ts'
import { type Batch, prepareBatch, type Run, writeBatch } from './batch.ts'
import type { PreparedFiles } from './files.ts'
import { type Found, readModel } from './folder.ts'
import { importLanguages } from './languages.ts'
import { resolveLater } from './references.ts'
import { CannotImport, type Report, skip } from './report.ts'
import type { Source } from './source.ts'
import { readPages } from './tree.ts'
import { readUsers } from './users.ts'

export interface Options {
  source: Source
  report: Report
  /** Nothing is kept of it. */
  dryRun: boolean
  /** Roles that the blueprints of the folder describe, besides those of the site. */
  roles: readonly string[]
  /** After every part that is done: how many pages there were so far. */
  progress?: (pages: number) => void
}

/** A folder may have everything besides `content` in `site`, or at its top. */
export function partOf(source: Source, name: string): string {
  return source.has('site') ? `site/${name}` : name
}

/** What a folder has to be imported, or else it is none of a site. */
export function mustBeSite(source: Source, folder: string): void {
  if (!source.has('content') && !source.has(partOf(source, 'accounts')) && !source.has(partOf(source, 'blueprints')))
    throw new CannotImport(`There is no site in ${folder}: it has no content/ and no site/.`)
}

/** As many as are written at once: many, as each transaction has to reach the disk, but not so many that others wait. */
const most = { pages: 500, files: 1000, letters: 4_000_000, batches: 4 }
/** After so many the store is asked whether it has an answer: reading files never lets go by itself. */
const pageful = 10

/**
 * Everything in a folder but its blueprints becomes part of the site. What is there already, by the same place and name, is
 * brought up to date; what is equal stays as it is. It can be stopped at any time, and begun again.
 */
export async function importFolder(app: App, options: Options): Promise<void> {
  const { source, report, dryRun } = options
  reportCode(source, report)
  const languages = await importLanguages(app, partOf(source, 'languages'), options)
  const run: Run = { app, source, report, dryRun, languages, seen: new Set(), unresolved: new Map() }
  const roles = new Set([...app.blueprints.roles(), ...options.roles])
  await writeAll(run, readUsers(run, partOf(source, 'accounts'), roles), users => ({ users, pages: [] }))
  if (source.has('content')) {
    const site = readModel(run, 'content', { only: 'site' })
    await writeAll(run, [site], () => ({ site, users: [], pages: [] }))
    await writeAll(run, readPages(run, site), pages => ({ users: [], pages }), options.progress)
  }
  if (!dryRun) await resolveLater(app.store, run.unresolved)
}

/** While one batch is written to the store, the bytes of the next ones reach the disk, and another one is read. */
async function writeAll<Item extends Weighed>(
  run: Run,
  items: Iterable<Item>,
  asBatch: (items: Item[]) => Batch,
  progress?: (pages: number) => void,
): Promise<void> {
  let done = 0
  const writing: Promise<void>[] = []
  const write = async (batch: Batch, files: PreparedFiles, before: Promise<void> | undefined) => {
    await Promise.all([files.keep(), before])
    await writeBatch(run, batch, files)
    progress?.((done += batch.pages.length))
  }
  try {
    for await (const some of inBatches(items)) {
      const batch = asBatch(some)
      const files = await prepareBatch(run, batch)
      if (writing.length >= most.batches) await writing.shift()
      const written = write(batch, files, writing.at(-1))
      written.catch(() => {}) // it is heard when it is waited for
      writing.push(written)
    }
    await Promise.all(writing)
  } finally {
    await Promise.allSettled(writing)
  }
}

type Weighed = Pick<Found, 'texts' | 'files'>

async function* inBatches<Item extends Weighed>(items: Iterable<Item>): AsyncGenerator<Item[]> {
  let batch: Item[] = []
  let [files, letters] = [0, 0]
  for (const item of items) {
    batch.push(item)
    files += item.files.length
    for (const { content } of [...item.texts, ...item.files.flatMap(({ texts }) => texts)])
      for (const value of Object.values(content)) letters += value.length
    if (batch.length % pageful === 0) await setImmediate()
    if (batch.length < most.pages && files < most.files && letters < most.letters) continue
    yield batch
    batch = []
    files = 0
    letters = 0
  }
  if (batch.length > 0) yield batch
}

/** How many folders there may be to look at, for whoever waits. */
export function countFolders(source: Source, path = 'content'): number {
  let count = 0
  const folders = [path]
  for (let one = folders.pop(); one !== undefined; one = folders.pop())
    for (const { path: inner, isFolder } of source.list(one)) if (isFolder) count += folders.push(inner) > 0 ? 1 : 0
  return count
}

const taken = new Set(['accounts', 'blueprints', 'languages'])
const passing = new Set(['cache', 'logs', 'sessions'])

/** Templates, plugins and settings are programs: they stay behind, and somebody has to know. */
function reportCode(source: Source, report: Report): void {
  if (!source.has('site')) return
  for (const { name, path } of source.list('site'))
    if (!taken.has(name) && !passing.has(name) && !name.startsWith('.'))
      skip(report, path, 'programs and settings are not imported')
}
