import { type Kysely, sql } from 'kysely'

/**
 * Drafts have a revision of their own. The history also has overwritten drafts, which stay for a day, and entries without
 * content: changes of the status, the slug, the place, the template and the schedule. A schedule may publish a draft.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
export async function up(db: Kysely<any>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const int = engine === 'postgres' ? 'bigint' : 'integer'
  const run = (text: string) => sql.raw(text).execute(db)
  await run(`alter table changes add column revision ${int} not null default 1`)
  await run('alter table changes add column window_id text')
  await run(`alter table history add column kind text not null default 'version'`)
  await run('alter table history add column detail text')
  await run(`create index history_drafts on history (time) where kind = 'draft'`)
  await run('alter table schedules add column publish_language text')
}
