import { siteOwner } from '../../groups/site/site.ts'
import type { Store } from '../../platform/store/store.ts'

/**
 * Whether there are neither pages nor content of the site. One row of each is enough to know, so the start stays fast.
 */
export async function isEmpty(store: Store): Promise<boolean> {
  const { db } = store
  if ((await store.read(db.selectFrom('pages').select('uuid').limit(1).compile())).length > 0) return false
  const ofSite = db.selectFrom('contents').select('owner').where('owner', '=', siteOwner).limit(1)
  return (await store.read(ofSite.compile())).length === 0
}
