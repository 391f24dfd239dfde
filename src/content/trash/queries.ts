import { type RawBuilder, sql } from 'kysely'
import { isAmong, isPostgres } from '../../platform/store/among.ts'
import type { PagesTable, TrashRowsTable, TrashTable, TrashedKind } from '../../platform/store/tables/content.ts'
import { now, type Store, type Tx } from '../../platform/store/store.ts'

export type TrashRow = TrashTable

/**
 * Tables whose rows move to the trash with their page, file or account, and the column that refers to it. Add new
 * tables with such a column here; a test reports missing ones.
 */
export const keyColumns = {
  page_slugs: 'page',
  schedules: 'page',
  pages: 'uuid',
  files: 'uuid',
  file_versions: 'owner',
  contents: 'owner',
  changes: 'owner',
  history: 'owner',
  reviews: 'owner',
  comments: 'owner',
  users: 'id',
} as const
export type TrashedTable = keyof typeof keyColumns

/** Tables whose rows use a blob. */
const withHash = new Set<TrashedTable>(['files', 'file_versions'])

/** Tables with generated ids: restored rows get new ids in the same order. */
const numbered = new Set<TrashedTable>(['history'])

/** Columns of `users` that go to the trash. Passwords and other secrets are not stored there. */
const identity = new Set([
  'id',
  'email',
  'email_key',
  'name',
  'blank_name',
  'role',
  'language',
  'sort_key',
  'created_at',
  'modified_at',
  'revision',
])

const knownColumns = new WeakMap<object, Map<TrashedTable, Promise<string[]>>>()

/**
 * Reads the columns from the schema, so that new migrations are covered. Cached: the schema does not change at
 * runtime.
 */
function columnsOf(tx: Tx, table: TrashedTable): Promise<string[]> {
  const { adapter } = tx.getExecutor() // one adapter per store, so it can be the cache key
  const columnsByTable = knownColumns.get(adapter) ?? new Map<TrashedTable, Promise<string[]>>()
  knownColumns.set(adapter, columnsByTable)
  let columns = columnsByTable.get(table)
  if (!columns) {
    columnsByTable.set(table, (columns = readColumns(tx, table)))
    columns.catch(() => columnsByTable.delete(table))
  }
  return columns
}

async function readColumns(tx: Tx, table: TrashedTable): Promise<string[]> {
  const { rows } = await (
    isPostgres(tx)
      ? sql<{ name: string }>`select attname as name from pg_attribute
          where attrelid = ${sql.lit(table)}::regclass and attnum > 0 and not attisdropped order by attnum`
      : sql<{ name: string }>`select name from pragma_table_info(${sql.lit(table)})`
  ).execute(tx)
  return rows
    .map(({ name }) => name)
    .filter(name => !(numbered.has(table) && name === 'id') && (table !== 'users' || identity.has(name)))
}

// ---- into the trash

/** Moves all rows of these pages, files or owners from a table to the trash. */
export async function moveRowsToTrash(
  tx: Tx,
  entry: string,
  table: TrashedTable,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return
  const columns = await columnsOf(tx, table)
  const isOne = isAmong(tx, keyColumns[table], keys)
  const insertTrashRows = (build: string, from: RawBuilder<unknown>) => {
    const pairs = columns.flatMap(name => [sql.lit(name), sql.ref(name)])
    return sql`insert into trash_rows (entry, kind, owner, hash, data)
      select cast(${entry} as text), ${sql.lit(table)}, ${sql.ref(keyColumns[table])},
        ${sql.raw(withHash.has(table) ? 'hash' : 'null')}, cast(${sql.raw(build)}(${sql.join(pairs)}) as text)
      from ${from} ${sql.raw(numbered.has(table) ? 'order by id' : '')}`
  }
  if (isPostgres(tx)) {
    // One statement: a row that a concurrent transaction deletes must not end up in two entries.
    const gone = sql`with gone as (delete from ${sql.table(table)} where ${isOne} returning *)`
    await sql`${gone} ${insertTrashRows('json_build_object', sql`gone`)}`.execute(tx)
    return
  }
  await insertTrashRows('json_object', sql`${sql.table(table)} where ${isOne}`).execute(tx)
  await sql`delete from ${sql.table(table)} where ${isOne}`.execute(tx)
}

export async function insertEntry(tx: Tx, entry: Omit<TrashRow, 'deleted_at'>): Promise<void> {
  await tx
    .insertInto('trash')
    .values({ ...entry, deleted_at: now })
    .execute()
}

type Template = { kind: TrashedKind | 'in page' | 'in site' | 'in user'; template: string }

