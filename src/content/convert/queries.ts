import type { Store, Tx } from '../../platform/store/store.ts'

/** Tables with field values, in the order of conversion. */
export const tables = ['contents', 'changes', 'history'] as const
export type ContentTable = (typeof tables)[number]

export interface ContentTableRow {
  owner: string
  language: string
  data: string
  /** Only for rows of `history`. */
  id?: number
}

export async function selectUnfinished(store: Store): Promise<ContentTable[]> {
  const rows = (await store.read(store.db.selectFrom('conversions').select('name').compile())) as { name: string }[]
  return tables.filter(table => rows.some(({ name }) => name === table))
}

/** The cursor of the last converted row; undefined when the table is done. */
export async function selectCursor(store: Store, table: ContentTable): Promise<string | undefined> {
  const query = store.db.selectFrom('conversions').select('place').where('name', '=', table)
  const [row] = (await store.read(query.compile())) as { place: string }[]
  return row?.place
}

/** The next rows after a cursor: history by id, the other tables by owner and language. */
export async function selectAfter(
  store: Store,
  table: ContentTable,
  place: string,
  limit: number,
): Promise<ContentTableRow[]> {
  if (table === 'history') {
    const versions = store.db.selectFrom('history').select(['id', 'owner', 'language', 'data'])
    const query = versions.where('id', '>', Number(place)).orderBy('id').limit(limit)
    return (await store.read(query.compile())) as ContentTableRow[]
  }
  const [owner = '', language = ''] = place.split(' ')
  const query = store.db
    .selectFrom(table)
    .select(['owner', 'language', 'data'])
    .where(row =>
      row.or([row('owner', '>', owner), row.and([row('owner', '=', owner), row('language', '>', language)])]),
    )
    .orderBy('owner')
    .orderBy('language')
    .limit(limit)
  return (await store.read(query.compile())) as ContentTableRow[]
}

export const cursorOf = ({ id, owner, language }: ContentTableRow): string =>
  id === undefined ? `${owner} ${language}` : String(id)

export async function selectOf(
  store: Store,
  table: ContentTable,
  owners: readonly string[],
): Promise<ContentTableRow[]> {
  if (owners.length === 0) return []
  const query =
    table === 'history'
      ? store.db.selectFrom(table).select(['id', 'owner', 'language', 'data']).where('owner', 'in', owners)
      : store.db.selectFrom(table).select(['owner', 'language', 'data']).where('owner', 'in', owners)
  return (await store.read(query.compile())) as ContentTableRow[]
}

/** Skips a row that was changed since it was read. */
export async function updateConvertedData(
  tx: Tx,
  table: ContentTable,
  { id, owner, language, data }: ContentTableRow,
  next: string,
): Promise<void> {
  const update = tx.updateTable(table).set({ data: next }).where('owner', '=', owner).where('language', '=', language)
  const same = update.where('data', '=', data)
  await (id === undefined ? same : same.where('id', '=', id as never)).execute()
}

/** Does nothing if another process has moved the cursor or finished the table. */
export async function updateCursor(tx: Tx, table: ContentTable, before: string, place: string): Promise<void> {
  await tx.updateTable('conversions').set({ place }).where('name', '=', table).where('place', '=', before).execute()
}

export async function deleteCursor(tx: Tx, table: ContentTable): Promise<void> {
  await tx.deleteFrom('conversions').where('name', '=', table).execute()
}
