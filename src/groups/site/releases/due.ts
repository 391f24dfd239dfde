import { anonymousContext, systemContext } from '../../../access/actor.ts'
import type { App } from '../../../app.ts'
import { purgeIfTrashIsOff } from '../../../content/trash/trash.ts'
import { ApiError } from '../../../platform/errors.ts'
import { type DueWork, planningContext, problemOf } from '../../pages/schedule/due.ts'
import { preparePublication, problemsIn, storeProblems } from './publish.ts'
import { type DueRelease, lockRelease, selectDueReleases, selectReleaseWait } from './queries.ts'

const batch = 10

/** Releases that were scheduled, for the rounds in which schedules of pages are applied. */
export const dueReleases: DueWork = {
  async carryOut(app, stopping) {
    for (;;) {
      const due = await selectDueReleases(app.store, batch)
      if (due.length === 0) return
      for (const release of due) {
        if (stopping?.aborted) return
        await publishDue(app, release)
      }
    }
  },
  wait: ({ store }) => selectReleaseWait(store),
}

/** The account that scheduled the release acts, with its present rights. Another process may have been faster. */
async function publishDue(app: App, { id, due_at }: DueRelease): Promise<void> {
  const acting = anonymousContext(app) // one for all attempts: what rules of extensions have said is kept by it
  try {
    const publish = await preparePublication(acting, id)
    await app.store.write(async tx => {
      const release = await lockRelease(tx, id)
      const isDue = release?.due_at === due_at && release.problem === null && release.published_at === null
      if (!release || !isDue) return
      await publish.run(Object.assign(acting, await planningContext(app, tx, release.user_id)), tx, release)
    }, publish.options)
    purgeIfTrashIsOff(app)
  } catch (error) {
    const problems = problemsIn(error)
    const problem = problems ? 'release.held' : problemOf(app, error)
    if (problem === undefined) throw error
    const ctx = acting.actor.isAnonymous ? systemContext(app, 'schedule') : acting
    await app.store.write(tx => storeProblems(ctx, tx, id, problems ?? new Map(), { isDue: true }))
    const place = { event: 'release.held', release: id, problem }
    if (problems || error instanceof ApiError) app.log.warn(place, 'a scheduled release was held')
    else app.log.error({ ...place, err: error }, 'a scheduled release failed')
  }
}
