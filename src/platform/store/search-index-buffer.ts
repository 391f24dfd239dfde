/** The words of a row of the search index, by its columns: `heavy`, `light`, `place`. */
export type IndexWords = readonly [heavy: string, light: string, place: string]

/** More do not wait: they take memory. */
const most = 500

/** Their parameter is a JSON list: of ids, or of ids with the words of the columns. */
export const indexStatements = {
  delete: 'delete from search_index where rowid in (select value from json_each(?))',
  put: `insert or replace into search_index (rowid, heavy, light, place)
    select value ->> 0, value ->> 1, value ->> 2, value ->> 3 from json_each(?)`,
}

/**
 * Rows of the search index of SQLite. It writes down what it has gathered at the end of every transaction within a group, which
 * takes longer than all the other rows of a page: so what a group has for it waits, and is written at once before the group is
 * put on the disk. What becomes of the transactions becomes of their rows.
 */
export function createSearchIndexBuffer(run: (text: string, list: string) => void) {
  /** Null for a row that goes. */
  type Rows = Map<number, IndexWords | null>
  /** Of the transactions that have ended. */
  const ended: Rows = new Map()
  /** Of the one that is running. */
  const own: Rows = new Map()

  function write(rows: Rows): void {
    const [gone, kept] = [[] as number[], [] as [number, ...IndexWords][]]
    for (const [id, words] of rows) {
      if (words) kept.push([id, ...words])
      else gone.push(id)
    }
    if (gone.length > 0) run(indexStatements.delete, JSON.stringify(gone))
    if (kept.length > 0) run(indexStatements.put, JSON.stringify(kept))
    rows.clear()
  }

  return {
    /** As this row will be. */
    put(id: number, words: IndexWords | null): void {
      own.set(id, words)
      if (own.size < most) return
      // Where another one waits with the same row, the order must stay.
      const free: Rows = new Map(own.entries().filter(([other]) => !ended.has(other)))
      for (const other of free.keys()) own.delete(other)
      write(free)
    },

    /** The transaction has ended, and is kept or not. True if something of it waits. */
    leave(isKept: boolean): boolean {
      const waits = isKept && own.size > 0
      if (waits) for (const [id, words] of own) ended.set(id, words)
      own.clear()
      return waits
    },

    isFull: () => ended.size >= most,
    write: () => write(ended),
    forget: () => ended.clear(),
  }
}
