import type { CompiledQuery } from 'kysely'
import { isAmong } from '../../platform/store/among.ts'
import type { UsersTable } from '../../platform/store/tables/accounts.ts'
import type { FilesTable, PagesTable } from '../../platform/store/tables/content.ts'
import type { Store } from '../../platform/store/store.ts'

const run = async <Row>(store: Store, query: { compile(): CompiledQuery<Row> }) =>
  (await store.read(query.compile())) as Row[]

// ---- pages

export type ExportedPageRow = Pick<PagesTable, 'uuid' | 'path' | 'slug' | 'status' | 'num' | 'template' | 'modified_at'>
export type FolderRow = Pick<PagesTable, 'path' | 'slug' | 'status' | 'num'>

/** In the order of their paths: each page after its parent. */
export function selectExportedPages(store: Store, after: string, limit: number): Promise<ExportedPageRow[]> {
  return run(
    store,
    store.db
      .selectFrom('pages')
      .select(['uuid', 'path', 'slug', 'status', 'num', 'template', 'modified_at'])
      .where('path', '>', after)
      .orderBy('path')
      .limit(limit),
  )
}

export async function selectFolders(store: Store, paths: readonly string[]): Promise<FolderRow[]> {
  if (paths.length === 0) return []
  const isOne = isAmong(store.db, 'path', paths)
  return run(store, store.db.selectFrom('pages').select(['path', 'slug', 'status', 'num']).where(isOne))
}

export async function selectExportedSlugs(store: Store, uuids: readonly string[]) {
  if (uuids.length === 0) return []
  return run(
    store,
    store.db
      .selectFrom('page_slugs')
      .selectAll()
      .where(isAmong(store.db, 'page', uuids)),
  )
}

/** Counts rows: for progress, and of tables that are not exported. */
export async function countExportedRows(
  store: Store,
  table: 'pages' | 'changes' | 'schedules' | 'trash',
): Promise<number> {
  const [row] = await run(
    store,
    store.db.selectFrom(table).select(eb => eb.fn.countAll<number>().as('count')),
  )
  return row!.count
}

/** Redirects after an id, with the existing pages they lead to: the page itself, or the successor of a deleted one. */
export function selectExportedRedirects(store: Store, after: number, limit: number) {
  return run(
    store,
    store.db
      .selectFrom('redirects')
      .leftJoin('page_successors', 'page_successors.page', 'redirects.page')
      .leftJoin('pages as own', 'own.uuid', 'redirects.page')
      .leftJoin('pages as successor', 'successor.uuid', 'page_successors.successor')
      .select(['redirects.id', 'redirects.language', 'redirects.path', 'redirects.target', 'redirects.is_automatic'])
      .select(eb => eb.fn.coalesce('own.uuid', 'successor.uuid').as('page'))
      .where('redirects.id', '>', after)
      .orderBy('redirects.id')
      .limit(limit),
  )
}

// ---- files and contents

export type ExportedFileRow = Pick<
  FilesTable,
  'uuid' | 'parent' | 'filename' | 'template' | 'sort' | 'hash' | 'modified_at'
>

export async function selectExportedFiles(store: Store, parents: readonly string[]): Promise<ExportedFileRow[]> {
  if (parents.length === 0) return []
  return run(
    store,
    store.db
      .selectFrom('files')
      .select(['uuid', 'parent', 'filename', 'template', 'sort', 'hash', 'modified_at'])
      .where(isAmong(store.db, 'parent', parents))
      .orderBy('parent')
      .orderBy('name_key'),
  )
}

export async function selectExportedContents(store: Store, owners: readonly string[]) {
  if (owners.length === 0) return []
  return run(
    store,
    store.db
      .selectFrom('contents')
      .selectAll()
      .where(isAmong(store.db, 'owner', owners)),
  )
}

// ---- accounts

export type ExportedUser = Pick<
  UsersTable,
  'id' | 'email' | 'name' | 'role' | 'language' | 'status' | 'password_hash' | 'password_disabled_at' | 'totp_secret'
> & { blank_name: number }

export function selectExportedUsers(store: Store, after: string, limit: number): Promise<ExportedUser[]> {
  return run(
    store,
    store.db
      .selectFrom('users')
      .select(['id', 'email', 'name', 'blank_name', 'role', 'language', 'status'])
      .select(['password_hash', 'password_disabled_at', 'totp_secret'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit),
  )
}
