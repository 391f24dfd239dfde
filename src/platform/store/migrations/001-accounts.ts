import { type Kysely, sql } from 'kysely'

// oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
export async function up(db: Kysely<any>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const int = sql.raw(engine === 'postgres' ? 'bigint' : 'integer')
  const strict = sql.raw(engine === 'postgres' ? '' : 'strict')

  if (engine === 'postgres') {
    await sql`create function quoin_now() returns bigint language sql volatile
      as 'select (extract(epoch from clock_timestamp()) * 1000)::bigint'`.execute(db)
  }

  await sql`create table key_prints (
    ring text not null,
    key_id text not null,
    print text not null,
    primary key (ring, key_id)
  ) ${strict}`.execute(db)

  await sql`create table users (
    id text primary key,
    email text not null,
    email_key text not null unique,
    name text not null,
    role text not null,
    language text not null,
    status text not null check (status in ('invited', 'active', 'disabled')),
    auth_epoch ${int} not null default 1,
    password_hash text,
    bcrypt_cost ${int},
    password_set_at ${int},
    password_fail_streak ${int} not null default 0,
    password_disabled_at ${int},
    must_change_password ${int} not null default 0,
    totp_secret text,
    totp_last_step ${int} not null default 0,
    totp_fail_streak ${int} not null default 0,
    created_at ${int} not null,
    modified_at ${int} not null
  ) ${strict}`.execute(db)

  await sql`create index users_role on users (role)`.execute(db)
  await sql`create index users_bcrypt_cost on users (bcrypt_cost) where bcrypt_cost is not null`.execute(db)

  await sql`create table audit_events (
    id ${sql.raw(engine === 'postgres' ? 'bigserial primary key' : 'integer primary key autoincrement')},
    time ${int} not null,
    event text not null,
    actor_id text,
    subject_id text,
    session_id text,
    ip_prefix text,
    ua_family text,
    request_id text,
    detail text not null,
    count ${int} not null,
    gathered text unique
  ) ${strict}`.execute(db)

  await sql`create index audit_events_subject on audit_events (subject_id, id)`.execute(db)
  await sql`create index audit_events_time on audit_events (time)`.execute(db)
  await appendOnly(db, engine)
}

/** Events are kept as they were written: only the count of a gathered one may rise, and only old ones may go. */
// oxlint-disable-next-line typescript/no-explicit-any -- as above
async function appendOnly(db: Kysely<any>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const month = 30 * 24 * 60 * 60 * 1000
  const columns = 'id time event actor_id subject_id session_id ip_prefix ua_family request_id detail gathered'.split(
    ' ',
  )
  const row = (name: string) => `(${columns.map(column => `${name}.${column}`).join(', ')})`
  if (engine === 'sqlite') {
    await sql
      .raw(`create trigger audit_events_no_update before update on audit_events
      when old.gathered is null or new.count < old.count or ${row('new')} is not ${row('old')}
      begin select raise(abort, 'audit events cannot be changed'); end`)
      .execute(db)
    await sql
      .raw(`create trigger audit_events_no_delete before delete on audit_events when old.time > quoin_now() - ${month}
      begin select raise(abort, 'audit events cannot be deleted'); end`)
      .execute(db)
    return
  }
  await sql
    .raw(`create function audit_events_append_only() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' and (old.gathered is null or new.count < old.count or ${row('new')} is distinct from ${row('old')})
        then raise exception 'audit events cannot be changed'; end if;
      if tg_op = 'DELETE' and old.time > quoin_now() - ${month} then raise exception 'audit events cannot be deleted'; end if;
      return case tg_op when 'DELETE' then old else new end;
    end $$`)
    .execute(db)
  await sql`create trigger audit_events_append_only before update or delete on audit_events
    for each row execute function audit_events_append_only()`.execute(db)
}
