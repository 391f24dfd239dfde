import pg from 'pg'
import { lexemesOf } from '../../src/platform/search/queries.ts'
import { createTree, digestOf, mustMatchProgram, type SeedPage } from './pages.ts'

const batchSize = 2000
const tables = { pages: ['pages', 'contents'], search: ['search_rows', 'search_index'] }

/**
 * Fills a migrated database that is not in use. One connection inserts pages and contents, another the search index at
 * the same time, each in its own transaction.
 */
export async function seedPostgres(
  url: string,
  count: number,
  withHistory: boolean,
  onProgress: (done: number) => void,
) {
  const { pageAt, entryAt, byUuid } = createTree(count)
  const ordered = byUuid()
  const starts = Array.from({ length: Math.ceil(count / batchSize) }, (_, index) => index * batchSize)
  const batchFrom = (start: number) => ordered.slice(start, start + batchSize)
  await Promise.all([
    load(url, tables.pages, async client => {
      for (const start of starts) await insertPages(client, batchFrom(start).map(pageAt), withHistory)
      await client.query(
        `insert into page_counts (parent, template, status, count)
         select parent, template, status, count(*) from pages group by parent, template, status`,
      )
    }),
    load(url, tables.search, async client => {
      for (const start of starts) {
        const indexes = batchFrom(start)
        const entries = indexes.map(index => ({ uuid: pageAt(index).uuid, ...entryAt(index) }))
        // A sample is compared with what Quoin would index.
        for (let at = 0; at < indexes.length; at += 500) await mustMatchProgram(pageAt(indexes[at]!), entries[at]!)
        await insertEntries(client, entries, start + 1)
        onProgress(start + indexes.length)
      }
      await client.query("select setval(pg_get_serial_sequence('search_rows', 'id'), $1)", [count])
    }),
  ])
  await withClient(url, client =>
    client.query('vacuum analyze pages, contents, search_rows, search_index, page_counts'),
  )
}

async function withClient(url: string, run: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await run(client)
  } finally {
    await client.end()
  }
}

/**
 * Drops indexes and foreign keys of the tables and disables their triggers, and restores them at the end, which is faster
 * than maintaining them per row. The triggers that record links are not missed: these texts contain none.
 */
async function load(url: string, names: string[], fill: (client: pg.Client) => Promise<unknown>): Promise<void> {
  await withClient(url, async client => {
    await client.query("set maintenance_work_mem = '256MB'")
    const { rows: definitions } = await client.query<{ drop: string; restore: string }>(
      `select 'drop index ' || indexname as "drop", indexdef as restore from pg_indexes
         where schemaname = 'public' and tablename = any($1) and indexname not in (select conname from pg_constraint)
       union all select 'alter table ' || conrelid::regclass || ' drop constraint ' || conname,
         'alter table ' || conrelid::regclass || ' add constraint ' || conname || ' ' || pg_get_constraintdef(oid)
         from pg_constraint where contype = 'f' and conrelid::regclass::text = any($1)
       union all select 'alter table ' || tgrelid::regclass || ' disable trigger ' || tgname,
         'alter table ' || tgrelid::regclass || ' enable trigger ' || tgname
         from pg_trigger where not tgisinternal and tgrelid::regclass::text = any($1)`,
      [names],
    )
    await client.query('begin')
    for (const definition of definitions) await client.query(definition.drop)
    await fill(client)
    for (const { restore } of definitions) await client.query(restore)
    await client.query('commit')
  })
}

async function insertPages(client: pg.Client, pages: SeedPage[], withHistory: boolean): Promise<void> {
  const column = <Value>(value: (page: SeedPage) => Value) => pages.map(value)
  const owners = column(({ uuid }) => `page://${uuid}`)
  const [data, created] = [column(page => page.data), column(page => page.created)]
  await client.query(
    `insert into pages (uuid, parent, path, slug, status, num, template, revision, created_at, modified_at)
     select uuid, parent, path, slug, status, num, template, 1, created, created
     from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::bigint[])
       as seed (uuid, parent, path, slug, status, num, template, created)`,
    [
      column(page => page.uuid),
      column(page => page.parent),
      column(page => page.path),
      column(page => page.slug),
      column(page => page.status),
      column(page => page.num),
      column(page => page.template),
      created,
    ],
  )
  await client.query(
    `insert into contents (owner, language, data, modified_at)
     select owner, '', data, created from unnest($1::text[], $2::text[], $3::bigint[]) as seed (owner, data, created)`,
    [owners, data, created],
  )
  if (!withHistory) return
  await client.query(
    `insert into history (owner, language, revision, action, time, fields, data)
     select owner, '', 1, 'create', created, '["title","text","date","teaser","tags"]', data
     from unnest($1::text[], $2::text[], $3::bigint[]) as seed (owner, data, created)`,
    [owners, data, created],
  )
}

type Entry = ReturnType<ReturnType<typeof createTree>['entryAt']> & { uuid: string }

async function insertEntries(client: pg.Client, entries: Entry[], first: number): Promise<void> {
  const ids = entries.map((_, index) => first + index)
  await client.query(
    `insert into search_rows (id, owner, language, page, title_key, digest) overriding system value
     select id, 'page://' || page, '', page, title, digest
     from unnest($1::bigint[], $2::text[], $3::text[], $4::text[]) as seed (id, page, title, digest)`,
    [ids, entries.map(({ uuid }) => uuid), entries.map(({ titleKey }) => titleKey), entries.map(digestOf)],
  )
  await client.query(
    `insert into search_index (id, words)
     select id, array_to_tsvector(string_to_array(words, ' ')) from unnest($1::bigint[], $2::text[]) as seed (id, words)`,
    [ids, entries.map(entry => lexemesOf(entry).join(' '))],
  )
}
