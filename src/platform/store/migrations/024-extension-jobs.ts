import { type Kysely, sql } from 'kysely'

/**
 * Subscriptions whose jobs are in order per page, file or account instead of all in one order, and when the jobs of
 * extensions run next.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
export async function up(db: Kysely<any>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const isPostgres = engine === 'postgres'
  const int = isPostgres ? 'bigint' : 'integer'
  const run = (text: string) => sql.raw(text).execute(db)
  await run(`alter table subscriptions add column lanes text not null default 'one'`)
  await run(`create table extension_schedules (
    extension text not null,
    job text not null,
    next_at ${int} not null,
    last_at ${int},
    primary key (extension, job)
  ) ${isPostgres ? '' : 'strict'}`)
}
