import { type Kysely, sql } from 'kysely'

/**
 * Until now a token could publish with the scope of the change itself. Tokens that name such scopes keep doing so; those
 * with a wildcard include the new scope already.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
export async function up(db: Kysely<any>): Promise<void> {
  const names = ['changeStatus', 'changeTemplate', 'changeTitle', 'create', 'update']
  const isNamed = sql.join(
    names.map(name => sql`scopes like ${sql.lit(`%"pages.${name}"%`)}`),
    sql` or `,
  )
  await sql`update api_tokens set scopes = replace(scopes, ']', ',"pages.publish"]')
    where (${isNamed}) and scopes not like '%"pages.*"%' and scopes not like '%"*"%'`.execute(db)
}
