import { type Kysely, sql } from 'kysely'

/** Who has the panel open, and on which page: one row per browser tab. */
// oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
export async function up(db: Kysely<any>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const int = engine === 'postgres' ? 'bigint' : 'integer'
  await sql
    .raw(
      `create table presence (
        id text primary key,
        user_id text not null references users (id) on delete cascade,
        page text not null,
        since ${int} not null,
        seen_at ${int} not null
      )`,
    )
    .execute(db)
  await sql.raw('create index presence_users on presence (user_id)').execute(db)
}
