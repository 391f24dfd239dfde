import { z } from 'zod'
import { userSummarySchema, showUserSummary } from '../../../content/user-summary.ts'
import type { ContentLanguage, RequestContext } from '../../../http/context.ts'
import { contentLanguages } from '../../../content/languages/languages.ts'
import { batched } from '../../../platform/store/batch.ts'
import type { PageRow } from '../queries.ts'
import { type PlanRow, selectPlans } from './queries.ts'
import { namedSchema } from '../../../platform/lib/schema-names.ts'

export const scheduleSchema = namedSchema(
  'Schedule',
  z.object({
    status: z.enum(['draft', 'unlisted', 'listed']),
    at: z.string(),
    /** Whether the draft is also published, and in which language; null on a site without languages. */
    publishChanges: z.boolean(),
    language: z.string().nullable(),
    /** The user who scheduled it; null if the account is deleted. */
    user: userSummarySchema.nullable(),
    /** The key of the error that stopped it. It is not retried until it is scheduled again. */
    problem: z.string().nullable(),
  }),
)

export type Schedule = z.output<typeof scheduleSchema>

// Batched: one query for all pages of a list.
const plans = batched(selectPlans, ({ page }) => page)

/** The schedule of a page, or null. */
export async function scheduleOf(ctx: RequestContext, { uuid }: Pick<PageRow, 'uuid'>): Promise<Schedule | null> {
  const plan = await plans(ctx.app.store, uuid)
  if (!plan) return null
  const languages = plan.publish_language === null ? [] : await contentLanguages(ctx.app)
  return show(ctx, plan, languages)
}

function show(ctx: RequestContext, plan: PlanRow, languages: readonly ContentLanguage[]): Schedule {
  const { status, due_at, problem, publish_language, user, name, email, role } = plan
  return {
    status,
    at: new Date(due_at).toISOString(),
    publishChanges: publish_language !== null,
    language: languages.find(({ key }) => key === publish_language)?.code ?? null,
    user: showUserSummary(ctx, { id: user, name, email, role }),
    problem: problem === null ? null : `error.${problem}`,
  }
}
