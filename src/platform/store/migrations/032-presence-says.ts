import { type Kysely, sql } from 'kysely'

/** What somebody says to others who have the same page open: that they would like to continue, or the answer. */
// oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
export async function up(db: Kysely<any>): Promise<void> {
  await sql`alter table presence add column says text`.execute(db)
}
