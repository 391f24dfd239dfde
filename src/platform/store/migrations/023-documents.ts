import { type Kysely, sql } from 'kysely'

/** JSON documents that extensions keep, by collection and key. Up to three values of each are indexed. */
// oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
export async function up(db: Kysely<any>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const isPostgres = engine === 'postgres'
  const int = isPostgres ? 'bigint' : 'integer'
  const ordered = isPostgres ? 'text collate "C"' : 'text'
  await sql
    .raw(
      `create table documents (
        extension text not null,
        collection text not null,
        key ${ordered} not null,
        value text not null,
        index_1 text,
        index_2 text,
        index_3 text,
        version ${int} not null,
        created_at ${int} not null,
        modified_at ${int} not null,
        primary key (extension, collection, key)
      )`,
    )
    .execute(db)
  for (const at of [1, 2, 3])
    await sql
      .raw(
        `create index documents_${at} on documents (extension, collection, index_${at}, key) where index_${at} is not null`,
      )
      .execute(db)
}
