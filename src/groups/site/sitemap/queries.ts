import { sql } from 'kysely'
import type { TemplateFilter } from '../../../access/authorize/templates.ts'
import { isAmong } from '../../../platform/store/among.ts'
import type { PagesTable } from '../../../platform/store/tables/content.ts'
import type { Store } from '../../../platform/store/store.ts'
import { hasPageTemplate, selectPageRows } from '../../pages/queries.ts'
import { isBelowDraft } from '../../pages/search/queries.ts'

export type SitemapPage = Pick<PagesTable, 'uuid' | 'path' | 'slug' | 'modified_at'>

export interface SitemapFilter {
  templates: TemplateFilter
  /** The path of the home page, which is shown also if it is not listed. */
  home: string
  /** The path of the error page, which is never shown. */
  error: string
  after: string
  limit: number
}

/** Listed pages and the home page, in the order of their paths; none below a draft. */
export async function selectListed(
  store: Store,
  { templates, home, error, after, limit }: SitemapFilter,
): Promise<SitemapPage[]> {
  const query = store.db
    .selectFrom('pages')
    .select(['uuid', 'path', 'slug', 'modified_at'])
    .where('path', '>', after)
    .where('path', '<>', error)
    .where(eb => eb.or([eb('status', '=', 'listed'), eb.and([eb('path', '=', home), eb('status', '=', 'unlisted')])]))
    .where(hasPageTemplate(templates))
    .where(sql<boolean>`not ${sql.raw(isBelowDraft)}`)
    .orderBy('path')
    .limit(limit)
  return selectPageRows(store, query)
}

/** The translated slugs of the pages with these paths. */
export async function selectSlugsOfPaths(store: Store, paths: readonly string[]) {
  if (paths.length === 0) return []
  const query = store.db
    .selectFrom('pages')
    .innerJoin('page_slugs', 'page_slugs.page', 'pages.uuid')
    .select(['pages.path', 'page_slugs.language', 'page_slugs.slug'])
    .where(isAmong(store.db, 'pages.path', paths))
  return selectPageRows(store, query)
}

/** In which languages (their keys) these pages have content. */
export async function selectTranslations(store: Store, owners: readonly string[]) {
  if (owners.length === 0) return []
  const query = store.db
    .selectFrom('contents')
    .select(['owner', 'language'])
    .where(isAmong(store.db, 'owner', owners))
  return selectPageRows(store, query)
}
