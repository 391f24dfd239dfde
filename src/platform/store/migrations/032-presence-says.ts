import { type Kysely, sql } from 'kysely'

/** What an account tells others who have the same page open: that it asks for their draft, or the answer. */
// oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
export async function up(db: Kysely<any>): Promise<void> {
  await sql`alter table presence add column says text`.execute(db)
}
