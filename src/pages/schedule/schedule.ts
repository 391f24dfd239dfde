import type { App } from '../../app.ts'
import { type By, record } from '../../audit/audit.ts'
import type { Status } from '../../blueprints/blueprints.ts'
import { mustBeCurrent } from '../../content/revision.ts'
import { fail } from '../../errors.ts'
import { contentLanguage } from '../../languages/languages.ts'
import { ownerOf } from '../pages.ts'
import type { PageRow } from '../queries.ts'
import { mustBePossible, statusMustBeOffered } from '../rules.ts'
import { holdPage } from '../tree/hold.ts'
import { selectNow } from '../tree/queries.ts'
import { deletePlan, upsertPlan } from './queries.ts'

interface Plan {
  status: Status
  /** Milliseconds since 1970. */
  due: number
  by: By
  expected: number | undefined
}

/** What the page is to become, and when. Whether it is complete is asked when the time has come. */
export async function planStatus(app: App, { uuid }: PageRow, { status, due, by, expected }: Plan): Promise<void> {
  const language = await contentLanguage(app, undefined)
  await app.store.write(async tx => {
    const page = await holdPage(app, tx, uuid, language)
    mustBeCurrent(page.revision, expected)
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

export async function forgetPlan(app: App, { uuid }: PageRow, { by, expected }: Pick<Plan, 'by' | 'expected'>) {
  const language = await contentLanguage(app, undefined)
  await app.store.write(async tx => {
    const page = await holdPage(app, tx, uuid, language)
    mustBeCurrent(page.revision, expected)
    if (!(await deletePlan(tx, uuid))) throw fail('page.schedule.notFound')
    await record(tx, { event: 'page.changed', subject: ownerOf(uuid), ...by, detail: { what: 'schedule' } })
  })
}
