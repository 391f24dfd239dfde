import { type Kysely, sql } from 'kysely'

/**
 * The search index. Both engines get computed words: folded, split, each once. `heavy` are those
 * of titles and ids, `light` all others, `place` says below which page a page is.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
export async function up(db: Kysely<any>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const isPostgres = engine === 'postgres'
  const id = sql.raw(
    isPostgres ? 'bigint generated always as identity primary key' : 'integer primary key autoincrement',
  )
  const ordered = sql.raw(isPostgres ? 'text collate "C"' : 'text')
  await sql`create table search_rows (
    id ${id},
    owner text not null,
    language text not null,
    page text,
    title_key ${ordered} not null,
    digest text not null,
    unique (owner, language)
  ) ${sql.raw(isPostgres ? '' : 'strict')}`.execute(db)
  await sql`create index search_rows_title on search_rows (title_key)`.execute(db)
  await sql`create index search_rows_language on search_rows (language)`.execute(db)
  if (isPostgres) {
    await sql`create table search_index (
      id bigint primary key references search_rows (id) on delete cascade,
      words tsvector not null
    )`.execute(db)
    await sql`create index search_index_words on search_index using gin (words)`.execute(db)
    return
  }
  // Which words a text has is all that is kept, not where. Short beginnings have an index of their own: many words have them.
  await sql`create virtual table search_index using fts5(
    heavy, light, place, content = '', contentless_delete = 1, detail = column, prefix = '2 3', tokenize = 'ascii'
  )`.execute(db)
  await sql`create virtual table search_terms using fts5vocab(search_index, instance)`.execute(db)
}
