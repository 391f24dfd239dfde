import type { App } from '../../../app.ts'
import { type By, record } from '../../../access/audit/audit.ts'
import type { Status } from '../../../blueprints/blueprints.ts'
import { findDraft, mustNotBeLocked } from '../../../content/changes/draft-lock.ts'
import { draftMustBeCurrent, type Expected, mustBeCurrent } from '../../../content/revision.ts'
import { fail } from '../../../platform/errors.ts'
import { contentLanguage, languageToWrite } from '../../../content/languages/languages.ts'
import { selectNow, type Tx } from '../../../platform/store/store.ts'
import { recordInHistory } from '../history.ts'
import { ownerOf } from '../pages.ts'
import type { PageRow } from '../queries.ts'
import { mustBePossible, statusMustBeOffered } from '../rules.ts'
import type { Publish } from '../status.ts'
import { lockPage } from '../tree/lock.ts'
import { deletePlan, upsertPlan } from './queries.ts'

interface Plan {
  status: Status
  /** Milliseconds since 1970. */
  due: number
  by: By
  expected: Expected
  check?: (page: PageRow) => void
  /** Also publishes the draft, in its state at that time. */
  publish?: Publish | undefined
}

/** Schedules a change of the status. Completeness is checked when it is due. */
export async function planStatus(
  app: App,
  { uuid }: PageRow,
  { status, due, by, expected, check, publish }: Plan,
): Promise<void> {
  const language = await contentLanguage(app, undefined)
  await app.store.write(async tx => {
    const page = await lockPage(app, tx, uuid, language)
    mustBeCurrent(page.revision, expected)
    check?.(page)
    mustBePossible(app, page, 'changeStatus')
    statusMustBeOffered(app, page, status)
    if (due <= (await selectNow(tx))) throw fail('page.schedule.past')
    if (publish) await draftMustBeSeen(tx, page, publish, by)
    await upsertPlan(tx, uuid, { status, due, user: by.actor, language: publish?.language.key ?? null })
    const at = new Date(due).toISOString()
    await recordInHistory(app, tx, page, 'schedule', by, { before: page.status, after: status, at })
    await record(tx, {
      event: 'page.changed',
      subject: ownerOf(uuid),
      ...by,
      detail: { what: 'schedule', status, due },
    })
  })
}

export async function forgetPlan(app: App, { uuid }: PageRow, { by, expected, check }: Omit<Plan, 'status' | 'due'>) {
  const language = await contentLanguage(app, undefined)
  await app.store.write(async tx => {
    const page = await lockPage(app, tx, uuid, language)
    mustBeCurrent(page.revision, expected)
    check?.(page)
    if (!(await deletePlan(tx, uuid))) throw fail('page.schedule.notFound')
    await recordInHistory(app, tx, page, 'unschedule', by, {})
    await record(tx, { event: 'page.changed', subject: ownerOf(uuid), ...by, detail: { what: 'schedule' } })
  })
}

/**
 * Refuses to schedule a draft that the caller has not seen in its current revision, or that another user is editing.
 */
async function draftMustBeSeen(tx: Tx, { uuid, revision }: PageRow, { language, draft }: Publish, by: By) {
  const kept = await findDraft(tx, ownerOf(uuid), await languageToWrite(tx, language))
  mustNotBeLocked(kept, by)
  draftMustBeCurrent(kept?.author.revision ?? 0, draft, revision)
}
