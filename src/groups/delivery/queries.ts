import type { PagesTable } from '../../platform/store/tables/content.ts'
import type { Store } from '../../platform/store/store.ts'

export type PathRow = Pick<PagesTable, 'uuid' | 'path' | 'status' | 'template'>

/** A page and its ancestors, as far as they exist. */
export async function selectPathRows(store: Store, path: string): Promise<PathRow[]> {
  const slugs = path.split('/')
  const paths = slugs.map((_, index) => slugs.slice(0, index + 1).join('/'))
  const query = store.db.selectFrom('pages').select(['uuid', 'path', 'status', 'template']).where('path', 'in', paths)
  return (await store.read(query.compile())) as PathRow[]
}
