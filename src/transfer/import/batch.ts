import type { App } from '../../app.ts'
import { record } from '../../access/audit/audit.ts'
import { updateFile } from '../../groups/files/queries.ts'
import { lockLanguagesShared } from '../../content/languages/queries.ts'
import { chunks } from '../../platform/lib/chunks.ts'
import { releaseBlobs } from '../../platform/media/blobs.ts'
import { type IndexEntry, upsertEntries, type IndexedContent } from '../../platform/search/queries.ts'
import { entryFromRow, indexOwners } from '../../platform/search/search.ts'
import { lockSiteRow, raiseSiteRevision } from '../../groups/site/queries.ts'
import { siteOwner } from '../../groups/site/site.ts'
import { selectNow, type Tx } from '../../platform/store/store.ts'
import { raiseUserRevision } from '../../groups/users/queries.ts'
import { ownerOfUser } from '../../groups/users/users.ts'
import { byName, type ImportedFile, nameIn, type FileOfOwner, writeFiles } from './write-files.ts'
import { type Prepared, type PreparedFiles, prepareFiles } from './files.ts'
import type { FolderContents, FoundFile, ImportContext } from './folder.ts'
import { type ImportedPage, pathsOf, resolvePages, touchPage, uuidOf, writePages } from './pages.ts'
import { collectNewWords, type ContentRow, selectExistingFiles, selectExistingPages } from './queries.ts'
import type { Unresolved } from './references.ts'
import { createReport, note, type ImportReport, skip } from './report.ts'
import { type ImportedModel, writeContents } from './models.ts'
import type { SourcePage } from './tree.ts'
import { type FoundUser, type ImportedUser, writeUsers } from './users.ts'

export interface Run extends ImportContext {
  app: App
  dryRun: boolean
  /** The uuids of all pages so far. */
  importedUuids: Set<string>
  unresolved: Unresolved
}

/** What is written in one transaction. */
export interface Batch {
  site?: Pick<FolderContents, 'texts' | 'files'>
  users: FoundUser[]
  pages: SourcePage[]
}

/** Rolls back the transaction of a dry run. */
class DryRun extends Error {
  readonly part: BatchResult

  constructor(part: BatchResult) {
    super()
    this.part = part
  }
}

/**
 * The result of a transaction. It is merged into the run only after the commit, because the transaction may be retried.
 */
interface BatchResult {
  report: ImportReport
  pages: string[]
  unresolved: Unresolved
}

/** Reads all files before the transaction begins. */
export async function prepareBatch(run: Run, batch: Batch): Promise<PreparedFiles> {
  return prepareFiles(run, await filesOf(run, batch))
}

/** Call it after the blobs are stored: the rows refer to them. */
export async function writeBatch(run: Run, batch: Batch, { files }: PreparedFiles): Promise<void> {
  const work = async (tx: Tx) => {
    const part = await write(run, tx, batch, files)
    if (run.dryRun) throw new DryRun(part)
    return part
  }
  const { report, pages, unresolved } = await run.app.store.write(work).catch((error: unknown) => {
    if (error instanceof DryRun) return error.part
    throw error
  })
  for (const uuid of pages) run.importedUuids.add(uuid)
  for (const [owner, fields] of unresolved) run.unresolved.set(owner, fields)
  addReport(run.report, report)
}

/** All files of the batch, each with the existing row of the same name. */
async function filesOf({ app, importedUuids: seen }: Run, { site, users, pages }: Batch) {
  const rows = await selectExistingPages(
    app.store,
    app.store.db,
    pages.flatMap(page => uuidOf(page) ?? []),
    pathsOf(pages),
  )
  const models = resolvePages(pages, rows, { report: createReport(), importedUuids: seen, blueprints: app.blueprints })
  const owned: FileOfOwner[] = [
    ...ownedBy(siteOwner, site?.files ?? [], false),
    ...users.flatMap(({ id, files }) => ownedBy(ownerOfUser(id), files, false)),
    ...models.flatMap(({ owner, found, row }) => ownedBy(owner, found.files, row === undefined)),
  ]
  const old = new Set(owned.flatMap(({ parent, isNew }) => (isNew ? [] : parent)))
  const existing = byName(await selectExistingFiles(app.store.db, [...old]))
  return owned.map(({ found, parent }) => ({ found, existing: existing.get(nameIn(parent, found.name)) }))
}

const ownedBy = (parent: string, files: readonly FoundFile[], isNew: boolean): FileOfOwner[] =>
  files.map(found => ({ found, parent, isNew }))

