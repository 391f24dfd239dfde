import type { Context } from '../../access/actor.ts'
import { type SavedContent, storeContent } from '../../content/save.ts'
import type { Tx } from '../../platform/store/store.ts'
import { pageModelOf } from './pages.ts'
import type { PageRow } from './queries.ts'
import { recordPageChange } from './update.ts'

/** Stores what rules of extensions have amended of a page, in each language. The page must be locked. */
export async function storeAmended(
  ctx: Context,
  tx: Tx,
  page: PageRow,
  amended: readonly SavedContent[],
  { ignoreLock = false }: { ignoreLock?: boolean | undefined } = {},
): Promise<void> {
  let { revision } = page
  for (const saved of amended) {
    const change = { language: saved.language, revision: revision + 1, action: 'publish', ignoreLock }
    await storeContent(ctx, tx, pageModelOf(ctx.app, page), change, saved.content)
    revision = (await recordPageChange(ctx, tx, { ...page, revision }, saved)).revision
  }
}