export async function insertTemplates(tx: Tx, entry: string, templates: readonly Template[]): Promise<void> {
  if (templates.length === 0) return
  await tx
    .insertInto('trash_templates')
    .values(templates.map(one => ({ entry, ...one })))
    .execute()
}

// ---- restoring

/** Rows per statement. Small, so that the event loop can run between two statements. */
const batchSize = 200

interface TrashBatch {
  entry: string
  table: TrashedTable
  last: number
  owners: string[]
}

async function nextBatch(
  tx: Tx,
  entry: string,
  table: TrashedTable,
): Promise<(TrashBatch & { columns: string[] }) | undefined> {
  const rows = await tx
    .selectFrom('trash_rows')
    .select(['id', 'owner'])
    .where('entry', '=', entry)
    .where('kind', '=', table)
    .orderBy('id')
    .limit(batchSize)
    .execute()
  if (rows.length === 0) return undefined
  const columns = await columnsIn(tx, table, rows[0]!.id)
  return { entry, table, last: rows.at(-1)!.id, owners: rows.map(({ owner }) => owner), columns }
}

/** Columns that exist in both the deleted row and the current schema. New columns get their default. */
async function columnsIn(tx: Tx, table: TrashedTable, id: number): Promise<string[]> {
  const { data } = await tx.selectFrom('trash_rows').select('data').where('id', '=', id).executeTakeFirstOrThrow()
  const there = new Set(Object.keys(JSON.parse(data) as object))
  return (await columnsOf(tx, table)).filter(name => there.has(name))
}

/** Column → SQL expression for its new value; `was` refers to the deleted values. */
type Changed = Readonly<Record<string, (was: (column: string) => RawBuilder<unknown>) => RawBuilder<unknown>>>
export type TrashChanges = Partial<Record<TrashedTable, Changed>>

/** New values for a restored page, perhaps under another parent; its subpages get new paths. */
export function movedPage(
  { owner, path }: Pick<TrashRow, 'owner' | 'path'>,
  to: Pick<PagesTable, 'parent' | 'path' | 'slug' | 'num'>,
): TrashChanges {
  const isRoot = (was: (column: string) => RawBuilder<unknown>) =>
    sql`${was('uuid')} = ${owner.slice('page://'.length)}`
  const atRoot = (column: 'parent' | 'slug' | 'num', type: string) => (was: (column: string) => RawBuilder<unknown>) =>
    sql`case when ${isRoot(was)} then cast(${to[column]} as ${sql.raw(type)}) else ${was(column)} end`
  return {
    pages: {
      parent: atRoot('parent', 'text'),
      slug: atRoot('slug', 'text'),
      num: atRoot('num', 'bigint'),
      path: was => sql`cast(${to.path} as text) || substr(${was('path')}, length(cast(${path} as text)) + 1)`,
    },
    // A schedule that became due in the trash is not run; it is marked with a problem.
    schedules: {
      problem: was => sql`case when ${was('due_at')} <= ${now} then 'page.schedule.trashed' else ${was('problem')} end`,
    },
  }
}

/** Constant values for all restored rows of a table. */
export const withValues = (values: Readonly<Record<string, string | number | null>>): Changed =>
  Object.fromEntries(Object.entries(values).map(([column, value]) => [column, () => sql`${value}`]))

/** Moves rows back to their table in batches; yields the owners of each batch. */
export async function* moveRowsBack(
  tx: Tx,
  entry: string,
  table: TrashedTable,
  changed: Changed = {},
): AsyncGenerator<string[]> {
  for (let batch = await nextBatch(tx, entry, table); batch; batch = await nextBatch(tx, entry, table)) {
    const { columns } = batch
    const was = (name: string) => (isPostgres(tx) ? sql`was.${sql.ref(name)}` : sql`kept.data ->> ${sql.lit(name)}`)
    const added = Object.keys(changed).filter(name => !columns.includes(name))
    const values = [...columns, ...added].map(name => changed[name]?.(was) ?? was(name))
    const from = isPostgres(tx)
      ? sql`trash_rows as kept cross join lateral
          json_populate_record(null::${sql.table(table)}, kept.data::json) as was`
      : sql`trash_rows as kept`
    const range = sql`entry = ${entry} and kind = ${sql.lit(table)} and id <= ${batch.last}`
    await sql`insert into ${sql.table(table)} (${sql.join([...columns, ...added].map(name => sql.ref(name)))})
      select ${sql.join(values)} from ${from}
      where kept.entry = ${entry} and kept.kind = ${sql.lit(table)} and kept.id <= ${batch.last}
      order by kept.id`.execute(tx)
    await sql`delete from trash_rows where ${range}`.execute(tx)
    yield batch.owners
  }
}

