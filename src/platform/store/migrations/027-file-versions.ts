import { type Kysely, sql } from 'kysely'

/** The bytes that a file had before, and has. A file without rows has its first bytes. */
// oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
export async function up(db: Kysely<any>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const int = engine === 'postgres' ? 'bigint' : 'integer'
  const run = (statement: string) => sql.raw(statement).execute(db)
  await run(
    `create table file_versions (
      owner text not null,
      number ${int} not null,
      hash text not null,
      size ${int} not null,
      width ${int},
      height ${int},
      focus text,
      user_id text,
      created_at ${int} not null,
      primary key (owner, number)
    )`,
  )
  await run('create unique index file_versions_hash on file_versions (hash, owner)')
}
