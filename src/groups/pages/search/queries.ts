import { CompiledQuery, sql } from 'kysely'
import { hasTemplate } from '../../../access/authorize/templates.ts'
import type { Status } from '../../../blueprints/blueprints.ts'
import type { ContentLanguage } from '../../../http/context.ts'
import { chunks } from '../../../platform/lib/chunks.ts'
import { childrenPlace } from '../../../platform/search/search.ts'
import { selectSearches } from '../../../platform/search/queries.ts'
import type { SearchQuery } from '../../../platform/search/words.ts'
import { type EngineName, prepared, type Store } from '../../../platform/store/store.ts'
import {
  inPortions,
  listed,
  type ListRow,
  type PageRow,
  selectPageRows,
  selectList,
  type PageFilter,
  matchesFilter,
} from '../queries.ts'

/** The pages to search: those of the whole site, or the children of one page (`''` for the top level). */
export interface PageSearch extends PageFilter {
  parent: string | undefined
  /**
   * For anonymous clients: without pages below a draft, and by whole words only, because texts include private fields.
   */
  isPublic?: true
  /** In a preview, anonymous clients find pages below drafts, too. */
  includesDrafts?: boolean
}

/** Whether any page above is a draft. */
export const isBelowDraft = `exists (with recursive above (uuid) as (
    select pages.parent union all select other.parent from pages as other join above on other.uuid = above.uuid
  ) select 1 from above join pages as other on other.uuid = above.uuid where other.status = 'draft')`

/** A match of one search term in a page, or of the whole search text with the beginning of its title. */
export interface Hit {
  /** The id of the row in `search_rows`: one page in one language. */
  id: number
  uuid: string
  path: string
  /** 0 for a match inside of another word. */
  points: number
  /** 0 if the match is in the default language although the page has content in the requested one. */
  certain?: number
}

const titleEquals = 2_000_000
const titleBegins = 1_000_000
/** Index rows to read per search term, before permissions are applied. */
const maxRows = 20_000

/**
 * PostgreSQL overestimates the matches of a prefix and chooses a full scan; `lateral … offset 0` forces index
 * lookups.
 */
const rowsOf: Record<EngineName, string> = {
  sqlite: 'join search_rows on search_rows.id = found.id',
  postgres: 'cross join lateral (select * from search_rows where id = found.id offset 0) as search_rows',
}
const pagesOf: Record<EngineName, string> = {
  sqlite: 'join pages on pages.uuid = search_rows.page',
  postgres: 'cross join lateral (select * from pages where uuid = search_rows.page offset 0) as pages',
}

/**
 * At most `limit` pages per search term and kind of match. If that many titles match, words are not searched for, and
 * if that many titles or ids have a word, texts are not searched for it: these pages would rank below.
 */
export async function selectHits(
  store: Store,
  searchQuery: SearchQuery,
  search: PageSearch,
  language: ContentLanguage,
  limit: number,
): Promise<Hit[]> {
  const { bind, parameters } = parametersOf(store)
  const { title } = searchQuery
  const max = isTranslation(language) ? 2 * limit : limit // a page may match in both languages
  const certain = () => isCertain(language, bind)
  const conditions = () => `${matchesSearch(search, bind)} and ${isIn(language, bind)}`
  const maxUnlessFull = (...better: string[]) => `(select case when max(hits) < ${max} then ${max} else 0 end
    from (${better.map(name => `select count(*) as hits from ${name}`).join(' union all ')}) as counts)`
  // In this order: the parameters of SQLite have no names.
  const parts = [
    `titled as materialized (select search_rows.id, pages.uuid, pages.path,
      case when search_rows.title_key = ${bind(title)} then ${titleEquals} else ${titleBegins} end as points, ${certain()} as certain
    from search_rows ${pagesOf[store.name]}
    where ${isTitled(title, bind)} and ${conditions()} order by search_rows.title_key limit ${max})`,
  ]
  for (const { ids, query: matchQuery, points, word, kind } of await hitsIn(store, searchQuery, search))
    parts.push(`${kind}_${word} as materialized (
      select search_rows.id, pages.uuid, pages.path, ${points} as points, ${certain()} as certain
      from (${ids(bind(matchQuery))}) as found ${rowsOf[store.name]} ${pagesOf[store.name]}
      where ${conditions()}
      limit ${kind === 'heavy' ? maxUnlessFull('titled') : maxUnlessFull('titled', `heavy_${word}`)})`)
  if (!search.isPublic) parts.push(`inside as (${inside(store, searchQuery, conditions, bind)})`)
  const all = parts.map(part => `select * from ${part.slice(0, part.indexOf(' '))}`)
  const text = `with ${parts.join(', ')} ${all.join(' union all ')}`
  return (await store.read(CompiledQuery.raw(text, parameters))) as Hit[]
}

