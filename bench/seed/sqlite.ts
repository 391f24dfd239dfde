import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { createTree, digestOf, mustMatchProgram } from './pages.ts'

const batch = 10_000
const fastPragmas =
  'pragma journal_mode = off; pragma synchronous = off; pragma locking_mode = exclusive; pragma cache_size = -400000'

/**
 * Fills a migrated database that is not in use. A crash in between corrupts the database. A worker thread writes the
 * full-text index into a separate file, because that takes half of the time; its tables are copied at the end.
 */
export async function seedSqlite(
  path: string,
  count: number,
  withHistory: boolean,
  onProgress: (done: number) => void,
) {
  const indexPath = `${path}.index`
  rmSync(indexPath, { force: true })
  const worker = new Worker(new URL('search-index-thread.ts', import.meta.url), {
    workerData: { path: indexPath, count },
  })
  const indexed = new Promise<void>((resolve, reject) => {
    worker.once('error', reject)
    worker.once('exit', code =>
      code === 0 ? resolve() : reject(new Error(`the thread that writes the index ended with ${code}`)),
    )
  })
  const db = new DatabaseSync(path, { defensive: false }) // to write the shadow tables of FTS5
  try {
    db.exec(fastPragmas)
    // Indexes and triggers are dropped and created again at the end, which is faster than maintaining them per row.
    const definitions = db
      .prepare(
        `select type, name, sql from sqlite_master where sql is not null and (type = 'trigger' and tbl_name = 'pages'
          or type = 'index' and tbl_name in ('pages', 'contents', 'search_rows'))`,
      )
      .all()
    for (const { type, name } of definitions) db.exec(`drop ${String(type)} ${String(name)}`)
    const counts = await insertAll(db, count, withHistory, onProgress)
    const insert = db.prepare('insert into page_counts (parent, template, status, count) values (?, ?, ?, ?)')
    db.exec('begin')
    for (const [key, number] of counts) insert.run(...(key.split(' ') as [string, string, string]), number)
    for (const { sql } of definitions) db.exec(String(sql))
    db.exec('commit; analyze')
    await indexed
    copyIndex(db, indexPath)
    db.exec('pragma locking_mode = normal; pragma synchronous = full; pragma journal_mode = wal')
  } finally {
    db.close()
    rmSync(indexPath, { force: true })
  }
}

async function insertAll(db: DatabaseSync, count: number, withHistory: boolean, onProgress: (done: number) => void) {
  const insertPage = db.prepare(
    `insert into pages (uuid, parent, path, slug, status, num, template, revision, created_at, modified_at)
     values (?, ?, ?, ?, ?, ?, ?, 1, ?, ?)`,
  )
  const insertContent = db.prepare("insert into contents (owner, language, data, modified_at) values (?, '', ?, ?)")
  const insertSearchRow = db.prepare(
    "insert into search_rows (id, owner, language, page, title_key, digest) values (?, ?, '', ?, ?, ?)",
  )
  const insertVersion = db.prepare(
    `insert into history (owner, language, revision, action, time, fields, data)
     values (?, '', 1, 'create', ?, '["title","text","date","teaser","tags"]', ?)`,
  )
  const { pageAt, entryAt, byUuid } = createTree(count)
  const counts = new Map<string, number>()
  db.exec('begin')
  for (const [at, index] of byUuid().entries()) {
    const [page, entry] = [pageAt(index), entryAt(index)]
    if (at % 500 === 0) await mustMatchProgram(page, entry)
    const { uuid, parent, path, slug, status, num, template, created, data } = page
    const owner = `page://${uuid}`
    insertPage.run(uuid, parent, path, slug, status, num, template, created, created)
    insertContent.run(owner, data, created)
    insertSearchRow.run(at + 1, owner, uuid, entry.titleKey, digestOf(entry))
    if (withHistory) insertVersion.run(owner, created, data)
    const key = `${parent} ${template} ${status}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
    if (at % batch === batch - 1) {
      db.exec('commit; begin')
      onProgress(at + 1)
      await new Promise(resolve => setImmediate(resolve))
    }
  }
  db.exec('commit')
  onProgress(count)
  return counts
}

/** Copies the full-text index: the shadow tables of FTS5. */
function copyIndex(db: DatabaseSync, path: string): void {
  db.prepare('attach ? as source').run(path)
  db.exec('begin')
  for (const part of ['data', 'idx', 'docsize', 'config']) {
    db.exec(
      `delete from search_index_${part}; insert into search_index_${part} select * from source.search_index_${part}`,
    )
  }
  db.exec('commit; detach source')
}
