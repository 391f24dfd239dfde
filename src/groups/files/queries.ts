import { type Insertable, type Updateable, sql } from 'kysely'
import type { FileParentRow } from '../../access/authorize/files.ts'
import type { JoinedContent } from '../../content/stored.ts'
import type { ContentLanguage } from '../../http/context.ts'
import { namesOf } from './order.ts'
import { batched } from '../../platform/store/batch.ts'
import type { FilesTable } from '../../platform/store/tables/content.ts'
import { chunks } from '../../platform/lib/chunks.ts'
import { isInList, type ListParameter, listParameter } from '../../platform/store/among.ts'
import { now, prepared, type Store, type Tx } from '../../platform/store/store.ts'

export type FileRow = FilesTable

// ---- committed rows

const byParent = prepared((db, parent: string) => db.selectFrom('files').selectAll().where('parent', '=', parent))
const byParents = prepared((db, parents: ListParameter) =>
  db
    .selectFrom('files')
    .selectAll()
    .where(isInList(db, 'parent', parents)),
)
const byUuids = prepared((db, uuids: ListParameter) =>
  db
    .selectFrom('files')
    .selectAll()
    .where(isInList(db, 'uuid', uuids)),
)
const byParentAndName = prepared((db, parent: string, name: string) =>
  db.selectFrom('files').selectAll().where('parent', '=', parent).where('name_key', '=', name),
)

/** By name, case-insensitive. */
export async function selectFile(store: Store, parent: string, filename: string): Promise<FileRow | undefined> {
  return (await byParentAndName(store, parent, filename.toLowerCase()))[0]
}

/** The files of all these parents (`page://…`, `site://`, `user://…`), unordered. */
export async function selectFilesOf(store: Store, parents: readonly string[]): Promise<FileRow[]> {
  return parents.length === 1 ? byParent(store, parents[0]!) : byParents(store, listParameter(store, parents))
}

const filesByParent = batched(
  async (store, parents: string[]) => [
    ...Map.groupBy(await selectFilesOf(store, parents), file => file.parent).entries(),
  ],
  ([parent]) => parent,
)

/** The files of one parent. Batched: one query for all parents of a list. */
export async function selectFilesWithin(store: Store, parent: string): Promise<FileRow[]> {
  return (await filesByParent(store, parent))?.[1] ?? []
}

/** The files with these names, which must be in lower case. */
export async function selectNamed(store: Store, parent: string, filenames: readonly string[]): Promise<FileRow[]> {
  const names = filenames.filter(name => !name.includes('\0')) // no name contains NUL, and PostgreSQL rejects it
  if (names.length === 0) return []
  const query = store.db.selectFrom('files').selectAll().where('parent', '=', parent).where('name_key', 'in', names)
  return (await store.read(query.compile())) as FileRow[]
}

/** By uuid, unordered. */
export async function selectByUuid(store: Store, uuids: readonly string[]): Promise<FileRow[]> {
  return uuids.length === 0 ? [] : byUuids(store, listParameter(store, uuids))
}

/** The content of the files of one parent, in a language and its fallback, by uuid. */
export async function selectContentIn(
  store: Store,
  parent: string,
  { key, fallback }: ContentLanguage,
): Promise<Map<string, JoinedContent>> {
  const query = store.db
    .selectFrom('files')
    .innerJoin('contents', join => join.on('contents.owner', '=', sql<string>`'file://' || files.uuid`))
    .select(['files.uuid', 'contents.language', 'contents.data'])
    .where('files.parent', '=', parent)
    .where('contents.language', 'in', [...new Set([key, fallback])])
  const rows = (await store.read(query.compile())) as { uuid: string; language: string; data: string }[]
  const contents = new Map<string, { own: string | null; base: string | null }>()
  for (const { uuid, language, data } of rows) {
    const content = contents.get(uuid) ?? { own: null, base: null }
    if (language === key) content.own = data
    if (language === fallback) content.base = data
    contents.set(uuid, content)
  }
  return contents
}

