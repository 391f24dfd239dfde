import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { createTree, digestOf, mustMatchProgram } from './pages.ts'

const batch = 10_000
const fastPragmas =
  'pragma journal_mode = off; pragma synchronous = off; pragma locking_mode = exclusive; pragma cache_size = -400000'

/**
 * Fills a migrated database that is not in use. A crash meanwhile corrupts it. A worker thread writes the full-text
 * index into a separate file, because that takes half of the time; its tables are copied at the end.
 */
export async function seedSqlite(
  path: string,
  count: number,
  withHistory: boolean,
  onProgress: (done: number) => void,
) {
  const words = `${path}.words`
  rmSync(words, { force: true })
  const worker = new Worker(new URL('words.ts', import.meta.url), { workerData: { path: words, count } })
  const indexed = new Promise<void>((resolve, reject) => {
    worker.once('error', reject)
    worker.once('exit', code => (code === 0 ? resolve() : reject(new Error(`the words ended with ${code}`))))
  })
  const db = new DatabaseSync(path, { defensive: false }) // allows writing to the shadow tables of FTS5
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
    copyIndex(db, words)
    db.exec('pragma locking_mode = normal; pragma synchronous = full; pragma journal_mode = wal')
  } finally {
    db.close()
    rmSync(words, { force: true })
  }
}

async function insertAll(db: DatabaseSync, count: number, withHistory: boolean, onProgress: (done: number) => void) {
  const page = db.prepare(
    `insert into pages (uuid, parent, path, slug, status, num, template, revision, created_at, modified_at)
     values (?, ?, ?, ?, ?, ?, ?, 1, ?, ?)`,
  )
  const content = db.prepare("insert into contents (owner, language, data, modified_at) values (?, '', ?, ?)")
  const row = db.prepare(
    "insert into search_rows (id, owner, language, page, title_key, digest) values (?, ?, '', ?, ?, ?)",
  )
  const version = db.prepare(
    `insert into history (owner, language, revision, action, time, fields, data)
     values (?, '', 1, 'create', ?, '["title","text","date","teaser","tags"]', ?)`,
  )
  const { pageAt, foundAt, order } = createTree(count)
  const counts = new Map<string, number>()
  db.exec('begin')
  for (const [at, index] of order().entries()) {
    const [one, found] = [pageAt(index), foundAt(index)]
    if (at % 500 === 0) await mustMatchProgram(one, found)
    const { uuid, parent, path, slug, status, num, template, created, data } = one
    const owner = `page://${uuid}`
    page.run(uuid, parent, path, slug, status, num, template, created, created)
    content.run(owner, data, created)
    row.run(at + 1, owner, uuid, found.titleKey, digestOf(found))
    if (withHistory) version.run(owner, created, data)
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

/** Copies the shadow tables of FTS5. */
function copyIndex(db: DatabaseSync, words: string): void {
  db.prepare('attach ? as words').run(words)
  db.exec('begin')
  for (const part of ['data', 'idx', 'docsize', 'config']) {
    db.exec(
      `delete from search_index_${part}; insert into search_index_${part} select * from words.search_index_${part}`,
    )
  }
  db.exec('commit; detach words')
}
