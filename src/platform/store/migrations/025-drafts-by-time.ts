import { type Kysely, sql } from 'kysely'

/** Lists of drafts begin with the last one. */
// oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
export async function up(db: Kysely<any>): Promise<void> {
  await sql`create index changes_modified on changes (modified_at)`.execute(db)
}