/** Pages with unpublished changes, as hits of 0 points. */
export async function selectEdited(
  store: Store,
  search: PageSearch,
  { key, fallback }: ContentLanguage,
  limit: number,
): Promise<Hit[]> {
  const { bind, parameters } = parametersOf(store)
  const languages = [...new Set([key, fallback])]
  const text = `select distinct 0 as id, pages.uuid, pages.path, 0 as points
    from changes join pages on changes.owner = 'page://' || pages.uuid
    where changes.language in (${languages.map(bind).join(', ')}) and ${matchesSearch(search, bind)} limit ${limit}`
  return (await store.read(CompiledQuery.raw(text, parameters))) as Hit[]
}

/** Limit in index rows (pages × languages): smaller sites are also searched for terms inside of words. */
const maxRowsInspected = 500

/**
 * Substring matches, on small sites only; the query stops at once on larger ones. They score 0 points, because the
 * match may be the name of a field.
 */
function inside(store: Store, { raw }: SearchQuery, conditions: () => string, bind: BindParameter): string {
  const like = store.name === 'postgres' ? 'ilike' : 'like'
  const has = raw.flatMap(word => {
    const pattern = `%${JSON.stringify(word)
      .slice(1, -1)
      .replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
    return ['contents.data', 'pages.path'].map(column => `${column} ${like} ${bind(pattern)} escape '\\'`)
  })
  return `select search_rows.id, pages.uuid, pages.path, 0 as points, 0 as certain
    from (select 1 where not exists (select 1 from search_rows limit 1 offset ${maxRowsInspected})) as small
    cross join search_rows
    join pages on pages.uuid = search_rows.page
    join contents on contents.owner = search_rows.owner and contents.language = search_rows.language
    where (${has.join(' or ')}) and ${conditions()}`
}

/** Index rows of the language and of the default one, whose content is shown as the fallback. */
function isIn({ code, key, fallback }: ContentLanguage, bind: BindParameter): string {
  if (code === undefined) return '1 = 1'
  const keys = key === fallback ? [key] : [key, fallback]
  return `search_rows.language in (${keys.map(bind).join(', ')})`
}

const isTranslation = ({ code, key, fallback }: ContentLanguage) => code !== undefined && key !== fallback

function isCertain(language: ContentLanguage, bind: BindParameter): string {
  if (!isTranslation(language)) return '1'
  const { key } = language
  return `case when search_rows.language = ${bind(key)} or not exists (select 1 from search_rows as translated
    where translated.owner = search_rows.owner and translated.language = ${bind(key)}) then 1 else 0 end`
}

function hitsIn(store: Store, searchQuery: SearchQuery, { parent }: PageSearch) {
  return selectSearches(store, searchQuery, {
    place: parent === undefined ? undefined : childrenPlace(parent),
    limit: maxRows,
  })
}

/** Raw SQL: building the query with Kysely takes longer than running it. */
function parametersOf(store: Store) {
  const parameters: unknown[] = []
  const bind = (value: unknown) => {
    parameters.push(value)
    return store.name === 'postgres' ? `$${parameters.length}` : '?'
  }
  return { bind, parameters }
}

type BindParameter = (value: unknown) => string

const isTitled = (title: string, bind: BindParameter) =>
  `search_rows.title_key >= ${bind(title)} and search_rows.title_key < ${bind(`${title}\u{10ffff}`)}`

function matchesSearch(
  { parent, statuses, templates, except, isPublic, includesDrafts }: PageSearch,
  bind: BindParameter,
): string {
  const isOne = (column: string, values: readonly string[]) =>
    values.length === 0 ? '1 = 0' : `${column} in (${values.map(bind).join(', ')})`
  return [
    ...(parent === undefined ? [] : [`pages.parent = ${bind(parent)}`]),
    isOne('pages.status', statuses),
    ...(templates ? [isOne('pages.template', templates)] : []),
    ...(except.length > 0 ? [`not ${isOne('pages.template', except)}`] : []),
    // The children of a page that the caller sees are below no draft.
    ...(isPublic && !includesDrafts && parent === undefined ? [`not ${isBelowDraft}`] : []),
  ].join(' and ')
}

/**
 * With `any(array(…))` PostgreSQL uses the index for each uuid. It estimates a subquery at a hundred rows and scans
 * all pages.
 */
const isOneOf = {
  sqlite: (uuids: string) => sql<boolean>`pages.uuid in (select value from json_each(${uuids}))`,
  postgres: (uuids: string) => sql<boolean>`pages.uuid = any(array(select jsonb_array_elements_text(${uuids}::jsonb)))`,
}
const byUuids = (engine: EngineName) => ({
  inDefault: prepared((db, key: string, uuids: string) =>
    selectList(db, { key, fallback: key }).where(isOneOf[engine](uuids)),
  ),
  inBoth: prepared((db, key: string, fallback: string, uuids: string) =>
    selectList(db, { key, fallback }).where(isOneOf[engine](uuids)),
  ),
})
const byUuidsOn = { sqlite: byUuids('sqlite'), postgres: byUuids('postgres') }

/** Rows in the order of `uuids`, or portions of them. */
export const selectInOrder = async (store: Store, language: ContentLanguage, uuids: readonly string[]) =>
  listed(store, language, await selectListInOrder(store, language, uuids))

async function selectListInOrder(
  store: Store,
  { key, fallback }: ContentLanguage,
  uuids: readonly string[],
): Promise<ListRow[]> {
  if (uuids.length === 0) return []
  const { inDefault, inBoth } = byUuidsOn[store.name]
  const list = JSON.stringify(uuids)
  const rows: ListRow[] =
    key === fallback ? await inDefault(store, key, list) : await inBoth(store, key, fallback, list)
  const byUuid = new Map<string, ListRow>()
  for (const row of rows) byUuid.set(row.uuid, row)
  const inOrder: ListRow[] = []
  for (const uuid of uuids) if (byUuid.has(uuid)) inOrder.push(byUuid.get(uuid)!)
  return inOrder
}

// ---- all matching pages, in batches

/** Rows per statement. It has only small contents; the large ones are read in portions. */
const batchSize = 250

/** Batches of rows in the order of `uuids`. */
export async function* selectBatchesBy(
  store: Store,
  language: ContentLanguage,
  uuids: readonly string[],
): AsyncGenerator<PageRow[]> {
  for (const batch of chunks(uuids, batchSize))
    yield* inPortions(store, language, await selectListInOrder(store, language, batch))
}

/**
 * Children in list order: by status, number and slug. A small site comes in tree order, each page followed by its
 * descendants; a large one comes in the order of its paths, because sorting it as a tree would read all of it first.
 */
export async function* selectBatches(
  store: Store,
  language: ContentLanguage,
  search: PageSearch,
): AsyncGenerator<PageRow[]> {
  if (search.parent === undefined) {
    const inOrder = await selectTree(store, search)
    if (inOrder) {
      yield* selectBatchesBy(store, language, inOrder)
      return
    }
    yield* selectPagesInBatches(store, language, (after, limit) => {
      const matching = selectList(store.db, language).where(matchesFilter(search) as never)
      const query =
        search.isPublic && !search.includesDrafts
          ? matching.where(sql<boolean>`not ${sql.raw(isBelowDraft)}`)
          : matching
      return selectPageRows(
        store,
        (after ? query.where('pages.path', '>', after.path) : query).orderBy('pages.path').limit(limit),
      )
    })
    return
  }
  for (const status of search.statuses) yield* childrenIn(store, language, search, search.parent, status)
}

/** The uuids of matching pages in tree order; undefined if the site has too many pages. */
async function selectTree(store: Store, search: PageSearch): Promise<string[] | undefined> {
  const rows = await selectPageRows(
    store,
    store.db
      .selectFrom('pages')
      .select(['uuid', 'parent', 'status', 'num', 'slug', 'template'])
      .orderBy('num')
      .orderBy('slug')
      .limit(maxRowsInspected + 1),
  )
  if (rows.length > maxRowsInspected) return undefined
  const below = Map.groupBy(rows, ({ parent }) => parent)
  const rowsByUuid = new Map(rows.map(row => [row.uuid, row]))
  const inOrder: string[] = []
  const waiting = ['']
  for (let parent = waiting.pop(); parent !== undefined; parent = waiting.pop()) {
    if (parent !== '') inOrder.push(parent)
    const isHidden = search.isPublic && !search.includesDrafts && rowsByUuid.get(parent)?.status === 'draft'
    const children = isHidden ? [] : (below.get(parent) ?? [])
    const byStatus = (['listed', 'unlisted', 'draft'] as const).flatMap(status =>
      children.filter(child => child.status === status),
    )
    waiting.push(...byStatus.map(({ uuid }) => uuid).toReversed())
  }
  return inOrder.filter(uuid => {
    const { status, template } = rowsByUuid.get(uuid)!
    return search.statuses.includes(status) && hasTemplate(search, template)
  })
}

function childrenIn(store: Store, language: ContentLanguage, search: PageSearch, parent: string, status: Status) {
  return selectPagesInBatches(store, language, (after, limit) => {
    const query = selectList(store.db, language)
      .where('pages.parent', '=', parent)
      .where(matchesFilter({ ...search, statuses: [status] }) as never)
    // The engines sort nulls differently, but within one status either all pages have a number or none.
    const rest = !after
      ? query
      : after.num === null
        ? query.where('pages.num', 'is', null).where('pages.slug', '>', after.slug)
        : query.where(sql<boolean>`(pages.num, pages.slug) > (${after.num}, ${after.slug})`)
    return selectPageRows(store, rest.orderBy('pages.num').orderBy('pages.slug').limit(limit))
  })
}

export async function* selectPagesInBatches(
  store: Store,
  language: ContentLanguage,
  readBatch: (after: ListRow | undefined, limit: number) => Promise<ListRow[]>,
): AsyncGenerator<PageRow[]> {
  for (let last: ListRow | undefined; ;) {
    const rows: ListRow[] = await readBatch(last, batchSize)
    yield* inPortions(store, language, rows)
    if (rows.length < batchSize) return
    last = rows.at(-1)
  }
}
