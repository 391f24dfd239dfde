import { CompiledQuery } from 'kysely'
import { chunks } from '../lib/chunks.ts'
import { syncConnection, type EngineName, send, type Store, type Tx } from '../store/store.ts'
import { indexStatements, type IndexWords } from '../store/search-index-buffer.ts'
import { charactersOf, type QueryWord, type SearchQuery } from './words.ts'

type Db = Store['db'] | Tx

/** The stored content of a page or file in one language, and its index row. Either may be missing. */
export interface IndexedContent {
  owner: string
  language: string
  data: string | null
  /** Of a page. */
  path: string | null
  parent: string | null
  /** Of a file. */
  filename: string | null
  id: number | null
  digest: string | null
}

/** An index entry in one language: distinct words, separated by spaces. */
export interface IndexEntry {
  owner: string
  language: string
  page: string | null
  title_key: string
  /** Words of the title and of the id: they count more. */
  heavy: string
  /** All words of the content. */
  light: string
  /** Identifies the parent, for searches among its children. */
  place: string
  digest: string
}

// Raw SQL instead of Kysely: every save runs these statements, and building them would slow it down.
async function run<Row>(db: Db, text: string, parameters: unknown[]): Promise<Row[]> {
  const query = CompiledQuery.raw(text, parameters)
  return (syncConnection(db)?.run<Row>(query) ?? (await db.executeQuery<Row>(query))).rows
}

const listOf: Record<EngineName, (values: readonly string[]) => unknown> = {
  sqlite: values => JSON.stringify(values),
  postgres: values => values,
}
const inList: Record<EngineName, string> = {
  sqlite: 'in (select value from json_each(?1))',
  postgres: '= any($1::text[])',
}

const storedContentQuery = (ownerCondition: string) => `
  select keys.owner, keys.language, contents.data, pages.path, pages.parent, files.filename, search_rows.id, search_rows.digest
  from (
    select owner, language from contents where owner ${ownerCondition}
    union select owner, language from search_rows where owner ${ownerCondition}
  ) as keys
  left join contents on contents.owner = keys.owner and contents.language = keys.language
  left join search_rows on search_rows.owner = keys.owner and search_rows.language = keys.language
  left join pages on keys.owner like 'page://%' and pages.uuid = substr(keys.owner, 8)
  left join files on keys.owner like 'file://%' and files.uuid = substr(keys.owner, 8)
  order by keys.owner, keys.language`
const storedContentQueries = {
  sqlite: storedContentQuery(inList.sqlite),
  postgres: storedContentQuery(inList.postgres),
}

export async function selectStored({ name }: Store, db: Db, owners: readonly string[]): Promise<IndexedContent[]> {
  return run(db, storedContentQueries[name], [listOf[name](owners)])
}

export async function selectIds({ name }: Store, db: Db, owners: readonly string[]): Promise<number[]> {
  const rows = await run<{ id: number }>(db, `select id from search_rows where owner ${inList[name]} order by id`, [
    listOf[name](owners),
  ])
  return rows.map(({ id }) => id)
}

export async function selectIdsIn(db: Db, language: string, limit: number): Promise<number[]> {
  const rows = await db.selectFrom('search_rows').select('id').where('language', '=', language).limit(limit).execute()
  return rows.map(({ id }) => id)
}

export async function updateIndexLanguage(tx: Tx, from: string, to: string): Promise<void> {
  await tx.updateTable('search_rows').set({ language: to }).where('language', '=', from).execute()
}

// ---- the index of each engine

/** Inserts entries, or replaces those of the same owner and language. */
export async function upsertEntries({ name }: Store, tx: Tx, entries: readonly IndexEntry[]): Promise<void> {
  if (entries.length === 0) return
  if (name === 'postgres') return putInPostgres(tx, entries)
  for (const batch of chunks(entries, 200)) await putInSqlite(tx, batch)
}

async function putInSqlite(tx: Tx, entries: readonly IndexEntry[]): Promise<void> {
  const rows = await run<{ id: number; owner: string; language: string }>(
    tx,
    `insert into search_rows (owner, language, page, title_key, digest) values ${Array(entries.length).fill('(?, ?, ?, ?, ?)').join()}
     on conflict (owner, language) do update set title_key = excluded.title_key, digest = excluded.digest
     returning id, owner, language`,
    entries.flatMap(({ owner, language, page, title_key, digest }) => [owner, language, page, title_key, digest]),
  )
  const ids = idsOf(rows)
  const connection = syncConnection(tx)
  if (connection) for (const entry of entries) connection.index(ids(entry), [entry.heavy, entry.light, entry.place])
  else
    await putInIndex(
      tx,
      entries.map(entry => [ids(entry), entry.heavy, entry.light, entry.place]),
    )
}

/** For long transactions, which do not use the search index buffer. */
async function putInIndex(tx: Tx, rows: readonly (readonly [id: number, ...IndexWords])[]): Promise<void> {
  await run(tx, indexStatements.put, [JSON.stringify(rows)])
}

function idsOf(rows: readonly { id: number; owner: string; language: string }[]) {
  const ids = new Map(rows.map(({ id, owner, language }) => [`${language} ${owner}`, id]))
  return ({ owner, language }: Pick<IndexEntry, 'owner' | 'language'>) => ids.get(`${language} ${owner}`)!
}

