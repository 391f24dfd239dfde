import { accountOf, type Context } from '../../../access/actor.ts'
import type { ContentLanguage } from '../../../http/context.ts'
import type { Tx } from '../../../platform/store/store.ts'
import { ownerOf } from '../pages.ts'
import type { PageRow } from '../queries.ts'
import { mailAuthor } from './mail.ts'
import { deletePublishedReviews, deleteReview } from './queries.ts'

/** Ends the review of a draft that is published or scheduled, and tells its author. The page must be locked. */
export async function acceptReview(
  ctx: Context,
  tx: Tx,
  page: PageRow,
  { key, code }: Pick<ContentLanguage, 'key' | 'code'>,
): Promise<void> {
  await notifyAuthors(ctx, tx, page, code, await deleteReview(tx, ownerOf(page.uuid), key))
}

/** The same for a draft page that gets another status. In languages that still have a draft, the review stays. */
export async function acceptPublishedReviews(
  ctx: Context,
  tx: Tx,
  page: PageRow,
  language: Pick<ContentLanguage, 'code'> | undefined,
): Promise<void> {
  await notifyAuthors(ctx, tx, page, language?.code, await deletePublishedReviews(tx, ownerOf(page.uuid)))
}

async function notifyAuthors(
  ctx: Context,
  tx: Tx,
  page: PageRow,
  language: string | undefined,
  ended: readonly { user_id: string | null; state: 'waiting' | 'returned' }[],
): Promise<void> {
  const authors = ended.filter(({ state, user_id }) => state === 'waiting' && user_id !== accountOf(ctx))
  for (const author of new Set(authors.map(({ user_id }) => user_id)))
    await mailAuthor(ctx, tx, page, author, 'reviewAccepted', { language })
}
