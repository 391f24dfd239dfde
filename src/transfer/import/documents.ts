import { z } from 'zod'
import type { App } from '../../app.ts'
import {
  type Collection,
  insertDocuments,
  selectStoredByKey,
  type StoredDocument,
  upsertDocument,
} from '../../platform/documents/queries.ts'
import { type DocumentSchema, isKey, storedDocument } from '../../platform/documents/stored.ts'
import { chunks } from '../../platform/lib/chunks.ts'
import { note, type ImportReport, skip } from './report.ts'
import type { ImportSource } from './source.ts'

const time = z.iso.datetime().transform(text => Date.parse(text))

const lineSchema = z.strictObject({
  key: z.string().refine(isKey),
  value: z.unknown().refine(value => value !== undefined),
  version: z.int().min(1).max(1e9),
  created: time,
  modified: time,
  index: z.tuple([indexed(), indexed(), indexed()]),
})

function indexed() {
  return z
    .string()
    .max(200)
    .refine(text => !text.includes('\0'))
    .nullable()
}

interface DocumentImport {
  source: ImportSource
  report: ImportReport
  dryRun: boolean
}

const documentsPerTransaction = 500

/**
 * Adds the documents of extensions, and replaces those that differ. What an extension declares is checked if it is
 * loaded.
 */
export async function importDocuments(app: App, folder: string, run: DocumentImport): Promise<void> {
  const { source, report } = run
  if (!source.has(folder)) return
  for (const { name: extension, path, isFolder } of source.list(folder)) {
    if (!isFolder || !/^[a-z][a-z0-9-]{0,39}$/.test(extension)) {
      skip(report, path, 'this is no folder of an extension')
      continue
    }
    const loaded = app.extensions.list.find(({ name }) => name === extension)
    if (!loaded) note(report, path, 'the extension is not loaded, so its documents are imported unchecked')
    for (const { name, path: file, isFolder: isInner } of source.list(path)) {
      const collection = isInner ? undefined : /^([a-z][A-Za-z0-9]{0,39})-\d+\.jsonl$/.exec(name)?.[1]
      if (collection === undefined) {
        skip(report, file, 'this is no list of documents')
        continue
      }
      const declared = loaded?.collections.find(one => one.name === collection)
      if (loaded && !declared) note(report, file, 'the extension has no such collection')
      await importFile(app, { extension, collection }, declared, file, run)
    }
  }
}

async function importFile(
  app: App,
  to: Collection,
  declared: DocumentSchema | undefined,
  file: string,
  { source, report, dryRun }: DocumentImport,
): Promise<void> {
  const rows = new Map<string, StoredDocument>()
  for (const [index, text] of (source.text(file)?.text ?? '').split('\n').entries()) {
    if (text.trim() === '') continue
    const row = rowOf(text, declared)
    if (typeof row === 'string') note(report, file, `line ${index + 1} ${row}`)
    else rows.set(row.key, row)
  }
  for (const batch of chunks([...rows.values()], documentsPerTransaction)) {
    const { added, changed } = await app.store.write(async tx => {
      const keys = batch.map(({ key }) => key)
      const stored = new Map((await selectStoredByKey(tx, to, keys)).map(row => [row.key, row]))
      const isNew = batch.filter(({ key }) => !stored.has(key))
      const differs = batch.filter(row => stored.has(row.key) && !isSame(row, stored.get(row.key)!))
      if (!dryRun) {
        await insertDocuments(tx, to, isNew)
        for (const { key, value, index_1, index_2, index_3 } of differs)
          await upsertDocument(tx, to, { key, value, index_1, index_2, index_3 }, undefined)
      }
      return { added: isNew.length, changed: differs.length }
    })
    report.counts.documents.imported += added
    report.counts.documents.updated += changed
    report.counts.documents.unchanged += batch.length - added - changed
  }
}

const isSame = (one: StoredDocument, other: StoredDocument) =>
  (['value', 'index_1', 'index_2', 'index_3'] as const).every(name => one[name] === other[name])

/** A text says what is wrong. */
function rowOf(text: string, declared: DocumentSchema | undefined): StoredDocument | string {
  const read = lineSchema.safeParse(parseJson(text))
  if (!read.success) return 'is no document that can be imported'
  const { key, value, version, created: created_at, modified: modified_at, index } = read.data
  const [index_1, index_2, index_3] = index
  const rest = { version, created_at, modified_at }
  try {
    // Throws if it is nested too deeply.
    if (!declared) return { key, value: JSON.stringify(value), index_1, index_2, index_3, ...rest }
    return { ...storedDocument(declared, key, value), ...rest }
  } catch {
    return declared ? 'does not fit what the extension declares' : 'is no document that can be imported'
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
