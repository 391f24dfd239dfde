import type { Context } from '../../access/actor.ts'
import { recordEvent } from '../../content/change-events.ts'
import { deleteSuccessorsBelow } from '../../content/redirects/queries.ts'
import { takeAddresses } from '../../content/redirects/redirects.ts'
import { mustPublish } from '../../access/authorize/pages.ts'
import { contentLanguages } from '../../content/languages/languages.ts'
import type { ContentLanguage } from '../../http/context.ts'
import type { PagesTable } from '../../platform/store/tables/content.ts'
import type { Tx } from '../../platform/store/store.ts'
import { movedPage, selectFirst, selectLongestPath, type TrashRow } from '../../content/trash/queries.ts'
import { lockTrashEntry, restoreWrite, returnEntry } from '../../content/trash/trash.ts'
import { storeAmended } from './amended.ts'
import { hasNumber, numberedSiblings, assignNumber } from './numbers.ts'
import { type Amended, publishByRules } from './page-rules.ts'
import { ownerOfPage, uuidIn } from './pages.ts'
import { mustBePlaceable, pathFor, pathMustBeValid, slugFrom, slugIsTaken } from './rules.ts'
import { orTaken } from './slug.ts'
import { deleteSlug } from './slugs/queries.ts'
import { canTranslateSlugs, translatedSlugIsTaken } from './slugs/slugs.ts'
import { everythingBelow, maxDeletedPages } from './tree/below.ts'
import { lockNewParent, lockPage } from './tree/lock.ts'
import { type TreeNode, selectAt, selectSlugsOf } from './tree/queries.ts'

export interface PageRestoration {
  /** The uuid of another parent, `''` for the top level. By default the page returns to its old parent. */
  parent?: string | undefined
  slug?: string | undefined
}

/** Restores a page and its descendants from the trash. Returns its path. */
export async function restorePage(ctx: Context, id: string, restoration: PageRestoration): Promise<string> {
  const { app } = ctx
  const languages = await contentLanguages(app)
  const isTranslated = canTranslateSlugs(languages)
  const newSlug = restoration.slug === undefined ? undefined : slugFrom(restoration.slug, languages[0]!)
  const large = await restoreWrite(app, id)
  return orTaken(ctx, newSlug ?? '', () =>
    app.store.write(async tx => {
      const entry = await lockTrashEntry(ctx, tx, id)
      const uuid = uuidIn(entry.owner)!
      const page = await selectFirst<PagesTable>(tx, id, 'pages', uuid)
      if (page.status !== 'draft') mustPublish(ctx, page)
      const parent = restoration.parent ?? page.parent
      const isNumbered = hasNumber(app, page)
      const into = await lockNewParent(ctx, tx, parent, { numbering: isNumbered, translating: isTranslated })
      const isElsewhere = parent !== page.parent
      if (isElsewhere) mustBePlaceable(app, page, into)
      const slug = newSlug ?? page.slug
      const path = pathFor(into, slug)
      await lengthMustBeValid(tx, entry, path)
      const other = await selectAt(tx, path)
      if (other) throw slugIsTaken(ctx, other, slug)
      if (isTranslated && (await translatedSlugIsTaken(tx, { parent, slug }))) throw slugIsTaken(ctx, undefined, slug)
      const position = isElsewhere ? undefined : (page.num ?? undefined)
      const num = isNumbered ? await assignNumber(tx, numberedSiblings(app, parent), undefined, position) : page.num
      await returnEntry(app, tx, entry, movedPage(entry, { parent, path, slug, num }))
      const amended = app.extensions.rules ? await askRules(ctx, tx, { ...page, parent, path }, languages) : []
      if (isTranslated) await dropTakenSlugs(tx, uuid, parent)
      await deleteSuccessorsBelow(tx, path)
      await takeAddresses(tx, { uuid, path }, { withDescendants: true })
      const facts = {
        template: page.template,
        path,
        ...(path !== page.path && { oldPath: page.path }),
        revision: page.revision,
        pages: entry.pages,
      }
      await recordEvent(ctx, tx, 'page.restored', ownerOfPage(uuid), facts)
      await storeByPage(ctx, tx, amended)
      return path
    }, large),
  )
}

/** What was published before is visible again: the rules of extensions may have changed meanwhile. */
async function askRules(
  ctx: Context,
  tx: Tx,
  page: PagesTable,
  languages: readonly ContentLanguage[],
): Promise<Amended<TreeNode>[]> {
  return publishByRules(ctx, tx, [page, ...(await everythingBelow(tx, page, maxDeletedPages))], languages)
}

/** Drafts of the pages stay as they are, so it does not matter who holds the edit lock. */
async function storeByPage(ctx: Context, tx: Tx, amended: readonly Amended<TreeNode>[]): Promise<void> {
  for (const [uuid, ofPage] of Map.groupBy(amended, ({ page }) => page.uuid))
    await storeAmended(ctx, tx, await lockPage(ctx, tx, uuid, 'visibility', undefined), ofPage, { ignoreLock: true })
}

async function lengthMustBeValid(tx: Tx, entry: TrashRow, path: string): Promise<void> {
  const more = Buffer.byteLength(path) - Buffer.byteLength(entry.path)
  if (more > 0) pathMustBeValid('x'.repeat((await selectLongestPath(tx, entry.id)) + more))
}

/** Removes translated slugs that a sibling has taken since: in those languages the page uses the slug of its id. */
async function dropTakenSlugs(tx: Tx, uuid: string, parent: string): Promise<void> {
  for (const { slug, language } of await selectSlugsOf(tx, [uuid]))
    if (await translatedSlugIsTaken(tx, { slug, language: { key: language }, parent, except: uuid }))
      await deleteSlug(tx, uuid, language)
}
