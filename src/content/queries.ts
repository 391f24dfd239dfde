import { now, prepared, type Store, type Tx } from '../store/store.ts'
import type { StoredContent } from './content.ts'

const decode = (data: string) => JSON.parse(data) as StoredContent

const selectRow = prepared((db, owner: string, language: string) =>
  db.selectFrom('contents').select('data').where('owner', '=', owner).where('language', '=', language),
)

/** What is stored of a thing (`user://…`) in a language, `''` without languages. Nothing yet is an empty map. */
export async function selectContent(store: Store, owner: string, language: string): Promise<StoredContent> {
  const [row] = await selectRow(store, owner, language)
  return row ? decode(row.data) : {}
}

/** Of several things at once, by owner; those without any are missing. */
export async function selectContents(
  store: Store,
  owners: readonly string[],
  language: string,
): Promise<Map<string, StoredContent>> {
  if (owners.length === 0) return new Map()
  const rows = await store.db
    .selectFrom('contents')
    .select(['owner', 'data'])
    .where('owner', 'in', owners)
    .where('language', '=', language)
    .execute()
  return new Map(rows.map(({ owner, data }) => [owner, decode(data)]))
}

/** To be changed: the row is held, so that of two changes at once the second sees what the first has written. */
export async function selectContentToChange(
  store: Store,
  tx: Tx,
  owner: string,
  language: string,
): Promise<StoredContent> {
  // A row that is not there cannot be held.
  await tx
    .insertInto('contents')
    .values({ owner, language, data: '{}', modified_at: now })
    .onConflict(conflict => conflict.columns(['owner', 'language']).doNothing())
    .execute()
  const row = await tx
    .selectFrom('contents')
    .select('data')
    .where('owner', '=', owner)
    .where('language', '=', language)
    .$if(store.name === 'postgres', query => query.forUpdate())
    .executeTakeFirstOrThrow()
  return decode(row.data)
}

export async function upsertContent(tx: Tx, owner: string, language: string, content: StoredContent): Promise<void> {
  const row = { data: JSON.stringify(content), modified_at: now }
  await tx
    .insertInto('contents')
    .values({ owner, language, ...row })
    .onConflict(conflict => conflict.columns(['owner', 'language']).doUpdateSet(row))
    .execute()
}

/** In every language. */
export async function deleteContents(tx: Tx, owner: string): Promise<void> {
  await tx.deleteFrom('contents').where('owner', '=', owner).execute()
}
