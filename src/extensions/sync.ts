import type { App } from '../app.ts'
import { forgetRemoved } from '../groups/system/extensions/extensions.ts'
import {
  queueOf,
  upsertJobSchedule,
  upsertSubscription,
  selectJobSchedules,
  type Subscription,
  selectSubscriptions,
  subscriptionOf,
} from '../groups/system/extensions/queries.ts'
import { nextTime } from '../platform/lib/cron.ts'
import { selectNow } from '../platform/store/store.ts'
import { isOf, timedJobs } from './schedule.ts'

/**
 * Makes subscriptions and schedules the same as the extensions declare them. What is as it should be is not written
 * again: a commit empties the caches.
 */
export async function syncExtensions(app: App): Promise<void> {
  await forgetRemoved(app)
  const before = await selectSubscriptions(app.store)
  const missing = declared(app).filter(row => !before.some(other => isSame(row, other)))
  if (missing.length > 0)
    await app.store.write(async tx => {
      for (const row of missing) await upsertSubscription(tx, row)
    })
  await syncSchedules(app)
}

const isSame = (one: Subscription, other: Subscription) =>
  (Object.keys(one) as (keyof Subscription)[]).every(key => one[key] === other[key])

const declared = ({ extensions }: App): Subscription[] =>
  extensions.list.flatMap(({ name, handlers }) =>
    handlers.map(({ name: handler, event, templates, languages }) => ({
      id: subscriptionOf(name, handler),
      queue: queueOf(name),
      events: JSON.stringify([event]),
      templates: JSON.stringify(templates),
      languages: JSON.stringify(languages),
    })),
  )

/** A job that is due stays due: what was missed while no server was running is made up for, once. */
async function syncSchedules(app: App): Promise<void> {
  const { store } = app
  const rows = await selectJobSchedules(store)
  const outdated = timedJobs(app).filter(timedJob => {
    const row = rows.find(one => isOf(timedJob, one))
    return !row || (row.next_at > row.now && row.next_at !== nextTime(timedJob.cron, timedJob.timeZone, row.now))
  })
  if (outdated.length === 0) return
  await store.write(async tx => {
    const now = await selectNow(tx)
    for (const timedJob of outdated)
      await upsertJobSchedule(tx, timedJob, nextTime(timedJob.cron, timedJob.timeZone, now)!)
  })
}
