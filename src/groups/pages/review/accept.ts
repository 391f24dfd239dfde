import { accountOf, type Context } from '../../../access/actor.ts'
import type { ContentLanguage } from '../../../http/context.ts'
import type { Tx } from '../../../platform/store/store.ts'
import { ownerOfPage } from '../pages.ts'
import type { PageRow } from '../queries.ts'
import { notifyRequester } from './mail.ts'
import { deletePublishedReviews, deleteReview } from './queries.ts'

/** Ends the review of a draft that is published or scheduled, and tells its author. The page must be locked. */
export async function acceptReview(
  ctx: Context,
  tx: Tx,
  page: PageRow,
  { key, code }: Pick<ContentLanguage, 'key' | 'code'>,
): Promise<void> {
  await notifyRequesters(ctx, tx, page, code, await deleteReview(tx, ownerOfPage(page.uuid), key))
}

/** The same for a draft page that gets another status. In languages that still have a draft, the review stays. */
export async function acceptPublishedReviews(
  ctx: Context,
  tx: Tx,
  page: PageRow,
  language: Pick<ContentLanguage, 'code'> | undefined,
): Promise<void> {
  await notifyRequesters(ctx, tx, page, language?.code, await deletePublishedReviews(tx, ownerOfPage(page.uuid)))
}

async function notifyRequesters(
  ctx: Context,
  tx: Tx,
  page: PageRow,
  language: string | undefined,
  ended: readonly { user_id: string | null; state: 'waiting' | 'returned' }[],
): Promise<void> {
  const waiting = ended.filter(({ state, user_id }) => state === 'waiting' && user_id !== accountOf(ctx))
  for (const requester of new Set(waiting.map(({ user_id }) => user_id)))
    await notifyRequester(ctx, tx, page, requester, 'reviewAccepted', { language })
}
