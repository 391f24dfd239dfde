import { CompiledQuery } from 'kysely'
import type { StoredContent } from '../../content/content.ts'
import { namesOf } from '../../groups/files/order.ts'
import type { UsersTable } from '../../platform/store/tables/accounts.ts'
import type { FilesTable, PagesTable, RedirectsTable } from '../../platform/store/tables/content.ts'
import { chunks } from '../../platform/lib/chunks.ts'
import { isAmong, isPostgres } from '../../platform/store/among.ts'
import { now, send, type Store, syncConnection, type Tx } from '../../platform/store/store.ts'

type Db = Store['db'] | Tx

/** A table and the types of its columns. `rest` follows the values, e.g. `on conflict …`. */
interface InsertTarget<Row> {
  table: string
  columns: Partial<Record<keyof Row & string, 'text' | 'bigint'>>
  rest?: string
}

/**
 * Inserts many rows with few different statement texts: building a query with Kysely would take longer than running it.
 * PostgreSQL gets each column as one array, because it would have to parse thousands of placeholders every time.
 */
async function insertRows<Row extends object>(
  tx: Tx,
  into: InsertTarget<Row>,
  rows: readonly Row[],
): Promise<{ uuid: string }[]> {
  const names = Object.keys(into.columns) as (keyof Row & string)[]
  if (isPostgres(tx)) {
    if (rows.length === 0) return []
    const isDeferred = !into.rest?.includes('returning')
    return (await send<{ uuid: string }>(tx, asLists(into, names, rows), isDeferred)).rows
  }
  const found: { uuid: string }[] = []
  for (const batch of chunks(rows, 200)) {
    const query = asValues(into, names, batch)
    const inserted = syncConnection(tx)?.run<{ uuid: string }>(query) ?? (await send<{ uuid: string }>(tx, query))
    found.push(...inserted.rows)
  }
  return found
}

/**
 * PostgreSQL collects this many kB of new words before it merges them into the search index: by default it does so
 * several times per batch. `mergeNewWords` merges the rest, for which the next save would have to wait otherwise.
 */
const pendingWords = 65_536

export async function collectNewWords(tx: Tx): Promise<void> {
  if (!isPostgres(tx)) return
  const text = `select set_config('gin_pending_list_limit', '${pendingWords}', true), set_config('work_mem', '65536', true)`
  await send(tx, CompiledQuery.raw(text), true)
}

export async function mergeNewWords(store: Store): Promise<void> {
  if (store.name !== 'postgres') return
  try {
    await store.read(CompiledQuery.raw("select gin_clean_pending_list('search_index_words')"))
  } catch (error) {
    // Only the owner of the index may do it; the database does it sooner or later.
    if ((error as { code?: string }).code !== '42501') throw error
  }
}

function asLists<Row>(
  { table, columns, rest = '' }: InsertTarget<Row>,
  names: (keyof Row & string)[],
  rows: readonly Row[],
) {
  const lists = names.map((name, index) => `$${index + 1}::${columns[name]}[]`)
  const text = `insert into ${table} (${names.join()}) select * from unnest(${lists.join()}) ${rest}`
  return CompiledQuery.raw(
    text,
    names.map(name => rows.map(row => row[name])),
  )
}

function asValues<Row>({ table, rest = '' }: InsertTarget<Row>, names: (keyof Row & string)[], rows: readonly Row[]) {
  const places = `(${names.map(() => '?').join()})`
  const text = `insert into ${table} (${names.join()}) values ${Array(rows.length).fill(places).join()} ${rest}`
  const parameters: unknown[] = []
  for (const row of rows) for (const name of names) parameters.push(row[name])
  return CompiledQuery.raw(text, parameters)
}

// ---- pages

export type ExistingPage = Pick<PagesTable, 'uuid' | 'parent' | 'path' | 'status' | 'num' | 'template' | 'revision'>
const pageColumns = ['uuid', 'parent', 'path', 'status', 'num', 'template', 'revision'] as const

