import type { App } from '../../app.ts'
import type { Blueprints } from '../../blueprints/blueprints.ts'
import { ApiError } from '../../platform/errors.ts'
import type { ContentLanguage } from '../../http/context.ts'
import { isDefault } from '../../content/languages/languages.ts'
import { createId } from '../../platform/lib/id.ts'
import { toSlug } from '../../platform/lib/slug.ts'
import { ownerOfPage } from '../../groups/pages/pages.ts'
import { pathFor, pathMustBeValid } from '../../groups/pages/rules.ts'
import { deleteSlug, upsertSlug } from '../../groups/pages/slugs/queries.ts'
import { translatedSlugIsTaken } from '../../groups/pages/slugs/slugs.ts'
import type { Tx } from '../../platform/store/store.ts'
import {
  insertImportedPages,
  type ExistingPage,
  selectExistingPages,
  selectExistingSlugs,
  updateImportedPage,
} from './queries.ts'
import { note, type ImportReport, skip } from './report.ts'
import { modifiedAt, firstText, type ImportedModel } from './models.ts'
import type { SourcePage } from './tree.ts'

const uuidPattern = /^[\w-]{1,64}$/

/** A page to import, with its place and its existing row. */
export interface ImportedPage extends ImportedModel {
  found: SourcePage
  row: ExistingPage | undefined
}

export interface ResolveContext {
  report: ImportReport
  /** The uuids of pages that this run has already imported. */
  importedUuids: ReadonlySet<string>
  blueprints: Pick<Blueprints, 'page'>
}

/**
 * Finds the existing page of each found page. Pages are matched by path; a new page gets the uuid of its text, or
 * another one if this run has already used it. Pages that cannot be imported are reported and marked, so that their
 * descendants are skipped.
 */
export function resolvePages(
  pages: readonly SourcePage[],
  rows: readonly ExistingPage[],
  { report, importedUuids: seen, blueprints }: ResolveContext,
): ImportedPage[] {
  const [byPath, byUuid] = [new Map(rows.map(row => [row.path, row])), new Map(rows.map(row => [row.uuid, row]))]
  const assignedUuids = new Set<string>()
  const paths = new Set<string>()
  const isSeen = (uuid: string) => seen.has(uuid) || assignedUuids.has(uuid)

  function resolve(found: SourcePage): ImportedPage | string {
    const { parent, slug } = found
    if (parent.isMissing) return 'the page above it was not imported'
    const path = importedPathOf(found)
    if (typeof path !== 'string') return path.reason
    const row = byPath.get(path)
    if (paths.has(path) || (row && isSeen(row.uuid))) return `another page is called ${slug} there`
    const ownUuid = uuidOf(found)
    if (!row && ownUuid !== undefined) {
      const existing = byUuid.get(ownUuid)
      if (existing && !isSeen(ownUuid)) return `this page is in the site already, as ${existing.path}`
      if (isSeen(ownUuid)) note(report, found.file, 'another page has its uuid; it has a new one now')
    }
    const uuid = row?.uuid ?? (ownUuid === undefined || isSeen(ownUuid) ? createId() : ownUuid)
    Object.assign(found.node, { uuid, path, isMissing: false })
    assignedUuids.add(uuid)
    paths.add(path)
    return { ...importedPageOf(found, uuid, blueprints), row, revision: row?.revision ?? 0 }
  }

  return pages.flatMap(found => {
    found.node.isMissing = true
    const imported = resolve(found)
    if (typeof imported !== 'string') return [imported]
    skip(report, found.file, imported)
    return []
  })
}

const uuidOnly: ReadonlySet<string> = new Set(['uuid'])
const uuidAndSlug: ReadonlySet<string> = new Set(['uuid', 'slug'])

const columnNames = (language: ContentLanguage) => (isDefault(language) ? uuidOnly : uuidAndSlug)

function importedPageOf(found: SourcePage, uuid: string, blueprints: ResolveContext['blueprints']) {
  const { texts, template } = found
  const { fields } = blueprints.page(template)
  return { kind: 'pages' as const, owner: ownerOfPage(uuid), texts, fields, columnNames, isChanged: false, found }
}

/** The uuid of its text, if it is valid. */
export function uuidOf({ texts }: Pick<SourcePage, 'texts'>): string | undefined {
  const uuid = firstText(texts, 'uuid')
  return uuidPattern.test(uuid) ? uuid : undefined
}

