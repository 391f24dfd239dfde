import { owner as siteOwner } from '../../groups/site/site.ts'
import type { Store } from '../../platform/store/store.ts'

/** Neither a page nor anything that the site itself says. One row is enough to know: a start does not become slower. */
export async function isEmpty(store: Store): Promise<boolean> {
  const { db } = store
  if ((await store.read(db.selectFrom('pages').select('uuid').limit(1).compile())).length > 0) return false
  const ofSite = db.selectFrom('contents').select('owner').where('owner', '=', siteOwner).limit(1)
  return (await store.read(ofSite.compile())).length === 0
}