/** The first deleted row of a table. */
export async function selectFirst<Row>(tx: Tx, entry: string, table: TrashedTable, owner: string): Promise<Row> {
  const { data } = await tx
    .selectFrom('trash_rows')
    .select('data')
    .where('entry', '=', entry)
    .where('kind', '=', table)
    .where('owner', '=', owner)
    .orderBy('id')
    .limit(1)
    .executeTakeFirstOrThrow()
  return JSON.parse(data) as Row
}

/** The longest page path in an entry, in bytes. */
export async function selectLongestPath(tx: Tx, entry: string): Promise<number> {
  const length = isPostgres(tx) ? sql`octet_length(data::json ->> 'path')` : sql`length(cast(data ->> 'path' as blob))`
  const { rows } = await sql<{ longest: number | null }>`select max(${length}) as longest from trash_rows
    where entry = ${entry} and kind = 'pages'`.execute(tx)
  return rows[0]?.longest ?? 0
}

/** The path or filename of a page or file that has taken a uuid of the entry since. */
export async function selectSameUuid(tx: Tx, entry: string): Promise<string | undefined> {
  const { rows } = await sql<{ place: string }>`
    select pages.path as place from trash_rows join pages on pages.uuid = trash_rows.owner
      where trash_rows.entry = ${entry} and trash_rows.kind = 'pages'
    union all select files.filename from trash_rows join files on files.uuid = trash_rows.owner
      where trash_rows.entry = ${entry} and trash_rows.kind = 'files'
    limit 1`.execute(tx)
  return rows[0]?.place
}

export async function selectSize(store: Store, id: string): Promise<Pick<TrashRow, 'pages' | 'files'> | undefined> {
  const query = store.db.selectFrom('trash').select(['pages', 'files']).where('id', '=', id)
  return ((await store.read(query.compile())) as Pick<TrashRow, 'pages' | 'files'>[])[0]
}

/** Locks the entry, so that it is restored only once. */
export async function lockEntry({ name }: Store, tx: Tx, id: string): Promise<TrashRow | undefined> {
  return tx
    .selectFrom('trash')
    .selectAll()
    .where('id', '=', id)
    .where('is_purged', '=', 0)
    .$if(name === 'postgres', query => query.forUpdate())
    .executeTakeFirst()
}

export async function deleteEntry(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('trash_templates').where('entry', '=', id).execute()
  await tx.deleteFrom('trash').where('id', '=', id).execute()
}

/** The templates of everything in the entries. */
export async function selectTemplates(store: Store | Tx, entries: readonly string[]) {
  const db = 'db' in store ? store.db : store
  return db.selectFrom('trash_templates').selectAll().where('entry', 'in', entries).orderBy('template').execute()
}

// ---- permanent deletion

/** The entry must be locked. */
export async function markPurged(tx: Tx, id: string): Promise<void> {
  await tx.updateTable('trash').set({ is_purged: 1 }).where('id', '=', id).execute()
}

/** Marks entries older than `milliseconds`. Returns their number. */
export async function markExpired(tx: Tx, milliseconds: number, limit: number): Promise<number> {
  const expired = tx
    .selectFrom('trash')
    .select('id')
    .where('is_purged', '=', 0)
    .where('deleted_at', '<=', sql<number>`${now} - cast(${milliseconds} as bigint)`)
    .orderBy('deleted_at')
    .limit(limit)
    .$if(isPostgres(tx), query => query.forUpdate().skipLocked())
  const { numUpdatedRows } = await tx
    .updateTable('trash')
    .set({ is_purged: 1 })
    .where('id', 'in', expired)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

export async function selectPurged(store: Store, limit: number): Promise<string[]> {
  const query = store.db.selectFrom('trash').select('id').where('is_purged', '=', 1).orderBy('deleted_at').limit(limit)
  return ((await store.read(query.compile())) as { id: string }[]).map(({ id }) => id)
}

/** Locks the entry, so that processes purge it one after the other. False if it was already deleted. */
export async function lockPurged({ name }: Store, tx: Tx, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('trash')
    .select('id')
    .where('id', '=', id)
    .$if(name === 'postgres', query => query.forUpdate())
    .executeTakeFirst()
  return row !== undefined
}

type PurgedRow = Pick<TrashRowsTable, 'kind' | 'owner' | 'hash'>

/** Deletes a batch of rows of a purged entry; returns what they were, and the hashes of their blobs. */
export async function deleteSomeRows(tx: Tx, entry: string, limit: number): Promise<PurgedRow[]> {
  return tx
    .deleteFrom('trash_rows')
    .where(
      'id',
      'in',
      tx.selectFrom('trash_rows').select('id').where('entry', '=', entry).orderBy('kind').orderBy('id').limit(limit),
    )
    .returning(['kind', 'owner', 'hash'])
    .execute()
}
