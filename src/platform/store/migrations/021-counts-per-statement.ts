import { type Kysely, sql } from 'kysely'

/**
 * PostgreSQL counts new pages once per statement and not once per row: an import inserts hundreds at a time, and each
 * change of the same count would leave another version of its row.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
export async function up(db: Kysely<any>, engine: 'sqlite' | 'postgres'): Promise<void> {
  if (engine === 'sqlite') return
  await sql`drop trigger pages_counted on pages`.execute(db)
  await sql`create trigger pages_counted after delete or update of parent, template, status on pages
    for each row execute function quoin_count_pages()`.execute(db)
  await sql
    .raw(`create function quoin_count_new_pages() returns trigger language plpgsql as $$ begin
      insert into page_counts as counts (parent, template, status, count)
      select parent, template, status, count(*) from added
      group by parent, template, status order by parent, template, status
      on conflict (parent, template, status) do update set count = counts.count + excluded.count;
      return null;
    end $$`)
    .execute(db)
  await sql`create trigger pages_counted_new after insert on pages referencing new table as added
    for each statement execute function quoin_count_new_pages()`.execute(db)
}
