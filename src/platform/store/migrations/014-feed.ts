import { type Kysely, sql } from 'kysely'

const columns = ['template', 'page', 'parent_kind', 'parent_template']

/**
 * The feed of events is filtered by what the caller may see: by the template (or role) of the subject and, for files, of
 * its parent. Events of earlier releases have neither; they are not converted, because there may be millions of them.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
export async function up(db: Kysely<any>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  for (const column of columns) await run(`alter table audit_events add column ${column} text`)
  // `page.published` → `page`
  const kind = engine === 'postgres' ? "split_part(event, '.', 1)" : "substr(event, 1, instr(event, '.') - 1)"
  await run('create index audit_events_page on audit_events (page, time, id) where page is not null')
  await run('create index audit_events_actor on audit_events (actor_id, time, id) where actor_id is not null')
  await run('create index audit_events_event on audit_events (event, time, id)')
  await run(`create index audit_events_event_kind on audit_events ((${kind}), time, id)`)
  for (const text of fixed[engine]) await run(text)
}

// The new columns cannot be changed, either: the trigger of migration 004 does not know them.

const changed = columns.map(column => `new.${column} is distinct from old.${column}`).join(' or ')
const fixed = {
  sqlite: [
    `create trigger audit_events_no_move before update on audit_events when ${changed}
      begin select raise(abort, 'audit events cannot be changed'); end`,
  ],
  postgres: [
    `create function quoin_audit_events_fixed() returns trigger language plpgsql as $$
      begin raise exception 'audit events cannot be changed'; end $$`,
    `create trigger audit_events_no_move before update on audit_events for each row when (${changed})
      execute function quoin_audit_events_fixed()`,
  ],
}
