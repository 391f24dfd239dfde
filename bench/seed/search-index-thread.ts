/** A worker thread: writes the full-text index of all pages into a separate file. */
import { DatabaseSync } from 'node:sqlite'
import { workerData } from 'node:worker_threads'
import { createTree } from './pages.ts'

const { path, count } = workerData as { path: string; count: number }
const db = new DatabaseSync(path, { defensive: false })
const setFts5Option = (name: string, value: number) =>
  db.exec(`insert into search_index (search_index, rank) values ('${name}', ${value})`)
db.exec(
  `pragma journal_mode = off; pragma synchronous = off; pragma locking_mode = exclusive; pragma cache_size = -200000`,
)
// The definition must equal that of src/platform/store/migrations/007-search.ts: the shadow tables are copied into a table
// of that definition, and others would be read wrongly.
db.exec(`create virtual table search_index using fts5(
  heavy, light, place, content = '', contentless_delete = 1, detail = column, prefix = '2 3', tokenize = 'ascii'
)`)
// Large segments, merged once at the end instead of repeatedly.
setFts5Option('hashsize', 128 * 1024 * 1024)
setFts5Option('automerge', 0)
setFts5Option('crisismerge', 1999)
const insert = db.prepare('insert into search_index (rowid, heavy, light, place) values (?, ?, ?, ?)')
const { entryAt, byUuid } = createTree(count)
db.exec('begin')
for (const [at, index] of byUuid().entries()) {
  const { heavy, light, place } = entryAt(index)
  // The rowid must equal `search_rows.id`, which seed/sqlite.ts inserts in the same order: searches join both.
  insert.run(at + 1, heavy, light, place)
}
db.exec('commit')
db.exec("insert into search_index (search_index) values ('optimize')")
setFts5Option('automerge', 4)
setFts5Option('crisismerge', 16)
db.exec("delete from search_index_config where k in ('automerge', 'crisismerge', 'hashsize')")
db.close()
