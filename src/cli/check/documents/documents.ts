import { isDeepStrictEqual } from 'node:util'
import type { App } from '../../../app.ts'
import {
  type Collection,
  selectCollections,
  selectStoredByKey,
  selectStoredDocuments,
  type StoredDocument,
  updateIndexes,
} from '../../../platform/documents/queries.ts'
import { type DocumentSchema, indexesOf } from '../../../platform/documents/stored.ts'
import type { CheckOptions, Fault } from '../fault.ts'

/** A document may have a million characters. */
const documentsPerRead = 50

/**
 * Documents of extensions that are no JSON, do not fit their schema, or would not be found by their indexed properties.
 * A text is a note: what belongs to an extension that is not loaded cannot be checked, but is no fault.
 */
export async function* documentFaults(app: App, { progress }: CheckOptions): AsyncGenerator<Fault | string> {
  const { store } = app
  let count = 0
  for (const from of await selectCollections(store)) {
    const declared = declarationOf(app, from)
    if (!declared) yield `documents of ${from.extension}/${from.collection} are not declared by a loaded extension`
    for (let after = ''; ;) {
      const rows = await selectStoredDocuments(store, from, { after, limit: documentsPerRead })
      progress('documents', (count += rows.length))
      for (const row of rows) {
        const problem = problemOf(row, declared)
        const { extension, collection } = from
        if (problem !== undefined)
          yield {
            kind: 'documents',
            at: JSON.stringify([extension, collection, row.key]),
            message: `the document ${JSON.stringify(row.key)} of ${extension}/${collection} ${problem}`,
          }
      }
      if (rows.length < documentsPerRead) break
      after = rows.at(-1)!.key
    }
  }
}

const declarationOf = ({ extensions }: App, { extension, collection }: Collection) =>
  extensions.list.find(({ name }) => name === extension)?.collections.find(({ name }) => name === collection)

function problemOf(row: StoredDocument, declared: DocumentSchema | undefined): string | undefined {
  const value = parsed(row)
  if (value === undefined) return 'is not valid JSON'
  if (!declared) return undefined
  if (!declared.value.safeParse(value).success) return 'does not fit the schema of its collection'
  return isIndexed(row, declared, value) ? undefined : 'is not indexed by its value'
}

function isIndexed({ index_1, index_2, index_3 }: StoredDocument, declared: DocumentSchema, value: unknown): boolean {
  return isDeepStrictEqual({ index_1, index_2, index_3 }, indexesIn(declared, value))
}

/** Undefined if a value is too long to be indexed. */
function indexesIn(declared: DocumentSchema, value: unknown) {
  try {
    return indexesOf(declared, value)
  } catch {
    return undefined
  }
}

/** Undefined if it is not valid JSON. */
function parsed({ value }: StoredDocument): unknown {
  try {
    return JSON.parse(value) as unknown
  } catch {
    return undefined
  }
}

/** Indexes the documents by their values, for example after the declaration has got another index. */
export async function repairDocuments(app: App, places: Iterable<string>): Promise<void> {
  for (const place of places) {
    const [extension, collection, key] = JSON.parse(place) as [string, string, string]
    const from = { extension, collection }
    const declared = declarationOf(app, from)
    if (!declared) continue
    await app.store.write(async tx => {
      const [row] = await selectStoredByKey(tx, from, [key])
      const value = row && parsed(row)
      const indexes = value === undefined ? undefined : indexesIn(declared, value)
      if (row && indexes) await updateIndexes(tx, from, { key, version: row.version, ...indexes })
    })
  }
}
