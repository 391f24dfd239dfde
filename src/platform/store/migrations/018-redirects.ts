import { type Kysely, sql } from 'kysely'

/**
 * Redirects lead from an old address to a page by its uuid, or to a path or URL. `page_successors` says which page takes
 * the place of a deleted one.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
export async function up(db: Kysely<any>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const isPostgres = engine === 'postgres'
  const int = sql.raw(isPostgres ? 'bigint' : 'integer')
  const strict = sql.raw(isPostgres ? '' : 'strict')
  const id = sql.raw(
    isPostgres ? 'bigint generated always as identity primary key' : 'integer primary key autoincrement',
  )
  const ordered = sql.raw(isPostgres ? 'text collate "C"' : 'text')

  await sql`create table redirects (
    id ${id},
    language text not null,
    path ${ordered} not null,
    page text,
    target text,
    is_automatic ${int} not null,
    created_at ${int} not null,
    modified_at ${int} not null,
    unique (language, path)
  ) ${strict}`.execute(db)
  await sql`create index redirects_page on redirects (page)`.execute(db)

  await sql`create table page_successors (page text primary key, successor text not null) ${strict}`.execute(db)
  await sql`create index page_successors_successor on page_successors (successor)`.execute(db)
}
