import { accountOf, type Context } from '../../../access/actor.ts'
import { recordEvent } from '../../../content/change-events.ts'
import type { Status } from '../../../blueprints/blueprints.ts'
import { findDraft, mustNotBeLocked } from '../../../content/drafts/draft-lock.ts'
import { draftMustBeCurrent, type Expected, mustBeCurrent } from '../../../content/revision.ts'
import { fail } from '../../../platform/errors.ts'
import { contentLanguage, languageToWrite } from '../../../content/languages/languages.ts'
import { selectNow, type Tx } from '../../../platform/store/store.ts'
import { recordHistoryEvent } from '../history.ts'
import { ownerOfPage } from '../pages.ts'
import type { PageRow } from '../queries.ts'
import { acceptReview } from '../review/accept.ts'
import { mustBePossible, statusMustBeOffered } from '../rules.ts'
import type { PublishOptions } from '../status.ts'
import { lockPage } from '../tree/lock.ts'
import { deletePlan, selectReleaseOf, upsertPlan } from './queries.ts'

interface Plan {
  status: Status
  /** Milliseconds since 1970. */
  due: number
  expected: Expected
  /** Also publishes the draft, in its state at that time. */
  publish?: PublishOptions | undefined
}

/** Schedules a change of the status. Completeness is checked when it is due. */
export async function planStatus(
  ctx: Context,
  { uuid }: PageRow,
  { status, due, expected, publish }: Plan,
): Promise<void> {
  const { app } = ctx
  const actions = publish ? (['changeStatus', 'publish', 'update'] as const) : (['changeStatus', 'publish'] as const)
  const language = await contentLanguage(app, undefined)
  await app.store.write(async tx => {
    const page = await lockPage(ctx, tx, uuid, actions, language)
    mustBeCurrent(page.revision, expected)
    mustBePossible(app, page, 'changeStatus')
    statusMustBeOffered(app, page, status)
    if (due <= (await selectNow(tx))) throw fail('page.schedule.past')
    // Two plans for one draft would publish it at two times.
    const release = await selectReleaseOf(tx, ownerOfPage(uuid))
    if (release !== undefined) throw fail('page.schedule.release', { name: release })
    if (publish) await draftMustBeSeen(ctx, tx, page, publish)
    await upsertPlan(tx, uuid, { status, due, user: accountOf(ctx), language: publish?.language.key ?? null })
    // Scheduling is a decision about the review, too.
    if (publish) await acceptReview(ctx, tx, page, publish.language)
    const at = new Date(due).toISOString()
    await recordHistoryEvent(ctx, tx, page, 'schedule', { before: page.status, after: status, at })
    const { template, path, revision } = page
    const facts = { template, path, revision, what: 'schedule', status, due }
    await recordEvent(ctx, tx, 'page.changed', ownerOfPage(uuid), facts)
  })
}

export async function cancelPlan(ctx: Context, { uuid }: PageRow, { expected }: Pick<Plan, 'expected'>) {
  const { app } = ctx
  const language = await contentLanguage(app, undefined)
  await app.store.write(async tx => {
    const page = await lockPage(ctx, tx, uuid, ['changeStatus', 'publish'], language)
    mustBeCurrent(page.revision, expected)
    if (!(await deletePlan(tx, uuid))) throw fail('page.schedule.notFound')
    await recordHistoryEvent(ctx, tx, page, 'unschedule', {})
    const { template, path, revision } = page
    await recordEvent(ctx, tx, 'page.changed', ownerOfPage(uuid), { template, path, revision, what: 'unschedule' })
  })
}

/**
 * Refuses to schedule a draft that the caller has not seen in its current revision, or that another user is editing.
 */
async function draftMustBeSeen(
  ctx: Context,
  tx: Tx,
  { uuid, revision }: PageRow,
  { language, draftRevision }: PublishOptions,
) {
  const currentDraft = await findDraft(tx, ownerOfPage(uuid), await languageToWrite(tx, language))
  mustNotBeLocked(ctx, currentDraft)
  draftMustBeCurrent(currentDraft?.author.revision ?? 0, draftRevision, revision)
}
