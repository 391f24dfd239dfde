import { sql } from 'kysely'
import { columnPrefixes } from '../../../platform/search/queries.ts'
import type { Store, Tx } from '../../../platform/store/store.ts'
import { batchSize, selectInBatches, selectRaw } from '../queries.ts'

export const selectOwnerBatches = (store: Store) =>
  selectInBatches(
    after =>
      selectRaw<{ owner: string }>(
        store,
        // Each part has its own limit: otherwise every batch would merge all remaining rows.
        `select owner from (
           select owner from (select distinct owner from contents
             where owner > ? and (owner like 'page://%' or owner like 'file://%') order by owner limit ${batchSize}) as stored
           union select owner from (select distinct owner from search_rows
             where owner > ? order by owner limit ${batchSize}) as found
         ) as owners order by owner limit ${batchSize}`,
        after,
        after,
      ),
    ({ owner }) => owner,
  )

const indexIds = { sqlite: 'search_index_docsize', postgres: 'search_index' }

/** Rows without words, and words without a row. */
export async function selectUnmatched(store: Store) {
  const index = indexIds[store.name]
  return {
    withoutWords: await selectRaw<{ id: number; owner: string }>(
      store,
      `select id, owner from search_rows where not exists (select 1 from ${index} as words where words.id = search_rows.id)`,
    ),
    withoutRow: await selectRaw<{ id: number }>(
      store,
      `select id from ${index} as words where not exists (select 1 from search_rows where search_rows.id = words.id)`,
    ),
  }
}

export async function deleteStray(store: Store, tx: Tx, ids: readonly number[]): Promise<void> {
  const column = sql.ref(store.name === 'sqlite' ? 'rowid' : 'id')
  for (const id of ids) await sql`delete from search_index where ${column} = ${id}`.execute(tx)
}

const kinds = ['heavy', 'light', 'place'] as const

export interface ExpectedWords {
  id: number
  /** The expected words. */
  words: Record<(typeof kinds)[number], string>
}

const listsOf = ({ words }: ExpectedWords) =>
  kinds.map(kind => ({ kind, list: words[kind].split(' ').filter(Boolean) }))

/** The rows with a wrong number of words in the index; if `thorough`, also those with wrong words. */
export async function selectWrongWords(
  store: Store,
  rows: readonly ExpectedWords[],
  thorough: boolean,
): Promise<ReadonlySet<number>> {
  const sizes = await selectSizes(
    store,
    rows.map(({ id }) => id),
  )
  const wrong = new Set<number>()
  for (const row of rows) {
    const size = listsOf(row).map(({ list }) => list.length)
    const expected = store.name === 'sqlite' ? size : [size.reduce((sum, one) => sum + one, 0)]
    const isRight = sizes.get(row.id)?.join() === expected.join() && (!thorough || (await hasWords(store, row)))
    if (!isRight) wrong.add(row.id)
  }
  return wrong
}

/** The number of words in the index for each row: by kind in SQLite, in total in PostgreSQL. */
async function selectSizes(store: Store, ids: readonly number[]): Promise<Map<number, number[]>> {
  if (store.name === 'postgres') {
    const text = 'select id, length(words) as size from search_index where id = any(?::bigint[])'
    const rows = await selectRaw<{ id: number; size: number }>(store, text, ids)
    return new Map(rows.map(({ id, size }) => [id, [size]]))
  }
  const text = 'select id, hex(sz) as size from search_index_docsize where id in (select value from json_each(?))'
  const rows = await selectRaw<{ id: number; size: string }>(store, text, JSON.stringify(ids))
  return new Map(rows.map(({ id, size }) => [id, numbersIn(Buffer.from(size, 'hex'))]))
}

/** Decodes SQLite's varints: seven bits per byte; the eighth is set if more bytes follow. */
function numbersIn(bytes: Uint8Array): number[] {
  const numbers: number[] = []
  let number = 0
  for (const byte of bytes) {
    number = number * 128 + (byte & 127)
    if (byte < 128) {
      numbers.push(number)
      number = 0
    }
  }
  return numbers
}

async function hasWords(store: Store, row: ExpectedWords): Promise<boolean> {
  if (store.name === 'postgres') {
    const text = 'select tsvector_to_array(words) as lexemes from search_index where id = ?'
    const [found] = await selectRaw<{ lexemes: string[] }>(store, text, row.id)
    const lexemes = new Set(found?.lexemes)
    return listsOf(row).every(({ kind, list }) => list.every(word => lexemes.has(columnPrefixes[kind] + word)))
  }
  const text = 'select rowid from search_index where search_index match ? and rowid = ?'
  for (const { kind, list } of listsOf(row))
    for (let start = 0; start < list.length; start += 50) {
      const words = list.slice(start, start + 50).map(word => `"${word}"`)
      if ((await selectRaw(store, text, `${kind} : (${words.join(' AND ')})`, row.id)).length === 0) return false
    }
  return true
}
