import { type Kysely, sql } from 'kysely'

/** When the preview links of a page, or those of the whole site, were last revoked. */
// oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
export async function up(db: Kysely<any>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const int = engine === 'postgres' ? 'bigint' : 'integer'
  await sql.raw(`create table preview_revocations (owner text primary key, revoked_at ${int} not null)`).execute(db)
}
