import { type Kysely, sql } from 'kysely'

// oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
export async function up(db: Kysely<any>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const int = sql.raw(engine === 'postgres' ? 'bigint' : 'integer')
  const strict = sql.raw(engine === 'postgres' ? '' : 'strict')
  // These rows are updated in place all the time: room on the page keeps PostgreSQL from moving them.
  const roomy = sql.raw(engine === 'postgres' ? 'with (fillfactor = 70)' : 'strict')

  await sql`create table sessions (
    id text primary key,
    token_mac text not null unique,
    prev_mac text unique,
    prev_until ${int},
    user_id text not null references users (id) on delete cascade,
    auth_epoch ${int} not null,
    aal ${int} not null,
    amr text not null,
    long ${int} not null,
    ip_prefix text not null,
    ua_family text not null,
    created_at ${int} not null,
    rotated_at ${int} not null,
    authenticated_at ${int} not null,
    last_seen_at ${int} not null,
    idle_until ${int} not null,
    absolute_until ${int} not null
  ) ${roomy}`.execute(db)
  await sql`create index sessions_user on sessions (user_id, last_seen_at)`.execute(db)
  await sql`create index sessions_idle on sessions (idle_until)`.execute(db)

  await sql`create table challenges (
    id_mac text primary key,
    kind text not null,
    user_id text references users (id) on delete cascade,
    auth_epoch ${int} not null,
    attempts ${int} not null default 0,
    max_attempts ${int} not null,
    data text not null,
    expires_at ${int} not null,
    consumed_at ${int}
  ) ${strict}`.execute(db)
  await sql`create index challenges_user on challenges (user_id)`.execute(db)
  await sql`create index challenges_expires on challenges (expires_at)`.execute(db)

  await sql`create table devices (
    device_mac text not null,
    user_id text not null references users (id) on delete cascade,
    auth_epoch ${int} not null,
    first_seen_at ${int} not null,
    last_seen_at ${int} not null,
    primary key (device_mac, user_id)
  ) ${strict}`.execute(db)
  await sql`create index devices_user on devices (user_id)`.execute(db)

  await sql`create table recovery_codes (
    user_id text not null references users (id) on delete cascade,
    code_mac text not null,
    used_at ${int},
    primary key (user_id, code_mac)
  ) ${strict}`.execute(db)

  await sql`create table api_tokens (
    id text primary key,
    token_mac text not null unique,
    prefix text not null,
    name text not null,
    owner_id text not null references users (id) on delete cascade,
    scopes text not null,
    created_at ${int} not null,
    expires_at ${int},
    last_used_at ${int}
  ) ${strict}`.execute(db)
  await sql`create index api_tokens_owner on api_tokens (owner_id)`.execute(db)

  await sql`create table throttle (
    bucket text primary key,
    tat ${int} not null,
    fails ${int} not null,
    blocked_until ${int} not null,
    seen_at ${int} not null
  ) ${roomy}`.execute(db)
  await sql`create index throttle_seen on throttle (seen_at)`.execute(db)
}
