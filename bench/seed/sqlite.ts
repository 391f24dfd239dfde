import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { createTree, mustAgree, type SeedPage } from './pages.ts'

const batch = 10_000
const quick =
  'pragma journal_mode = off; pragma synchronous = off; pragma locking_mode = exclusive; pragma cache_size = -400000'

/**
 * Into a migrated store that nobody uses. It is not safe against a crash meanwhile. The words go into a file of their own, by
 * another thread, because that takes half of the time; their tables are copied at the end.
 */
export async function seedSqlite(path: string, count: number, withHistory: boolean, tell: (done: number) => void) {
  const words = `${path}.words`
  rmSync(words, { force: true })
  const worker = new Worker(new URL('words.ts', import.meta.url), { workerData: { path: words, count } })
  const indexed = new Promise<void>((resolve, reject) => {
    worker.once('error', reject)
    worker.once('exit', code => (code === 0 ? resolve() : reject(new Error(`the words ended with ${code}`))))
  })
  const db = new DatabaseSync(path, { defensive: false }) // the tables of the index are written as they are
  try {
    db.exec(quick)
    const triggers = db
      .prepare("select name, sql from sqlite_master where type = 'trigger' and tbl_name = 'pages'")
      .all()
    for (const { name } of triggers) db.exec(`drop trigger ${String(name)}`)
    const counts = await insertAll(db, count, withHistory, tell)
    const insert = db.prepare('insert into page_counts (parent, template, status, count) values (?, ?, ?, ?)')
    db.exec('begin')
    for (const [key, number] of counts) insert.run(...(key.split(' ') as [string, string, string]), number)
    for (const { sql } of triggers) db.exec(String(sql))
    db.exec('commit')
    await indexed
    copyIndex(db, words)
    db.exec('pragma locking_mode = normal; pragma synchronous = full; pragma journal_mode = wal; analyze')
  } finally {
    db.close()
    rmSync(words, { force: true })
  }
}

async function insertAll(db: DatabaseSync, count: number, withHistory: boolean, tell: (done: number) => void) {
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
  const { pageAt } = createTree(count)
  const counts = new Map<string, number>()
  for (let start = 0; start < count; start += batch) {
    const pages: [number, SeedPage][] = []
    for (let index = start; index < Math.min(count, start + batch); index++) pages.push([index + 1, pageAt(index)])
    for (let index = 0; index < pages.length; index += 500) mustAgree(pages[index]![1])
    db.exec('begin')
    for (const [, one] of pages) {
      const { uuid, parent, path, slug, status, num, template, created } = one
      page.run(uuid, parent, path, slug, status, num, template, created, created)
      const key = `${parent} ${template} ${status}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    // Neighbours in the index one after the other.
    pages.sort(([, { uuid: a }], [, { uuid: b }]) => (a < b ? -1 : 1))
    for (const [id, { uuid, data, created, titleKey, digest }] of pages) {
      const owner = `page://${uuid}`
      content.run(owner, data, created)
      row.run(id, owner, uuid, titleKey, digest)
      if (withHistory) version.run(owner, created, data)
    }
    db.exec('commit')
    tell(Math.min(count, start + batch))
    await new Promise(resolve => setImmediate(resolve))
  }
  return counts
}

/** The tables that FTS5 keeps its index in. */
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
