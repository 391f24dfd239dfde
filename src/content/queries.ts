import { keepLanguages } from '../languages/queries.ts'
import { now, type Store, type Tx } from '../store/store.ts'
import type { StoredContent } from './content.ts'

export const decode = (data: string) => JSON.parse(data) as StoredContent

/** Of these things in these languages, as far as there is any. */
export async function selectRows(store: Store, owners: readonly string[], languages: readonly string[]) {
  const query = store.db
    .selectFrom('contents')
    .select(['owner', 'language', 'data'])
    .where('owner', 'in', owners)
    .where('language', 'in', languages)
  return (await store.read(query.compile())) as { owner: string; language: string; data: string }[]
}

/**
 * To be changed: what is stored in one language, or nothing. Whoever asks holds the row of the thing itself, so that of two
 * changes at once the second sees what the first has written.
 */
export async function selectToChange(tx: Tx, owner: string, language: string): Promise<StoredContent> {
  const row = await tx
    .selectFrom('contents')
    .select('data')
    .where('owner', '=', owner)
    .where('language', '=', language)
    .executeTakeFirst()
  return row ? decode(row.data) : {}
}

export async function upsertContent(tx: Tx, owner: string, language: string, content: StoredContent): Promise<void> {
  const row = { data: JSON.stringify(content), modified_at: now }
  await tx
    .insertInto('contents')
    .values({ owner, language, ...row })
    .onConflict(conflict => conflict.columns(['owner', 'language']).doUpdateSet(row))
    .execute()
}

/** Of these things in every language, with all that was ever kept of it. */
export async function deleteContents(tx: Tx, owners: readonly string[]): Promise<void> {
  await keepLanguages(tx) // else a new default language could be given a copy of what is just going
  for (const table of ['contents', 'changes', 'history'] as const)
    await tx.deleteFrom(table).where('owner', 'in', owners).execute()
}

export interface Saved {
  owner: string
  language: string
  revision: number
  /** `create`, `update`, `publish`, `restore`, `title` … */
  action: string
  user: string | undefined
}

/** Kept: what the content is from now on, who made it so, and how; `fields` are the names that differ from before. */
export async function insertHistory(
  tx: Tx,
  { user, ...saved }: Saved,
  content: StoredContent,
  fields: readonly string[],
): Promise<void> {
  await tx
    .insertInto('history')
    .values({
      ...saved,
      user_id: user ?? null,
      time: now,
      fields: JSON.stringify(fields),
      data: JSON.stringify(content),
    })
    .execute()
}

/** Of a thing in a language only the newest versions stay. */
export async function deleteOldVersions(tx: Tx, owner: string, language: string, keep: number): Promise<void> {
  await tx
    .deleteFrom('history')
    .where('owner', '=', owner)
    .where('language', '=', language)
    .where('id', '<=', older =>
      older
        .selectFrom('history')
        .select('id')
        .where('owner', '=', owner)
        .where('language', '=', language)
        .orderBy('id', 'desc')
        .limit(1)
        .offset(keep),
    )
    .execute()
}
