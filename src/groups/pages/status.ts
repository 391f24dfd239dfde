import type { App } from '../../app.ts'
import type { Context } from '../../access/actor.ts'
import { recordEvent } from '../../content/change-events.ts'
import { leaveRedirects, takeAddresses } from '../../content/redirects/redirects.ts'
import type { PageAction } from '../../access/authorize/pages.ts'
import type { Status } from '../../blueprints/blueprints.ts'
import type { StoredContent } from '../../content/content.ts'
import { type Expected, mustBeCurrent } from '../../content/revision.ts'
import { type SavedContent, saveContent } from '../../content/save.ts'
import { contentLanguages } from '../../content/languages/languages.ts'
import type { ContentLanguage } from '../../http/context.ts'
import type { Tx } from '../../platform/store/store.ts'
import { storeAmended } from './amended.ts'
import { mustBeComplete } from './complete.ts'
import { recordHistoryEvent } from './history.ts'
import { hasNumber, removeNumber, numberFrom, numberedSiblings, assignNumber } from './numbers.ts'
import { contentRules, pagesMustFollow, publishByRules } from './page-rules.ts'
import { contentOf, pageModelOf, ownerOfPage } from './pages.ts'
import type { PageRow } from './queries.ts'
import { acceptPublishedReviews, acceptReview } from './review/accept.ts'
import { mustBePossible, statusMustBeOffered } from './rules.ts'
import { lockPage, lockPageInTree } from './tree/lock.ts'
import { updatePageRow } from './tree/queries.ts'
import { recordPageChange, titleCheck } from './update.ts'

export interface StatusChange {
  status: Status
  /** Among the listed siblings, from 1; by default at the end. */
  position?: number | undefined
  expected?: Expected
  /** Also publishes the draft of the content, in the same transaction. */
  publish?: PublishOptions | undefined
  /** For the rules of extensions, which see the content in all of them. */
  languages?: readonly ContentLanguage[] | undefined
}

/** How the draft is published. */
export interface PublishOptions {
  language: ContentLanguage
  /** The draft revision that the caller has read. */
  draftRevision?: number | undefined
  window?: string | undefined
  /** Publishes even if another user has the edit lock. */
  ignoreLock?: boolean
  /** Publishes although the published content has changed since: the caller has checked it. */
  ignoreConflicts?: boolean
}

export async function changeStatus(ctx: Context, page: { uuid: string }, change: StatusChange): Promise<number> {
  const { app } = ctx
  const languages = app.extensions.rules && (await contentLanguages(app))
  return app.store.write(tx => setStatus(ctx, tx, page, { ...change, languages }))
}

/**
 * listed → listed needs `sort`; any other transition needs `changeStatus`. Publishing a draft also needs `update`. All but
 * sorting and what stays a draft page needs `publish`, too.
 */
function statusActions(page: Pick<PageRow, 'status'>, { status, publish }: StatusChange): PageAction[] {
  const isSorted = page.status === 'listed' && status === 'listed'
  const staysDraft = page.status === 'draft' && status === 'draft'
  return [
    isSorted ? 'sort' : 'changeStatus',
    ...(publish ? (['update'] as const) : []),
    ...(staysDraft || (isSorted && !publish) ? [] : (['publish'] as const)),
  ]
}

/**
 * Changes the status, or the position of a page that is already listed. Takes locks from the top down, so the caller
 * must not have locked the page before: that could deadlock. Returns the revision of the page.
 */
