import pg from 'pg'
import { lexemesOf } from '../../src/platform/search/queries.ts'
import { createTree, digestOf, mustMatchProgram, type SeedPage } from './pages.ts'

const batch = 2000
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
  const starts = Array.from({ length: Math.ceil(count / batch) }, (_, index) => index * batch)
  const from = (start: number) => ordered.slice(start, start + batch)
  await Promise.all([
    load(url, tables.pages, async client => {
      for (const start of starts) await insertPages(client, from(start).map(pageAt), withHistory)
      await client.query(
        `insert into page_counts (parent, template, status, count)
         select parent, template, status, count(*) from pages group by parent, template, status`,
      )
    }),
    load(url, tables.search, async client => {
      for (const start of starts) {
        const indexes = from(start)
        const entries = indexes.map(index => ({ uuid: pageAt(index).uuid, ...entryAt(index) }))
        for (let at = 0; at < indexes.length; at += 500) await mustMatchProgram(pageAt(indexes[at]!), entries[at]!)
        await insertEntries(client, entries, start + 1)
        onProgress(start + indexes.length)
      }
      await client.query("select setval(pg_get_serial_sequence('search_rows', 'id'), $1)", [count])
    }),
  ])
  await load(url, [], client => client.query('vacuum analyze pages, contents, search_rows, search_index, page_counts'))
}

/**
 * Drops indexes, triggers and constraints and creates them again at the end, which is faster than maintaining them per
 * row. These texts contain no links.
 */
async function load(url: string, names: string[], fill: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    if (names.length === 0) return void (await fill(client))
    await client.query("set maintenance_work_mem = '256MB'")
    const { rows: later } = await client.query<{ undo: string; redo: string }>(
      `select 'drop index ' || indexname as undo, indexdef as redo from pg_indexes
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
    for (const { undo } of later) await client.query(undo)
    await fill(client)
    for (const { redo } of later) await client.query(redo)
    await client.query('commit')
  } finally {
    await client.end()
  }
}

async function insertPages(client: pg.Client, pages: SeedPage[], withHistory: boolean): Promise<void> {
  const all = <Value>(value: (page: SeedPage) => Value) => pages.map(value)
  const owners = all(({ uuid }) => `page://${uuid}`)
  const [data, created] = [all(page => page.data), all(page => page.created)]
  await client.query(
    `insert into pages (uuid, parent, path, slug, status, num, template, revision, created_at, modified_at)
     select uuid, parent, path, slug, status, num, template, 1, created, created
     from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::bigint[])
       as seed (uuid, parent, path, slug, status, num, template, created)`,
    [
      all(page => page.uuid),
      all(page => page.parent),
      all(page => page.path),
      all(page => page.slug),
      all(page => page.status),
      all(page => page.num),
      all(page => page.template),
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
