import pg from 'pg'
import { lexemesOf } from '../../src/search/queries.ts'
import { createTree, inOrder, mustAgree, type SeedPage } from './pages.ts'

const batch = 2000

/** Into a migrated store that nobody uses, in one transaction. */
export async function seedPostgres(url: string, count: number, withHistory: boolean, tell: (done: number) => void) {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query("set maintenance_work_mem = '256MB'")
    // What is kept up with every row is quicker made at once, at the end.
    const { rows: indexes } = await client.query<{ indexname: string; indexdef: string }>(
      `select indexname, indexdef from pg_indexes where schemaname = 'public'
        and tablename in ('pages', 'contents', 'search_rows', 'search_index')
        and indexname not in (select conname from pg_constraint)`,
    )
    await client.query('begin')
    await client.query('alter table pages disable trigger pages_counted')
    for (const { indexname } of indexes) await client.query(`drop index ${indexname}`)
    const { pageAt } = createTree(count)
    const order = inOrder(count)
    for (let start = 0; start < count; start += batch) {
      const pages = order.slice(start, start + batch).map(pageAt)
      for (let index = 0; index < pages.length; index += 500) mustAgree(pages[index]!)
      await insert(client, pages, start + 1, withHistory)
      tell(start + pages.length)
    }
    await client.query(
      `insert into page_counts (parent, template, status, count)
       select parent, template, status, count(*) from pages group by parent, template, status`,
    )
    await client.query("select setval(pg_get_serial_sequence('search_rows', 'id'), $1)", [count])
    await client.query('alter table pages enable trigger pages_counted')
    for (const { indexdef } of indexes) await client.query(indexdef)
    await client.query('commit')
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}

async function insert(client: pg.Client, pages: SeedPage[], first: number, withHistory: boolean): Promise<void> {
  const all = <Value>(value: (page: SeedPage) => Value) => pages.map(value)
  const owners = all(({ uuid }) => `page://${uuid}`)
  const [data, created] = [all(page => page.data), all(page => page.created)]
  const ids = pages.map((_, index) => first + index)
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
  await client.query(
    `insert into search_rows (id, owner, language, page, title_key, digest) overriding system value
     select id, owner, '', page, title, digest
     from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[]) as seed (id, owner, page, title, digest)`,
    [ids, owners, all(page => page.uuid), all(page => page.titleKey), all(page => page.digest)],
  )
  await client.query(
    `insert into search_index (id, words)
     select id, array_to_tsvector(string_to_array(words, ' ')) from unnest($1::bigint[], $2::text[]) as seed (id, words)`,
    [ids, all(page => lexemesOf(page).join(' '))],
  )
  if (!withHistory) return
  await client.query(
    `insert into history (owner, language, revision, action, time, fields, data)
     select owner, '', 1, 'create', created, '["title","text","date","teaser","tags"]', data
     from unnest($1::text[], $2::text[], $3::bigint[]) as seed (owner, data, created)`,
    [owners, data, created],
  )
}
