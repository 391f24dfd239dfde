import type { ExpressionBuilder, Kysely } from 'kysely'
import { isAmong } from '../store/among.ts'
import type { Database } from '../store/schema.ts'
import { now, type Store, type Tx } from '../store/store.ts'
import type { DocumentsTable } from '../store/tables/extensions.ts'

export type DocumentRow = Pick<DocumentsTable, 'key' | 'value' | 'version' | 'created_at' | 'modified_at'>

/** A collection of an extension. */
export interface Collection {
  extension: string
  collection: string
}

export interface Filter {
  /** The value of each indexed property; undefined if it does not matter. */
  index: readonly (string | undefined)[]
  prefix: string
}

const columns = ['key', 'value', 'version', 'created_at', 'modified_at'] as const
const indexes = ['index_1', 'index_2', 'index_3'] as const

/** After every key that begins with the prefix, in the order of code points that both engines use. */
const lastCharacter = '\u{10FFFF}'

const matching =
  ({ extension, collection }: Collection, { index, prefix }: Filter) =>
  (where: ExpressionBuilder<Database, 'documents'>) =>
    where.and([
      where('extension', '=', extension),
      where('collection', '=', collection),
      ...index.flatMap((value, at) => (value === undefined ? [] : where(indexes[at]!, '=', value))),
      ...(prefix === '' ? [] : [where('key', '>=', prefix), where('key', '<', prefix + lastCharacter)]),
    ])

const isOne =
  ({ extension, collection }: Collection, key: string) =>
  (where: ExpressionBuilder<Database, 'documents'>) =>
    where.and({ extension, collection, key })

export async function selectDocument(store: Store, from: Collection, key: string): Promise<DocumentRow | undefined> {
  const [row] = await store.read(store.db.selectFrom('documents').select(columns).where(isOne(from, key)).compile())
  return row as DocumentRow | undefined
}

export async function selectDocuments(
  store: Store,
  from: Collection,
  filter: Filter,
  { after, limit }: { after: string; limit: number },
): Promise<DocumentRow[]> {
  const query = store.db
    .selectFrom('documents')
    .select(columns)
    .where(matching(from, filter))
    .where('key', '>', after)
    .orderBy('key')
    .limit(limit)
  return (await store.read(query.compile())) as DocumentRow[]
}

export async function countDocuments(store: Store, from: Collection, filter: Filter): Promise<number> {
  const query = store.db
    .selectFrom('documents')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(matching(from, filter))
  const [row] = (await store.read(query.compile())) as { count: number }[]
  return row!.count
}

export interface NewDocument extends Pick<DocumentsTable, 'key' | 'value' | 'index_1' | 'index_2' | 'index_3'> {}

/** Undefined if `version` is given and the document has another one; 0 is that of a document that does not exist. */
export async function upsertDocument(
  tx: Tx,
  to: Collection,
  document: NewDocument,
  version: number | undefined,
): Promise<DocumentRow | undefined> {
  const { key, ...values } = document
  if (version !== undefined && version > 0)
    return tx
      .updateTable('documents')
      .set(({ eb }) => ({ ...values, version: eb('version', '+', 1), modified_at: now }))
      .where(isOne(to, key))
      .where('version', '=', version)
      .returning(columns)
      .executeTakeFirst()
  return tx
    .insertInto('documents')
    .values({ ...to, ...document, version: 1, created_at: now, modified_at: now })
    .onConflict(conflict => {
      const same = conflict.columns(['extension', 'collection', 'key'])
      return version === 0
        ? same.doNothing()
        : same.doUpdateSet(({ eb }) => ({
            ...values,
            version: eb('documents.version', '+', 1),
            modified_at: now,
          }))
    })
    .returning(columns)
    .executeTakeFirst()
}

/** Whether there was one, with this version if it is given. */
export async function deleteDocument(
  tx: Tx,
  from: Collection,
  key: string,
  version: number | undefined,
): Promise<boolean> {
  const query = tx.deleteFrom('documents').where(isOne(from, key))
  const { numDeletedRows } = await (
    version === undefined ? query : query.where('version', '=', version)
  ).executeTakeFirst()
  return numDeletedRows > 0n
}

// ---- all documents, for export, import and checks

export interface StoredDocument extends DocumentRow, Pick<DocumentsTable, (typeof indexes)[number]> {}

/** Of all extensions, also of those that are not loaded. */
export async function selectCollections(store: Store): Promise<Collection[]> {
  const query = store.db
    .selectFrom('documents')
    .select(['extension', 'collection'])
    .distinct()
    .orderBy('extension')
    .orderBy('collection')
  return (await store.read(query.compile())) as Collection[]
}

/** With the values of the indexes, in the order of the keys. */
export async function selectStoredDocuments(
  store: Store,
  from: Collection,
  { after, limit }: { after: string; limit: number },
): Promise<StoredDocument[]> {
  const query = store.db
    .selectFrom('documents')
    .select([...columns, ...indexes])
    .where(matching(from, { index: [], prefix: '' }))
    .where('key', '>', after)
    .orderBy('key')
    .limit(limit)
  return (await store.read(query.compile())) as StoredDocument[]
}

export async function selectStoredByKey(
  db: Kysely<Database>,
  from: Collection,
  keys: readonly string[],
): Promise<StoredDocument[]> {
  return db
    .selectFrom('documents')
    .select([...columns, ...indexes])
    .where(matching(from, { index: [], prefix: '' }))
    .where(isAmong(db, 'key', keys))
    .execute()
}

/** Those whose key exists stay as they are. */
export async function insertDocuments(tx: Tx, to: Collection, rows: readonly StoredDocument[]): Promise<void> {
  if (rows.length === 0) return
  await tx
    .insertInto('documents')
    .values(rows.map(row => ({ ...to, ...row })))
    .onConflict(conflict => conflict.columns(['extension', 'collection', 'key']).doNothing())
    .execute()
}

/** Only if the document still has this version. */
export async function updateIndexes(
  tx: Tx,
  to: Collection,
  { key, version, ...values }: Pick<StoredDocument, 'key' | 'version' | (typeof indexes)[number]>,
): Promise<void> {
  await tx.updateTable('documents').set(values).where(isOne(to, key)).where('version', '=', version).execute()
}
