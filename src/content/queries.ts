import { lockLanguagesShared } from './languages/queries.ts'
import { isInList, isPostgres, type ListParameter } from '../platform/store/among.ts'
import { deferredIn, now, preparedIn, type Store, type Tx } from '../platform/store/store.ts'
import type { StoredContent } from './content.ts'

export const decode = (data: string) => JSON.parse(data) as StoredContent

/** Existing rows of these owners in these languages. */
export async function selectRows(store: Store, owners: readonly string[], languages: readonly string[]) {
  const query = store.db
    .selectFrom('contents')
    .select(['owner', 'language', 'data'])
    .where('owner', 'in', owners)
    .where('language', 'in', languages)
  return (await store.read(query.compile())) as { owner: string; language: string; data: string }[]
}

/**
 * Reads and locks the content in one language before a change; empty if there is none. The caller has locked the row
 * of the model, which serialises saves. The lock on the content is for renames: they rewrite references in contents of
 * models that they have not locked (`content/ids`).
 */
export async function selectToChange(tx: Tx, owner: string, language: string): Promise<StoredContent> {
  const { rows } = await dataOf(tx, { owner, language })
  return rows[0] ? decode(rows[0].data) : {}
}

const dataOf = preparedIn<{ owner: string; language: string }>()(['owner', 'language'], (db, { owner, language }) =>
  db
    .selectFrom('contents')
    .select('data')
    .where('owner', '=', owner)
    .where('language', '=', language)
    .$if(isPostgres(db), query => query.forNoKeyUpdate()),
)

export async function upsertContent(tx: Tx, owner: string, language: string, content: StoredContent): Promise<void> {
  await upsert(tx, { owner, language, data: JSON.stringify(content) })
}

/**
 * Locks the contents in these languages, before they are read together with the row of the model. Only for PostgreSQL:
 * SQLite has one writer.
 */
export const lockContents = deferredIn<{ owner: string; languages: ListParameter }>()(
  ['owner', 'languages'],
  (db, { owner, languages }) =>
    db
      .selectFrom('contents')
      .select('language')
      .where('owner', '=', owner)
      .where(isInList(db, 'language', languages))
      .orderBy('language')
      .forNoKeyUpdate(),
)

const upsert = deferredIn<{ owner: string; language: string; data: string }>()(
  ['owner', 'language', 'data'],
  (db, { data, ...of }) =>
    db
      .insertInto('contents')
      .values({ ...of, data, modified_at: now })
      .onConflict(conflict => conflict.columns(['owner', 'language']).doUpdateSet({ data, modified_at: now })),
)

/** Deletes contents, drafts and history of these owners in every language. */
export async function deleteContents(tx: Tx, owners: readonly string[]): Promise<void> {
  await lockLanguagesShared(tx) // else a new default language could copy rows that are being deleted
  for (const table of ['contents', 'changes', 'reviews', 'comments', 'history'] as const)
    await tx.deleteFrom(table).where('owner', 'in', owners).execute()
}

export interface SavedVersion {
  owner: string
  language: string
  revision: number
  /** `create`, `update`, `publish`, `restore`, `title` … */
  action: string
  user: string | undefined
}

/** Adds a version with the new content. `fields` are the names that differ from the previous content. */
export async function insertHistory(
  tx: Tx,
  { user, ...saved }: SavedVersion,
  content: StoredContent,
  fields: readonly string[],
): Promise<void> {
  const version = { ...saved, user_id: user ?? null, fields: JSON.stringify(fields), data: JSON.stringify(content) }
  await insertVersion(tx, version)
}

/** Adds an overwritten or discarded draft. Only the newest `maxDrafts` stay. */
export async function insertDraftVersion(
  tx: Tx,
  { user, ...saved }: SavedVersion,
  content: StoredContent,
  fields: readonly string[],
): Promise<void> {
  const row = { ...saved, user_id: user ?? null, fields: JSON.stringify(fields), data: JSON.stringify(content) }
  await tx
    .insertInto('history')
    .values({ ...row, kind: 'draft', time: now })
    .execute()
  await deleteOldVersions(tx, saved.owner, saved.language, maxDrafts, 'draft')
}

const maxDrafts = 20

/** Value of `history.language` for events. Never the key of a language. */
const everyLanguage = '*'

/** Old and new value; `at` is the time of a schedule. */
export interface EventDetail {
  before?: string
  after?: string
  at?: string
}

/** Adds an event: a change that is not content, such as a new slug. Only the newest `keep` stay. */
export async function insertHistoryEvent(
  tx: Tx,
  { user, keep, ...saved }: Omit<SavedVersion, 'language'> & { keep: number },
  detail: EventDetail,
): Promise<void> {
  const row = { ...saved, user_id: user ?? null, detail: JSON.stringify(detail) }
  await tx
    .insertInto('history')
    .values({ ...row, language: everyLanguage, kind: 'event', data: '{}', time: now })
    .execute()
  if (saved.revision > keep) await deleteOldVersions(tx, saved.owner, everyLanguage, keep, 'event')
}

type Version = Omit<SavedVersion, 'user'> & { user_id: string | null; fields: string; data: string }

const insertVersion = deferredIn<Version>()(
  ['owner', 'language', 'revision', 'action', 'user_id', 'fields', 'data'],
  (db, version) => db.insertInto('history').values({ ...version, time: now }),
)

/** The first contents of many new models, and their first versions. */
export async function insertFirstContents(
  tx: Tx,
  contents: readonly { owner: string; language: string; content: StoredContent }[],
  { action, user }: Pick<SavedVersion, 'action' | 'user'>,
): Promise<void> {
  if (contents.length === 0) return
  const rows = contents.map(({ owner, language, content }) => ({ owner, language, data: JSON.stringify(content) }))
  const versions = rows.map((row, index) => {
    const fields = JSON.stringify(Object.keys(contents[index]!.content))
    return { ...row, revision: 1, action, user_id: user ?? null, fields, time: now }
  })
  await tx
    .insertInto('contents')
    .values(rows.map(row => ({ ...row, modified_at: now })))
    .execute()
  await tx.insertInto('history').values(versions).execute()
}

type HistoryKind = 'version' | 'draft' | 'event'

/** Deletes all but the newest `keep` rows of a kind. */
export async function deleteOldVersions(
  tx: Tx,
  owner: string,
  language: string,
  keep: number,
  kind: HistoryKind = 'version',
): Promise<void> {
  await deleteAllBut(tx, { owner, language, kind, keep })
}

const deleteAllBut = deferredIn<{ owner: string; language: string; kind: HistoryKind; keep: number }>()(
  ['owner', 'language', 'kind', 'keep'],
  (db, { owner, language, kind, keep }) =>
    db
      .deleteFrom('history')
      .where('owner', '=', owner)
      .where('language', '=', language)
      .where('kind', '=', kind)
      .where('id', '<=', older =>
        older
          .selectFrom('history')
          .select('id')
          .where('owner', '=', owner)
          .where('language', '=', language)
          .where('kind', '=', kind)
          .orderBy('id', 'desc')
          .limit(1)
          .offset(keep),
      ),
)
