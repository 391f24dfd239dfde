import type { ContentLanguage } from '../http/look.ts'
import { ofTemplates, type PageRow, read, selectPages, type Templates } from '../pages/queries.ts'
import type { Store } from '../store/store.ts'

const mostRows = 1000

/** The first pages of the whole site that are no drafts, each after the one that it is below. */
export async function selectTree(store: Store, language: ContentLanguage, templates: Templates): Promise<PageRow[]> {
  const query = selectPages(store.db, language)
    .where('pages.status', '!=', 'draft')
    .where(ofTemplates(templates))
    .orderBy('pages.path')
    .limit(mostRows)
  return read(store, query)
}
