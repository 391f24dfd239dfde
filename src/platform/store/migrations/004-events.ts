import { type Kysely, sql } from 'kysely'

/**
 * Events are kept as they were written. Only the count of a gathered one may rise; an old one may forget where it came from,
 * which its gathering key says too, and a month-old one may go when the retention is over.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
export async function up(db: Kysely<any>, engine: 'sqlite' | 'postgres'): Promise<void> {
  await sql`drop index audit_events_subject`.execute(db)
  await sql`create index audit_events_subject on audit_events (subject_id, time, id)`.execute(db)
  await sql`create index audit_events_kind on audit_events (subject_id, event, time, id)`.execute(db)
  await sql`create index audit_events_place on audit_events (time) where ip_prefix is not null`.execute(db)

  const day = 24 * 60 * 60 * 1000
  const same = (columns: string) =>
    `${row('new', columns)} ${engine === 'sqlite' ? 'is' : 'is not distinct from'} ${row('old', columns)}`
  const counted = `old.gathered is not null and new.count >= old.count and ${same('ip_prefix ua_family gathered')}`
  const forgotten = `old.time <= quoin_now() - ${90 * day} and new.count = old.count
    and new.ip_prefix is null and new.ua_family is null and new.gathered is null`
  const changed = `not (${same('id time event actor_id subject_id session_id request_id detail')}
    and ((${counted}) or (${forgotten})))`

  if (engine === 'sqlite') {
    await sql`drop trigger audit_events_no_update`.execute(db)
    await sql
      .raw(`create trigger audit_events_no_update before update on audit_events when ${changed}
      begin select raise(abort, 'audit events cannot be changed'); end`)
      .execute(db)
    return
  }
  await sql
    .raw(`create or replace function audit_events_append_only() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' and ${changed} then raise exception 'audit events cannot be changed'; end if;
      if tg_op = 'DELETE' and old.time > quoin_now() - ${30 * day} then raise exception 'audit events cannot be deleted'; end if;
      return case tg_op when 'DELETE' then old else new end;
    end $$`)
    .execute(db)
}

/** `(new.id, new.time)` */
function row(name: string, columns: string): string {
  const qualified = columns.split(' ').map(column => `${name}.${column}`)
  return `(${qualified.join(', ')})`
}