/** Prefixes of words in PostgreSQL's index, by column. Checking weights instead would need to read the whole row. */
export const columnPrefixes = { heavy: 'a', light: 'b', place: 'c' }

export const lexemesOf = (entry: Pick<IndexEntry, keyof typeof columnPrefixes>) =>
  (['heavy', 'light', 'place'] as const).flatMap(kind =>
    entry[kind] === '' ? [] : entry[kind].split(' ').map(word => columnPrefixes[kind] + word),
  )

const upsertStatement = `with changed as (
    insert into search_rows (owner, language, page, title_key, digest)
    select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
    on conflict (owner, language) do update set title_key = excluded.title_key, digest = excluded.digest
    returning id, owner, language
  )
  insert into search_index (id, words)
  select id, array_to_tsvector(string_to_array(words, ' '))
  from changed join unnest($1::text[], $2::text[], $6::text[]) as entries (owner, language, words) using (owner, language)
  on conflict (id) do update set words = excluded.words`

async function putInPostgres(tx: Tx, entries: readonly IndexEntry[]): Promise<void> {
  const all = (name: 'owner' | 'language' | 'page' | 'title_key' | 'digest') => entries.map(entry => entry[name])
  const words = entries.map(entry => lexemesOf(entry).join(' '))
  const parameters = [all('owner'), all('language'), all('page'), all('title_key'), all('digest'), words]
  await send(tx, CompiledQuery.raw(upsertStatement, parameters), true)
}

export async function deleteIndexRows({ name }: Store, tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const connection = syncConnection(tx)
  if (connection) for (const id of ids) connection.index(id, null)
  else if (name === 'sqlite') await run(tx, indexStatements.delete, [JSON.stringify(ids)])
  await tx.deleteFrom('search_rows').where('id', 'in', ids).execute()
}

// ---- searches

/** A search for rows with a word, and the points of each hit. */
export interface TermSearch {
  /** SQL that selects the ids, with one parameter: `query`. */
  ids: (parameter: string) => string
  query: string
  points: number
  /** Which word of the query, and which column. */
  word: number
  kind: IndexColumn
}

const points = { heavy: 64, light: 1 } as const
type IndexColumn = keyof typeof points
const kinds = ['heavy', 'light'] as const

/**
 * One search for every word of a query and each column (`heavy`, `light`). With a `place` only children of that page
 * are found. For a word that occurs everywhere only the first `limit` rows are read.
 */
export async function selectSearches(
  store: Store,
  { words }: SearchQuery,
  { place, limit }: { place: string | undefined; limit: number },
): Promise<TermSearch[]> {
  if (store.name === 'postgres') {
    const ids = (parameter: string) =>
      `select id from search_index where words @@ ${parameter}::text::tsquery limit ${limit}`
    return words.flatMap((word, index) =>
      kinds.map(kind => ({ ids, query: lexemeQuery(word, kind, place), points: points[kind], word: index, kind })),
    )
  }
  const ids = (parameter: string) =>
    `select rowid as id from search_index where search_index match ${parameter} limit ${limit}`
  const expandedWords = await Promise.all(words.map(word => Promise.all(word.map(part => expandPrefix(store, part)))))
  return expandedWords.flatMap((word, index) =>
    kinds.map(kind => ({ ids, query: matchQuery(word, kind, place), points: points[kind], word: index, kind })),
  )
}

function lexemeQuery(word: readonly QueryWord[], kind: IndexColumn, place: string | undefined): string {
  const parts = word.map(({ word: text, isPrefix }) => `'${columnPrefixes[kind]}${text}'${isPrefix ? ':*' : ''}`)
  return [...parts, ...(place === undefined ? [] : [`'${columnPrefixes.place}${place}'`])].join(' & ')
}

function matchQuery(word: readonly string[], kind: IndexColumn, place: string | undefined): string {
  const match = `${kind} : (${word.join(' AND ')})`
  return place === undefined ? match : `${match} AND place : "${place}"`
}

/** FTS5 indexes prefixes up to this length, in characters. */
const indexedPrefix = 3
const maxExpandedWords = 30

/**
 * For a longer prefix FTS5 collects the rows of all matching words before it returns the first one. So the matching
 * words are looked up and searched for by name; if there are too many, the prefix is used after all.
 */
async function expandPrefix(store: Store, { word, isPrefix }: QueryWord): Promise<string> {
  if (!isPrefix) return `"${word}"`
  if (charactersOf(word).length <= indexedPrefix) return `"${word}" *`
  const words = await wordsWith(store, word)
  if (words.length > maxExpandedWords) return `"${word}" *`
  return words.length === 0 ? `"${word}"` : `(${words.map(each => `"${each}"`).join(' OR ')})`
}

const next = (from: string) => `(select term from search_terms where term >= ${from} limit 1)`

/** The index has the words in order: each step reads the first word after the previous one. */
const wordsWithPrefix = `with recursive words (word) as (
    select ${next('?1')}
    union all select ${next('(words.word || char(1))')} from words where word < ?2 limit ${maxExpandedWords + 2}
  ) select word from words where word < ?2`

async function wordsWith(store: Store, prefix: string): Promise<string[]> {
  const rows = await store.read(CompiledQuery.raw(wordsWithPrefix, [prefix, `${prefix}\u{10ffff}`]))
  return (rows as { word: string }[]).map(({ word }) => word)
}
