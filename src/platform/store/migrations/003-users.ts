import { type Kysely, sql } from 'kysely'

// oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
export async function up(db: Kysely<any>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const int = sql.raw(engine === 'postgres' ? 'bigint' : 'integer')
  const strict = sql.raw(engine === 'postgres' ? '' : 'strict')
  // Both engines order by code point, so that a list has the same order everywhere.
  const ordered = sql.raw(engine === 'postgres' ? 'text collate "C"' : 'text')

  await sql`alter table users add column sort_key ${ordered} not null default ''`.execute(db)
  await fillSortKeys(db)
  await sql`create index users_sort on users (sort_key, id)`.execute(db)
  await countByRole(db, engine)
  await openUntilInstalled(db, engine)

  await sql`create table contents (
    owner text not null,
    language text not null,
    data text not null,
    modified_at ${int} not null,
    primary key (owner, language)
  ) ${strict}`.execute(db)

  await sql`create table passkeys (
    id text primary key,
    credential text not null unique,
    user_id text not null references users (id) on delete cascade,
    name text not null,
    public_key text not null,
    counter ${int} not null,
    transports text not null,
    syncable ${int} not null,
    synced ${int} not null,
    created_at ${int} not null,
    last_used_at ${int}
  ) ${strict}`.execute(db)
  await sql`create index passkeys_user on passkeys (user_id)`.execute(db)

  await sql`create table mails (
    id text primary key,
    sealed text not null,
    attempts ${int} not null default 0,
    due_at ${int} not null,
    created_at ${int} not null,
    problem text
  ) ${strict}`.execute(db)
  await sql`create index mails_due on mails (due_at)`.execute(db)
}

const plain = (text: string) => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().normalize('NFC')

/** The same key as the program computes: without case and accents. */
// oxlint-disable-next-line typescript/no-explicit-any -- as above
async function fillSortKeys(db: Kysely<any>): Promise<void> {
  const { rows } = await sql<{ id: string; name: string; email: string }>`select id, name, email from users`.execute(db)
  for (const { id, name, email } of rows) {
    await sql`update users set sort_key = ${plain(name || email)} where id = ${id}`.execute(db)
  }
}

/** Counting a hundred thousand rows for every list would take longer than reading the page that is shown. */
// oxlint-disable-next-line typescript/no-explicit-any -- as above
async function countByRole(db: Kysely<any>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const int = engine === 'postgres' ? 'bigint' : 'integer'
  await sql
    .raw(
      `create table user_counts (role text primary key, count ${int} not null)${engine === 'sqlite' ? ' strict' : ''}`,
    )
    .execute(db)
  await sql`insert into user_counts (role, count) select role, count(*) from users group by role`.execute(db)
  const more = `insert into user_counts (role, count) values (new.role, 1)
    on conflict (role) do update set count = user_counts.count + 1;`
  const fewer = `update user_counts set count = count - 1 where role = old.role;`
  if (engine === 'sqlite') {
    await sql.raw(`create trigger users_added after insert on users begin ${more} end`).execute(db)
    await sql.raw(`create trigger users_removed after delete on users begin ${fewer} end`).execute(db)
    await sql.raw(`create trigger users_moved after update of role on users begin ${fewer} ${more} end`).execute(db)
    return
  }
  await sql
    .raw(
      `create function quoin_count_users() returns trigger language plpgsql as $$ begin
        if tg_op <> 'INSERT' then ${fewer} end if;
        if tg_op <> 'DELETE' then ${more} end if;
        return null;
      end $$`,
    )
    .execute(db)
  await sql`create trigger users_counted after insert or delete or update of role on users
    for each row execute function quoin_count_users()`.execute(db)
}

/**
 * A site without an account can be set up with one of these tokens. The first account, however it is created, closes
 * this permanently. A trigger records it before anything else, so that of two concurrent first accounts one waits for
 * the other here and not at a later lock.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- as above
async function openUntilInstalled(db: Kysely<any>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const int = sql.raw(engine === 'postgres' ? 'bigint' : 'integer')
  const strict = sql.raw(engine === 'postgres' ? '' : 'strict')
  await sql`create table setup_tokens (token_mac text primary key, created_at ${int} not null) ${strict}`.execute(db)
  await sql`create table installation (
    one ${int} primary key check (one = 1),
    installed_at ${int} not null
  ) ${strict}`.execute(db)
  await sql`insert into installation (one, installed_at)
    select 1, min(created_at) from users having count(*) > 0`.execute(db)
  const note = `insert into installation (one, installed_at) values (1, quoin_now()) on conflict (one) do nothing;`
  if (engine === 'sqlite') {
    await sql.raw(`create trigger users_installed before insert on users begin ${note} end`).execute(db)
    return
  }
  await sql
    .raw(`create function quoin_note_installation() returns trigger language plpgsql as $$ begin
      ${note}
      return new;
    end $$`)
    .execute(db)
  await sql`create trigger users_installed before insert on users
    for each row execute function quoin_note_installation()`.execute(db)
}