export async function setStatus(
  ctx: Context,
  tx: Tx,
  { uuid }: { uuid: string },
  change: StatusChange,
): Promise<number> {
  const { app } = ctx
  const { status, expected } = change
  const held = await lockPageInTree(ctx, tx, uuid, page => statusActions(page, change), undefined, { numbering: true })
  mustBeCurrent(held.page.revision, expected)
  const published = change.publish && (await publishDraft(ctx, tx, held.page, { ...change, publish: change.publish }))
  // Reloads the page: publishing may have changed its number.
  let page = published ? await lockPage(ctx, tx, uuid, 'visibility', undefined) : held.page
  if (page.status === status && status !== 'listed') return page.revision
  const isSorted = page.status === 'listed' && status === 'listed'
  if (isSorted && !hasNumber(app, page)) return page.revision
  mustBePossible(app, page, isSorted ? 'sort' : 'changeStatus')
  if (!isSorted) statusMustBeOffered(app, page, status)
  const amended = app.extensions.rules && !isSorted ? await followStatusRules(ctx, tx, page, change) : []
  if (amended.length > 0) page = await lockPage(ctx, tx, uuid, 'visibility', undefined)
  if (page.status === 'draft' || amended.length > 0) {
    const contents = [...(published ? [published] : []), ...amended.map(({ content }) => content)]
    await mustBeComplete(app, tx, page, [contentOf(app, page), ...contents], ctx.locale)
  }
  const num = await placeOf(app, tx, page, change)
  if (isSorted && num === page.num) return page.revision
  // A draft that was published before may get another address until it is published again.
  if (status === 'draft') await leaveRedirects(tx, page, { withDescendants: false })
  const revision = await updatePageRow(tx, uuid, { status, num })
  if (page.status === 'draft') {
    await takeAddresses(tx, page, { withDescendants: false })
    await acceptPublishedReviews(ctx, tx, page, change.publish?.language)
  }
  const { template, path, status: oldStatus } = page
  const facts = { template, path, revision }
  if (isSorted) await recordEvent(ctx, tx, 'page.changed', ownerOfPage(uuid), { ...facts, what: 'sort' })
  else await recordEvent(ctx, tx, 'page.status', ownerOfPage(uuid), { ...facts, status, oldStatus })
  if (!isSorted) await recordHistoryEvent(ctx, tx, { uuid, revision }, 'status', { before: page.status, after: status })
  return revision
}

/** Asks the rules of extensions, and stores what they amend of a page that is published or listed. */
async function followStatusRules(
  ctx: Context,
  tx: Tx,
  page: PageRow,
  { status, position, publish, languages = [] }: StatusChange,
): Promise<SavedContent[]> {
  const next = { ...page, status }
  const input = { status, position }
  if (status === 'draft') {
    pagesMustFollow(ctx, [next], ['changeStatus'], input)
    return []
  }
  const amended = await publishByRules(ctx, tx, [next], languages, ['changeStatus'], input)
  await storeAmended(ctx, tx, page, amended, { ignoreLock: publish?.ignoreLock })
  return amended
}

/**
 * Validates only if the page is and stays published. When a draft page is published, `mustBeComplete` validates the
 * whole content instead.
 */
export async function publishDraft(
  ctx: Context,
  tx: Tx,
  page: PageRow,
  { status, expected, publish }: StatusChange & { publish: PublishOptions },
): Promise<StoredContent | undefined> {
  const validate = page.status !== 'draft' && status !== 'draft'
  const save = {
    sent: {},
    shownReferences: 'all' as const,
    publish: true,
    validate,
    revision: page.revision + 1,
    action: 'publish',
    expected,
    checkTitle: titleCheck(ctx, page),
    ruled: contentRules(ctx.app, page, 'update'),
  }
  if (page.status !== 'draft') await acceptReview(ctx, tx, page, publish.language)
  const saved = await saveContent(ctx, tx, pageModelOf(ctx.app, page), { ...save, ...publish })
  if (saved) await recordPageChange(ctx, tx, page, saved)
  return saved?.content
}

/** The new number of the page. Renumbers its siblings accordingly. */
async function placeOf(app: App, tx: Tx, page: PageRow, { status, position }: StatusChange): Promise<number | null> {
  const row = numberedSiblings(app, page.parent)
  if (status === 'listed') {
    const num = await numberFrom(app, tx, page, contentOf(app, page))
    return num ?? assignNumber(tx, row, hasNumber(app, page) ? page.uuid : undefined, position)
  }
  if (hasNumber(app, page)) await removeNumber(tx, row, page.uuid)
  return null
}
