import { CompiledQuery, sql } from 'kysely'
import type { Store, Tx } from '../../platform/store/store.ts'

export async function selectRaw<Row>(store: Store, text: string, ...parameters: unknown[]): Promise<Row[]> {
  let count = 0
  const numbered = store.name === 'postgres' ? text.replaceAll('?', () => `$${++count}`) : text
  return (await store.read(CompiledQuery.raw(numbered, parameters))) as Row[]
}

export const batchSize = 500

/** Reads batches, each with a statement of its own, so that other connections can write in between. */
export async function* selectInBatches<Row>(piece: (after: string) => Promise<Row[]>, keyOf: (row: Row) => string) {
  for (let after = ''; ;) {
    const rows = await piece(after)
    yield rows
    if (rows.length < batchSize) return
    after = keyOf(rows.at(-1)!)
  }
}

// ---- the SQLite file

/**
 * Runs in one transaction that first reads the search index: otherwise its integrity check would use cached data of an
 * earlier transaction.
 */
export async function selectDamage(store: Store): Promise<string[]> {
  await selectRaw(store, 'begin')
  try {
    await selectRaw(store, 'select rowid from search_index limit 1')
    const damaged = await selectRaw<{ integrity_check: string }>(store, 'pragma integrity_check(100)')
    const dangling = await selectRaw<{ table: string; rowid: number; parent: string }>(
      store,
      'pragma foreign_key_check',
    )
    return [
      ...damaged.map(row => row.integrity_check).filter(line => line !== 'ok'),
      ...dangling.map(({ table, rowid, parent }) => `row ${rowid} of ${table} refers to nothing in ${parent}`),
    ]
  } finally {
    await selectRaw(store, 'commit')
  }
}

// ---- pages and counts

export interface TreeRow {
  uuid: string
  path: string
  slug: string
  parent: string
  above: string | null
}

export const selectPageBatches = (store: Store) =>
  selectInBatches(
    after =>
      selectRaw<TreeRow>(
        store,
        `select pages.uuid, pages.path, pages.slug, pages.parent, above.path as above
         from pages left join pages as above on above.uuid = pages.parent
         where pages.uuid > ? order by pages.uuid limit ${batchSize}`,
        after,
      ),
    ({ uuid }) => uuid,
  )

export interface CountRow {
  name: string
  stored: number
  real: number
}

const counts = {
  page_counts: { of: 'pages', by: ['parent', 'template', 'status'] },
  user_counts: { of: 'users', by: ['role'] },
} as const
export type Counts = keyof typeof counts

export async function selectWrongCounts(store: Store, table: Counts): Promise<CountRow[]> {
  const { of, by } = counts[table]
  return selectRaw(
    store,
    `select ${by.join(` || ' ' || `)} as name, sum(stored) as stored, sum(actual) as real from (
       select ${by.join(', ')}, count as stored, 0 as actual from ${table} union all select ${by.join(', ')}, 0, 1 from ${of}
     ) as counted group by ${by.join(', ')} having sum(stored) <> sum(actual) order by 1`,
  )
}

export async function updateCounts(store: Store, tx: Tx, table: Counts): Promise<void> {
  const { of, by } = counts[table]
  // Blocks other writers while counting. SQLite has only one writer.
  if (store.name === 'postgres') await sql.raw(`lock table ${of}, ${table} in share row exclusive mode`).execute(tx)
  await sql.raw(`delete from ${table}`).execute(tx)
  const columns = by.join(', ')
  await sql
    .raw(`insert into ${table} (${columns}, count) select ${columns}, count(*) from ${of} group by ${columns}`)
    .execute(tx)
}

// ---- rows with an owner

const owned = {
  contents: 'owner',
  changes: 'owner',
  history: 'owner',
  reviews: 'owner',
  comments: 'owner',
  file_versions: 'owner',
  search_rows: 'owner',
  files: 'parent',
  page_slugs: 'page',
  schedules: 'page',
} as const
export type OwnedTable = keyof typeof owned
export const ownedTables = Object.keys(owned) as OwnedTable[]

/** An SQL condition: the owner of the row does not exist. */
function isOrphan(table: OwnedTable): string {
  const column = `${table}.${owned[table]}`
  if (table === 'page_slugs' || table === 'schedules')
    return `not exists (select 1 from pages where pages.uuid = ${column})`
  const uuid = `substr(${column}, 8)`
  return `not (${column} = 'site://'
    or (${column} like 'page://%' and exists (select 1 from pages where pages.uuid = ${uuid}))
    or (${column} like 'user://%' and exists (select 1 from users where users.id = ${uuid}))
    ${table === 'files' ? '' : `or (${column} like 'file://%' and exists (select 1 from files as owners where owners.uuid = ${uuid}))`})`
}

export async function selectOrphans(store: Store, table: OwnedTable): Promise<{ owner: string; count: number }[]> {
  const column = owned[table]
  return selectRaw(
    store,
    `select ${column} as owner, count(*) as count from ${table} where ${isOrphan(table)} group by ${column} order by 1`,
  )
}

