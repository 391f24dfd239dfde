import type { App } from '../../app.ts'
import { type By, record } from '../../audit/audit.ts'
import type { Status } from '../../blueprints/blueprints.ts'
import { type Expected, mustBeCurrent } from '../../content/revision.ts'
import { fail } from '../../errors.ts'
import { contentLanguage } from '../../languages/languages.ts'
import { selectNow } from '../../store/store.ts'
import { ownerOf } from '../pages.ts'
import type { PageRow } from '../queries.ts'
import { mustBePossible, statusMustBeOffered } from '../rules.ts'
import { holdPage } from '../tree/hold.ts'
import { deletePlan, upsertPlan } from './queries.ts'

interface Plan {
  status: Status
  /** Milliseconds since 1970. */
  due: number
  by: By
  expected: Expected
  check?: (page: PageRow) => void
}

/** What the page is to become, and when. Whether it is complete is asked when the time has come. */
export async function planStatus(
  app: App,
  { uuid }: PageRow,
  { status, due, by, expected, check }: Plan,
): Promise<void> {
  const language = await contentLanguage(app, undefined)
  await app.store.write(async tx => {
    const page = await holdPage(app, tx, uuid, language)
    mustBeCurrent(page.revision, expected)
    check?.(page)
    mustBePossible(app, page, 'changeStatus')
    statusMustBeOffered(app, page, status)
    if (due <= (await selectNow(tx))) throw fail('page.schedule.past')
    await upsertPlan(tx, uuid, { status, due, user: by.actor })
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
    const page = await holdPage(app, tx, uuid, language)
    mustBeCurrent(page.revision, expected)
    check?.(page)
    if (!(await deletePlan(tx, uuid))) throw fail('page.schedule.notFound')
    await record(tx, { event: 'page.changed', subject: ownerOf(uuid), ...by, detail: { what: 'schedule' } })
  })
}
