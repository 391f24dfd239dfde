import { sql } from 'kysely'
import { chunks } from '../../platform/lib/chunks.ts'
import { isPostgres } from '../../platform/store/among.ts'
import { now, type Store, type Tx } from '../../platform/store/store.ts'

/** Field name → the published value when it was edited (`from`), and the value of the draft (`to`). */
export type DraftChanges = Readonly<Record<string, { from: string; to: string }>>

export const decodeChanges = (data: string) => JSON.parse(data) as DraftChanges

/** Since the last autosave, in ms. Endless if the author gave up the edit lock. */
const age = sql<number>`case when changes.released_at is null then ${now} - changes.modified_at else 1000000000000 end`

const draftRows = (db: Store['db'] | Tx) =>
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

/**
 * The caller has locked the row of the model. This locks the draft, too: a rename rewrites ids in it (`content/ids`).
 */
export async function selectChanges(tx: Tx, owner: string, language: string) {
  return draftRows(tx)
    .select('changes.data')
    .where('changes.owner', '=', owner)
    .where('changes.language', '=', language)
    .$if(isPostgres(tx), query => query.forNoKeyUpdate('changes'))
    .executeTakeFirst()
}

export type ChangesRow = NonNullable<Awaited<ReturnType<typeof selectChanges>>>

/** The committed drafts in every language. */
export async function selectCommittedChanges(store: Store, owner: string): Promise<ChangesRow[]> {
  const query = draftRows(store.db).select('changes.data').where('changes.owner', '=', owner)
  return (await store.read(query.compile())) as ChangesRow[]
}

/** The contents of drafts of these owners, in these languages. */
export async function selectChangesOf(store: Store, owners: readonly string[], languages: readonly string[]) {
  const found: { owner: string; language: string; data: string }[] = []
  for (const batch of chunks(owners)) {
    const query = store.db
      .selectFrom('changes')
      .select(['owner', 'language', 'data'])
      .where('owner', 'in', batch)
      .where('language', 'in', languages)
    found.push(...((await store.read(query.compile())) as typeof found))
  }
  return found
}

/** The parents of these files (`file://…`); `uuid` and `template` are those of pages. */
export async function selectParentsOfFiles(store: Store, owners: readonly string[]) {
  const found: { owner: string; parent: string; uuid: string | null; template: string | null }[] = []
  for (const batch of chunks(owners)) {
    const query = store.db
      .selectFrom('files')
      .leftJoin('pages', join => join.on(sql`'page://' || pages.uuid`, '=', sql.ref('files.parent')))
      .select([sql<string>`'file://' || files.uuid`.as('owner'), 'files.parent', 'pages.uuid', 'pages.template'])
      .where(
        'files.uuid',
        'in',
        batch.map(owner => owner.slice('file://'.length)),
      )
    found.push(...((await store.read(query.compile())) as typeof found))
  }
  return found
}

export type Author = Omit<ChangesRow, 'data'>

/** The authors of the drafts of these owners, without the content. */
export async function selectAuthors(
  store: Store,
  owners: readonly string[],
  languages: readonly string[],
): Promise<Author[]> {
  const query = draftRows(store.db).where('changes.owner', 'in', owners).where('changes.language', 'in', languages)
  return (await store.read(query.compile())) as Author[]
}

/** Longer drafts, in characters, are not read for lists. */
const maxListedLength = 100_000

/** The same with the changes, unless they are long. */
export async function selectListedDrafts(store: Store, owners: readonly string[], languages: readonly string[]) {
  const data = sql<string | null>`case when length(changes.data) <= ${maxListedLength} then changes.data end`
  const query = draftRows(store.db)
    .select(data.as('data'))
    .where('changes.owner', 'in', owners)
    .where('changes.language', 'in', languages)
  return (await store.read(query.compile())) as (Author & { data: string | null })[]
}

/** The authors within a transaction, in every language. */
export async function selectAuthorsNow(tx: Tx, owners: readonly string[]): Promise<Author[]> {
  return draftRows(tx).where('changes.owner', 'in', owners).orderBy('changes.modified_at', 'desc').execute()
}

/** The author of a draft, and the browser window if known. */
export interface Writer {
  user: string | undefined
  window: string | undefined
}

/**
 * Saving an identical draft keeps its revision. Otherwise the revision grows at least to the current time in ms, so
 * that a number is never used again, not even after the draft was deleted and another one created.
 */
const nextRevision = (data: string) =>
  sql<number>`case when changes.data = ${data} then changes.revision
    when changes.revision >= ${now} then changes.revision + 1 else ${now} end`

/** Returns the draft revision. */
export async function upsertChanges(
  tx: Tx,
  owner: string,
  language: string,
  changes: DraftChanges,
  { user, window }: Writer,
): Promise<number> {
  const data = JSON.stringify(changes)
  const row = { data, user_id: user ?? null, modified_at: now, window_id: window ?? null, released_at: null }
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

/** Keeps the author and the time of the draft. Returns the draft revision; undefined if there is no draft. */
export async function updateChanges(
  tx: Tx,
  owner: string,
  language: string,
  changes: DraftChanges,
): Promise<number | undefined> {
  const data = JSON.stringify(changes)
  const row = await tx
    .updateTable('changes')
    .set({ data, revision: nextRevision(data) })
    .where('owner', '=', owner)
    .where('language', '=', language)
    .returning('revision')
    .executeTakeFirst()
  return row?.revision
}

export async function updateChangesAuthor(
  tx: Tx,
  owner: string,
  language: string,
  { user, window }: Writer,
): Promise<void> {
  await tx
    .updateTable('changes')
    .set({ user_id: user ?? null, window_id: window ?? null, modified_at: now, released_at: null })
    .where('owner', '=', owner)
    .where('language', '=', language)
    .execute()
}

/** Ends the edit lock of the author, who can take it again by saving. */
export async function markEditLockReleased(tx: Tx, owner: string, language: string): Promise<void> {
  await tx
    .updateTable('changes')
    .set({ released_at: now })
    .where('owner', '=', owner)
    .where('language', '=', language)
    .execute()
}

/** Deletes the draft with its review. The review of a draft page stays: it is about the page. */
export async function deleteChanges(tx: Tx, owner: string, language: string): Promise<void> {
  await tx.deleteFrom('changes').where('owner', '=', owner).where('language', '=', language).execute()
  if (!owner.startsWith('page://')) return
  await tx
    .deleteFrom('reviews')
    .where('owner', '=', owner)
    .where('language', '=', language)
    .where(eb =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('pages')
            .select('uuid')
            .where('uuid', '=', owner.slice('page://'.length))
            .where('status', '=', 'draft'),
        ),
      ),
    )
    .execute()
}

/** The newest draft in the history that was taken over from an account at most `maxAgeMs` ago. */
export async function selectTakenDraft(tx: Tx, owner: string, language: string, user: string, maxAgeMs: number) {
  return tx
    .selectFrom('history')
    .select(['id', 'data', 'fields'])
    .where('owner', '=', owner)
    .where('language', '=', language)
    .where('kind', '=', 'draft')
    .where('action', '=', 'taken')
    .where('user_id', '=', user)
    .where('time', '>', sql<number>`${now} - ${sql.lit(maxAgeMs)}`)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function updateHistoryDraft(
  tx: Tx,
  id: number,
  content: Readonly<Record<string, string>>,
  fields: readonly string[],
): Promise<void> {
  const row = { fields: JSON.stringify(fields), data: JSON.stringify(content) }
  await tx.updateTable('history').set(row).where('id', '=', id).execute()
}
