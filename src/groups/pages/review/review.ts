import { accountOf, type Context } from '../../../access/actor.ts'
import { isAuthorOrPublisher } from '../../../access/authorize/pages.ts'
import { recordEvent } from '../../../content/change-events.ts'
import { findDraft, mustNotBeLocked } from '../../../content/drafts/draft-lock.ts'
import { markEditLockReleased } from '../../../content/drafts/queries.ts'
import { languageToWrite } from '../../../content/languages/languages.ts'
import { draftMustBeCurrent } from '../../../content/revision.ts'
import type { ContentLanguage } from '../../../http/context.ts'
import { fail } from '../../../platform/errors.ts'
import type { Tx } from '../../../platform/store/store.ts'
import { ownerOfPage } from '../pages.ts'
import type { PageRow } from '../queries.ts'
import { lockPage } from '../tree/lock.ts'
import { notifyRequester, notifyReviewers } from './mail.ts'
import { deleteReview, markReviewReturned, selectRequester, upsertReview } from './queries.ts'

interface Request {
  language: ContentLanguage
  note: string
  /** The draft revision that the caller has read; undefined if not sent. */
  draftRevision: number | undefined
}

/**
 * Hands in the draft, or a page that was never published, for review. The edit lock of the caller ends, so that others
 * can publish at once.
 */
export async function requestReview(ctx: Context, { uuid }: PageRow, request: Request): Promise<void> {
  const { note } = request
  await ctx.app.store.write(async tx => {
    const page = await lockPage(ctx, tx, uuid, ['update'], request.language)
    const language = await languageToWrite(tx, request.language)
    const owner = ownerOfPage(uuid)
    const currentDraft = await findDraft(tx, owner, language)
    mustNotBeLocked(ctx, currentDraft)
    const draftRevision = currentDraft?.author.revision ?? 0
    draftMustBeCurrent(draftRevision, request.draftRevision, page.revision)
    if (!currentDraft && page.status !== 'draft') throw fail('page.review.nothing')
    const user = accountOf(ctx)
    await upsertReview(tx, { owner, language: language.key, user, note, draftRevision })
    await markEditLockReleased(tx, owner, language.key)
    await notifyReviewers(ctx, tx, page, { user, note, language: language.code })
    await recordReview(ctx, tx, page, language, 'requested')
  })
}

/** Sends the draft back to its author. It stays as it is. */
export async function sendBack(
  ctx: Context,
  { uuid }: PageRow,
  { language: asked, note }: { language: ContentLanguage; note: string },
): Promise<void> {
  await ctx.app.store.write(async tx => {
    const page = await lockPage(ctx, tx, uuid, ['update', 'publish'], asked)
    const language = await languageToWrite(tx, asked)
    const review = { owner: ownerOfPage(uuid), language: language.key }
    const user = accountOf(ctx)
    const returned = await markReviewReturned(tx, review, { user, answer: note })
    if (!returned) throw fail('page.review.notFound')
    const { user_id: requester } = returned
    if (requester !== user)
      await notifyRequester(ctx, tx, page, requester, 'reviewReturned', { note, language: language.code })
    await recordReview(ctx, tx, page, language, 'returned')
  })
}

/** Ends the review without a decision: for the account that asked, and for accounts that may publish. */
export async function withdrawReview(ctx: Context, { uuid }: PageRow, asked: ContentLanguage): Promise<void> {
  await ctx.app.store.write(async tx => {
    const page = await lockPage(ctx, tx, uuid, ['update'], asked)
    const language = await languageToWrite(tx, asked)
    const review = await selectRequester(tx, ownerOfPage(uuid), language.key)
    if (!review) throw fail('page.review.notFound')
    if (!isAuthorOrPublisher(ctx, page, [review.user_id])) throw fail('page.review.permission')
    await deleteReview(tx, ownerOfPage(uuid), language.key)
    await recordReview(ctx, tx, page, language, 'withdrawn')
  })
}

async function recordReview(
  ctx: Context,
  tx: Tx,
  { uuid, template, path, revision }: PageRow,
  { code }: ContentLanguage,
  what: 'requested' | 'returned' | 'withdrawn',
): Promise<void> {
  const facts = { template, path, revision, what, ...(code !== undefined && { language: code }) }
  await recordEvent(ctx, tx, 'page.review', ownerOfPage(uuid), facts)
}
