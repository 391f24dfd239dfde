import type { App } from '../app.ts'
import { record } from '../audit/audit.ts'
import { ownerOf as fileOwner } from '../files/files.ts'
import { updateFile } from '../files/queries.ts'
import { templateMustBePossible } from '../files/rules.ts'
import { keepLanguages } from '../languages/queries.ts'
import { createId } from '../lib/id.ts'
import { releaseBlobs, useBlobs } from '../media/blobs.ts'
import { makeFindable } from '../search/search.ts'
import { holdSite, raiseRevision as raiseSite } from '../site/queries.ts'
import { owner as siteOwner } from '../site/site.ts'
import { selectNow, type Tx } from '../store/store.ts'
import { raiseRevision as raiseUser } from '../users/queries.ts'
import { ownerOf as userOwner } from '../users/users.ts'
import { type Prepared, type PreparedFiles, prepareFiles } from './files.ts'
import type { Found, FoundFile, Place } from './folder.ts'
import { type PageThing, pathsOf, resolvePages, touchPage, uuidOf, writePages } from './pages.ts'
import { type FileRow, insertFiles, type NewFile, selectFiles, selectPages, selectUsedUuids } from './queries.ts'
import { createReport, note, type Report, skip } from './report.ts'
import { said, type Thing, writeContents } from './things.ts'
import type { FoundPage } from './tree.ts'
import { type FoundUser, type UserThing, writeUsers } from './users.ts'

export interface Run extends Place {
  app: App
  dryRun: boolean
  /** The uuids of all pages so far. */
  seen: Set<string>
}

/** What is written together, in one transaction. */
export interface Batch {
  site?: Pick<Found, 'texts' | 'files'>
  users: FoundUser[]
  pages: FoundPage[]
}

/** Ends a transaction of which nothing is to stay. */
class DryRun extends Error {
  readonly part: Part

  constructor(part: Part) {
    super()
    this.part = part
  }
}

/** What a transaction has to tell when it is over. It may have to begin again. */
interface Part {
  report: Report
  pages: string[]
}

/** All that is read before the transaction. */
export async function prepareBatch(run: Run, batch: Batch): Promise<PreparedFiles> {
  return prepareFiles(run, await filesOf(run, batch))
}

export async function writeBatch(run: Run, batch: Batch, { files, keep }: PreparedFiles): Promise<void> {
  await keep()
  const work = async (tx: Tx) => {
    const part = await write(run, tx, batch, files)
    if (run.dryRun) throw new DryRun(part)
    return part
  }
  const { report, pages } = await run.app.store.write(work).catch((error: unknown) => {
    if (error instanceof DryRun) return error.part
    throw error
  })
  for (const uuid of pages) run.seen.add(uuid)
  addReport(run.report, report)
}

/** All files, each with what there is by its name. */
async function filesOf({ app, seen }: Run, { site, users, pages }: Batch) {
  const rows = await selectPages(
    app.store,
    app.store.db,
    pages.flatMap(page => uuidOf(page) ?? []),
    pathsOf(pages),
  )
  const things = resolvePages(pages, rows, { report: createReport(), seen })
  const owners: [string, readonly FoundFile[]][] = [
    ...(site ? [[siteOwner, site.files] as [string, FoundFile[]]] : []),
    ...users.map(({ id, files }): [string, FoundFile[]] => [userOwner(id), files]),
    ...things.map(({ owner, found }): [string, FoundFile[]] => [owner, found.files]),
  ]
  const some = owners.filter(([, files]) => files.length > 0)
  const known = byName(
    await selectFiles(
      app.store.db,
      some.map(([owner]) => owner),
    ),
  )
  return some.flatMap(([owner, files]) => files.map(found => ({ found, known: known.get(nameIn(owner, found.name)) })))
}

const nameIn = (owner: string, name: string) => `${owner} ${name.toLowerCase()}`
const byName = (rows: readonly FileRow[]) => new Map(rows.map(row => [nameIn(row.parent, row.filename), row]))

async function write(run: Run, tx: Tx, batch: Batch, prepared: ReadonlyMap<FoundFile, Prepared>): Promise<Part> {
  const { app, seen, dryRun } = run
  const report = createReport()
  await keepLanguages(tx)
  const time = await selectNow(tx)
  const site = batch.site && (await siteThing(app, tx, batch.site))
  const users = await writeUsers(app, tx, batch.users, report)
  const pages = await writePages(app, tx, batch.pages, { report, seen, time, dryRun })
  const owned: Owned[] = [
    ...(batch.site ? batch.site.files.map(found => ({ found, parent: siteOwner })) : []),
    ...[...users, ...pages].flatMap(({ owner, found: { files } }) => files.map(found => ({ found, parent: owner }))),
  ]
  const { files, released } = await writeFiles(tx, owned, { prepared, report, time, dryRun })
  const things = [...(site ? [site] : []), ...users, ...pages, ...files]
  const fallback = [...run.languages.values()][0]!.fallback
  await writeContents(tx, things, { time, keep: app.config.history.keep, fallback })
  await touch(tx, { site, users, pages, files })
  await releaseBlobs(tx, released)
  const changed = things.filter(({ revision, isChanged }) => revision === 0 || isChanged)
  await makeFindable(
    app.store,
    tx,
    changed.filter(({ kind }) => kind === 'pages' || kind === 'files'),
  )
  for (const { kind, revision, isChanged } of things)
    report.counts[kind][revision === 0 ? 'imported' : isChanged ? 'updated' : 'unchanged']++
  if (changed.length > 0) await record(tx, { event: 'site.imported', detail: { things: changed.length } })
  return { report, pages: pages.map(({ found }) => found.node.uuid) }
}

