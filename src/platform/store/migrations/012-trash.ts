import { type Kysely, sql } from 'kysely'

/**
 * What has been deleted and can be restored: one entry for each deletion, and the rows that went with it, each as JSON. Rows leave
 * their own tables, so that no query has to leave out what is deleted.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
export async function up(db: Kysely<any>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const isPostgres = engine === 'postgres'
  const int = sql.raw(isPostgres ? 'bigint' : 'integer')
  const strict = sql.raw(isPostgres ? '' : 'strict')
  const number = sql.raw(
    isPostgres ? 'bigint generated always as identity primary key' : 'integer primary key autoincrement',
  )

  await sql`create table trash (
    id text primary key,
    kind text not null,
    owner text not null,
    parent text not null,
    path text not null,
    title text not null,
    template text,
    language text not null,
    pages ${int} not null,
    files ${int} not null,
    user_id text,
    deleted_at ${int} not null,
    is_purged ${int} not null default 0
  ) ${strict}`.execute(db)
  await sql`create index trash_deleted on trash (deleted_at, id)`.execute(db)
  await sql`create index trash_owner on trash (owner)`.execute(db)

  // An entry is visible to callers who may see pages and files of every template, and accounts of every role, that is in it.
  await sql`create table trash_templates (
    entry text not null,
    kind text not null,
    template text not null,
    primary key (entry, kind, template)
  ) ${strict}`.execute(db)

  await sql`create table trash_rows (
    id ${number},
    entry text not null,
    kind text not null,
    owner text not null,
    hash text,
    data text not null
  ) ${strict}`.execute(db)
  await sql`create index trash_rows_entry on trash_rows (entry, kind, id)`.execute(db)
  await sql`create index trash_rows_hash on trash_rows (hash) where hash is not null`.execute(db)
}
