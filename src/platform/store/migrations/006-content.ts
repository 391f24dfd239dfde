import { type Kysely, sql } from 'kysely'

// oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
type Db = Kysely<any>

/** Pages, the site, files, languages, and what is kept of their contents. */
export async function up(db: Db, engine: 'sqlite' | 'postgres'): Promise<void> {
  const int = sql.raw(engine === 'postgres' ? 'bigint' : 'integer')
  const strict = sql.raw(engine === 'postgres' ? '' : 'strict')
  // Both engines order by code point, so that a list has the same order everywhere.
  const ordered = sql.raw(engine === 'postgres' ? 'text collate "C"' : 'text')

  await sql`create table site (
    one ${int} primary key check (one = 1),
    revision ${int} not null,
    modified_at ${int} not null
  ) ${strict}`.execute(db)
  await sql`insert into site (one, revision, modified_at) values (1, 1, quoin_now())`.execute(db)

  await sql`create table languages (
    code ${ordered} primary key,
    key text not null unique,
    name text not null,
    direction text not null,
    locale text not null,
    url text not null,
    slugs text not null,
    translations text not null,
    is_default ${int} not null
  ) ${strict}`.execute(db)
  await sql`create unique index languages_default on languages (is_default) where is_default = 1`.execute(db)

  await sql`create table pages (
    uuid text primary key,
    parent text not null,
    path ${ordered} not null unique,
    slug ${ordered} not null,
    status ${ordered} not null,
    num ${int},
    template text not null,
    revision ${int} not null,
    created_at ${int} not null,
    modified_at ${int} not null
  ) ${strict}`.execute(db)
  await sql`create index pages_children on pages (parent, status, num, slug)`.execute(db)
  await countChildren(db, engine)

  await sql`create table page_slugs (
    page text not null references pages (uuid) on delete cascade,
    language text not null,
    slug text not null,
    primary key (page, language)
  ) ${strict}`.execute(db)
  await sql`create index page_slugs_slug on page_slugs (language, slug)`.execute(db)

  await sql`create table schedules (
    page text primary key references pages (uuid) on delete cascade,
    status text not null,
    due_at ${int} not null,
    user_id text,
    problem text
  ) ${strict}`.execute(db)
  await sql`create index schedules_due on schedules (due_at)`.execute(db)

  await sql`create table files (
    uuid text primary key,
    parent text not null,
    filename ${ordered} not null,
    name_key ${ordered} not null,
    name_order ${ordered} not null,
    extension text not null,
    type text,
    mime text not null,
    template text,
    sort ${int},
    size ${int} not null,
    hash text not null,
    width ${int},
    height ${int},
    revision ${int} not null,
    created_at ${int} not null,
    modified_at ${int} not null,
    stored_at ${int} not null,
    unique (parent, name_key)
  ) ${strict}`.execute(db)
  await sql`create index files_hash on files (hash)`.execute(db)
  await sql`create index files_sorted on files (parent, coalesce(sort, -1), name_order, name_key)`.execute(db)
  await sql`create index files_named on files (parent, name_order, name_key)`.execute(db)

  await sql`create table blobs (
    hash text primary key,
    size ${int} not null,
    unused_since ${int}
  ) ${strict}`.execute(db)
  await sql`create index blobs_unused on blobs (unused_since) where unused_since is not null`.execute(db)

  await sql`create table changes (
    owner text not null,
    language text not null,
    data text not null,
    user_id text,
    modified_at ${int} not null,
    primary key (owner, language)
  ) ${strict}`.execute(db)

  const id = sql.raw(
    engine === 'postgres' ? 'bigint generated always as identity primary key' : 'integer primary key autoincrement',
  )
  await sql`create table history (
    id ${id},
    owner text not null,
    language text not null,
    revision ${int} not null,
    action text not null,
    user_id text,
    time ${int} not null,
    fields text not null default '[]',
    data text not null
  ) ${strict}`.execute(db)
  await sql`create index history_owner on history (owner, id)`.execute(db)
  await sql`create index history_time on history (time)`.execute(db)

  await sql`alter table users add column revision ${int} not null default 1`.execute(db)
}

/**
 * How many children a page has, by template and status: counting them for every list would take longer than reading the part
 * that is shown. Two counts that change together change in the order of their names, to avoid deadlocks.
 */
async function countChildren(db: Db, engine: 'sqlite' | 'postgres'): Promise<void> {
  const int = engine === 'postgres' ? 'bigint' : 'integer'
  await sql
    .raw(
      `create table page_counts (
        parent text not null, template text not null, status text not null, count ${int} not null,
        primary key (parent, template, status)
      )${engine === 'sqlite' ? ' strict' : ''}`,
    )
    .execute(db)
  if (engine === 'postgres') {
    await sql
      .raw(`create function quoin_count_pages() returns trigger language plpgsql as $$ begin
        insert into page_counts as counts (parent, template, status, count)
        select parent, template, status, sum(change) from (
          select old.parent, old.template, old.status, -1 as change where tg_op <> 'INSERT'
          union all select new.parent, new.template, new.status, 1 where tg_op <> 'DELETE'
        ) as changes group by parent, template, status having sum(change) <> 0 order by parent, template, status
        on conflict (parent, template, status) do update set count = counts.count + excluded.count;
        return null;
      end $$`)
      .execute(db)
    await sql`create trigger pages_counted after insert or delete or update of parent, template, status on pages
      for each row execute function quoin_count_pages()`.execute(db)
    return
  }
  const more = `insert into page_counts (parent, template, status, count) values (new.parent, new.template, new.status, 1)
    on conflict (parent, template, status) do update set count = page_counts.count + 1;`
  const fewer = `update page_counts set count = count - 1
    where parent = old.parent and template = old.template and status = old.status;`
  await sql.raw(`create trigger pages_added after insert on pages begin ${more} end`).execute(db)
  await sql.raw(`create trigger pages_removed after delete on pages begin ${fewer} end`).execute(db)
  await sql
    .raw(`create trigger pages_moved after update of parent, template, status on pages begin ${fewer} ${more} end`)
    .execute(db)
}
