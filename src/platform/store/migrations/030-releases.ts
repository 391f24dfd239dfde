import { type Kysely, sql } from 'kysely'

/**
 * Changes of pages and files that are published in one transaction. `due_at` is when a release is to be published,
 * `scheduled_at` when that was last set.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
export async function up(db: Kysely<any>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const int = engine === 'postgres' ? 'bigint' : 'integer'
  const run = (text: string) => sql.raw(text).execute(db)
  await run(
    `create table releases (
      id text primary key,
      name text not null,
      user_id text,
      revision ${int} not null,
      created_at ${int} not null,
      modified_at ${int} not null,
      due_at ${int},
      scheduled_at ${int},
      problem text,
      published_at ${int}
    )`,
  )
  await run('create index releases_due on releases (due_at)')
  await run(
    `create table release_items (
      release text not null references releases (id) on delete cascade,
      owner text not null,
      action text not null,
      status text,
      title text not null,
      template text,
      position ${int} not null,
      problem text,
      is_published ${int} not null,
      primary key (release, owner)
    )`,
  )
  // A page or file can be an unpublished item of at most one release.
  await run('create unique index release_items_waiting on release_items (owner) where is_published = 0')
}
