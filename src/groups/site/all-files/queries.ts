import { type RawBuilder, sql } from 'kysely'
import type { Status } from '../../../blueprints/blueprints.ts'
import type { ContentLanguage } from '../../../http/context.ts'
import type { TemplateFilter } from '../../../access/authorize/templates.ts'
import type { Hit } from '../../pages/search/queries.ts'
import { selectSearches } from '../../../platform/search/queries.ts'
import { filePlace } from '../../../platform/search/search.ts'
import type { SearchQuery } from '../../../platform/search/words.ts'
import type { EngineName, Store } from '../../../platform/store/store.ts'
import type { VisibleAccounts } from '../../../access/authorize/accounts.ts'

/** The files that the caller may see, by template and parent. */
export interface VisibleFiles {
  files: TemplateFilter
  /** The visible parent pages; of any status if `statuses` is undefined. */
  pages: TemplateFilter & { statuses?: readonly Status[] }
  users: VisibleAccounts
  site: boolean
}

type Condition = RawBuilder<boolean>
export const never: Condition = sql`1 = 0`
export const always: Condition = sql`1 = 1`

function isOne(name: RawBuilder<unknown>, only: readonly string[] | undefined, except: readonly string[]): Condition {
  if (only?.length === 0) return never
  if (only) return sql`${name} in (${sql.join(only)})`
  return except.length === 0 ? always : sql`${name} not in (${sql.join(except)})`
}

export const isOfTemplates = (name: RawBuilder<unknown>, { templates, except }: TemplateFilter) =>
  isOne(name, templates, except)

export function visibleUserCondition({ roles, except, own }: VisibleAccounts): Condition {
  const byRole = isOne(sql`users.role`, roles, except)
  return own === undefined ? byRole : sql`(${byRole} or users.id = ${own})`
}

/**
 * Condition on a row of `files`. Correlated subqueries look up the parent of each row, so that the planner never scans
 * all pages.
 */
export function visibleFileCondition({ files, pages, users, site }: VisibleFiles): Condition {
  const ofStatus = pages.statuses ? sql`pages.status in (${sql.join(pages.statuses)})` : always
  const id = sql`substr(files.parent, 8)`
  return sql`(${isOfTemplates(sql`coalesce(files.template, 'default')`, files)} and case substr(files.parent, 1, 7)
    when 'page://' then (select 1 from pages where pages.uuid = ${id} and ${isOfTemplates(sql`pages.template`, pages)} and ${ofStatus})
    when 'user://' then (select 1 from users where users.id = ${id} and ${visibleUserCondition(users)})
    else ${sql.lit(site ? 1 : 0)} end = 1)`
}

const points = { equals: 2_000_000, begins: 1_000_000, inName: 16 }
/** Limit of index rows read per word, including rows of files that the caller may not see. */
const maxRows = 10_000
/** Up to this number of files in the database, words are also searched inside filenames, by a full scan. */
const maxRowsInspected = 5000

/** `offset 0` keeps PostgreSQL from flattening the subqueries into a scan of all files. */
const filesOf: Record<EngineName, RawBuilder<unknown>> = {
  sqlite: sql`join search_rows on search_rows.id = found.id join files on files.uuid = substr(search_rows.owner, 8)`,
  postgres: sql`cross join lateral (select * from search_rows where id = found.id offset 0) as search_rows
    cross join lateral (select * from files where uuid = substr(search_rows.owner, 8) offset 0) as files`,
}

/** At most `limit` hits per word and field weight, and as many by filename. */
export async function selectFileHits(
  store: Store,
  searchQuery: SearchQuery,
  visible: VisibleFiles,
  language: ContentLanguage,
  limit: number,
): Promise<Hit[]> {
  const isSeen = sql<boolean>`(${visibleFileCondition(visible)} and ${isIn(language)})`
  const found = (ids: RawBuilder<unknown>, worth: RawBuilder<unknown>) =>
    sql`${hitOf(worth)} from (${ids}) as found ${filesOf[store.name]} where ${isSeen} limit ${sql.lit(limit)}`
  const words = (await selectSearches(store, searchQuery, { place: filePlace, limit: maxRows })).map(one => {
    const [before, after] = one.ids('\0').split('\0') as [string, string]
    return found(sql`${sql.raw(before)}${one.query}${sql.raw(after)}`, sql.lit(one.points))
  })
  const { title } = searchQuery
  const named = found(
    sql`select id from search_rows where page is null and title_key >= ${title} and title_key < ${`${title}\u{10ffff}`}
      order by title_key limit ${sql.lit(maxRows)}`,
    sql`case when search_rows.title_key = ${title} then ${sql.lit(points.equals)} else ${sql.lit(points.begins)} end`,
  )
  const parts = [...words, named, inNames(searchQuery, isSeen, limit)]
  const query = sql.join(
    parts.map(part => sql`select * from (${part}) as hits`),
    sql` union all `,
  )
  return (await store.read(query.compile(store.db))) as Hit[]
}

/** Untranslated files are found in the default language. */
function isIn({ code, key, fallback }: ContentLanguage): Condition {
  if (code === undefined) return always
  const own = sql<boolean>`search_rows.language = ${key}`
  if (key === fallback) return own
  return sql`(${own} or search_rows.language = ${fallback} and not exists (select 1 from search_rows as translated
    where translated.owner = search_rows.owner and translated.language = ${key}))`
}

const hitOf = (worth: RawBuilder<unknown>) =>
  sql`select search_rows.id, files.uuid, files.name_key || ' ' || files.uuid as path, ${worth} as points`

/** Files with a word anywhere in their name; none if there are too many files to scan. */
function inNames({ raw }: SearchQuery, isSeen: Condition, limit: number): RawBuilder<unknown> {
  const patterns = raw.map(word => `%${word.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`)
  const has = patterns.map(pattern => sql`files.name_key like ${pattern} escape '\\'`)
  return sql`${hitOf(sql.lit(points.inName))}
    from (select 1 where not exists (select 1 from files limit 1 offset ${sql.lit(maxRowsInspected)})) as few
    cross join files join search_rows on search_rows.owner = 'file://' || files.uuid
    where (${sql.join(has, sql` or `)}) and ${isSeen} limit ${sql.lit(limit)}`
}
