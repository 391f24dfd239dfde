import type { App } from '../../app.ts'
import { type By, record } from '../../access/audit/audit.ts'
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
import { plainTitle, type Sees } from './rules.ts'
import { lockPage, touchPage } from './tree/lock.ts'
import { updateNum } from './tree/queries.ts'

/** What every change of a page takes. */
export interface Change {
  by: By
  /** The revision that the caller has read, if it was sent. */
  expected?: Expected
  /** Called with the locked page; throws unless the change is permitted. */
  check?: ((page: PageRow) => void) | undefined
  /** Whether the caller may see another page. */
  sees?: Sees | undefined
}

/**
 * Changes only the fields that are sent. Stores nothing if any value is invalid; a draft page need not be complete.
 * Returns the revision of the page.
 */
export async function updatePage(
  app: App,
  { uuid }: { uuid: string },
  change: ContentChange & Pick<Change, 'check'>,
): Promise<number> {
  return app.store.write(async tx => {
    const page = await lockPage(app, tx, uuid, change.language)
    mustBeCurrent(page.revision, change.expected)
    change.check?.(page)
    const sent = contentIn({ uuid }, change.sent)
    const save = { ...change, sent, validate: page.status !== 'draft', revision: page.revision + 1, action: 'update' }
    const content = await saveContent(tx, modelOf(app, page), save)
    return content ? recordChange(app, tx, page, { what: 'content', content, ...change }) : page.revision
  })
}

/** Changes the title in one language. */
export async function changeTitle(
  app: App,
  { uuid }: { uuid: string },
  given: string,
  change: Change & { language: ContentLanguage },
): Promise<number> {
  const { language, by } = change
  languageMustExist(language)
  const title = plainTitle(given)
  return app.store.write(async tx => {
    const page = await lockPage(app, tx, uuid, language)
    mustBeCurrent(page.revision, change.expected)
    change.check?.(page)
    const model = modelOf(app, page)
    const content = { ...(await contentToChange(tx, model, language)), title }
    const save = { language, revision: page.revision + 1, action: 'title', by }
    const isNew = await storeContent(tx, model, save, content)
    return isNew ? recordChange(app, tx, page, { what: 'title', content, ...change }) : page.revision
  })
}

/**
 * Updates the search index, the revision and a number that is computed from the content, and records the audit event.
 */
export async function recordChange(
  app: App,
  tx: Tx,
  page: PageRow,
  { what, content, language, by }: { what: string; content: StoredContent; language: ContentLanguage; by: By },
): Promise<number> {
  const owner = ownerOf(page.uuid)
  await indexOwners(app.store, tx, [{ owner }])
  if (page.status === 'listed' && isDefault(language)) {
    const num = await numberFrom(app, tx, page, content)
    if (num !== undefined) await updateNum(tx, page.uuid, num)
  }
  await record(tx, { event: 'page.changed', subject: owner, ...by, detail: { what } })
  return touchPage(tx, page.uuid)
}
