import { type Kysely, sql } from 'kysely'

/** Requests to review the draft of a page, one per language. An author who asks for a review gives up the edit lock. */
// oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
export async function up(db: Kysely<any>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const int = engine === 'postgres' ? 'bigint' : 'integer'
  const run = (statement: string) => sql.raw(statement).execute(db)
  await run(
    `create table reviews (
      owner text not null,
      language text not null,
      state text not null,
      user_id text,
      requested_at ${int} not null,
      note text not null,
      draft_revision ${int} not null,
      answered_by text,
      answered_at ${int},
      answer text not null,
      primary key (owner, language)
    )`,
  )
  await run('create index reviews_requested on reviews (requested_at)')
  await run(`alter table changes add column released_at ${int}`)
}