async function write(run: Run, tx: Tx, batch: Batch, prepared: ReadonlyMap<FoundFile, Prepared>): Promise<BatchResult> {
  const { app, importedUuids: seen, dryRun } = run
  const report = createReport()
  await collectNewWords(tx)
  await lockLanguagesShared(tx)
  const time = await selectNow(tx)
  const site = batch.site && (await importedSite(app, tx, batch.site))
  const users = await writeUsers(app, tx, batch.users, report)
  const pages = await writePages(app, tx, batch.pages, { report, importedUuids: seen, time, dryRun })
  const owned: FileOfOwner[] = [
    ...ownedBy(siteOwner, batch.site?.files ?? [], false),
    ...[...users, ...pages].flatMap(({ owner, found, revision }) => ownedBy(owner, found.files, revision === 0)),
  ]
  const { files, released } = await writeFiles(app, tx, owned, { prepared, report, time, dryRun })
  const models = [...(site ? [site] : []), ...users, ...pages, ...files]
  const fallback = [...run.languages.values()][0]!.fallback
  const unresolved: Unresolved = new Map()
  const contents = await writeContents(tx, models, { time, keep: app.config.history.keep, fallback, unresolved })
  await touch(tx, { site, users, pages, files })
  await releaseBlobs(tx, released)
  const changed = models.filter(({ revision, isChanged }) => revision === 0 || isChanged)
  await indexOwners(app.store, tx, [...pages, ...files].filter(isOld))
  await indexNewOwner(app.store, tx, contents, { pages, files })
  for (const { kind, revision, isChanged } of models)
    report.counts[kind][revision === 0 ? 'imported' : isChanged ? 'updated' : 'unchanged']++
  if (changed.length > 0) await record(tx, { event: 'site.imported', detail: { things: changed.length } })
  return { report, pages: pages.map(({ found }) => found.node.uuid), unresolved }
}

async function importedSite(
  { store, blueprints }: App,
  tx: Tx,
  { texts }: Pick<FolderContents, 'texts'>,
): Promise<ImportedModel> {
  const revision = await lockSiteRow(store, tx)
  const { fields } = blueprints.site()
  return { kind: 'site', owner: siteOwner, revision, texts, fields, columnNames: () => noNames, isChanged: false }
}

/** Indexes new owners from the rows that have just been written, without reading them again. */
async function indexNewOwner(
  store: App['store'],
  tx: Tx,
  contents: readonly ContentRow[],
  { pages, files }: { pages: readonly ImportedPage[]; files: readonly ImportedFile[] },
): Promise<void> {
  const places = new Map<string, Pick<IndexedContent, 'path' | 'parent' | 'filename'>>()
  for (const { owner, revision, found } of pages)
    if (revision === 0) places.set(owner, { path: found.node.path, parent: found.parent.uuid, filename: null })
  for (const { owner, revision, name } of files)
    if (revision === 0) places.set(owner, { path: null, parent: null, filename: name })
  const entries: IndexEntry[] = []
  for (const { owner, language, data } of contents) {
    const place = places.get(owner)
    const entry = place && (await entryFromRow({ owner, language, data, ...place, id: null, digest: null }))
    if (entry) entries.push(entry)
  }
  for (const batch of chunks(entries, 200)) await upsertEntries(store, tx, batch)
}

const noNames: ReadonlySet<string> = new Set()

const isOld = ({ revision, isChanged }: ImportedModel) => revision > 0 && isChanged

/** Raises the revision of every changed model once, however many of its parts differ. */
async function touch(
  tx: Tx,
  all: { site: ImportedModel | undefined; users: ImportedUser[]; pages: ImportedPage[]; files: ImportedFile[] },
): Promise<void> {
  if (all.site && isOld(all.site)) await raiseSiteRevision(tx)
  for (const { found } of all.users.filter(isOld)) await raiseUserRevision(tx, found.id)
  for (const page of all.pages.filter(isOld)) await touchPage(tx, page)
  for (const { uuid, change } of all.files.filter(isOld)) await updateFile(tx, uuid, change)
}

function addReport(report: ImportReport, part: ImportReport): void {
  for (const [kind, count] of Object.entries(part.counts))
    for (const [what, number] of Object.entries(count))
      report.counts[kind as keyof ImportReport['counts']][what as 'imported'] += number as number
  for (const { file, reason } of part.skipped) skip(report, file, reason)
  for (const { file, reason } of part.notes) note(report, file, reason)
}
