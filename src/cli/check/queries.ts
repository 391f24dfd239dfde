import { CompiledQuery, sql } from 'kysely'
import { columnPrefixes } from '../../platform/search/queries.ts'
import type { Store, Tx } from '../../platform/store/store.ts'

export async function read<Row>(store: Store, text: string, ...parameters: unknown[]): Promise<Row[]> {
  let count = 0
  const numbered = store.name === 'postgres' ? text.replaceAll('?', () => `$${++count}`) : text
  return (await store.read(CompiledQuery.raw(numbered, parameters))) as Row[]
}

export const batchSize = 500

/** Reads batches, each with a statement of its own, so that other connections can write in between. */
export async function* inBatches<Row>(piece: (after: string) => Promise<Row[]>, keyOf: (row: Row) => string) {
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
  await read(store, 'begin')
  try {
    await read(store, 'select rowid from search_index limit 1')
    const damaged = await read<{ integrity_check: string }>(store, 'pragma integrity_check(100)')
    const dangling = await read<{ table: string; rowid: number; parent: string }>(store, 'pragma foreign_key_check')
    return [
      ...damaged.map(row => row.integrity_check).filter(line => line !== 'ok'),
      ...dangling.map(({ table, rowid, parent }) => `row ${rowid} of ${table} refers to nothing in ${parent}`),
    ]
  } finally {
    await read(store, 'commit')
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

export const pageBatches = (store: Store) =>
  inBatches(
    after =>
      read<TreeRow>(
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
  return read(
    store,
    `select ${by.join(` || ' ' || `)} as name, sum(stored) as stored, sum(actual) as real from (
       select ${by.join(', ')}, count as stored, 0 as actual from ${table} union all select ${by.join(', ')}, 0, 1 from ${of}
     ) as counted group by ${by.join(', ')} having sum(stored) <> sum(actual) order by 1`,
  )
}

export async function recount(store: Store, tx: Tx, table: Counts): Promise<void> {
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
  return read(
    store,
    `select ${column} as owner, count(*) as count from ${table} where ${isOrphan(table)} group by ${column} order by 1`,
  )
}

export async function deleteOrphans(tx: Tx, table: OwnedTable): Promise<void> {
  await sql.raw(`delete from ${table} where ${isOrphan(table)}`).execute(tx)
}

// ---- languages

export async function selectLanguages(store: Store) {
  return read<{ key: string; is_default: number }>(store, 'select key, is_default from languages')
}

export const languageTables = ['contents', 'changes', 'reviews', 'page_slugs', 'search_rows'] as const

export async function selectUsedLanguages(store: Store, table: (typeof languageTables)[number]): Promise<string[]> {
  const rows = await read<{ language: string }>(store, `select distinct language from ${table}`)
  return rows.map(({ language }) => language)
}

// ---- search index

export const ownerBatches = (store: Store) =>
  inBatches(
    after =>
      read<{ owner: string }>(
        store,
        // Each part has its own limit: otherwise every batch would merge all remaining rows.
        `select owner from (
           select owner from (select distinct owner from contents
             where owner > ? and (owner like 'page://%' or owner like 'file://%') order by owner limit ${batchSize}) as stored
           union select owner from (select distinct owner from search_rows
             where owner > ? order by owner limit ${batchSize}) as found
         ) as owners order by owner limit ${batchSize}`,
        after,
        after,
      ),
    ({ owner }) => owner,
  )

// ---- references

export type Source = 'contents' | 'changes'

/** The owners of all texts, in batches. */
export const textOwnerBatches = (store: Store, source: Source) =>
  inBatches(
    after =>
      read<{ owner: string }>(
        store,
        `select distinct owner from ${source} where owner > ? order by owner limit ${batchSize}`,
        after,
      ),
    ({ owner }) => owner,
  )

export async function selectTexts(store: Store, source: Source, owners: readonly string[]) {
  if (owners.length === 0) return []
  const texts = store.db.selectFrom(source).select(['owner', 'language', 'data']).where('owner', 'in', owners)
  return (await store.read(texts.compile())) as { owner: string; language: string; data: string }[]
}

export async function selectLinked(store: Store, source: Source, owners: readonly string[]) {
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
export async function selectLinksWithoutText(store: Store, source: Source): Promise<{ owner: string }[]> {
  return read(
    store,
    `select distinct owner from links where source = '${source}' and not exists (
       select 1 from ${source} as texts where texts.owner = links.owner and texts.language = links.language)`,
  )
}

/** Writes the texts again unchanged: triggers of the database then rebuild the references. */
export async function rebuildLinks(tx: Tx, owners: readonly string[]): Promise<void> {
  await tx.deleteFrom('links').where('owner', 'in', owners).execute()
  for (const source of ['contents', 'changes'] as const)
    await tx
      .updateTable(source)
      .set(eb => ({ data: eb.ref('data') }))
      .where('owner', 'in', owners)
      .execute()
}

// ---- words in the search index

const indexIds = { sqlite: 'search_index_docsize', postgres: 'search_index' }

/** Rows without words, and words without a row. */
export async function selectUnmatched(store: Store) {
  const index = indexIds[store.name]
  return {
    withoutWords: await read<{ id: number; owner: string }>(
      store,
      `select id, owner from search_rows where not exists (select 1 from ${index} as words where words.id = search_rows.id)`,
    ),
    withoutRow: await read<{ id: number }>(
      store,
      `select id from ${index} as words where not exists (select 1 from search_rows where search_rows.id = words.id)`,
    ),
  }
}

export async function deleteStray(store: Store, tx: Tx, ids: readonly number[]): Promise<void> {
  const column = sql.ref(store.name === 'sqlite' ? 'rowid' : 'id')
  for (const id of ids) await sql`delete from search_index where ${column} = ${id}`.execute(tx)
}

const kinds = ['heavy', 'light', 'place'] as const

export interface ExpectedWords {
  id: number
  /** The expected words. */
  words: Record<(typeof kinds)[number], string>
}

const listsOf = ({ words }: ExpectedWords) =>
  kinds.map(kind => ({ kind, list: words[kind].split(' ').filter(Boolean) }))

/** The rows with a wrong number of words in the index; if `thorough`, also those with wrong words. */
export async function selectWrongWords(
  store: Store,
  rows: readonly ExpectedWords[],
  thorough: boolean,
): Promise<ReadonlySet<number>> {
  const sizes = await selectSizes(
    store,
    rows.map(({ id }) => id),
  )
  const wrong = new Set<number>()
  for (const row of rows) {
    const size = listsOf(row).map(({ list }) => list.length)
    const expected = store.name === 'sqlite' ? size : [size.reduce((sum, one) => sum + one, 0)]
    const isRight = sizes.get(row.id)?.join() === expected.join() && (!thorough || (await hasWords(store, row)))
    if (!isRight) wrong.add(row.id)
  }
  return wrong
}

/** The number of words in the index for each row: by kind in SQLite, in total in PostgreSQL. */
async function selectSizes(store: Store, ids: readonly number[]): Promise<Map<number, number[]>> {
  if (store.name === 'postgres') {
    const text = 'select id, length(words) as size from search_index where id = any(?::bigint[])'
    const rows = await read<{ id: number; size: number }>(store, text, ids)
    return new Map(rows.map(({ id, size }) => [id, [size]]))
  }
  const text = 'select id, hex(sz) as size from search_index_docsize where id in (select value from json_each(?))'
  const rows = await read<{ id: number; size: string }>(store, text, JSON.stringify(ids))
  return new Map(rows.map(({ id, size }) => [id, numbersIn(Buffer.from(size, 'hex'))]))
}

/** Decodes SQLite's varints: seven bits per byte; the eighth is set if more bytes follow. */
function numbersIn(bytes: Uint8Array): number[] {
  const numbers: number[] = []
  let number = 0
  for (const byte of bytes) {
    number = number * 128 + (byte & 127)
    if (byte < 128) {
      numbers.push(number)
      number = 0
    }
  }
  return numbers
}

async function hasWords(store: Store, row: ExpectedWords): Promise<boolean> {
  if (store.name === 'postgres') {
    const text = 'select tsvector_to_array(words) as lexemes from search_index where id = ?'
    const [found] = await read<{ lexemes: string[] }>(store, text, row.id)
    const lexemes = new Set(found?.lexemes)
    return listsOf(row).every(({ kind, list }) => list.every(word => lexemes.has(columnPrefixes[kind] + word)))
  }
  const text = 'select rowid from search_index where search_index match ? and rowid = ?'
  for (const { kind, list } of listsOf(row))
    for (let start = 0; start < list.length; start += 50) {
      const words = list.slice(start, start + 50).map(word => `"${word}"`)
      if ((await read(store, text, `${kind} : (${words.join(' AND ')})`, row.id)).length === 0) return false
    }
  return true
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

export const fileBatches = (store: Store) =>
  inBatches(
    after =>
      read<FileWithBlob>(
        store,
        `select files.uuid, files.parent, files.filename, files.hash, files.size, blobs.size as known, blobs.unused_since
         from files left join blobs on blobs.hash = files.hash
         where files.uuid > ? order by files.uuid limit ${batchSize}`,
        after,
      ),
    ({ uuid }) => uuid,
  )

export const blobBatches = (store: Store) =>
  inBatches(
    after =>
      read<{ hash: string; size: number; unused_since: number | null; used: number }>(
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
  return read(
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
  return read(
    store,
    `select distinct hash from ${table} where hash is not null
       and not exists (select 1 from blobs where blobs.hash = ${table}.hash and blobs.unused_since is null)`,
  )
}

export async function isBlobKnown(store: Store, hash: string): Promise<boolean> {
  return (await read(store, 'select 1 as known from blobs where hash = ?', hash)).length > 0
}
