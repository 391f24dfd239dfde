import { sql } from 'kysely'
import type { StoredContent } from '../content/content.ts'
import { namesOf } from '../files/order.ts'
import type { FilesTable, PagesTable, UsersTable } from '../store/schema.ts'
import { chunks } from '../lib/chunks.ts'
import { now, type Store, type Tx } from '../store/store.ts'

type Db = Store['db'] | Tx

// ---- pages

export type PageRow = Pick<PagesTable, 'uuid' | 'parent' | 'path' | 'status' | 'num' | 'template' | 'revision'>
const pageColumns = ['uuid', 'parent', 'path', 'status', 'num', 'template', 'revision'] as const

/** Whatever has one of these uuids or is at one of these paths. In a transaction it is held until its end. */
export async function selectPages(
  { name }: Store,
  db: Db,
  uuids: readonly string[],
  paths: readonly string[],
): Promise<PageRow[]> {
  const isHeld = name === 'postgres' && db.isTransaction
  const found = new Map<string, PageRow>()
  for (const [column, values] of [
    ['path', paths],
    ['uuid', uuids],
  ] as const)
    for (const some of chunks(values)) {
      const rows = await db
        .selectFrom('pages')
        .select(pageColumns)
        .where(column, 'in', some)
        .orderBy('path')
        .$if(isHeld, query => query.forNoKeyUpdate())
        .execute()
      for (const row of rows) found.set(row.uuid, row)
    }
  return [...found.values()]
}

export type NewPage = Omit<PagesTable, 'revision' | 'created_at'>

/** The uuids of those that were free to be made. */
export async function insertPages(tx: Tx, pages: readonly NewPage[]): Promise<Set<string>> {
  const made = new Set<string>()
  for (const some of chunks(pages, 200)) {
    const rows = await tx
      .insertInto('pages')
      .values(some.map(page => ({ ...page, revision: 1, created_at: page.modified_at })))
      .onConflict(conflict => conflict.doNothing())
      .returning('uuid')
      .execute()
    for (const { uuid } of rows) made.add(uuid)
  }
  return made
}

export async function updatePage(
  tx: Tx,
  uuid: string,
  change: Partial<Pick<PagesTable, 'status' | 'num' | 'template'>>,
): Promise<void> {
  await tx
    .updateTable('pages')
    .set(eb => ({ ...change, revision: eb('revision', '+', 1), modified_at: now }))
    .where('uuid', '=', uuid)
    .execute()
}

export async function selectSlugs(tx: Tx, uuids: readonly string[]) {
  const found: { page: string; language: string; slug: string }[] = []
  for (const some of chunks(uuids))
    found.push(...(await tx.selectFrom('page_slugs').selectAll().where('page', 'in', some).execute()))
  return found
}

// ---- accounts

export type UserRow = Pick<UsersTable, 'id' | 'email_key'> & { revision: number }

export async function selectUsers(
  { name }: Store,
  tx: Tx,
  ids: readonly string[],
  keys: readonly string[],
): Promise<UserRow[]> {
  return tx
    .selectFrom('users')
    .select(['id', 'email_key', 'revision'])
    .where(eb => eb.or([eb('id', 'in', ids), eb('email_key', 'in', keys)]))
    .orderBy('id')
    .$if(name === 'postgres', query => query.forNoKeyUpdate())
    .execute()
}

// ---- files

export type FileRow = FilesTable

export async function selectFiles(db: Db, parents: readonly string[]): Promise<FileRow[]> {
  const found: FileRow[] = []
  for (const some of chunks(parents))
    found.push(...(await db.selectFrom('files').selectAll().where('parent', 'in', some).execute()))
  return found
}

/** Those of these uuids that there are. */
export async function selectUsedUuids(tx: Tx, uuids: readonly string[]): Promise<Set<string>> {
  const used = new Set<string>()
  for (const some of chunks(uuids)) {
    const rows = await tx.selectFrom('files').select('uuid').where('uuid', 'in', some).execute()
    for (const { uuid } of rows) used.add(uuid)
  }
  return used
}

export type NewFile = Omit<FilesTable, 'name_key' | 'name_order' | 'revision' | 'created_at' | 'stored_at'>

export async function insertFiles(tx: Tx, files: readonly NewFile[]): Promise<Set<string>> {
  const made = new Set<string>()
  for (const some of chunks(files, 200)) {
    const rows = await tx
      .insertInto('files')
      .values(
        some.map(file => ({
          ...file,
          ...namesOf(file.filename),
          revision: 1,
          created_at: file.modified_at,
          stored_at: file.modified_at,
        })),
      )
      .onConflict(conflict => conflict.doNothing())
      .returning('uuid')
      .execute()
    for (const { uuid } of rows) made.add(uuid)
  }
  return made
}

// ---- contents

export interface ContentRow {
  owner: string
  language: string
  data: string
}

export async function selectContents(tx: Tx, owners: readonly string[]): Promise<ContentRow[]> {
  const found: ContentRow[] = []
  for (const some of chunks(owners))
    found.push(
      ...(await tx.selectFrom('contents').select(['owner', 'language', 'data']).where('owner', 'in', some).execute()),
    )
  return found
}

export interface NewContent {
  owner: string
  language: string
  content: StoredContent
  revision: number
  /** Names that differ from before. */
  fields: readonly string[]
  modified: number
}

/** In the place of what was there, and kept in the history. */
export async function putContents(tx: Tx, rows: readonly NewContent[]): Promise<void> {
  for (const some of chunks(rows, 200)) {
    const stored = some.map(({ content, ...row }) => ({ ...row, data: JSON.stringify(content) }))
    await tx
      .insertInto('contents')
      .values(stored.map(({ owner, language, data, modified }) => ({ owner, language, data, modified_at: modified })))
      .onConflict(conflict =>
        conflict.columns(['owner', 'language']).doUpdateSet({
          data: sql<string>`excluded.data`,
          modified_at: sql<number>`excluded.modified_at`,
        }),
      )
      .execute()
    await tx
      .insertInto('history')
      .values(
        stored.map(({ owner, language, data, revision, fields }) => ({
          owner,
          language,
          data,
          revision,
          action: 'import',
          user_id: null,
          time: now,
          fields: JSON.stringify(fields),
        })),
      )
      .execute()
  }
}