// ---- inside a transaction

/** Locks the file until the end of the transaction; it can still be read. */
export async function lockFileRow({ name }: Store, tx: Tx, uuid: string): Promise<FileRow | undefined> {
  return tx
    .selectFrom('files')
    .selectAll()
    .where('uuid', '=', uuid)
    .$if(name === 'postgres', query => query.forUpdate())
    .executeTakeFirst()
}

/** Locks the files of one parent, always in the same order, to prevent deadlocks. */
export async function lockFilesOf(
  { name }: Store,
  tx: Tx,
  parent: string,
  uuids: readonly string[],
): Promise<FileRow[]> {
  if (uuids.length === 0) return []
  return tx
    .selectFrom('files')
    .selectAll()
    .where('parent', '=', parent)
    .where('uuid', 'in', uuids)
    .orderBy('uuid')
    .$if(name === 'postgres', query => query.forUpdate())
    .execute()
}

/** The files of these parents, in the order in which they are locked. */
export async function selectFilesIn(tx: Tx, parents: readonly string[]): Promise<FileRow[]> {
  const found: FileRow[] = []
  for (const batch of chunks(parents))
    found.push(...(await tx.selectFrom('files').selectAll().where('parent', 'in', batch).orderBy('uuid').execute()))
  return found
}

/** The distinct templates of the files of these parents. */
export async function selectTemplatesOf(tx: Tx, parents: readonly string[]): Promise<(string | null)[]> {
  const rows = await tx.selectFrom('files').select('template').distinct().where('parent', 'in', parents).execute()
  return rows.map(({ template }) => template)
}

/** Like `selectFile`, inside a transaction. */
export async function selectFileByName(tx: Tx, parent: string, filename: string): Promise<FileRow | undefined> {
  return tx
    .selectFrom('files')
    .selectAll()
    .where('parent', '=', parent)
    .where('name_key', '=', filename.toLowerCase())
    .executeTakeFirst()
}

/**
 * Locks the parent until the end of the transaction, so that it is not deleted while its files are changed. `exclusive`
 * also prevents others from changing files of a page or the site; the row of an account is always locked exclusively.
 */
export async function lockFileParentRow(
  { name }: Store,
  tx: Tx,
  parent: string,
  exclusive: boolean,
): Promise<FileParentRow | undefined> {
  const [kind, id] = parent.split('://') as [string, string]
  const isLocking = name === 'postgres'
  if (kind === 'page') {
    const page = await tx
      .selectFrom('pages')
      .select(['uuid', 'template', 'status'])
      .where('uuid', '=', id)
      .$if(isLocking, query => (exclusive ? query.forUpdate() : query.forKeyShare()))
      .executeTakeFirst()
    return page && { kind, ...page }
  }
  if (kind === 'user') {
    const user = await tx
      .selectFrom('users')
      .select(['id', 'role'])
      .where('id', '=', id)
      .$if(isLocking, query => query.forUpdate())
      .executeTakeFirst()
    return user && { kind, ...user }
  }
  const lock = tx.selectFrom('site').select('one')
  if (isLocking) await (exclusive ? lock.forUpdate() : lock.forKeyShare()).execute()
  return { kind: 'site' }
}

/**
 * The parent of a file as the trash shows it: the path of a page or the e-mail address of an account, and its template
 * or role. Empty and `default` for the site, and if the parent is gone.
 */
export async function selectParent(tx: Tx, parent: string): Promise<{ path: string; template: string }> {
  const [kind, id] = parent.split('://') as [string, string]
  const none = { path: '', template: 'default' }
  if (kind === 'site') return none
  const found =
    kind === 'page'
      ? await tx.selectFrom('pages').select(['path', 'template']).where('uuid', '=', id).executeTakeFirst()
      : await tx
          .selectFrom('users')
          .select(['email as path', 'role as template'])
          .where('id', '=', id)
          .executeTakeFirst()
  return found ?? none
}

