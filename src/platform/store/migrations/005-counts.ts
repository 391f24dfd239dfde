import { type Kysely, sql } from 'kysely'

/**
 * A change of role touches two counts: in the order of their names, so that two changes in opposite directions wait for each
 * other instead of being in each other's way. SQLite has one writer at a time.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
export async function up(db: Kysely<any>, engine: 'sqlite' | 'postgres'): Promise<void> {
  if (engine === 'sqlite') return
  await sql
    .raw(`create or replace function quoin_count_users() returns trigger language plpgsql as $$ begin
      insert into user_counts as counts (role, count)
      select role, sum(change) from (
        select old.role, -1 as change where tg_op <> 'INSERT'
        union all select new.role, 1 where tg_op <> 'DELETE'
      ) as changes group by role order by role
      on conflict (role) do update set count = counts.count + excluded.count;
      return null;
    end $$`)
    .execute(db)
}
