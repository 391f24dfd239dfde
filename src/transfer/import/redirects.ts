import { z } from 'zod'
import type { App } from '../../app.ts'
import { formerUrlOf, isFormerUrl } from '../../content/languages/former-urls/former-urls.ts'
import type { ContentLanguage } from '../../http/context.ts'
import { isRedirectPath, readTarget } from '../../groups/site/redirects/rules.ts'
import { chunks } from '../../platform/lib/chunks.ts'
import { insertRedirects, type NewRedirect, selectExistingPageUuids, selectExistingRedirects } from './queries.ts'
import { note, type ImportReport, skip } from './report.ts'
import type { ImportSource } from './source.ts'

/** Whether the path is a former URL, written as it is stored. */
const isStoredFormerUrl = (path: string) =>
  isFormerUrl(path) && path.length <= 500 && (path.startsWith('/') || URL.canParse(path)) && formerUrlOf(path) === path

const lineSchema = z
  .strictObject({
    language: z.string().max(50),
    path: z.string().refine(path => isRedirectPath(path) || isStoredFormerUrl(path)),
    page: z.string().min(1).max(100).optional(),
    target: z
      .string()
      .refine(text => readTarget(text) !== undefined)
      .optional(),
    automatic: z.boolean().default(false),
  })
  .refine(({ path, page, target }) =>
    isStoredFormerUrl(path)
      ? page === undefined && target === undefined
      : (page === undefined) !== (target === undefined),
  )

interface RedirectImport {
  source: ImportSource
  report: ImportReport
  dryRun: boolean
  languages: ReadonlyMap<string | undefined, ContentLanguage>
}

/** Adds the redirects of the folder, after its pages. Those that exist stay as they are. */
export async function importRedirects(app: App, folder: string, options: RedirectImport): Promise<void> {
  const { source, report, languages } = options
  if (!source.has(folder)) return
  const keyByCode = new Map([...languages].map(([code, { key }]) => [code ?? '', key]))
  const urls = new Set([...languages.values()].map(({ url }) => formerUrlOf(url)))
  for (const { name, path: file, isFolder } of source.list(folder)) {
    if (isFolder || !name.endsWith('.jsonl')) {
      skip(report, file, 'this is no list of redirects')
      continue
    }
    const rows = (source.text(file)?.text ?? '').split('\n').flatMap((text, index): NewRedirect[] => {
      if (text.trim() === '') return []
      const row = rowOf(text, keyByCode)
      if (!row) note(report, file, `line ${index + 1} is no redirect that can be imported`)
      if (!row || !urls.has(row.path)) return row ? [row] : []
      note(report, file, `line ${index + 1} is a redirect from ${row.path}, which is the URL of a language here`)
      return []
    })
    for (const batch of chunks(rows, 500)) await importBatch(app, batch, file, options)
  }
}

function rowOf(text: string, keyByCode: ReadonlyMap<string, string>): NewRedirect | undefined {
  const read = lineSchema.safeParse(parseJson(text))
  if (!read.success) return undefined
  const { language: code, path, page = null, target = null, automatic } = read.data
  const language = code === '*' && !isStoredFormerUrl(path) ? '*' : keyByCode.get(code)
  return language === undefined ? undefined : { language, path, page, target, is_automatic: automatic ? 1 : 0 }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

async function importBatch(
  app: App,
  rows: readonly NewRedirect[],
  file: string,
  options: RedirectImport,
): Promise<void> {
  const { report, dryRun } = options
  const uuids = rows.flatMap(({ page }) => page ?? [])
  const existing = await selectExistingPageUuids(app.store, uuids)
  // In a dry run, the pages of the folder do not exist yet.
  const importable = rows.filter(({ page }) => page === null || dryRun || existing.has(page))
  if (importable.length < rows.length)
    note(report, file, `${rows.length - importable.length} redirects lead to pages that do not exist`)
  const added = dryRun
    ? importable.length - (await selectExistingRedirects(app.store, importable)).length
    : await app.store.write(tx => insertRedirects(tx, importable))
  report.counts.redirects.imported += added
  report.counts.redirects.unchanged += importable.length - added
}