/** Pages with one of these uuids or paths. In a transaction their rows are locked until it ends. */
export async function selectExistingPages(
  { name }: Store,
  db: Db,
  uuids: readonly string[],
  paths: readonly string[],
): Promise<ExistingPage[]> {
  const isHeld = name === 'postgres' && db.isTransaction
  const found = new Map<string, ExistingPage>()
  for (const [column, values] of [
    ['path', paths],
    ['uuid', uuids],
  ] as const) {
    if (values.length === 0) continue
    const rows = await db
      .selectFrom('pages')
      .select(pageColumns)
      .where(isAmong(db, column, values))
      .orderBy('path')
      .$if(isHeld, query => query.forNoKeyUpdate())
      .execute()
    for (const row of rows) found.set(row.uuid, row)
  }
  return [...found.values()]
}

export type ImportedPageRow = Omit<PagesTable, 'revision' | 'created_at'>

const intoPages = {
  table: 'pages',
  columns: {
    uuid: 'text', parent: 'text', path: 'text', slug: 'text', status: 'text', num: 'bigint', template: 'text',
    revision: 'bigint', created_at: 'bigint', modified_at: 'bigint',
  }, // prettier-ignore
  rest: 'on conflict do nothing returning uuid',
} as const

/** Returns the uuids of the rows that were inserted; conflicting rows are skipped. */
export async function insertImportedPages(tx: Tx, pages: readonly ImportedPageRow[]): Promise<Set<string>> {
  const rows = pages.map(page => ({ ...page, revision: 1, created_at: page.modified_at }))
  return new Set((await insertRows(tx, intoPages, rows)).map(({ uuid }) => uuid))
}

