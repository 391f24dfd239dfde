import { ownerOfPage } from '../../groups/pages/pages.ts'
import { readContents, writeContents } from './contents.ts'
import { type ExportedOwner, type ExportRun, writeFiles } from './files.ts'
import {
  type FolderRow,
  type ExportedPageRow,
  selectFolders,
  selectExportedPages,
  selectExportedSlugs,
} from './queries.ts'
import type { ExportFolder } from './target.ts'

const batchSize = 200
const drafts = '_drafts'
const uuidOnly = new Set(['uuid'])
const translated = new Set(['uuid', 'slug'])

/**
 * Writes all pages below `content` in batches, so that memory use does not depend on their number. Calls `progress`
 * with the number of pages so far.
 */
export async function writePages(
  run: ExportRun,
  content: ExportFolder,
  progress: (pages: number) => void,
): Promise<void> {
  let after = ''
  for (let done = 0; ;) {
    const pages = await selectExportedPages(run.app.store, after, batchSize)
    if (pages.length === 0) return
    await writeBatch(run, content, pages)
    after = pages.at(-1)!.path
    progress((done += pages.length))
  }
}

async function writeBatch(run: ExportRun, content: ExportFolder, pages: readonly ExportedPageRow[]): Promise<void> {
  const { app, target, report } = run
  const names = await namesOf(run, pages)
  const contents = await readContents(
    app.store,
    pages.map(({ uuid }) => ownerOfPage(uuid)),
  )
  const slugs = await slugsOf(run, pages)
  const owners: ExportedOwner[] = []
  for (const page of pages) {
    const { uuid, path, template, modified_at: modified } = page
    const folder = target.folder(content, ...pathsTo(path).flatMap(above => names.get(above)!))
    if (!folder) continue
    const owner = ownerOfPage(uuid)
    writeContents(
      run,
      folder,
      {
        owner,
        name: template,
        fields: app.blueprints.page(template).fields,
        modified,
        before: ({ key }) => (slugs.has(`${key} ${uuid}`) ? [['slug', slugs.get(`${key} ${uuid}`)!]] : []),
        after: ({ key, fallback }) => (key === fallback ? [['uuid', uuid]] : []),
        excludedFields: ({ key, fallback }) => (key === fallback ? uuidOnly : translated),
      },
      contents,
    )
    report.counts.pages++
    owners.push({ owner, folder, text: template })
  }
  await writeFiles(run, owners)
}

/** `a/b/c` → `a`, `a/b`, `a/b/c` */
function pathsTo(path: string): string[] {
  const parts = path.split('/')
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}

/** The folder names of these pages and of all their ancestors, by path. */
async function namesOf({ app }: ExportRun, pages: readonly ExportedPageRow[]): Promise<Map<string, string[]>> {
  const paths = new Set(pages.map(({ path }) => path))
  const above = new Set(pages.flatMap(({ path }) => pathsTo(path)).filter(path => !paths.has(path)))
  const rows = [...pages, ...(await selectFolders(app.store, [...above]))]
  return new Map(rows.map(row => [row.path, folderNames(row)]))
}

function folderNames({ slug, status, num }: FolderRow): string[] {
  if (status === 'draft') return [drafts, slug]
  return [status === 'listed' ? `${num ?? 0}_${slug}` : slug]
}

async function slugsOf({ app, languages }: ExportRun, pages: readonly ExportedPageRow[]): Promise<Map<string, string>> {
  if (languages.length < 2) return new Map()
  const rows = await selectExportedSlugs(
    app.store,
    pages.map(({ uuid }) => uuid),
  )
  return new Map(rows.map(({ page, language, slug }) => [`${language} ${page}`, slug]))
}