export async function deleteOrphans(tx: Tx, table: OwnedTable): Promise<void> {
  await sql.raw(`delete from ${table} where ${isOrphan(table)}`).execute(tx)
}

// ---- languages

export async function selectLanguageKeys(store: Store) {
  return selectRaw<{ key: string; is_default: number }>(store, 'select key, is_default from languages')
}

export const languageTables = ['contents', 'changes', 'reviews', 'page_slugs', 'search_rows'] as const

export async function selectUsedLanguages(store: Store, table: (typeof languageTables)[number]): Promise<string[]> {
  const rows = await selectRaw<{ language: string }>(store, `select distinct language from ${table}`)
  return rows.map(({ language }) => language)
}

// ---- references

export type CheckedTable = 'contents' | 'changes'

/** The owners of all texts, in batches. */
export const selectTextOwnerBatches = (store: Store, source: CheckedTable) =>
  selectInBatches(
    after =>
      selectRaw<{ owner: string }>(
        store,
        `select distinct owner from ${source} where owner > ? order by owner limit ${batchSize}`,
        after,
      ),
    ({ owner }) => owner,
  )

export async function selectTexts(store: Store, source: CheckedTable, owners: readonly string[]) {
  if (owners.length === 0) return []
  const texts = store.db.selectFrom(source).select(['owner', 'language', 'data']).where('owner', 'in', owners)
  return (await store.read(texts.compile())) as { owner: string; language: string; data: string }[]
}

export async function selectLinked(store: Store, source: CheckedTable, owners: readonly string[]) {
  const links = store.db
    .selectFrom('links')
    .select(['owner', 'language', 'target'])
    .where('source', '=', source)
    .where('owner', 'in', owners)
  return {
    texts: await selectTexts(store, source, owners),
    links: (await store.read(links.compile())) as { owner: string; language: string; target: string }[],
  }
}

/** Owners with references but without the text that contains them. */
export async function selectLinksWithoutText(store: Store, source: CheckedTable): Promise<{ owner: string }[]> {
  return selectRaw(
    store,
    `select distinct owner from links where source = '${source}' and not exists (
       select 1 from ${source} as texts where texts.owner = links.owner and texts.language = links.language)`,
  )
}

/** Writes the texts again unchanged: triggers of the database then rebuild the references. */
export async function updateLinks(tx: Tx, owners: readonly string[]): Promise<void> {
  await tx.deleteFrom('links').where('owner', 'in', owners).execute()
  for (const source of ['contents', 'changes'] as const)
    await tx
      .updateTable(source)
      .set(eb => ({ data: eb.ref('data') }))
      .where('owner', 'in', owners)
      .execute()
}

// ---- files and blobs

export interface FileWithBlob {
  uuid: string
  parent: string
  filename: string
  hash: string
  size: number
  /** The size in `blobs`; null if there is no such row. */
  known: number | null
  unused_since: number | null
}

export const selectFileBatches = (store: Store) =>
  selectInBatches(
    after =>
      selectRaw<FileWithBlob>(
        store,
        `select files.uuid, files.parent, files.filename, files.hash, files.size, blobs.size as known, blobs.unused_since
         from files left join blobs on blobs.hash = files.hash
         where files.uuid > ? order by files.uuid limit ${batchSize}`,
        after,
      ),
    ({ uuid }) => uuid,
  )

export const selectBlobBatches = (store: Store) =>
  selectInBatches(
    after =>
      selectRaw<{ hash: string; size: number; unused_since: number | null; used: number }>(
        store,
        `select hash, size, unused_since,
           case when exists (select 1 from files where files.hash = blobs.hash) then 1
             when exists (select 1 from file_versions where file_versions.hash = blobs.hash)
               or exists (select 1 from trash_rows where trash_rows.hash = blobs.hash) then 2 else 0 end as used
         from blobs where hash > ? order by hash limit ${batchSize}`,
        after,
      ),
    ({ hash }) => hash,
  )

// ---- trash

/** Rows of a trash entry that no longer exists, and entries without the row of the deleted model. */
export async function selectTrashFaults(store: Store): Promise<{ at: string; rows: number }[]> {
  return selectRaw(
    store,
    `select entry as at, count(*) as rows from trash_rows
       where not exists (select 1 from trash where trash.id = trash_rows.entry) group by entry
     union all select id, 0 from trash where is_purged = 0 and not exists (select 1 from trash_rows
       where entry = trash.id and kind = case trash.kind when 'page' then 'pages' when 'file' then 'files' else 'users' end)`,
  )
}

/** Blobs of the rows of a table that have no row in `blobs`, or one that is marked as unused. */
export async function selectUnknownBlobs(
  store: Store,
  table: 'trash_rows' | 'file_versions',
): Promise<{ hash: string }[]> {
  return selectRaw(
    store,
    `select distinct hash from ${table} where hash is not null
       and not exists (select 1 from blobs where blobs.hash = ${table}.hash and blobs.unused_since is null)`,
  )
}

export async function isBlobKnown(store: Store, hash: string): Promise<boolean> {
  return (await selectRaw(store, 'select 1 as known from blobs where hash = ?', hash)).length > 0
}
