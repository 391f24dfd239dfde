import { CompiledQuery, PostgresAdapter } from 'kysely'
import type { StoredContent } from '../content/content.ts'
import { namesOf } from '../files/order.ts'
import type { FilesTable, PagesTable, UsersTable } from '../store/schema.ts'
import { chunks } from '../lib/chunks.ts'
import { now, type Store, type Tx } from '../store/store.ts'

type Db = Store['db'] | Tx

const texts = new Map<string, string>()

/**
 * Many rows by one statement, whose text is made once: to put it together anew would take longer than all that the store does
 * with it. `rest` is what follows the values.
 */
async function insertRows<Row extends object>(
  tx: Tx,
  into: { table: string; columns: readonly (keyof Row & string)[]; rest?: string },
  rows: readonly Row[],
): Promise<{ uuid: string }[]> {
  const { table, columns, rest = '' } = into
  const found: { uuid: string }[] = []
  const isNumbered = tx.getExecutor().adapter instanceof PostgresAdapter
  for (const some of chunks(rows, 200)) {
    const key = `${table} ${some.length} ${isNumbered}`
    let text = texts.get(key)
    if (text === undefined) {
      let count = 0
      const row = () => `(${columns.map(() => (isNumbered ? `$${++count}` : '?')).join()})`
      text = `insert into ${table} (${columns.join()}) values ${some.map(row).join()} ${rest}`
      texts.set(key, text)
    }
    const parameters: unknown[] = []
    for (const row of some) for (const column of columns) parameters.push(row[column])
    found.push(...(await tx.executeQuery<{ uuid: string }>(CompiledQuery.raw(text, parameters))).rows)
  }
  return found
}

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

const intoPages = {
  table: 'pages',
  columns: [
    'uuid', 'parent', 'path', 'slug', 'status', 'num', 'template', 'revision', 'created_at', 'modified_at',
  ], // prettier-ignore
  rest: 'on conflict do nothing returning uuid',
} as const

/** The uuids of those that were free to be made. */
export async function insertPages(tx: Tx, pages: readonly NewPage[]): Promise<Set<string>> {
  const rows = pages.map(page => ({ ...page, revision: 1, created_at: page.modified_at }))
  return new Set((await insertRows(tx, intoPages, rows)).map(({ uuid }) => uuid))
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

const intoFiles = {
  table: 'files',
  columns: [
    'uuid', 'parent', 'filename', 'name_key', 'name_order', 'extension', 'type', 'mime', 'template', 'sort', 'size', 'hash',
    'width', 'height', 'revision', 'created_at', 'modified_at', 'stored_at',
  ], // prettier-ignore
  rest: 'on conflict do nothing returning uuid',
} as const

export async function insertFiles(tx: Tx, files: readonly NewFile[]): Promise<Set<string>> {
  const rows = files.map(file => {
    const { filename, modified_at } = file
    return { ...file, ...namesOf(filename), revision: 1, created_at: modified_at, stored_at: modified_at }
  })
  return new Set((await insertRows(tx, intoFiles, rows)).map(({ uuid }) => uuid))
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

const intoContents = {
  table: 'contents',
  columns: ['owner', 'language', 'data', 'modified_at'],
  rest: 'on conflict (owner, language) do update set data = excluded.data, modified_at = excluded.modified_at',
} as const

const intoHistory = {
  table: 'history',
  columns: ['owner', 'language', 'data', 'revision', 'action', 'user_id', 'time', 'fields'],
} as const

/** In the place of what was there, and kept in the history. `time` is that of the store. */
export async function putContents(tx: Tx, rows: readonly NewContent[], time: number): Promise<void> {
  const stored = rows.map(({ owner, language, content, revision, fields, modified }) => ({
    owner,
    language,
    data: JSON.stringify(content),
    modified_at: modified,
    revision,
    action: 'import',
    user_id: null,
    time,
    fields: JSON.stringify(fields),
  }))
  await insertRows(tx, intoContents, stored)
  await insertRows(tx, intoHistory, stored)
}
