import type { Context } from '../../access/actor.ts'
import { recordEvent } from '../../content/change-events.ts'
import { mustNotBeEditedByOthers } from '../../content/drafts/draft-lock.ts'
import { mustBeCurrent } from '../../content/revision.ts'
import { fail } from '../../platform/errors.ts'
import type { ContentLanguage } from '../../http/context.ts'
import { withRedirects } from '../../content/redirects/redirects.ts'
import { contentLanguages, isDefault, languageMustExist } from '../../content/languages/languages.ts'
import { isUniqueViolation, type Tx } from '../../platform/store/store.ts'
import { recordHistoryEvent } from './history.ts'
import { pagesMustFollow } from './page-rules.ts'
import { ownerOfPage } from './pages.ts'
import type { PageRow } from './queries.ts'
import { mustBePossible, pathFor, slugFrom, slugIsTaken } from './rules.ts'
import { canTranslateSlugs, setTranslatedSlug, translatedSlugIsTaken } from './slugs/slugs.ts'
import { treeWrite } from './tree/below.ts'
import { lockPageInTree, parentOf } from './tree/lock.ts'
import { changePath } from './tree/paths.ts'
import { selectAt, raisePageRevision } from './tree/queries.ts'
import type { PageChange } from './update.ts'

/**
 * In the default language this also changes the ids of the page and its descendants; in other languages only the URL.
 */
export async function changeSlug(
  ctx: Context,
  page: { uuid: string },
  requestedSlug: string,
  change: PageChange & { language: ContentLanguage },
): Promise<number> {
  const { language } = change
  languageMustExist(language)
  const slug = slugFrom(requestedSlug, language)
  const rename = isDefault(language) ? changeOwnSlug : changeTranslatedSlug
  return orTaken(ctx, slug, () => rename(ctx, page.uuid, slug, change))
}

/** On PostgreSQL a concurrent transaction may take the path after the check; the unique index then fails. */
export async function orTaken<Value>(ctx: Context, slug: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    throw isUniqueViolation(error) ? slugIsTaken(ctx, undefined, slug) : error
  }
}

type SlugChange = PageChange & { language: ContentLanguage }

async function changeOwnSlug(ctx: Context, uuid: string, slug: string, change: SlugChange): Promise<number> {
  const { app } = ctx
  const { language, expected } = change
  const isTranslated = canTranslateSlugs(await contentLanguages(app))
  const large = await treeWrite(app, uuid)
  return app.store.write(async tx => {
    const { page } = await lockPageInTree(ctx, tx, uuid, ['changeSlug'], language, { subtree: true })
    mustBeCurrent(page.revision, expected)
    mustBePossible(app, page, 'changeSlug')
    await mustNotBeEditedByOthers(ctx, tx, [ownerOfPage(uuid)])
    pagesMustFollow(ctx, [page], ['changeSlug'], { slug, language: language.code })
    if (slug === page.slug && !language.hasSlugs) return page.revision
    return withRedirects(tx, page, async () => {
      // A language that became the default later may have a translated slug, which would shadow the slug of the id.
      if (language.hasSlugs) await setTranslatedSlug(tx, { uuid, slug }, language, slug)
      if (slug === page.slug) return { path: page.path, value: page.revision }
      const above = parentOf(page.path)
      const path = pathFor(above === '' ? undefined : { path: above }, slug)
      const other = await selectAt(tx, path)
      if (other) throw slugIsTaken(ctx, other, slug)
      if (isTranslated && (await translatedSlugIsTaken(tx, { parent: page.parent, slug, except: uuid })))
        throw slugIsTaken(ctx, undefined, slug)
      await changePath(app, tx, page, { path, slug })
      return { path, value: await renamed(ctx, tx, page, language, { path, slug }) }
    })
  }, large)
}

async function changeTranslatedSlug(ctx: Context, uuid: string, slug: string, change: SlugChange): Promise<number> {
  const { app } = ctx
  const { language, expected } = change
  const large = await treeWrite(app, uuid)
  return app.store.write(async tx => {
    // Locks the parent, so that two children cannot take the same slug concurrently, and the subtree, whose addresses
    // change, too.
    const locks = { translating: true, subtree: true }
    const { page } = await lockPageInTree(ctx, tx, uuid, ['changeSlug'], language, locks)
    mustBeCurrent(page.revision, expected)
    mustBePossible(app, page, 'changeSlug')
    await mustNotBeEditedByOthers(ctx, tx, [ownerOfPage(uuid)])
    pagesMustFollow(ctx, [page], ['changeSlug'], { slug, language: language.code })
    if (page.parent === '') pathFor(undefined, slug)
    if (await translatedSlugIsTaken(tx, { parent: page.parent, slug, except: uuid, language }))
      throw fail('page.duplicate', { slug })
    return withRedirects(tx, page, async () => {
      await setTranslatedSlug(tx, page, language, slug)
      return { path: page.path, value: await renamed(ctx, tx, page, language, { path: page.path, slug }) }
    })
  }, large)
}

async function renamed(
  ctx: Context,
  tx: Tx,
  { uuid, template, slug: before, path: oldPath }: PageRow,
  { code }: ContentLanguage,
  { path, slug: after }: { path: string; slug: string },
): Promise<number> {
  const { rows } = await raisePageRevision(tx, { uuid })
  const { revision } = rows[0]!
  const isMoved = path !== oldPath
  const language = isMoved || code === undefined ? {} : { language: code }
  await recordEvent(ctx, tx, 'page.slug', ownerOfPage(uuid), {
    template,
    revision,
    path,
    ...(isMoved && { oldPath }),
    ...language,
  })
  await recordHistoryEvent(ctx, tx, { uuid, revision }, 'slug', { before, after })
  return revision
}
