import { sql } from 'kysely'
import { isPostgres } from '../../platform/store/among.ts'
import { now, type Store, type Tx } from '../../platform/store/store.ts'

/** What was written over, and what was written, by the name of the field. */
export type Changes = Readonly<Record<string, { from: string; to: string }>>

export const decodeChanges = (data: string) => JSON.parse(data) as Changes

const age = sql<number>`${now} - changes.modified_at`

const kept = (db: Store['db'] | Tx) =>
  db
    .selectFrom('changes')
    .leftJoin('users', 'users.id', 'changes.user_id')
    .select([
      'changes.owner',
      'changes.language',
      'changes.modified_at',
      'changes.revision',
      'changes.window_id',
      'users.id',
      'users.email',
      'users.name',
      'users.role',
    ])
    .select(age.as('age'))

/** The row of the thing itself is held, and these changes: a rename follows references in them. */
export async function selectChanges(tx: Tx, owner: string, language: string) {
  return kept(tx)
    .select('changes.data')
    .where('changes.owner', '=', owner)
    .where('changes.language', '=', language)
    .$if(isPostgres(tx), query => query.forNoKeyUpdate('changes'))
    .executeTakeFirst()
}

export type ChangesRow = NonNullable<Awaited<ReturnType<typeof selectChanges>>>

/** As committed, in every language. */
export async function readChanges(store: Store, owner: string): Promise<ChangesRow[]> {
  const query = kept(store.db).select('changes.data').where('changes.owner', '=', owner)
  return (await store.read(query.compile())) as ChangesRow[]
}

export type Author = Omit<ChangesRow, 'data'>

/** Who has changes in these things, without the changes. */
export async function selectAuthors(
  store: Store,
  owners: readonly string[],
  languages: readonly string[],
): Promise<Author[]> {
  const query = kept(store.db).where('changes.owner', 'in', owners).where('changes.language', 'in', languages)
  return (await store.read(query.compile())) as Author[]
}

/** Within a transaction, in whatever language. */
export async function selectAuthorsNow(tx: Tx, owners: readonly string[]): Promise<Author[]> {
  return kept(tx).where('changes.owner', 'in', owners).orderBy('changes.modified_at', 'desc').execute()
}

/** Who has written a draft, and in which window of the browser, if that is known. */
export interface Writer {
  user: string | undefined
  window: string | undefined
}

/** The same draft keeps its revision. Any other gets one that none has had before, also after a draft was deleted. */
const nextRevision = (data: string) =>
  sql<number>`case when changes.data = ${data} then changes.revision
    when changes.revision >= ${now} then changes.revision + 1 else ${now} end`

/** Answers with the revision of the draft. */
export async function upsertChanges(
  tx: Tx,
  owner: string,
  language: string,
  changes: Changes,
  { user, window }: Writer,
): Promise<number> {
  const data = JSON.stringify(changes)
  const row = { data, user_id: user ?? null, modified_at: now, window_id: window ?? null }
  const { revision } = await tx
    .insertInto('changes')
    .values({ owner, language, ...row, revision: now })
    .onConflict(conflict =>
      conflict.columns(['owner', 'language']).doUpdateSet({ ...row, revision: nextRevision(data) }),
    )
    .returning('revision')
    .executeTakeFirstOrThrow()
  return revision
}

/** Whose they are and since when stays. */
export async function updateChanges(tx: Tx, owner: string, language: string, changes: Changes): Promise<void> {
  const data = JSON.stringify(changes)
  await tx
    .updateTable('changes')
    .set({ data, revision: nextRevision(data) })
    .where('owner', '=', owner)
    .where('language', '=', language)
    .execute()
}

export async function takeChanges(tx: Tx, owner: string, language: string, { user, window }: Writer): Promise<void> {
  await tx
    .updateTable('changes')
    .set({ user_id: user ?? null, window_id: window ?? null, modified_at: now })
    .where('owner', '=', owner)
    .where('language', '=', language)
    .execute()
}

export async function deleteChanges(tx: Tx, owner: string, language: string): Promise<void> {
  await tx.deleteFrom('changes').where('owner', '=', owner).where('language', '=', language).execute()
}
