import type { App } from '../../../app.ts'
import { updateIdReferences } from '../../../content/ids/update-references.ts'
import { lockLanguagesShared } from '../../../content/languages/queries.ts'
import { chunksYielding } from '../../../platform/lib/yield.ts'
import { indexOwners } from '../../../platform/search/search.ts'
import type { Tx } from '../../../platform/store/store.ts'
import { ownerOfPage } from '../pages.ts'
import type { PageRow } from '../queries.ts'
import { pathMustBeValid } from '../rules.ts'
import { selectBelow, updatePath, updatePaths } from './queries.ts'

/** Changes the path of a page and of its descendants, in batches. The page must be locked with `subtree`. */
export async function changePath(
  app: App,
  tx: Tx,
  page: Pick<PageRow, 'uuid' | 'path'>,
  { path, slug }: { path: string; slug: string },
): Promise<void> {
  const { store } = app
  pathMustBeValid(path)
  await lockLanguagesShared(tx) // so that nothing is indexed in a language that is being deleted
  await updatePath(tx, page.uuid, { path, slug })
  await indexOwners(store, tx, [{ owner: ownerOfPage(page.uuid) }])
  for await (const batch of selectBelow(tx, page.path)) {
    for await (const chunk of chunksYielding(batch)) {
      pathMustBeValid(...chunk.map(node => path + node.path.slice(page.path.length)))
      await updatePaths(tx, { from: page.path, to: path }, chunk)
      await indexOwners(
        store,
        tx,
        chunk.map(({ uuid }) => ({ owner: ownerOfPage(uuid) })),
      )
    }
  }
  await updateIdReferences(app, tx, { types: ['pages', 'files'], from: page.path, to: path })
}
