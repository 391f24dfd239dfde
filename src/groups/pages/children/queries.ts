/** The children of a page: how many there are, and slices of them. */
import { sql } from 'kysely'
import type { TemplateFilter } from '../../../access/authorize/templates.ts'
import type { Status } from '../../../blueprints/blueprints.ts'
import type { ContentLanguage } from '../../../http/context.ts'
import { isInList, type ListParameter, listParameter } from '../../../platform/store/among.ts'
import { prepared, type Store } from '../../../platform/store/store.ts'
import type { PagesTable } from '../../../platform/store/tables/content.ts'
import {
  type Db,
  listInBoth,
  listInDefault,
  type ListRow,
  hasPageTemplate,
  type PageFilter,
  pagesOnly,
  selectPageRows,
} from '../queries.ts'

/** `page_counts` is maintained by triggers, so nothing is counted here. */
export const selectCounts = prepared((db, parent: string) =>
  db
    .selectFrom('page_counts')
    .select(['template', 'status', 'count'])
    .where('parent', '=', parent)
    .where('count', '>', 0),
)

export interface ChildCount {
  parent: string
  template: string
  status: Status
  count: number
}

const countsOf = prepared((db, parents: ListParameter) =>
  db
    .selectFrom('page_counts')
    .select(['parent', 'template', 'status', 'count'])
    .where(isInList(db, 'parent', parents))
    .where('count', '>', 0),
)

export async function selectCountsOf(store: Store, parents: readonly string[]): Promise<ChildCount[]> {
  return countsOf(store, listParameter(store, parents))
}

/** A slice of the children of one status, in order. */
export interface ChildrenSlice {
  parent: string
  status: Status
  limit: number
  offset: number
}

/**
 * Selects the slice in a subquery, in the order of the index, so that contents are joined for its rows only and not
 * for skipped ones.
 */
function rowsIn(db: Db, { parent, status, limit, offset }: ChildrenSlice) {
  return pagesOnly(db)
    .where('pages.parent', '=', parent)
    .where('pages.status', '=', status)
    .orderBy('pages.num')
    .orderBy('pages.slug')
    .limit(limit)
    .offset(offset)
}

const childrenSlice = prepared((db, key: string, parent: string, status: Status, limit: number, offset: number) =>
  listInDefault(db, key, rowsIn(db, { parent, status, limit, offset })).orderBy('pages.num').orderBy('pages.slug'),
)

const isAny = ({ templates, except }: TemplateFilter) => templates === undefined && except.length === 0

export async function selectChildrenSlice(
  store: Store,
  language: ContentLanguage,
  templates: TemplateFilter,
  slice: ChildrenSlice,
): Promise<ListRow[]> {
  const { parent, status, limit, offset } = slice
  if (language.key === language.fallback && isAny(templates))
    return childrenSlice(store, language.key, parent, status, limit, offset)
  const rows = rowsIn(store.db, slice).where(hasPageTemplate(templates))
  const query = listInBoth(store.db, language.key, language.fallback, rows)
  return selectPageRows(store, query.orderBy('pages.num').orderBy('pages.slug'))
}

/** Up to this many rows are sorted to get a slice across statuses. */
const maxSorted = 200

interface CountedRow extends ListRow {
  /** JSON list of lists: template, status, count. */
  counts: string | null
}

/**
 * Each status contributes as many rows as the slice may need, in the order of the index. If there is no child, the only
 * row has no page.
 */
const countedSlice = prepared(
  (db, key: string, parent: string, statuses: ListParameter, last: number, limit: number, offset: number) => {
    const ofAll = sql<PagesTable>`(
      select part.* from unnest(${statuses}::text[]) with ordinality as chosen (status, rank)
      cross join lateral (
        select * from pages where parent = ${parent} and pages.status = chosen.status order by num, slug limit ${last}
      ) as part
      order by rank, num, slug limit ${limit} offset ${offset})`
    const pages = db.selectFrom(ofAll.as('pages')).selectAll() as unknown as ReturnType<typeof pagesOnly>
    const counts = sql`(select json_agg(json_build_array(template, status, count))::text
      from page_counts where parent = ${parent} and count > 0)`
    const counted = sql<CountedRow>`(select counted.counts, listed.* from (select ${counts} as counts) as counted
      left join (${listInDefault(db, key, pages)}) as listed on true)`
    return db
      .selectFrom(counted.as('counted'))
      .selectAll()
      .orderBy(sql`array_position(${statuses}::text[], status)`)
      .orderBy('num')
      .orderBy('slug')
  },
)

/** A slice of the children of several statuses, one after the other. */
interface StatusesSlice extends Omit<ChildrenSlice, 'status'> {
  statuses: readonly Status[]
}

/**
 * The slice and the counts of all children in one statement. For PostgreSQL, where a round trip takes longer than that
 * statement; undefined where two statements are quicker, or the slice needs more conditions.
 */
export async function selectCountedSlice(
  store: Store,
  { key, fallback }: ContentLanguage,
  templates: TemplateFilter,
  { parent, statuses, limit, offset }: StatusesSlice,
): Promise<{ counts: Omit<ChildCount, 'parent'>[]; rows: ListRow[] } | undefined> {
  const last = offset + limit
  if (store.name !== 'postgres' || key !== fallback || !isAny(templates) || last > maxSorted) return undefined
  const rows = (await countedSlice(
    store,
    key,
    parent,
    listParameter(store, statuses),
    last,
    limit,
    offset,
  )) as CountedRow[]
  const counts = JSON.parse(rows[0]?.counts ?? '[]') as [string, Status, number][]
  return {
    counts: counts.map(([template, status, count]) => ({ template, status, count })),
    rows: rows.filter(({ uuid }) => uuid !== null),
  }
}

/** The uuids of up to `each` children per parent and status, and up to `all` in total; unordered. */
export async function selectChildrenOf(
  store: Store,
  parents: readonly string[],
  { statuses, ...templates }: PageFilter,
  { each, all }: { each: number; all: number },
): Promise<string[]> {
  const parts = parents.flatMap(parent =>
    statuses.map(status =>
      store.db
        .selectFrom(
          rowsIn(store.db, { parent, status, limit: each, offset: 0 }).where(hasPageTemplate(templates)).as('part'),
        )
        .select('part.uuid'),
    ),
  )
  const [first, ...others] = parts
  if (!first) return []
  let uuids = first
  for (const other of others) uuids = uuids.unionAll(other)
  return (await selectPageRows(store, uuids.limit(all))).map(({ uuid }) => uuid)
}