async function siteThing({ store }: App, tx: Tx, { texts }: Pick<Found, 'texts'>): Promise<Thing> {
  const revision = await holdSite(store, tx)
  return { kind: 'site', owner: siteOwner, revision, texts, without: () => nothing, isChanged: false }
}

const nothing: ReadonlySet<string> = new Set()

const isOld = ({ revision, isChanged }: Thing) => revision > 0 && isChanged

/** Every change is counted once, whatever is different. */
async function touch(
  tx: Tx,
  all: { site: Thing | undefined; users: UserThing[]; pages: PageThing[]; files: FileThing[] },
): Promise<void> {
  if (all.site && isOld(all.site)) await raiseSite(tx)
  for (const { found } of all.users.filter(isOld)) await raiseUser(tx, found.id)
  for (const page of all.pages.filter(isOld)) await touchPage(tx, page)
  for (const { uuid, change } of all.files.filter(isOld)) await updateFile(tx, uuid, change)
}

// ---- files

interface Owned {
  found: FoundFile
  parent: string
}

interface FileThing extends Thing {
  uuid: string
  /** What is different about one that was there. */
  change: Partial<NewFile>
}

interface Writing {
  prepared: ReadonlyMap<FoundFile, Prepared>
  report: Report
  time: number
  dryRun: boolean
}

const besides: ReadonlySet<string> = new Set(['uuid', 'template', 'sort'])

/** `released` are bytes that are to be let go when all rows are written. */
async function writeFiles(tx: Tx, owned: readonly Owned[], writing: Writing) {
  const { prepared, report, time, dryRun } = writing
  const ready = owned.flatMap(({ found, parent }) => {
    const bytes = prepared.get(found)
    return bytes ? [{ found, parent, bytes, ...settingsOf(found, report) }] : []
  })
  const rows = byName(await selectFiles(tx, [...new Set(ready.map(({ parent }) => parent))]))
  const taken = await selectUsedUuids(
    tx,
    ready.flatMap(({ uuid }) => uuid ?? []),
  )
  const things: FileThing[] = []
  const fresh: NewFile[] = []
  const released: string[] = []
  for (const { found, parent, bytes, ...settings } of ready) {
    const { template, sort } = settings
    const base = { kind: 'files' as const, texts: found.texts, without: () => besides }
    const { hash, size, kind, modified } = bytes
    const row = rows.get(nameIn(parent, found.name))
    if (row) {
      const isOther = row.hash !== hash
      if (isOther && !kind) {
        skip(report, found.file, 'somebody has changed this file meanwhile; import again')
        continue
      }
      const change = {
        ...(row.template !== template && { template }),
        ...(row.sort !== sort && { sort }),
        ...(isOther && { hash, size, ...kind }),
      }
      if (isOther) released.push(row.hash)
      const isChanged = Object.keys(change).length > 0
      things.push({ ...base, owner: fileOwner(row.uuid), revision: row.revision, isChanged, uuid: row.uuid, change })
    } else if (kind) {
      const isTaken = settings.uuid === undefined || taken.has(settings.uuid)
      if (isTaken && settings.uuid !== undefined)
        note(report, found.file, 'another file has its uuid; it has a new one')
      const uuid = isTaken ? createId() : settings.uuid!
      taken.add(uuid)
      const modified_at = Math.min(modified, time)
      fresh.push({ uuid, parent, filename: found.name, ...kind, template, sort, size, hash, modified_at })
      things.push({ ...base, owner: fileOwner(uuid), revision: 0, isChanged: false, uuid, change: {} })
    } else skip(report, found.file, 'somebody has deleted this file meanwhile; import again')
  }
  const made = await insertFiles(tx, fresh)
  const hashes = [...fresh, ...things.map(({ change }) => change)].flatMap(({ hash }) => hash ?? [])
  if (!dryRun) await useBlobs(tx, hashes)
  return { files: things.filter(({ revision, uuid }) => revision > 0 || made.has(uuid)), released }
}

/** What stands among the texts of a file and is none of its content. */
function settingsOf({ texts, file }: FoundFile, report: Report) {
  const sort = said(texts, 'sort')
  const uuid = said(texts, 'uuid')
  let template: string | null = null
  try {
    template = templateMustBePossible(said(texts, 'template'))
  } catch {
    note(report, file, 'its template has an impossible name; it has none now')
  }
  return {
    uuid: /^[\w-]{1,64}$/.test(uuid) ? uuid : undefined,
    sort: /^-?\d{1,9}$/.test(sort) ? Number(sort) : null,
    template,
  }
}

function addReport(report: Report, part: Report): void {
  for (const [kind, count] of Object.entries(part.counts))
    for (const [what, number] of Object.entries(count))
      report.counts[kind as keyof Report['counts']][what as 'imported'] += number as number
  for (const { file, reason } of part.skipped) skip(report, file, reason)
  for (const { file, reason } of part.notes) note(report, file, reason)
}
