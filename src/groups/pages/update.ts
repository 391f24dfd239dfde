import type { Context } from '../../access/actor.ts'
import { authorizePage } from '../../access/authorize/pages.ts'
import { changeDetailOf, recordEvent } from '../../content/change-events.ts'
import { differing } from '../../content/difference.ts'
import { type Expected, mustBeCurrent } from '../../content/revision.ts'
import {
  type ContentChange,
  contentToChange,
  type SavedContent,
  saveContent,
  storeContent,
} from '../../content/save.ts'
import { followRules } from '../../content/with-rules.ts'
import type { ContentLanguage } from '../../http/context.ts'
import { isDefault, languageMustExist, languageToWrite } from '../../content/languages/languages.ts'
import { indexContent, indexOwners } from '../../platform/search/search.ts'
import type { Tx } from '../../platform/store/store.ts'
import { numberFrom } from './numbers.ts'
import { contentRules } from './page-rules.ts'
import { pageContentIn, pageModelOf, ownerOfPage } from './pages.ts'
import type { PageRow } from './queries.ts'
import { acceptReview } from './review/accept.ts'
import { plainTitle } from './rules.ts'
import { lockPage, publishing } from './tree/lock.ts'
import { raisePageRevision, updateNum } from './tree/queries.ts'

/** What every change of a page takes. */
export interface PageChange {
  /** The revision that the caller has read, if it was sent. */
  expected?: Expected
}

/** The revision of the page after a change, and its row if that is known without reading it again. */
export interface ChangedPage {
  revision: number
  row?: PageRow
}

const updateContent = publishing('update')
const updateContentAndTitle = publishing('update', 'changeTitle')
const updateTitle = publishing('changeTitle')

/** Changes only the fields that are sent. Stores nothing if any value is invalid; a draft page need not be complete. */
export async function updatePage(
  ctx: Context,
  { uuid }: { uuid: string },
  change: ContentChange,
): Promise<ChangedPage> {
  const { app } = ctx
  const actions = change.title === undefined ? updateContent : updateContentAndTitle
  return app.store.write(async tx => {
    const page = await lockPage(ctx, tx, uuid, actions, change.language, true, change.refusal)
    mustBeCurrent(page.revision, change.expected)
    const sent = pageContentIn({ uuid }, change.sent)
    const { language } = change
    const loaded = { language, own: page.own, base: page.base, hasDraft: page.has_draft === 1 }
    const save = {
      ...change,
      sent,
      validate: page.status !== 'draft',
      revision: page.revision + 1,
      action: 'update',
      checkTitle: titleCheck(ctx, page),
    }
    const ruled = app.extensions.rules && contentRules(app, page, 'update')
    if (change.publish && page.has_draft === 1 && page.status !== 'draft') await acceptReview(ctx, tx, page, language)
    const saved = await saveContent(ctx, tx, pageModelOf(app, page), { ...save, loaded, ruled })
    if (!saved) return { revision: page.revision }
    const changed = await recordPageChange(ctx, tx, page, saved)
    // The row of a translation must be read again: it has values of the default language. No other account holds the
    // edit lock here, so there is no editor to show.
    return isDefault(saved.language)
      ? { revision: changed.revision, row: { ...page, ...changed, own: JSON.stringify(saved.content), editor: null } }
      : { revision: changed.revision }
  })
}

/** For the title of a draft that is published: the actor must be allowed to change it, and it must not be empty. */
export function titleCheck(ctx: Context, page: PageRow): (title: string) => void {
  return title => {
    authorizePage(ctx, page, ['changeTitle'])
    plainTitle(title)
  }
}

/** Changes the title in one language. */
export async function changeTitle(
  ctx: Context,
  { uuid }: { uuid: string },
  requestedTitle: string,
  change: PageChange & { language: ContentLanguage },
): Promise<number> {
  const { app } = ctx
  const { language } = change
  languageMustExist(language)
  const title = plainTitle(requestedTitle)
  return app.store.write(async tx => {
    const page = await lockPage(ctx, tx, uuid, updateTitle, language)
    mustBeCurrent(page.revision, change.expected)
    const model = pageModelOf(app, page)
    const before = await contentToChange(tx, model, language)
    const ruled = contentRules(app, page, 'changeTitle')
    const titled = { ...before, title }
    const content = ruled
      ? followRules(ctx, { ...ruled, input: { title }, model, language, content: titled, before })
      : titled
    const save = { language, revision: page.revision + 1, action: 'title' }
    const isNew = await storeContent(ctx, tx, model, save, content)
    return isNew
      ? (
          await recordPageChange(ctx, tx, page, {
            content,
            language: await languageToWrite(tx, language),
            fields: ruled ? differing(before, content) : ['title'],
          })
        ).revision
      : page.revision
  })
}

/**
 * Updates the search index, the revision and a number that is computed from the content, and records the audit event.
 */
export async function recordPageChange(
  ctx: Context,
  tx: Tx,
  page: PageRow,
  saved: SavedContent,
): Promise<Pick<PageRow, 'revision' | 'modified_at' | 'num'>> {
  const { app } = ctx
  const { content, language } = saved
  const { path, parent, template } = page
  const owner = ownerOfPage(page.uuid)
  const isInDefault = isDefault(language)
  // A translation is indexed without the values that it takes from the default language.
  if (isInDefault) await indexContent(app.store, tx, { owner, language: language.key, path, parent }, content)
  else await indexOwners(app.store, tx, [{ owner }])
  const num = page.status === 'listed' && isInDefault ? await numberFrom(app, tx, page, content) : undefined
  if (num !== undefined) await updateNum(tx, page.uuid, num)
  const event = page.status === 'draft' ? 'page.changed' : 'page.published'
  const facts = { template, path, revision: page.revision + 1, ...changeDetailOf(saved) }
  // Both are sent at once.
  const [touched] = await Promise.all([
    raisePageRevision(tx, { uuid: page.uuid }),
    recordEvent(ctx, tx, event, owner, facts),
  ])
  return { ...touched.rows[0]!, num: num ?? page.num }
}
