import { isFormerUrl } from '../../content/languages/former-urls/former-urls.ts'
import type { ExportRun } from './files.ts'
import { selectExportedRedirects } from './queries.ts'
import type { ExportFolder } from './target.ts'

const batchSize = 5000

/**
 * Writes redirects as lines of JSON, in files that the import reads whole. `language` is the code of a language, `*` for
 * a path with the prefix of its language, and empty on a site without languages. Those from a former URL of a language
 * have neither page nor target. Without those that lead to pages in the trash.
 */
export async function writeRedirects(
  { app, target, languages, report }: ExportRun,
  folder: ExportFolder,
): Promise<void> {
  const codes = new Map(languages.map(({ key, code }) => [key, code ?? '']))
  let after = 0
  for (let number = 1; ; number++) {
    const rows = await selectExportedRedirects(app.store, after, batchSize)
    if (rows.length === 0) return
    after = rows.at(-1)!.id
    const lines = rows.flatMap(({ language, path, page, target: address, is_automatic }) => {
      const code = language === '*' ? '*' : codes.get(language)
      const to = isFormerUrl(path) ? {} : page === null ? address && { target: address } : { page }
      return code === undefined || !to ? [] : { language: code, path, ...to, automatic: is_automatic === 1 }
    })
    report.counts.redirects += lines.length
    if (lines.length > 0)
      target.text(folder, `redirects-${number}.jsonl`, lines.map(line => `${JSON.stringify(line)}\n`).join(''))
  }
}
