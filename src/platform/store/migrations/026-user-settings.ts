import { type Kysely, sql } from 'kysely'

/** What the panel remembers for an account: one JSON object. */
// oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
export async function up(db: Kysely<any>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const int = engine === 'postgres' ? 'bigint' : 'integer'
  await sql
    .raw(
      `create table user_settings (
        user_id text primary key references users (id) on delete cascade,
        data text not null,
        modified_at ${int} not null
      )`,
    )
    .execute(db)
}
