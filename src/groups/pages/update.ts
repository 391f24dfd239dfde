import type { Context } from '../../access/actor.ts'
import { auditActor, record } from '../../access/audit/audit.ts'
import type { StoredContent } from '../../content/content.ts'
import { type Expected, mustBeCurrent } from '../../content/revision.ts'
import { type ContentChange, contentToChange, saveContent, storeContent } from '../../content/save.ts'
import type { ContentLanguage } from '../../http/context.ts'
import { isDefault, languageMustExist } from '../../content/languages/languages.ts'
import { indexOwners } from '../../platform/search/search.ts'
import type { Tx } from '../../platform/store/store.ts'
import { numberFrom } from './numbers.ts'
import { contentIn, modelOf, ownerOf } from './pages.ts'
import type { PageRow } from './queries.ts'
import { plainTitle } from './rules.ts'
import { lockPage, touchPage } from './tree/lock.ts'
import { updateNum } from './tree/queries.ts'

/** What every change of a page takes. */
export interface Change {
  /** The revision that the caller has read, if it was sent. */
  expected?: Expected
}

/**
 * Changes only the fields that are sent. Stores nothing if any value is invalid; a draft page need not be complete.
 * Returns the revision of the page.
 */
export async function updatePage(ctx: Context, { uuid }: { uuid: string }, change: ContentChange): Promise<number> {
  const { app } = ctx
  const actions = change.title === undefined ? (['update'] as const) : (['update', 'changeTitle'] as const)
  return app.store.write(async tx => {
    const page = await lockPage(ctx, tx, uuid, actions, change.language)
    mustBeCurrent(page.revision, change.expected)
    const sent = contentIn({ uuid }, change.sent)
    const save = { ...change, sent, validate: page.status !== 'draft', revision: page.revision + 1, action: 'update' }
    const content = await saveContent(ctx, tx, modelOf(app, page), save)
    return content ? recordChange(ctx, tx, page, { what: 'content', content, ...change }) : page.revision
  })
}

/** Changes the title in one language. */
export async function changeTitle(
  ctx: Context,
  { uuid }: { uuid: string },
  given: string,
  change: Change & { language: ContentLanguage },
): Promise<number> {
  const { app } = ctx
  const { language } = change
  languageMustExist(language)
  const title = plainTitle(given)
  return app.store.write(async tx => {
    const page = await lockPage(ctx, tx, uuid, ['changeTitle'], language)
    mustBeCurrent(page.revision, change.expected)
    const model = modelOf(app, page)
    const content = { ...(await contentToChange(tx, model, language)), title }
    const save = { language, revision: page.revision + 1, action: 'title' }
    const isNew = await storeContent(ctx, tx, model, save, content)
    return isNew ? recordChange(ctx, tx, page, { what: 'title', content, ...change }) : page.revision
  })
}

/**
 * Updates the search index, the revision and a number that is computed from the content, and records the audit event.
 */
export async function recordChange(
  ctx: Context,
  tx: Tx,
  page: PageRow,
  { what, content, language }: { what: string; content: StoredContent; language: ContentLanguage },
): Promise<number> {
  const { app } = ctx
  const owner = ownerOf(page.uuid)
  await indexOwners(app.store, tx, [{ owner }])
  if (page.status === 'listed' && isDefault(language)) {
    const num = await numberFrom(app, tx, page, content)
    if (num !== undefined) await updateNum(tx, page.uuid, num)
  }
  await record(tx, { event: 'page.changed', subject: owner, ...auditActor(ctx), detail: { what } })
  return touchPage(tx, page.uuid)
}
