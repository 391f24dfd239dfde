import {
  type Collection,
  countDocuments,
  deleteDocument,
  type DocumentRow,
  selectDocument,
  selectDocuments,
  writeDocument,
} from '../platform/documents/queries.ts'
import { fail } from '../platform/errors.ts'
import type { Store } from '../platform/store/store.ts'
import type { Document, Documents, DocumentStore } from './collections.ts'

const maxKeyLength = 200
/** In characters of JSON. */
const maxLength = 1_000_000
const maxLimit = 1000

/** The documents of one collection. Every call is a transaction of its own. */
export function openDocuments<Value, Field extends string>(
  store: Store,
  extension: string,
  declaration: Documents<Value, Field>,
  signal?: AbortSignal,
): DocumentStore<Value, Field> {
  const { name, value: schema, index } = declaration
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
    async count(where) {
      stillRuns()
      return countDocuments(store, from, filterOf(where))
    },
    async put(key, value, { version } = {}) {
      stillRuns()
      if (key === '' || key.length > maxKeyLength || key.includes('\0'))
        throw new TypeError(`a key of the documents "${name}" has 1 to ${maxKeyLength} characters`)
      const text = JSON.stringify(schema.parse(value))
      if (text.length > maxLength) throw new TypeError(`"${key}" is larger than ${maxLength} characters`)
      const [index_1 = null, index_2 = null, index_3 = null] = indexesOf(declaration, JSON.parse(text) as Value)
      const document = { key, value: text, index_1, index_2, index_3 }
      const row = await store.write(tx => writeDocument(tx, from, document, version))
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

const maxIndexLength = 200

function indexesOf<Value>({ name, index }: Documents<Value>, value: Value): (string | null)[] {
  return index.map(field => {
    const part = (value as Record<string, unknown>)[field]
    if (part === undefined || part === null) return null
    const text = typeof part === 'string' ? part : JSON.stringify(part)
    // Not cut off: the document would not be found by its value.
    if (text.length > maxIndexLength || text.includes('\0'))
      throw new TypeError(
        `"${field}" of the documents "${name}" is indexed and has at most ${maxIndexLength} characters`,
      )
    return text
  })
}

const documentOf = <Value>({ key, value, version, created_at, modified_at }: DocumentRow): Document<Value> => ({
  key,
  value: JSON.parse(value) as Value,
  version,
  created: new Date(created_at),
  modified: new Date(modified_at),
})
