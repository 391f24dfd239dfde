import { type Kysely, sql } from 'kysely'

/** An account with an explicitly empty name differs from one without a name: clients see the difference. */
// oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
export async function up(db: Kysely<any>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const int = sql.raw(engine === 'postgres' ? 'bigint' : 'integer')
  await sql`alter table users add column blank_name ${int} not null default 0`.execute(db)
}
