import type { App } from '../../app.ts'
import type { Tx } from '../../store/store.ts'
import { makeFindable } from '../../search/search.ts'
import { ownerOf } from '../pages.ts'
import type { PageRow } from '../queries.ts'
import { pathMustFit } from '../rules.ts'
import { everythingBelow } from './below.ts'
import { chunks } from './chunks.ts'
import { updatePaths, updateSlug } from './queries.ts'

/** The page, held alone, gets another path, and with it all that is below it. */
export async function changePath(app: App, tx: Tx, page: PageRow, { path, slug }: { path: string; slug: string }) {
  const below = await everythingBelow(app, tx, page)
  const elsewhere = (before: string) => path + before.slice(page.path.length)
  pathMustFit(path, ...below.map(node => elsewhere(node.path)))
  if (slug !== page.slug) await updateSlug(tx, page.uuid, slug)
  const uuids = [page, ...below].map(({ uuid }) => uuid)
  for (const some of chunks(uuids)) await updatePaths(tx, some, page.path, path)
  await makeFindable(
    app.store,
    tx,
    uuids.map(uuid => ({ owner: ownerOf(uuid) })),
  )
}
