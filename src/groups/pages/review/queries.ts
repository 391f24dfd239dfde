import { sql } from 'kysely'
import type { ReviewsTable } from '../../../platform/store/tables/content.ts'
import { now, type Store, type Tx } from '../../../platform/store/store.ts'

const reviews = (db: Store['db'] | Tx) =>
  db
    .selectFrom('reviews')
    .leftJoin('users as author', 'author.id', 'reviews.user_id')
    .leftJoin('users as reviewer', 'reviewer.id', 'reviews.answered_by')
    .leftJoin('changes', join =>
      join.onRef('changes.owner', '=', 'reviews.owner').onRef('changes.language', '=', 'reviews.language'),
    )
    .select(['reviews.owner', 'reviews.language', 'reviews.state', 'reviews.requested_at', 'reviews.note'])
    .select(['reviews.answered_at', 'reviews.answer', 'reviews.draft_revision'])
    .select(sql<number>`coalesce(changes.revision, 0)`.as('current_revision'))
    .select(['author.id', 'author.name', 'author.email', 'author.role'])
    .select([
      'reviewer.id as reviewer_id',
      'reviewer.name as reviewer_name',
      'reviewer.email as reviewer_email',
      'reviewer.role as reviewer_role',
    ])

export type ReviewRow = Awaited<ReturnType<ReturnType<typeof reviews>['executeTakeFirstOrThrow']>>

/** The reviews of these pages (`page://…`), in every language. */
export async function selectReviews(store: Store, owners: readonly string[]): Promise<ReviewRow[]> {
  const query = reviews(store.db).where('reviews.owner', 'in', owners).orderBy('reviews.requested_at')
  return (await store.read(query.compile())) as ReviewRow[]
}

interface NewReview {
  owner: string
  language: string
  user: string | undefined
  note: string
  draftRevision: number
}

/** Replaces an earlier request, also one that was sent back. The page must be locked. */
export async function upsertReview(tx: Tx, { owner, language, user, note, draftRevision }: NewReview): Promise<void> {
  const row = {
    state: 'waiting' as const,
    user_id: user ?? null,
    requested_at: now,
    note,
    draft_revision: draftRevision,
    answered_by: null,
    answered_at: null,
    answer: '',
  }
  await tx
    .insertInto('reviews')
    .values({ owner, language, ...row })
    .onConflict(conflict => conflict.columns(['owner', 'language']).doUpdateSet(row))
    .execute()
}

/** Who asked; undefined if nothing waits. The page must be locked. */
export async function markReviewReturned(
  tx: Tx,
  { owner, language }: Pick<ReviewsTable, 'owner' | 'language'>,
  { user, answer }: { user: string | undefined; answer: string },
): Promise<{ user_id: string | null } | undefined> {
  return tx
    .updateTable('reviews')
    .set({ state: 'returned', answered_by: user ?? null, answered_at: now, answer })
    .where('owner', '=', owner)
    .where('language', '=', language)
    .where('state', '=', 'waiting')
    .returning('user_id')
    .executeTakeFirst()
}

/** The account that asked for the review; undefined without a review. */
export async function selectRequester(tx: Tx, owner: string, language: string) {
  return tx
    .selectFrom('reviews')
    .select('user_id')
    .where('owner', '=', owner)
    .where('language', '=', language)
    .executeTakeFirst()
}

export async function deleteReview(tx: Tx, owner: string, language: string) {
  return tx
    .deleteFrom('reviews')
    .where('owner', '=', owner)
    .where('language', '=', language)
    .returning(['user_id', 'state'])
    .execute()
}

/** Deletes the reviews of a page in languages without a draft: what they were about is published. */
export async function deletePublishedReviews(tx: Tx, owner: string) {
  return tx
    .deleteFrom('reviews')
    .where('owner', '=', owner)
    .where(eb =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('changes')
            .select('changes.owner')
            .whereRef('changes.owner', '=', 'reviews.owner')
            .whereRef('changes.language', '=', 'reviews.language'),
        ),
      ),
    )
    .returning(['user_id', 'state'])
    .execute()
}

// ---- recipients of mail

const activeUsers = (tx: Tx) =>
  tx.selectFrom('users').select(['id', 'email', 'language']).where('status', '=', 'active')

export async function selectActiveUser(tx: Tx, id: string) {
  return activeUsers(tx).where('id', '=', id).executeTakeFirst()
}

/** Active accounts of these roles, except one. */
export async function selectUsersOf(tx: Tx, roles: readonly string[], except: string | undefined, limit: number) {
  if (roles.length === 0) return []
  return activeUsers(tx)
    .where('role', 'in', roles)
    .$if(except !== undefined, query => query.where('id', '<>', except!))
    .orderBy('id')
    .limit(limit)
    .execute()
}
