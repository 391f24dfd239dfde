/** The words of a row of the search index, by its columns: `heavy`, `light`, `place`. */
export type IndexWords = readonly [heavy: string, light: string, place: string]

/** Number of rows at which the buffer is written, to limit memory. */
const maxRows = 500

/** The parameter is a JSON list: of ids, or of ids with the words of the columns. */
export const indexStatements = {
  delete: 'delete from search_index where rowid in (select value from json_each(?))',
  put: `insert or replace into search_index (rowid, heavy, light, place)
    select value ->> 0, value ->> 1, value ->> 2, value ->> 3 from json_each(?)`,
}

/**
 * Buffers rows of SQLite's search index. FTS5 writes its pending rows at the end of every member of a group commit,
 * which takes longer than writing all other rows of a page. So the rows of a group are buffered and written once,
 * before the commit. The rows of a transaction that is rolled back are dropped.
 */
export function createSearchIndexBuffer(run: (text: string, list: string) => void) {
  /** Null for a row to delete. */
  type Rows = Map<number, IndexWords | null>
  /** Rows of the transactions that have ended. */
  const ended: Rows = new Map()
  /** Rows of the running transaction. */
  const current: Rows = new Map()

  function write(rows: Rows): void {
    const [deletedIds, changed] = [[] as number[], [] as [number, ...IndexWords][]]
    for (const [id, words] of rows) {
      if (words) changed.push([id, ...words])
      else deletedIds.push(id)
    }
    if (deletedIds.length > 0) run(indexStatements.delete, JSON.stringify(deletedIds))
    if (changed.length > 0) run(indexStatements.put, JSON.stringify(changed))
    rows.clear()
  }

  return {
    /** Buffers a row as it will be after the commit; null deletes it. */
    put(id: number, words: IndexWords | null): void {
      current.set(id, words)
      if (current.size < maxRows) return
      // Rows that an ended transaction has buffered as well stay in the buffer, so that the later value wins.
      const free: Rows = new Map(current.entries().filter(([other]) => !ended.has(other)))
      for (const other of free.keys()) current.delete(other)
      write(free)
    },

    /** Ends the transaction; `isCommitted` is false if it is rolled back. Returns whether it has left rows in the buffer. */
    endTransaction(isCommitted: boolean): boolean {
      const hasRows = isCommitted && current.size > 0
      if (hasRows) for (const [id, words] of current) ended.set(id, words)
      current.clear()
      return hasRows
    },

    isFull: () => ended.size >= maxRows,
    write: () => write(ended),
    discard: () => ended.clear(),
  }
}
