import { selectCollections, selectStoredDocuments, type StoredDocument } from '../../platform/documents/queries.ts'
import { skip } from '../import/report.ts'
import type { ExportRun } from './files.ts'
import type { ExportFolder } from './target.ts'

/** Few, because a document may have a million characters. */
const documentsPerRead = 50
/** The import reads files of at most 5 MB. */
const maxFileBytes = 4_000_000

/**
 * Writes the documents of extensions, also of those that are not loaded, as lines of JSON: a folder for each extension,
 * and numbered files for each collection.
 */
export async function writeDocuments({ app, target, report }: ExportRun, folder: ExportFolder): Promise<void> {
  for (const stored of await selectCollections(app.store)) {
    const extensionFolder = target.folder(folder, stored.extension)
    if (!extensionFolder) continue
    let [number, size] = [0, 0]
    let lines: string[] = []
    const flush = () => {
      if (lines.length > 0) target.text(extensionFolder, `${stored.collection}-${++number}.jsonl`, lines.join(''))
      report.counts.documents += lines.length
      lines = []
      size = 0
    }
    for (let after = ''; ;) {
      const rows = await selectStoredDocuments(app.store, stored, { after, limit: documentsPerRead })
      for (const row of rows) {
        const line = lineOf(row)
        if (line === undefined) {
          skip(report, `${extensionFolder.shown}/${stored.collection}`, `the document "${row.key}" is not valid JSON`)
          continue
        }
        const bytes = Buffer.byteLength(line)
        if (size + bytes > maxFileBytes) flush()
        lines.push(line)
        size += bytes
      }
      if (rows.length < documentsPerRead) break
      after = rows.at(-1)!.key
    }
    flush()
  }
}

function lineOf({ key, value, version, created_at, modified_at, ...indexes }: StoredDocument): string | undefined {
  let json: unknown
  try {
    json = JSON.parse(value)
  } catch {
    return undefined
  }
  // For an import where the extension is not loaded: only its declaration says what is indexed.
  const index = [indexes.index_1, indexes.index_2, indexes.index_3]
  const [created, modified] = [created_at, modified_at].map(time => new Date(time).toISOString())
  return `${JSON.stringify({ key, value: json, version, created, modified, index })}\n`
}
