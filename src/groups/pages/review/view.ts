import { z } from 'zod'
import { accountOf } from '../../../access/actor.ts'
import { contentLanguages } from '../../../content/languages/languages.ts'
import { showUserSummary, userSummarySchema } from '../../../content/user-summary.ts'
import type { RequestContext } from '../../../http/context.ts'
import { namedSchema } from '../../../platform/lib/schema-names.ts'
import { isoTime } from '../../../platform/lib/time.ts'
import { batched } from '../../../platform/store/batch.ts'
import { ownerOfPage } from '../pages.ts'
import type { PageRow } from '../queries.ts'
import { type ReviewRow, selectReviews } from './queries.ts'

/** An interface, because types that are inferred from the schema make those of pages too long for TypeScript. */
export interface Review {
  state: 'waiting' | 'returned'
  /** Null on a site without languages. */
  language: string | null
  note: string
  /** Who asked; null if the account is deleted. */
  user: z.output<typeof userSummarySchema> | null
  isOwn: boolean
  requested: string
  /** Whether the draft has changed since then. */
  changed: boolean
  /** The note with which it was sent back, by whom and when. */
  answer: string
  answeredBy: z.output<typeof userSummarySchema> | null
  answered: string | null
}

export const reviewSchema: z.ZodType<Review> = namedSchema(
  'Review',
  z.object({
    state: z.enum(['waiting', 'returned']),
    language: z.string().nullable(),
    note: z.string(),
    user: userSummarySchema.nullable(),
    isOwn: z.boolean(),
    requested: z.string(),
    changed: z.boolean(),
    answer: z.string(),
    answeredBy: userSummarySchema.nullable(),
    answered: z.string().nullable(),
  }),
)

// Batched: one query for all pages of a list.
const reviews = batched(
  async (store, owners: string[]) =>
    [...Map.groupBy(await selectReviews(store, owners), ({ owner }) => owner)].map(([owner, rows]) => ({
      owner,
      rows,
    })),
  ({ owner }) => owner,
)

/** The review of a page in the language of the request, or null. */
export async function reviewOf(ctx: RequestContext, { uuid }: Pick<PageRow, 'uuid'>): Promise<Review | null> {
  const [row] = await rowsOf(ctx, uuid)
  return row && row.language === (await ctx.language()).key ? show(ctx, row) : null
}

/** For lists: without one in the language of the request, that of another language. */
export async function listedReview(ctx: RequestContext, { uuid }: Pick<PageRow, 'uuid'>): Promise<Review | undefined> {
  const [row] = await rowsOf(ctx, uuid)
  return row && show(ctx, row)
}

/** That in the language of the request first, then those that wait. */
async function rowsOf(ctx: RequestContext, uuid: string): Promise<ReviewRow[]> {
  const found = await reviews(ctx.app.store, ownerOfPage(uuid))
  if (!found) return []
  const { key } = await ctx.language()
  const rank = ({ language, state }: ReviewRow) => (language === key ? 0 : state === 'waiting' ? 1 : 2)
  return found.rows.toSorted((a, b) => rank(a) - rank(b))
}

async function show(ctx: RequestContext, row: ReviewRow): Promise<Review> {
  const languages = await contentLanguages(ctx.app)
  const { reviewer_id: id, reviewer_name: name, reviewer_email: email, reviewer_role: role } = row
  return {
    state: row.state,
    language: languages.find(({ key }) => key === row.language)?.code ?? null,
    note: row.note,
    user: showUserSummary(ctx, row),
    isOwn: row.id !== null && row.id === accountOf(ctx),
    requested: isoTime(row.requested_at),
    changed: row.draft_revision !== row.current_revision,
    answer: row.answer,
    answeredBy: showUserSummary(ctx, { id, name, email, role }),
    answered: row.answered_at === null ? null : isoTime(row.answered_at),
  }
}
