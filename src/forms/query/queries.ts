import type { ContentLanguage } from '../../http/context.ts'
import {
  type ListRow,
  hasPageTemplate,
  selectPageRows,
  selectList,
  type PageFilter,
  matchesFilter,
} from '../../groups/pages/queries.ts'
import { selectPagesInBatches } from '../../groups/pages/search/queries.ts'
import type { Store } from '../../platform/store/store.ts'

const maxRows = 1000

/** Pages of the whole site in tree order (by path), optionally after a path. */
export async function selectTree(
  store: Store,
  language: ContentLanguage,
  filter: PageFilter,
  after?: string,
  limit = maxRows,
): Promise<ListRow[]> {
  const query = selectList(store.db, language)
    .where(matchesFilter(filter) as never)
    .orderBy('pages.path')
    .limit(limit)
  return selectPageRows(store, after === undefined ? query : query.where('pages.path', '>', after))
}

/** All of them, in batches. */
export const selectTreeBatches = (store: Store, language: ContentLanguage, filter: PageFilter) =>
  selectPagesInBatches(store, language, (last, limit) => selectTree(store, language, filter, last?.path, limit))

/** The uuids of one page of the list, in the order of the index. */
export async function selectTreeSlice(
  store: Store,
  filter: PageFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<string[]> {
  const query = store.db
    .selectFrom('pages')
    .select('uuid')
    .where(matchesFilter(filter))
    .orderBy('path')
    .limit(limit)
    .offset(offset)
  return (await selectPageRows(store, query)).map(({ uuid }) => uuid)
}

/** Reads `page_counts`, which triggers maintain, instead of counting rows. */
export async function countTree(store: Store, { statuses, ...templates }: PageFilter): Promise<number> {
  const query = store.db
    .selectFrom('page_counts as pages')
    .select(eb => eb.fn.sum<number | string>('pages.count').as('count'))
    .where('pages.status', 'in', statuses)
    .where(hasPageTemplate(templates) as never)
  const [found] = await selectPageRows(store, query)
  return Number(found?.count ?? 0)
}
