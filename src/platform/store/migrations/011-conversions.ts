import { type Kysely, sql } from 'kysely'

/**
 * Structured values are stored as JSON from now on; imported ones are YAML until now. Whether a text is the YAML of a
 * structure or just a text with dashes is known by the blueprints alone, which a migration has not: it notes what is to be
 * converted, and the next program that opens the site does it, table by table. `place` is how far it has come.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
export async function up(db: Kysely<any>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const strict = sql.raw(engine === 'sqlite' ? 'strict' : '')
  await sql`create table conversions (name text primary key, place text not null) ${strict}`.execute(db)
  for (const table of ['contents', 'changes', 'history'])
    await sql`insert into conversions (name, place) select ${table}, '' where exists (select 1 from ${sql.table(table)})`.execute(
      db,
    )
}