export async function updateImportedPage(
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

export async function selectExistingSlugs(tx: Tx, uuids: readonly string[]) {
  if (uuids.length === 0) return []
  return tx
    .selectFrom('page_slugs')
    .selectAll()
    .where(isAmong(tx, 'page', uuids))
    .execute()
}

// ---- redirects

export type NewRedirect = Pick<RedirectsTable, 'language' | 'path' | 'page' | 'target' | 'is_automatic'>

/** Which of these uuids are those of pages. */
export async function selectExistingPageUuids({ db }: Store, uuids: readonly string[]): Promise<Set<string>> {
  if (uuids.length === 0) return new Set()
  const rows = await db
    .selectFrom('pages')
    .select('uuid')
    .where(isAmong(db, 'uuid', uuids))
    .execute()
  return new Set(rows.map(({ uuid }) => uuid))
}

/** Which of these redirects have the language and path of one that exists. */
export async function selectExistingRedirects<Row extends Pick<NewRedirect, 'language' | 'path'>>(
  { db }: Store,
  redirects: readonly Row[],
): Promise<Row[]> {
  if (redirects.length === 0) return []
  const languages = [...new Set(redirects.map(({ language }) => language))]
  const paths = redirects.map(({ path }) => path)
  const found = await db
    .selectFrom('redirects')
    .select(['language', 'path'])
    .where(isAmong(db, 'language', languages))
    .where(isAmong(db, 'path', paths))
    .execute()
  const existing = new Set(found.map(({ language, path }) => JSON.stringify([language, path])))
  return redirects.filter(({ language, path }) => existing.has(JSON.stringify([language, path])))
}

/** Returns the number of new rows; there may be redirects from the same addresses already. */
export async function insertRedirects(tx: Tx, rows: readonly NewRedirect[]): Promise<number> {
  if (rows.length === 0) return 0
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('redirects')
    .values(rows.map(row => ({ ...row, created_at: now, modified_at: now })))
    .onConflict(conflict => conflict.columns(['language', 'path']).doNothing())
    .executeTakeFirst()
  return Number(numInsertedOrUpdatedRows)
}

// ---- accounts

export type ExistingUser = Pick<UsersTable, 'id' | 'email_key'> & { revision: number }

export async function selectExistingUsers(
  { name }: Store,
  tx: Tx,
  ids: readonly string[],
  keys: readonly string[],
): Promise<ExistingUser[]> {
  return tx
    .selectFrom('users')
    .select(['id', 'email_key', 'revision'])
    .where(eb => eb.or([eb('id', 'in', ids), eb('email_key', 'in', keys)]))
    .orderBy('id')
    .$if(name === 'postgres', query => query.forNoKeyUpdate())
    .execute()
}

// ---- files

export type ExistingFile = FilesTable

export async function selectExistingFiles(db: Db, parents: readonly string[]): Promise<ExistingFile[]> {
  if (parents.length === 0) return []
  return db
    .selectFrom('files')
    .selectAll()
    .where(isAmong(db, 'parent', parents))
    .execute()
}

/** Which of these uuids exist. */
export async function selectUsedUuids(tx: Tx, uuids: readonly string[]): Promise<Set<string>> {
  if (uuids.length === 0) return new Set()
  const rows = await tx
    .selectFrom('files')
    .select('uuid')
    .where(isAmong(tx, 'uuid', uuids))
    .execute()
  return new Set(rows.map(({ uuid }) => uuid))
}

export type ImportedFileRow = Omit<FilesTable, 'name_key' | 'name_order' | 'revision' | 'created_at' | 'stored_at'>

const intoFiles = {
  table: 'files',
  columns: {
    uuid: 'text', parent: 'text', filename: 'text', name_key: 'text', name_order: 'text', extension: 'text', type: 'text',
    mime: 'text', template: 'text', sort: 'bigint', size: 'bigint', hash: 'text', width: 'bigint', height: 'bigint',
    revision: 'bigint', created_at: 'bigint', modified_at: 'bigint', stored_at: 'bigint',
  }, // prettier-ignore
  rest: 'on conflict do nothing returning uuid',
} as const

export async function insertImportedFiles(tx: Tx, files: readonly ImportedFileRow[]): Promise<Set<string>> {
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

export async function selectExistingContents(tx: Tx, owners: readonly string[]): Promise<ContentRow[]> {
  if (owners.length === 0) return []
  return tx
    .selectFrom('contents')
    .select(['owner', 'language', 'data'])
    .where(isAmong(tx, 'owner', owners))
    .execute()
}

/** Replaces content that the import has just stored, also in the version that it added to the history. */
export async function updateImportedContent(
  tx: Tx,
  { owner, language, data }: ContentRow,
  next: string,
): Promise<void> {
  for (const table of ['contents', 'history'] as const)
    await tx
      .updateTable(table)
      .set({ data: next })
      .where('owner', '=', owner)
      .where('language', '=', language)
      .where('data', '=', data)
      .execute()
}

// ---- targets of references

export async function selectByPath(tx: Tx, paths: readonly string[]) {
  if (paths.length === 0) return []
  return tx
    .selectFrom('pages')
    .select(['uuid', 'path'])
    .where(isAmong(tx, 'path', paths))
    .execute()
}

export async function selectByName(tx: Tx, parents: readonly string[], names: readonly string[]) {
  if (parents.length === 0) return []
  return tx
    .selectFrom('files')
    .select(['uuid', 'parent', 'name_key'])
    .where(isAmong(tx, 'parent', parents))
    .where(isAmong(tx, 'name_key', names))
    .execute()
}

/** By ids, or by keys of e-mail addresses. */
export async function selectUserIds(tx: Tx, keys: readonly string[]) {
  if (keys.length === 0) return []
  return tx
    .selectFrom('users')
    .select(['id', 'email_key'])
    .where(eb => eb.or([isAmong(tx, 'id', keys), isAmong(tx, 'email_key', keys)]))
    .execute()
}

export interface NewContent {
  owner: string
  language: string
  content: StoredContent
  revision: number
  /** Names of the fields that differ from before. */
  fields: readonly string[]
  modified: number
}

const intoContents = {
  table: 'contents',
  columns: { owner: 'text', language: 'text', data: 'text', modified_at: 'bigint' },
  rest: 'on conflict (owner, language) do update set data = excluded.data, modified_at = excluded.modified_at',
} as const

const intoHistory = {
  table: 'history',
  columns: {
    owner: 'text', language: 'text', data: 'text', revision: 'bigint', action: 'text', user_id: 'text', time: 'bigint',
    fields: 'text',
  }, // prettier-ignore
} as const

/** Replaces the stored contents and adds them to the history. `time` is the time of the database, in ms since 1970. */
export async function upsertContents(tx: Tx, rows: readonly NewContent[], time: number): Promise<ContentRow[]> {
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
  return stored
}