function importedPathOf({ parent, slug }: SourcePage): string | { reason: string } {
  try {
    const path = pathFor(parent.path === '' ? undefined : parent, slug)
    pathMustBeValid(path)
    return path
  } catch (error) {
    if (error instanceof ApiError) return { reason: error.message }
    throw error
  }
}

/** The paths of these pages if all their ancestors are imported. */
export function pathsOf(pages: readonly SourcePage[]): string[] {
  const paths = new Map<SourcePage['node'], string>()
  for (const { node, parent, slug } of pages) {
    const parentPath = paths.get(parent) ?? parent.path
    paths.set(node, parentPath === '' ? slug : `${parentPath}/${slug}`)
  }
  return [...paths.values()]
}

/** Inserts new pages and updates changed ones. Locks the rows of all parents until the end of the transaction. */
export async function writePages(
  { store, blueprints }: App,
  tx: Tx,
  pages: readonly SourcePage[],
  { report, importedUuids: seen, time, dryRun }: Omit<ResolveContext, 'blueprints'> & { time: number; dryRun: boolean },
): Promise<ImportedPage[]> {
  if (pages.length === 0) return []
  const nodes = new Set(pages.map(({ node }) => node))
  const outerParents = new Set(pages.map(({ parent }) => parent).filter(node => !nodes.has(node) && node.uuid !== ''))
  const uuids = pages.flatMap(page => uuidOf(page) ?? [])
  const rows = await selectExistingPages(
    store,
    tx,
    [...uuids, ...[...outerParents].map(({ uuid }) => uuid)],
    pathsOf(pages),
  )
  if (!dryRun) for (const node of outerParents) node.isMissing ||= !rows.some(row => isAt(row, node))
  const importedPages = resolvePages(pages, rows, { report, importedUuids: seen, blueprints })
  const inserted = await insertImportedPages(
    tx,
    importedPages.filter(({ row }) => !row).map(({ found }) => newRow(found, time)),
  )
  const written = importedPages.filter(({ row, found }) => row !== undefined || inserted.has(found.node.uuid))
  for (const { row, found } of importedPages)
    if (!row && !inserted.has(found.node.uuid)) {
      found.node.isMissing = true
      skip(report, found.file, 'a page was created there meanwhile; import again')
    }
  for (const imported of written)
    imported.isChanged = imported.row !== undefined && Object.keys(changeOf(imported)).length > 0
  await writeSlugs(tx, written, report)
  return written
}

const isAt = (row: ExistingPage, { uuid, path }: SourcePage['node']) => row.uuid === uuid && row.path === path

function newRow({ node, parent, slug, status, num, template, texts }: SourcePage, time: number) {
  const { uuid, path } = node
  return { uuid, parent: parent.uuid, path, slug, status, num, template, modified_at: modifiedAt(texts, time) }
}

function changeOf({ found: { status, num, template }, row }: ImportedPage) {
  return {
    ...(row!.status !== status && { status }),
    ...(row!.num !== num && { num }),
    ...(row!.template !== template && { template }),
  }
}

/** Updates the row and raises the revision of an existing page. */
export async function touchPage(tx: Tx, imported: ImportedPage): Promise<void> {
  if (imported.row) await updateImportedPage(tx, imported.found.node.uuid, changeOf(imported))
}

// ---- slugs in other languages

async function writeSlugs(tx: Tx, importedPages: readonly ImportedPage[], report: ImportReport): Promise<void> {
  const existing = importedPages.filter(({ row }) => row).map(({ found }) => found.node.uuid)
  const before = new Map(
    (await selectExistingSlugs(tx, existing)).map(row => [`${row.language} ${row.page}`, row.slug]),
  )
  for (const imported of importedPages) {
    const { node, parent, texts, slug: own } = imported.found
    for (const { language, content, file } of texts) {
      if (isDefault(language)) continue
      const translatedSlug = toSlug(content['slug'] ?? '', language.slugs)
      const slug = translatedSlug === '' || translatedSlug === own ? undefined : translatedSlug
      if (slug === before.get(`${language.key} ${node.uuid}`)) continue
      const slugQuery = { parent: parent.uuid, slug: slug ?? '', except: node.uuid, language }
      if (slug === undefined) await deleteSlug(tx, node.uuid, language.key)
      else if (await translatedSlugIsTaken(tx, slugQuery)) {
        note(report, file, `another page is called ${slug} there; it has no slug of its own in this language`)
        continue
      } else await upsertSlug(tx, node.uuid, language.key, slug)
      imported.isChanged = true
    }
  }
}
