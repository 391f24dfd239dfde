import { type Kysely, sql } from 'kysely'

/** Comments on pages and their fields. `thread` is the id of the first comment of a thread. */
// oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
export async function up(db: Kysely<any>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const int = engine === 'postgres' ? 'bigint' : 'integer'
  const run = (statement: string) => sql.raw(statement).execute(db)
  await run(
    `create table comments (
      id text primary key,
      owner text not null,
      thread text not null,
      field text not null,
      user_id text,
      text text not null,
      created_at ${int} not null,
      modified_at ${int},
      resolved_at ${int},
      resolved_by text
    )`,
  )
  await run('create index comments_owner on comments (owner, created_at)')
}
