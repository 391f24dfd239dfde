/** A worker thread: writes the full-text index of all pages into a separate file. */
import { DatabaseSync } from 'node:sqlite'
import { workerData } from 'node:worker_threads'
import { createTree } from './pages.ts'

const { path, count } = workerData as { path: string; count: number }
const db = new DatabaseSync(path, { defensive: false })
const set = (name: string, value: number) =>
  db.exec(`insert into search_index (search_index, rank) values ('${name}', ${value})`)
db.exec(
  `pragma journal_mode = off; pragma synchronous = off; pragma locking_mode = exclusive; pragma cache_size = -200000`,
)
db.exec(`create virtual table search_index using fts5(
  heavy, light, place, content = '', contentless_delete = 1, detail = column, prefix = '2 3', tokenize = 'ascii'
)`)
// Large segments, merged once at the end instead of repeatedly.
set('hashsize', 128 * 1024 * 1024)
set('automerge', 0)
set('crisismerge', 1999)
const insert = db.prepare('insert into search_index (rowid, heavy, light, place) values (?, ?, ?, ?)')
const { entryAt, byUuid } = createTree(count)
db.exec('begin')
for (const [at, index] of byUuid().entries()) {
  const { heavy, light, place } = entryAt(index)
  insert.run(at + 1, heavy, light, place)
}
db.exec('commit')
db.exec("insert into search_index (search_index) values ('optimize')")
set('automerge', 4)
set('crisismerge', 16)
db.exec("delete from search_index_config where k in ('automerge', 'crisismerge', 'hashsize')")
db.close()
