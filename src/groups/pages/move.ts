import type { Context } from '../../access/actor.ts'
import { recordEvent } from '../../content/change-events.ts'
import { withRedirects } from '../../content/redirects/redirects.ts'
import { mustNotBeEditedByOthers } from '../../content/drafts/draft-lock.ts'
import { isPageActionAllowed, type PageAction } from '../../access/authorize/pages.ts'
import { denied } from '../../access/authorize/authorize.ts'
import { mustBeCurrent } from '../../content/revision.ts'
import { fail } from '../../platform/errors.ts'
import { contentLanguages } from '../../content/languages/languages.ts'
import type { Tx } from '../../platform/store/store.ts'
import { recordHistoryEvent } from './history.ts'
import { hasNumber, removeNumber, numberedSiblings, assignNumber } from './numbers.ts'
import { pagesMustFollow, ruledParent } from './page-rules.ts'
import { ownerOfPage } from './pages.ts'
import type { PageRow } from './queries.ts'
import { mustAcceptMoved, mustBePossible, pathFor, slugFrom, slugIsTaken } from './rules.ts'
import { orTaken } from './slug.ts'
import { canTranslateSlugs, translatedSlugIsTaken } from './slugs/slugs.ts'
import { treeWrite } from './tree/below.ts'
import { ancestorsOf, lockPageInTree } from './tree/lock.ts'
import { changePath } from './tree/paths.ts'
import { updatePageRow, isAnyDraft, selectAt, selectSlugsOf } from './tree/queries.ts'
import type { PageChange } from './update.ts'

interface Move extends PageChange {
  /** The uuid of the new parent; `''` is the top level. */
  parent: string
  slug?: string | undefined
  /** Among the listed pages there, from 1; by default at the end. */
  position?: number | undefined
}

/** Moves a page with its descendants below another page or to the top level, optionally under another slug. */
export async function movePage(
  ctx: Context,
  { uuid }: { uuid: string },
  { parent, slug: requestedSlug, position, expected }: Move,
): Promise<number> {
  const { app } = ctx
  const languages = await contentLanguages(app)
  const [language] = languages
  const isTranslated = canTranslateSlugs(languages)
  const newSlug = requestedSlug === undefined ? undefined : slugFrom(requestedSlug, language!)
  const large = await treeWrite(app, uuid)
  /** Another parent also needs the permission to create this template; a slug and a position need theirs. */
  const actions = (page: PageRow): PageAction[] => [
    'move',
    ...(parent === page.parent ? [] : (['create'] as const)),
    ...(newSlug === undefined || newSlug === page.slug ? [] : (['changeSlug'] as const)),
    ...(position === undefined ? [] : (['sort'] as const)),
  ]
  return orTaken(ctx, newSlug ?? '', () =>
    app.store.write(async tx => {
      const { page, into } = await lockPageInTree(ctx, tx, uuid, actions, language, {
        subtree: true,
        numbering: true,
        translating: isTranslated,
        into: parent,
      })
      const slug = newSlug ?? page.slug
      mustBeCurrent(page.revision, expected)
      mustBePossible(app, page, 'move')
      if (parent === uuid || into?.path.startsWith(`${page.path}/`)) throw fail('page.move.self')
      const isElsewhere = parent !== page.parent
      if (!isElsewhere && slug === page.slug) return page.revision
      await mustNotBeEditedByOthers(ctx, tx, [ownerOfPage(uuid)])
      if (isElsewhere) mustAcceptMoved(app, page, into)
      const path = pathFor(into, slug)
      await mustStayHidden(ctx, tx, page, path)
      pagesMustFollow(ctx, [page], slug === page.slug ? ['move'] : ['move', 'changeSlug'], {
        parent: ruledParent(parent),
        slug,
      })
      const other = await selectAt(tx, path)
      if (other) throw slugIsTaken(ctx, other, slug)
      if (isTranslated) {
        const own = await selectSlugsOf(tx, [uuid])
        const slugs = [{ slug }, ...own.map(row => ({ slug: row.slug, language: { key: row.language } }))]
        for (const one of slugs)
          if (await translatedSlugIsTaken(tx, { ...one, parent, except: uuid }))
            throw slugIsTaken(ctx, undefined, one.slug)
      }
      let { num } = page
      if (isElsewhere && hasNumber(app, page)) {
        await removeNumber(tx, numberedSiblings(app, page.parent), uuid)
        num = await assignNumber(tx, numberedSiblings(app, parent), undefined, position)
      }
      const revision = await withRedirects(tx, page, async () => {
        const value = await updatePageRow(tx, uuid, { parent, num })
        await changePath(app, tx, page, { path, slug })
        return { path, value }
      })
      const facts = { template: page.template, revision, path, oldPath: page.path }
      await recordEvent(ctx, tx, 'page.moved', ownerOfPage(uuid), facts)
      await recordHistoryEvent(ctx, tx, { uuid, revision }, 'move', { before: page.path, after: path })
      return revision
    }, large),
  )
}

/** Visitors do not see published pages below a draft: moving one out of there publishes it. */
async function mustStayHidden(ctx: Context, tx: Tx, page: PageRow, path: string): Promise<void> {
  if (page.status === 'draft' || isPageActionAllowed(ctx, 'publish', page)) return
  if ((await isAnyDraft(tx, ancestorsOf(page.path))) && !(await isAnyDraft(tx, ancestorsOf(path))))
    throw denied('pages.publish')
}