/** The names of the files of a parent that begin like this, in lower case. */
export async function selectNamesLike(tx: Tx, parent: string, prefix: string): Promise<Set<string>> {
  const pattern = `${prefix.toLowerCase().replaceAll(/[!%_]/g, '!$&')}%`
  const rows = await tx
    .selectFrom('files')
    .select('name_key')
    .where('parent', '=', parent)
    .where(sql<boolean>`name_key like ${pattern} escape '!'`)
    .execute()
  return new Set(rows.map(({ name_key }) => name_key))
}

/** The parents that have a file of this name. */
export async function selectParentsOfNamed(tx: Tx, filename: string): Promise<Set<string>> {
  const rows = await tx.selectFrom('files').select('parent').where('name_key', '=', filename.toLowerCase()).execute()
  return new Set(rows.map(({ parent }) => parent))
}

/** The site, pages from the top, accounts: the order in which rows are locked. */
export async function selectInLockOrder(tx: Tx, parents: readonly string[]): Promise<string[]> {
  const uuids = parents.flatMap(parent => (parent.startsWith('page://') ? parent.slice('page://'.length) : []))
  const pages = await tx
    .selectFrom('pages')
    .select(['uuid', 'path'])
    .where('uuid', 'in', ['', ...uuids])
    .execute()
  const paths = new Map(pages.map(({ uuid, path }) => [`page://${uuid}`, `1 ${path}`]))
  const keyOf = (parent: string) => (parent === 'site://' ? '0' : (paths.get(parent) ?? `2 ${parent}`))
  return [...new Set(parents)].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

type ManagedColumn = 'revision' | 'created_at' | 'modified_at' | 'stored_at'
export type NewFileRow = Omit<Insertable<FilesTable>, 'name_key' | 'name_order' | ManagedColumn>

/** False if the name is taken. */
export async function insertFile(tx: Tx, file: NewFileRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('files')
    .values({
      ...file,
      ...namesOf(file.filename),
      revision: 1,
      created_at: now,
      modified_at: now,
      stored_at: now,
    })
    .onConflict(conflict => conflict.columns(['parent', 'name_key']).doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export type FileChange = Omit<Updateable<FilesTable>, 'uuid' | ManagedColumn> & {
  /** The URL must change, so that caches fetch the file again. */
  changesUrl?: boolean
}

/** Now, but at least one second later than before, because URLs contain the time in seconds. */
const nextStoredAt = sql<number>`case when quoin_now() > stored_at + 1000 then quoin_now() else stored_at + 1000 end`

/** Increments the revision and returns it. */
export async function updateFile(
  tx: Tx,
  uuid: string,
  { changesUrl = false, ...change }: FileChange = {},
): Promise<number> {
  const { revision } = await tx
    .updateTable('files')
    .set(eb => ({
      ...change,
      revision: eb('revision', '+', 1),
      modified_at: now,
      ...((changesUrl || change.hash !== undefined) && { stored_at: nextStoredAt }),
    }))
    .where('uuid', '=', uuid)
    .returning('revision')
    .executeTakeFirstOrThrow()
  return revision
}

/** Deletes the rows and returns the hashes of their blobs. */
export async function deleteFileRows(tx: Tx, uuids: readonly string[]): Promise<string[]> {
  const hashes: string[] = []
  for (const batch of chunks(uuids)) {
    const rows = await tx.deleteFrom('files').where('uuid', 'in', batch).returning('hash').execute()
    hashes.push(...rows.map(({ hash }) => hash))
  }
  return hashes
}

/** The contents in all languages. */
export async function selectContentsOfFiles(tx: Tx, owners: readonly string[]) {
  const found: { owner: string; language: string; data: string }[] = []
  for (const batch of chunks(owners))
    found.push(
      ...(await tx.selectFrom('contents').select(['owner', 'language', 'data']).where('owner', 'in', batch).execute()),
    )
  return found
}
