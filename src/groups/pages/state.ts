import { z } from 'zod'
import { accountOf } from '../../access/actor.ts'
import { type ListedDraft, listedDraft } from '../../content/drafts/listed-drafts.ts'
import { lockOf, withChanges } from '../../content/drafts/draft-lock.ts'
import { problemsOf } from '../../content/rules.ts'
import { showUserSummary, userSummarySchema } from '../../content/user-summary.ts'
import type { RequestContext } from '../../http/context.ts'
import { namedSchema } from '../../platform/lib/schema-names.ts'
import { isoTime } from '../../platform/lib/time.ts'
import { pageActions } from './options.ts'
import { pageBlueprintOf, contentOf, ownerOfPage } from './pages.ts'
import type { PageRow } from './queries.ts'
import { releaseOf, waitingSchema } from './release-of.ts'
import { listedReview, reviewSchema } from './review/view.ts'
import { scheduleOf, scheduleSchema } from './schedule/view.ts'
import { statusLabelOf } from './status-label.ts'

/** What editors see of a page in lists, beside its published content. */
export const pageStateSchema = namedSchema(
  'PageState',
  z.object({
    /** Whether the caller may publish it. */
    publish: z.boolean(),
    statusLabel: z.string(),
    /** Unpublished changes in the language of the request; null for callers who may not update the page. */
    changes: z
      .object({
        user: userSummarySchema.nullable(),
        modified: z.string(),
        isOwn: z.boolean(),
        /** Another account is editing the page now. */
        isLocked: z.boolean(),
        /** The title in the draft, if that was changed. */
        title: z.string().nullable(),
      })
      .nullable(),
    /** Whether fields break a rule of the blueprint: of drafts and of pages with changes. Null if that was not checked. */
    incomplete: z.boolean().nullable(),
    schedule: scheduleSchema.nullable(),
    /** Only if there is one: in the language of the request or, without one, in another. */
    review: reviewSchema.optional(),
    /** Only if the page is in one that is not published. */
    release: waitingSchema.optional(),
  }),
)

export type PageState = z.output<typeof pageStateSchema>

/** Pages of one request whose content is checked: that takes longer than to list them. */
const maxChecked = 50
const checked = new WeakMap<RequestContext, number>()

export async function stateOf(page: PageRow, ctx: RequestContext): Promise<PageState> {
  const options = pageActions(ctx, page)
  const canUpdate = options['update'] === true
  const [draft, schedule, review, release] = await Promise.all([
    canUpdate ? listedDraft(ctx, ownerOfPage(page.uuid)) : undefined,
    scheduleOf(ctx, page),
    canUpdate ? listedReview(ctx, page) : undefined,
    canUpdate ? releaseOf(ctx, page) : undefined,
  ])
  return {
    publish: options['publish'] !== false,
    statusLabel: statusLabelOf(ctx, page),
    changes: draft ? showChanges(ctx, draft) : null,
    incomplete: canUpdate ? await isIncomplete(ctx, page, draft) : null,
    schedule,
    ...(review && { review }),
    ...(release && { release }),
  }
}

function showChanges(ctx: RequestContext, { author, changes }: ListedDraft): PageState['changes'] {
  const account = accountOf(ctx)
  return {
    user: showUserSummary(ctx, author),
    modified: isoTime(author.modified_at),
    isOwn: author.id !== null && author.id === account,
    isLocked: lockOf(author, account) !== undefined,
    title: changes?.['title']?.to ?? null,
  }
}

async function isIncomplete(ctx: RequestContext, page: PageRow, draft: ListedDraft | undefined) {
  if (page.status !== 'draft' && !draft) return false
  const count = checked.get(ctx) ?? 0
  if (count >= maxChecked) return null
  checked.set(ctx, count + 1)
  return breaksRules(ctx, page, draft)
}

/** Whether the page would break a rule of its blueprint with the changes of the draft. Null if they were not read. */
export async function breaksRules(
  ctx: RequestContext,
  page: PageRow,
  draft: ListedDraft | undefined,
): Promise<boolean | null> {
  if (draft && !draft.changes) return null
  const content = contentOf(ctx.app, page)
  const edited = draft?.changes ? withChanges(content, draft.changes) : content
  return Object.keys(await problemsOf(pageBlueprintOf(ctx.app, page), edited, ctx.locale, content)).length > 0
}
