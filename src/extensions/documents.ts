import {
  type Collection,
  countDocuments,
  deleteDocument,
  type DocumentRow,
  selectDocument,
  selectDocuments,
  upsertDocument,
} from '../platform/documents/queries.ts'
import { fail } from '../platform/errors.ts'
import { storedDocument } from '../platform/documents/stored.ts'
import type { Store, Tx } from '../platform/store/store.ts'
import type { Document, DocumentChange, DocumentCollection, DocumentStore } from './collections.ts'

const maxLimit = 1000
const batchSize = 100

/** The documents of one collection. Every call is a transaction of its own. */
export function openDocuments<Value, Field extends string>(
  store: Store,
  extension: string,
  declaration: DocumentCollection<Value, Field>,
  signal?: AbortSignal,
): DocumentStore<Value, Field> {
  const { name, index } = declaration
  const from: Collection = { extension, collection: name }
  const filterOf = (where: { [Name in Field]?: string | undefined } = {}, prefix = '') => {
    const unknown = Object.keys(where).find(field => !index.includes(field as Field))
    if (unknown !== undefined) throw new TypeError(`"${unknown}" is not an index of the documents "${name}"`)
    return { prefix, index: index.map(field => where[field]) }
  }
  const stillRuns = () => signal?.throwIfAborted()
  return {
    async get(key) {
      stillRuns()
      const row = await selectDocument(store, from, key)
      return row && documentOf<Value>(row)
    },
    async list({ where, prefix, after = '', limit = 100 } = {}) {
      stillRuns()
      const size = Math.min(Math.max(1, Math.trunc(limit) || 1), maxLimit)
      const rows = await selectDocuments(store, from, filterOf(where, prefix), { after, limit: size + 1 })
      const data = rows.slice(0, size).map(row => documentOf<Value>(row))
      return { data, next: rows.length > size ? data.at(-1)!.key : undefined }
    },
    async *all(where) {
      for (let after = ''; ;) {
        stillRuns()
        const rows = await selectDocuments(store, from, filterOf(where), { after, limit: batchSize })
        for (const row of rows) yield documentOf<Value>(row)
        if (rows.length < batchSize) return
        after = rows.at(-1)!.key
      }
    },
    async count(where) {
      stillRuns()
      return countDocuments(store, from, filterOf(where))
    },
    async put(key, value, { version } = {}) {
      stillRuns()
      const document = storedDocument(declaration, key, value)
      const row = await store.write(tx => upsertDocument(tx, from, document, version))
      if (!row) throw fail('document.changed', { key })
      return documentOf<Value>(row)
    },
    async delete(key, { version } = {}) {
      stillRuns()
      const isDeleted = await store.write(tx => deleteDocument(tx, from, key, version))
      if (!isDeleted && version !== undefined) throw fail('document.changed', { key })
      return isDeleted
    },
  }
}

const documentOf = <Value>({ key, value, version, created_at, modified_at }: DocumentRow): Document<Value> => ({
  key,
  value: JSON.parse(value) as Value,
  version,
  created: new Date(created_at),
  modified: new Date(modified_at),
})

/** A list that would hold up other writers for too long is refused. */
const maxChanges = 1000

/**
 * Checks the changes, and returns what writes them in a transaction: all of them, or none with
 * `error.document.changed`.
 */
export function prepareChanges(
  extension: string,
  collections: readonly DocumentCollection[],
  changes: readonly DocumentChange[],
): (tx: Tx) => Promise<void> {
  if (changes.length > maxChanges) throw new TypeError(`at most ${maxChanges} documents are written at once`)
  const prepared = changes.map(change => {
    const { documents, key, version } = change
    if (!collections.includes(documents)) throw new TypeError(`store: [${documents.name}] is not declared`)
    const to: Collection = { extension, collection: documents.name }
    const document = 'value' in change ? storedDocument(documents, key, change.value) : undefined
    return { name: `${documents.name} ${key}`, to, key, version, document }
  })
  // In one order: transactions that write the same documents do not deadlock.
  prepared.sort((a, b) => (a.name < b.name ? -1 : 1))
  const twice = prepared.find(({ name }, at) => name === prepared[at - 1]?.name)
  if (twice) throw new TypeError(`"${twice.key}" of the documents "${twice.to.collection}" is changed twice`)
  return async tx => {
    for (const { to, key, version, document } of prepared) {
      const isDone = document
        ? (await upsertDocument(tx, to, document, version)) !== undefined
        : (await deleteDocument(tx, to, key, version)) || version === undefined
      if (!isDone) throw fail('document.changed', { key })
    }
  }
}
