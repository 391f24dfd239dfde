import { type Kysely, sql } from 'kysely'

/**
 * Files are found by what they are called, and by their words, however many pages there are: their names have an index of their
 * own, and each has the same word where a page says below which one it is.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
export async function up(db: Kysely<any>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await run('create index search_rows_file on search_rows (title_key) where page is null')
  if (engine === 'postgres') {
    await run(`update search_index set words = words || array_to_tsvector(array['cfile'])
      where id in (select id from search_rows where page is null)`)
    return
  }
  // The index can only be given all words of a row at once. It is read as a whole, but for sites without files.
  const { rows } = await sql`select 1 from search_rows where page is null limit 1`.execute(db)
  if (rows.length === 0) return
  await run(`create temp table file_words as
    select doc, group_concat(case col when 'heavy' then term end, ' ') as heavy,
      group_concat(case col when 'light' then term end, ' ') as light
    from search_terms where doc in (select id from search_rows where page is null) group by doc`)
  await run(`insert or replace into search_index (rowid, heavy, light, place)
    select doc, coalesce(heavy, ''), coalesce(light, ''), 'file' from file_words`)
  await run('drop table file_words')
}
